#!/usr/bin/env bash
# Run by `make demo`: learns a heuristic for one 15-puzzle, solves other initial states with short plans, and compares
# them with plans found without learning in five seconds per state. Takes about two minutes on two cores.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; "$@"; }

say goalward generate tiles --set rows=4 --set cols=4 --seed 1 -o puzzle
say goalward walk puzzle/domain.pddl puzzle/problem.pddl --states 6 --steps 500 --seed 3 -o states
say goalward train puzzle/domain.pddl puzzle/problem.pddl -o puzzle.goalward --time-limit 60s
say goalward solve puzzle.goalward states/*.pddl --plans plans || true # on a slow machine, some states may stay unsolved
solved=$(basename "$(find plans -name '*.plan' | sort | head -n 1)" .plan)
say goalward validate puzzle/domain.pddl "states/$solved.pddl" "plans/$solved.plan"

printf '\nThe same states without learning, five seconds per state:\n'
goalward solve puzzle.goalward states/*.pddl --json > with.json || true
for state in states/*.pddl; do
  name=$(basename "$state" .pddl)
  goalward plan puzzle/domain.pddl "$state" --anytime --time-limit 5s --json -o "$name" > "$name.json" || true &
  while [ "$(jobs -rp | wc -l)" -ge 2 ]; do wait -n; done
done
wait
python "$here/demo_table.py" with.json states/*.pddl
echo
echo "One problem learned once, then solved from other initial states; every plan is checked on the PDDL. Bring your own:"
echo "  goalward train domain.pddl p01.pddl -o p01.goalward && goalward solve p01.goalward states/*.pddl"
