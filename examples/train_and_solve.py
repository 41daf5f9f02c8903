"""Learns a heuristic for one problem, saves it, and solves the problem from other initial states.

python examples/train_and_solve.py                  # at most a minute of training
python examples/train_and_solve.py 5s               # less
"""

import sys
import tempfile
from pathlib import Path

from goalward import generate, load_model, random_walk_states, read_plan, train

time_limit = sys.argv[1] if len(sys.argv) > 1 else "1m"

# To use PDDL files: ground_files("domain.pddl", "problem.pddl").
task = generate("blocks", n=6, seed=1).ground()
print(task)

# Progress is shown on a terminal and in a notebook. Ctrl-C keeps the best network so far.
model = train(task, time_limit=time_limit, seed=0)

with tempfile.TemporaryDirectory() as folder:
    model.save(Path(folder) / "blocks.goalward")
    model = load_model(Path(folder) / "blocks.goalward")

    # Initial states may also be paths of problem files. Every plan is checked on the PDDL.
    states = random_walk_states(task, 10, steps=200, seed=7)
    outcomes = model.solve(states, time_limit="10s")
    for number, outcome in enumerate(outcomes, start=1):
        print(f"state {number}: {outcome}")

    solved = [outcome for outcome in outcomes if outcome.solved]
    print(f"{len(solved)} of {len(outcomes)} states solved")
    if solved:
        plan_file = Path(folder) / "sas_plan"
        plan_file.write_text(solved[0].plan_text)
        print("the first plan:", " ".join(f"({' '.join(words)})" for _, words in read_plan(plan_file)))
