#!/usr/bin/env bash
# What `make demo` shows: learn a heuristic for one bundled problem, then solve ten initial states of it.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say goalward generate blocks --set n=14 --seed 1 -o blocks
say goalward walk blocks/domain.pddl blocks/problem.pddl --states 10 --steps 200 --seed 7 -o states
say goalward train blocks/domain.pddl blocks/problem.pddl -o blocks.goalward --time-limit 40s
say goalward solve blocks.goalward states/p{1..10}.pddl --plans plans --time-limit 10s
say goalward validate blocks/domain.pddl states/p1.pddl plans/p1.plan
echo
echo "One problem learned, ten initial states solved, every plan checked on the PDDL. Bring your own:"
echo "  goalward train domain.pddl p01.pddl -o p01.goalward && goalward solve p01.goalward states/*.pddl"
