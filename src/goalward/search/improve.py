"""Cheaper plans out of plans: steps left out, steps reordered, parts searched again. ``docs/improving.md`` says how.

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
from goalward.task.states import to_bits
from goalward.task.strips import Ints, Task


class ImproveStatus(Enum):
    """Why improving a plan ended."""

    OPTIMAL = "optimal"  # all that can be reached for less has been seen: no plan is cheaper
    NOTHING_LEFT = "nothing left to try"
    OUT_OF_TIME = "out of time"
    OUT_OF_MEMORY = "out of memory"
    OUT_OF_EFFORT = "out of effort"
    CANCELLED = "cancelled"


_STATUS = {native: ImproveStatus[native.name] for native in _core.ImproveStatus}


@dataclass(frozen=True)
class BetterPlan:
    """A plan that is better than the one before it: when it was found, counted from the start, and by what."""

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
    """The plan that was given, and every better one on the way to the best.

    Costs are what was improved: the costs of the PDDL, or steps.
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
        """What it costs."""
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
    """What improves plans of one task, made ready once for many plans, one after the other.

    What counts is the cost by the PDDL where it has costs, and the number of steps otherwise or with ``unit_costs``;
    among plans of the same cost, fewer steps are better. What a ``heuristic`` of the task has made ready is used.
    Searches with a learned heuristic get ``network_share`` of the effort; None is what training found best.
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
        """What a plan costs by what counts."""
        return len(plan) if self.unit_costs else self.task.cost_of(plan)

    def improve(
        self,
        plan: Sequence[int],
        *,
        init: Ints | None = None,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        at_once: int = 1,
        effort_limit: int | None = None,
        most_effort: int | None = None,
        cores: int = 1,
        seed: int = 0,
        progress: ImproveProgress | None = None,
    ) -> ImprovedPlan:
        """See :func:`improve_plan`; improvers that run ``at_once`` share the memory.

        With ``most_effort`` the limit on effort is put off, up to there, while it pays: each better plan puts it off to
        twice the sum of the limit and the effort so far.
        """
        limits = SearchOptions(time_limit=time_limit, memory_limit=memory_limit, cores=cores)  # type: ignore[arg-type]  # reads texts
        if effort_limit is not None and not 0 < effort_limit < 2**63:
            raise UsageError(f"the limit on effort is {effort_limit}; it must be above 0")
        if not 0 <= seed < 2**64:
            raise UsageError(f"the seed is {seed}; it goes from 0 to 2^64 - 1")
        before = tuple(int(operator) for operator in plan)
        if not all(0 <= operator < self.task.n_operators for operator in before):
            raise UsageError(f"a plan holds operators of the task, numbers from 0 to {self.task.n_operators - 1}")
        cost_before = self.cost(before)

        better: list[BetterPlan] = []
        numbers: dict[int, int] = {}  # each operator once: hundreds of long plans share them

        def so_far(native: _core.ImproveResult) -> ImprovedPlan:
            for new in native.better_since(len(better)):  # of hundreds of plans, only those that are not known yet
                steps = tuple(numbers.setdefault(operator, operator) for operator in new.plan)
                better.append(BetterPlan(steps, new.cost, new.seconds, new.by))
            status = _STATUS[native.status]
            return ImprovedPlan(self.task, status, before, cost_before, tuple(better), native.seconds, native.effort)

        start = self.task.init if init is None else init
        bits = to_bits([start], self.task.n_atoms)
        guidance = self._heuristic.guidance(bits)
        network = self._heuristic.evaluator(bits) if self.network_share else None
        native = _core.improve(
            guidance, network, start, np.array(before, dtype=np.int32), unit_costs=self.unit_costs, seed=seed,
            time_limit=limits.time_limit or 0.0, memory_limit=limits.memory_limit or 0, at_once=at_once,
            effort_limit=effort_limit or 0, most_effort=most_effort or 0, cores=cores,
            network_share=self.network_share, progress=(lambda native: progress(so_far(native))) if progress else None,
        )  # fmt: skip
        if native is None:
            raise UsageError(
                "what should be improved is no plan: a step cannot be taken, or the goal does not hold at the end"
            )
        return so_far(native)


def improve_plan(
    task: Task,
    plan: Sequence[int],
    *,
    init: Ints | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    effort_limit: int | None = None,
    unit_costs: bool | None = None,
    cores: int = 1,
    seed: int = 0,
    progress: ImproveProgress | None = None,
) -> ImprovedPlan:
    """Look for cheaper plans from ``init`` (default: the task's own initial state), beginning with one that works.

    It ends at a limit, or when there is nothing left to try. A limit on effort, of which a unit is about a nanosecond,
    makes it repeatable: the same seed and the same number of ``cores`` give the same plans. What counts is said in
    :class:`Improver`, which is the better choice for many plans of one task.

    ``progress`` is called about twenty times a second with what has been found so far and may return False to stop.
    Ctrl-C raises KeyboardInterrupt as usual.
    """
    return Improver(task, unit_costs=unit_costs).improve(
        plan, init=init, time_limit=time_limit, memory_limit=memory_limit, effort_limit=effort_limit, cores=cores,
        seed=seed, progress=progress,
    )  # fmt: skip
