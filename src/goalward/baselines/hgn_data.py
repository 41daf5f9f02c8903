"""Training data of a hypergraph network: states along optimal plans of small problems."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from goalward.baselines.hgn_model import DomainOptions
from goalward.baselines.regressed import RegressedStates
from goalward.learning.budget import Clock
from goalward.search import SearchOptions, Status, bind_heuristic, search
from goalward.task.states import from_bits, random_walk_states, states_along, to_lists
from goalward.task.strips import Ints, Task

# Walks of these lengths take turns. Long walks get far from the initial state, but in some domains all of them end near
# the goal.
WALK_STEPS = (100, 30, 10, 3)


@dataclass(frozen=True, eq=False)
class OptimalPlanStates:
    """States of one task, as zeros and ones of shape (states, |F|), and the cost of an optimal plan from each.

    ``status`` is that of the first search: from the task's initial state or, with ``near_goal``, from a regressed one.
    """

    task: Task
    states: npt.NDArray[np.uint8]
    labels: npt.NDArray[np.float32]
    plans: int
    seconds: float
    status: Status

    def summary(self) -> dict[str, Any]:
        """The figures that the command line shows and the model file stores."""
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


def states_on_optimal_plans(
    task: Task,
    options: DomainOptions,
    seconds: float,
    seed: int,
    go_on: Callable[[], bool] | None = None,
    clock: Clock = time.monotonic,
) -> OptimalPlanStates:
    """Solve states of a task by A* with h_max, and return the states along the optimal plans.

    Searches start from the task's initial state and then from ends of random walks. If the initial state is not solved,
    there are no states. With ``near_goal``, searches start from ends of regressions instead, each with a tenth of the
    time. Ends after ``seconds`` of the clock, or when there are enough states.
    """
    started = clock()
    heuristic = bind_heuristic(task, "hmax", unit_costs=options.unit_costs)
    costs = np.ones(task.n_operators, dtype=np.int64) if options.unit_costs else task.costs.astype(np.int64)
    label_of: dict[bytes, int] = {}
    first: Status | None = None
    plans = 0
    near = options.near_goal > 0
    for init in (
        _regressed(task, options, seed) if near else (task.init, *_walks(task, options.states_per_problem, seed))
    ):
        left = seconds - (clock() - started)
        if first is not None and (left <= 0 or len(label_of) >= options.states_per_problem):
            break
        limit = min(left, seconds / 10) if near else left
        limits = SearchOptions(algorithm="astar", time_limit=max(limit, 1e-3), unit_costs=options.unit_costs)
        result = search(task, heuristic, limits, init=init, progress=(lambda _: go_on()) if go_on else None)
        if result.status is Status.CANCELLED or (go_on and not go_on()):
            raise KeyboardInterrupt
        first = first or result.status
        if first is not Status.SOLVED and not near:
            break
        if result.plan is not None:
            plans += 1
            spent = np.cumsum([0, *costs[list(result.plan)]])
            # Each suffix of an optimal plan is optimal.
            for row, label in zip(states_along(task, init, result.plan), spent[-1] - spent, strict=True):
                label_of[row.tobytes()] = int(label)
    bits = np.frombuffer(b"".join(label_of), dtype=np.uint64).reshape(len(label_of), -(-task.n_atoms // 64))
    states = from_bits(bits, task.n_atoms).view(np.uint8)
    labels = np.array(list(label_of.values()), dtype=np.float32)
    return OptimalPlanStates(task, states, labels, plans, clock() - started, first or Status.OUT_OF_TIME)


def _regressed(task: Task, options: DomainOptions, seed: int) -> list[Ints]:
    """Full states at the ends of random regressions of 1 to ``near_goal`` steps."""
    source = RegressedStates(task, "reachable", seed)
    states, _ = source.draw(options.states_per_problem, options.near_goal)
    return to_lists(states, task.n_atoms)


def _walks(task: Task, n: int, seed: int) -> list[Ints]:
    """Ends of at least n random walks."""
    share = -(-n // len(WALK_STEPS))
    walks = [random_walk_states(task, share, steps, seed) for steps in WALK_STEPS]
    return [state for turn in zip(*walks, strict=True) for state in turn]
