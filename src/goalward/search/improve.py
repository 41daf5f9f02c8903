"""Improves plans: removes steps, reorders steps and searches parts of the plan again (see ``docs/improving.md``).

>>> better = improve_plan(task, result.plan, time_limit=1)  # doctest: +SKIP
>>> better.cost_before, better.cost, better.status  # doctest: +SKIP
(142, 87, <ImproveStatus.OUT_OF_TIME: 'out of time'>)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from goalward import _core
from goalward.errors import UsageError
from goalward.search.best_first import SearchOptions
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.task.states import StateLike, as_state, to_bits
from goalward.task.strips import Task


class ImproveStatus(Enum):
    """The reason why the improvement of a plan ended."""

    OPTIMAL = "optimal"  # all cheaper paths have been searched, so no plan is cheaper
    NOTHING_LEFT = "nothing left to try"
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    OUT_OF_EFFORT = "out of effort"
    CANCELLED = "cancelled"


_STATUS = {native: ImproveStatus[native.name] for native in _core.ImproveStatus}


@dataclass(frozen=True)
class BetterPlan:
    """A better plan, the time in ``seconds`` at which it was found, and the name of the technique that found it."""

    plan: tuple[int, ...]
    cost: int
    seconds: float
    by: str

    @property
    def length(self) -> int:
        """Number of steps."""
        return len(self.plan)


@dataclass(frozen=True, eq=False)
class ImprovedPlan:
    """The original plan, and all better plans in the order in which they were found.

    Costs are those in the PDDL or, with unit costs, numbers of steps.
    """

    task: Task
    status: ImproveStatus
    before: tuple[int, ...]
    cost_before: int
    better: tuple[BetterPlan, ...]
    seconds: float
    effort: int

    @property
    def plan(self) -> tuple[int, ...]:
        """The best plan, as operators of the task."""
        return self.better[-1].plan if self.better else self.before

    @property
    def cost(self) -> int:
        """Cost of the best plan."""
        return self.better[-1].cost if self.better else self.cost_before

    @property
    def length(self) -> int:
        """Number of steps."""
        return len(self.plan)

    @property
    def steps(self) -> list[str]:
        """The plan's steps, ``(action arg …)``."""
        return [self.task.operators[operator] for operator in self.plan]


ImproveProgress = Callable[[ImprovedPlan], bool | None]


class Improver:
    """Improves plans of one task, one after the other, and reuses preparations between them.

    It minimises the cost in the PDDL, or the number of steps if the PDDL has no costs or with ``unit_costs``. Fewer
    steps break ties. It also reuses the preparations of a ``heuristic`` of the task. Searches with a learned heuristic
    get ``network_share`` of the effort; None means the share that was best in training.
    """

    def __init__(
        self,
        task: Task,
        *,
        unit_costs: bool | None = None,
        heuristic: BoundHeuristic | None = None,
        network_share: float | None = None,
    ) -> None:
        if network_share is None:
            network_share = heuristic.network_share if heuristic is not None and heuristic.learned else 0.0
        if not 0 <= network_share < 1:
            raise UsageError(f"network_share must be at least 0 and below 1, but is {network_share}")
        self.task = task
        self.network_share = network_share
        self.unit_costs = not task.uses_costs if unit_costs is None else unit_costs
        self._heuristic = bind_heuristic(task, "ff", unit_costs=self.unit_costs) if heuristic is None else heuristic

    def cost(self, plan: Sequence[int]) -> int:
        """The cost of a plan that is minimised: its steps with unit costs, otherwise its cost in the PDDL."""
        return len(plan) if self.unit_costs else self.task.cost_of(plan)

    def improve(
        self,
        plan: Sequence[int],
        *,
        init: StateLike | None = None,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        n_concurrent: int = 1,
        effort_limit: int | None = None,
        max_effort: int | None = None,
        cores: int = 1,
        seed: int = 0,
        progress: ImproveProgress | None = None,
    ) -> ImprovedPlan:
        """Improve a plan as :func:`improve_plan` does; ``n_concurrent`` improvers share the memory limit.

        With ``max_effort``, each better plan raises the effort limit to twice the sum of the original limit and the
        effort so far, up to ``max_effort``.
        """
        limits = SearchOptions(time_limit=time_limit, memory_limit=memory_limit, cores=cores)  # type: ignore[arg-type]  # reads texts
        if effort_limit is not None and not 0 < effort_limit < 2**63:
            raise UsageError(f"effort_limit must be above 0, but is {effort_limit}")
        if not 0 <= seed < 2**64:
            raise UsageError(f"seed must be between 0 and 2^64 - 1, but is {seed}")
        before = tuple(int(operator) for operator in plan)
        if not all(0 <= operator < self.task.n_operators for operator in before):
            raise UsageError(f"operators of a plan must be between 0 and {self.task.n_operators - 1}")
        cost_before = self.cost(before)

        better: list[BetterPlan] = []
        interned: dict[int, int] = {}  # one Python object per operator, shared by hundreds of long plans

        def so_far(native: _core.ImproveResult) -> ImprovedPlan:
            for new in native.better_since(len(better)):  # converts only new plans
                steps = tuple(interned.setdefault(operator, operator) for operator in new.plan)
                better.append(BetterPlan(steps, new.cost, new.seconds, new.by))
            status = _STATUS[native.status]
            return ImprovedPlan(self.task, status, before, cost_before, tuple(better), native.seconds, native.effort)

        start = self.task.init if init is None else as_state(self.task, init)
        bits = to_bits([start], self.task.n_atoms)
        guidance = self._heuristic.guidance(bits)
        network = self._heuristic.evaluator(bits) if self.network_share else None
        native = _core.improve(
            guidance, network, start, np.array(before, dtype=np.int32), unit_costs=self.unit_costs, seed=seed,
            time_limit=limits.time_limit or 0.0, memory_limit=limits.memory_limit or 0, n_concurrent=n_concurrent,
            effort_limit=effort_limit or 0, max_effort=max_effort or 0, cores=cores,
            network_share=self.network_share, progress=(lambda native: progress(so_far(native))) if progress else None,
        )  # fmt: skip
        if native is None:
            raise UsageError(
                "the plan to improve is not valid: a step is not applicable, or it does not reach the goal"
            )
        return so_far(native)


def improve_plan(
    task: Task,
    plan: Sequence[int],
    *,
    init: StateLike | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    effort_limit: int | None = None,
    unit_costs: bool | None = None,
    cores: int = 1,
    seed: int = 0,
    progress: ImproveProgress | None = None,
) -> ImprovedPlan:
    """Find cheaper plans from the state ``init`` (default: the task's own initial state), given a valid plan.

    It ends at a limit, or if nothing is left to try. The cost in the PDDL is minimised or, with ``unit_costs`` or if
    the PDDL has no costs, the number of steps. Effort is counted in units of about a nanosecond. With an effort limit
    and no other limits, results are repeatable: the same seed and number of ``cores`` give the same plans.

    ``progress`` is called about twenty times a second with the result so far and may return False to stop. Ctrl-C
    raises KeyboardInterrupt as usual.
    """
    return Improver(task, unit_costs=unit_costs).improve(
        plan, init=init, time_limit=time_limit, memory_limit=memory_limit, effort_limit=effort_limit, cores=cores,
        seed=seed, progress=progress,
    )  # fmt: skip
