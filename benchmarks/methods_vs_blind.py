"""Compares each method that learns per instance with blind search: states solved within a limit on expansions.

One table over bundled blocks and visitall instances, each method with its own defaults and the training time given.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

from goalward.errors import GoalwardError
from goalward.learning.methods import METHODS, make_options, train_with
from goalward.search import BoundHeuristic, bind_heuristic
from goalward.search.batches import search_many
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import BitRows, random_walk_states, to_bits
from goalward.task.strips import Task

INSTANCES: list[tuple[str, dict[str, int]]] = [
    ("blocks", {"n": 8}),
    ("blocks", {"n": 12}),
    ("visitall", {"rows": 7, "cols": 7, "missing": 20}),
    ("visitall", {"rows": 10, "cols": 10, "missing": 20}),
]
STATES = 10


@dataclass(frozen=True)
class InstanceStates:
    task: Task
    states: BitRows
    expansions: int

    def solved(self, heuristic: BoundHeuristic) -> int:
        return int(search_many(heuristic, self.states, expansion_limit=self.expansions).solved.sum())


def make_states(domain: str, parameters: dict[str, int], arguments: argparse.Namespace) -> InstanceStates:
    instance = generate(domain, seed=0, **parameters)
    lifted = parse_domain(instance.domain_text, "domain.pddl")
    task = ground(lifted, parse_problem(instance.problem_text, "problem.pddl", lifted))
    walked = random_walk_states(task, 4 * STATES, arguments.walk, 1)
    states = [state for state in walked if not task.is_goal(state)][:STATES]
    return InstanceStates(task, to_bits(states, task.n_atoms), arguments.expansions)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=30, help="training time of each method and instance")
    parser.add_argument("--expansions", type=int, default=1000, help="maximum number of expansions of a search")
    parser.add_argument("--walk", type=int, default=50, help="steps of the random walks to the ten states")
    parser.add_argument("--methods", nargs="*", help="only these methods")
    arguments = parser.parse_args()
    names = arguments.methods or [name for name, method in METHODS.items() if method.kind == "instance"]
    print(f"{'instance':20} {'method':8} {'solved':>6} {'blind':>6} {'h_FF':>6} {'training s':>10}")
    for domain, parameters in INSTANCES:
        chosen = make_states(domain, parameters, arguments)
        blind, ff = (chosen.solved(bind_heuristic(chosen.task, name)) for name in ("blind", "ff"))
        title = f"{domain} {'x'.join(str(value) for key, value in parameters.items() if key != 'missing')}"
        for name in names:
            begun = time.monotonic()
            try:
                model = train_with(chosen.task, name, make_options(name, {"time_limit": arguments.seconds}))
            except GoalwardError as error:
                print(f"{title:20} {name:8} {error}", flush=True)
                continue
            seconds = time.monotonic() - begun
            solved = chosen.solved(model.heuristic())
            print(f"{title:20} {name:8} {solved:6} {blind:6} {ff:6} {seconds:10.1f}", flush=True)


if __name__ == "__main__":
    main()
