#!/usr/bin/env bash
# What `make demo` shows: learn a heuristic for one bundled problem, solve six initial states of it, and the same states
# without learning. Takes about a minute.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

size=(--set rows=4 --set cols=4)
say goalward generate tiles "${size[@]}" --seed 1 -o puzzle
say goalward walk puzzle/domain.pddl puzzle/problem.pddl --states 6 --steps 500 --seed 3 -o states
say goalward train puzzle/domain.pddl puzzle/problem.pddl -o puzzle.goalward --time-limit 30s
say goalward solve puzzle.goalward states/*.pddl --plans plans --time-limit 3s || true # on a slow machine, not all
solved=$(basename "$(find plans -name '*.plan' | sort | head -n 1)" .plan)
say goalward validate puzzle/domain.pddl "states/$solved.pddl" "plans/$solved.plan"

without=portfolio # h_FF, landmarks, goal by goal and novelty
installed='import importlib.util, sys; sys.exit(importlib.util.find_spec("up_fast_downward") is None)'
if python -c "$installed"; then without+=,lama; fi # Fast Downward's lama-first
say goalward compare puzzle/domain.pddl puzzle/problem.pddl states/*.pddl --time-limit 3s \
  --methods "n-rsl=puzzle.goalward,$without"
echo
echo "One problem learned once, then solved from other initial states; every plan is checked on the PDDL. Bring your own:"
echo "  goalward train domain.pddl p01.pddl -o p01.goalward && goalward solve p01.goalward states/*.pddl"
