"""What a hypergraph network learns from: states along optimal plans of small problems."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goalward.baselines.hgn_model import DomainOptions
from goalward.search import SearchOptions, Status, bind_heuristic, search
from goalward.task.states import random_walk_states
from goalward.task.strips import Ints, Task

WALK_STEPS = 100


@dataclass(frozen=True, eq=False)
class Lessons:
    """States of one task, as zeros and ones of shape (states, |F|), and the cost of an optimal plan from each."""

    task: Task
    states: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.float32]
    plans: int
    seconds: float
    status: Status  # of the search from the task's own initial state

    def summary(self) -> dict[str, Any]:
        """For people, and for the model file."""
        return {
            "problem": self.task.problem_name,
            "atoms": self.task.n_atoms,
            "operators": self.task.n_operators,
            "status": self.status.value,
            "states": len(self.labels),
            "plans": self.plans,
            "longest": float(self.labels.max()) if len(self.labels) else None,
            "seconds": round(self.seconds, 3),
        }


def teach(
    task: Task, options: DomainOptions, seconds: float, seed: int, go_on: Callable[[], bool] | None = None
) -> Lessons:
    """Optimal plans of a task by A* with h_max, from its initial state and then from ends of random walks.

    Ends after ``seconds``, or when there are enough states. If the task's own initial state is not solved by then,
    there are no states.
    """
    started = time.monotonic()
    heuristic = bind_heuristic(task, "hmax", unit_costs=options.unit_costs)
    costs = np.ones(task.n_operators, dtype=np.int64) if options.unit_costs else task.costs.astype(np.int64)
    label_of: dict[bytes, int] = {}
    first: Status | None = None
    plans = 0
    for init in (task.init, *random_walk_states(task, options.states_per_problem, WALK_STEPS, seed)):
        left = seconds - (time.monotonic() - started)
        if first is not None and (left <= 0 or len(label_of) >= options.states_per_problem):
            break
        limits = SearchOptions(algorithm="astar", time_limit=max(left, 1e-3), unit_costs=options.unit_costs)
        result = search(task, heuristic, limits, init=init, progress=(lambda _: go_on()) if go_on else None)
        if result.status is Status.CANCELLED or (go_on and not go_on()):
            raise KeyboardInterrupt
        first = first or result.status
        if first is not Status.SOLVED:
            break
        if result.plan is not None:
            plans += 1
            _label(task, init, result.plan, costs, label_of)
    packed = np.frombuffer(b"".join(label_of), dtype=np.uint8).reshape(len(label_of), -(-task.n_atoms // 8))
    states = np.unpackbits(packed, axis=1, count=task.n_atoms)
    labels = np.array(list(label_of.values()), dtype=np.float32)
    return Lessons(task, states, labels, plans, time.monotonic() - started, first or Status.OUT_OF_TIME)


def _label(
    task: Task, init: Ints, plan: Sequence[int], costs: npt.NDArray[np.int64], label_of: dict[bytes, int]
) -> None:
    """Label the states along an optimal plan: each rest of it is an optimal plan too."""
    truth = np.zeros(task.n_atoms, dtype=bool)
    truth[init] = True
    remaining = int(costs[list(plan)].sum())
    label_of[np.packbits(truth).tobytes()] = remaining
    for operator in plan:
        truth[task.delete[operator]] = False
        truth[task.add[operator]] = True
        remaining -= int(costs[operator])
        label_of[np.packbits(truth).tobytes()] = remaining
