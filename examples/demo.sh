#!/usr/bin/env bash
# What `make demo` shows: learn a heuristic for one bundled problem, solve six initial states of it, and the same states
# without learning. Takes about a minute.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

size=(--set rows=5 --set cols=3)
say goalward generate painters "${size[@]}" --seed 1 -o floor
for i in {1..6}; do # the same floor on other days: robots stand elsewhere, and some of the work is done
  goalward generate painters "${size[@]}" --set done=$((6 * i - 6)) --seed $((i + 1)) -o made >/dev/null
  mv made/problem.pddl "day$i.pddl"
done
say goalward train floor/domain.pddl floor/problem.pddl -o floor.goalward --labels min-ff --time-limit 30s
say goalward solve floor.goalward day{1..6}.pddl --plans plans --time-limit 3s || true # on a slow machine, not all
solved=$(basename "$(find plans -name '*.plan' | sort | head -n 1)" .plan)
say goalward validate floor/domain.pddl "$solved.pddl" "plans/$solved.plan"

without=goalward-lama # h_FF, landmarks and novelty
installed='import importlib.util, sys; sys.exit(importlib.util.find_spec("up_fast_downward") is None)'
if python -c "$installed"; then without+=,lama; fi # Fast Downward's lama-first
say goalward compare floor/domain.pddl floor/problem.pddl day{1..6}.pddl --time-limit 3s \
  --methods "n-rsl=floor.goalward,$without" --set n-rsl.search.algorithm=hybrid
echo
echo "One problem learned once, then solved from other initial states; every plan is checked on the PDDL. Bring your own:"
echo "  goalward train domain.pddl p01.pddl -o p01.goalward && goalward solve p01.goalward states/*.pddl"
