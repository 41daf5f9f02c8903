"""Searches with your own heuristic, written in Python, and compares it with built-in ones.

python examples/own_heuristic.py
"""

import numpy as np

from goalward import SearchOptions, generate, plan

task = generate("tiles", rows=3, cols=3, seed=1).ground()
print(task)

# For every atom "(tile-at t1 s-1-2)": the distance of the tile from its place, in rows plus columns.
places = {atom.split()[1]: atom for atom in (task.atoms[i] for i in task.goal) if atom.startswith("(tile-at ")}


def position(atom):
    """Row and column of the tile in an atom "(tile-at t1 s-1-2)"."""
    _, row, column = atom[:-1].split()[2].split("-")
    return np.array([int(row), int(column)])


distance = np.zeros(task.n_atoms)
for i, atom in enumerate(task.atoms):
    if atom.startswith("(tile-at "):
        distance[i] = np.abs(position(atom) - position(places[atom.split()[1]])).sum()


def manhattan(states):
    """Evaluate a batch of states, given as rows of zeros and ones; return one number per state."""
    return states @ distance


# Manhattan distance is admissible, so A* finds a shortest plan with it.
shortest = plan(task, manhattan, SearchOptions("astar", batch=32), time_limit="1m")
print(f"a shortest plan has {shortest.length} steps")

for heuristic in [manhattan, "ff", "goalcount", "blind"]:
    outcome = plan(task, heuristic, SearchOptions(batch=32), time_limit="1m")
    print(f"{outcome.heuristic:10} {outcome.length:3} steps, {outcome.statistics.evaluated:6} states evaluated")

# Without search: list the applicable actions of the initial state and the values of its successors.
for operator, state in task.successors(task.init):
    truth = np.zeros((1, task.n_atoms), dtype=np.uint8)
    truth[0, state] = 1
    print(f"{task.operators[operator]} leads to a state with h = {manhattan(truth)[0]:g}")
