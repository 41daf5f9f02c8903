"""What one unit does: learn and save a model, or search and save a plan that was checked.

An experiment does each unit in a process of its own (``unit_process.py``), ``goalward compare`` does them in its own
(``contest.py``). The clock is the same: it counts reading, grounding or loading, and the work itself.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from goalward import _core
from goalward.baselines.fast_downward import PLANNERS, run_planner
from goalward.baselines.hgn_model import save_domain_model
from goalward.errors import ExitCode, GoalwardError, LimitError, is_the_machines
from goalward.experiments.contestants import PORTFOLIO
from goalward.experiments.store import Result
from goalward.experiments.units import Job
from goalward.learning.methods import train_with
from goalward.learning.watchers import FirstEpoch
from goalward.outward import finite
from goalward.search import BoundHeuristic, Statistics, Status, bind_heuristic
from goalward.search.learned import import_for, load_model
from goalward.search.model import Model, save_model
from goalward.search.planning import LearnedModel
from goalward.search.solving import Outcome, solve
from goalward.search.starts import Start
from goalward.task.plan_file import format_plan, write_text_atomically
from goalward.task.sexpr import read_text
from goalward.task.states import StateReader, states_along

if TYPE_CHECKING:
    from goalward.learning.validation import Score
    from goalward.learning.watchers import Watcher

VALIDATION_SEED = 2**32
"""Above all seeds of trainings, so that seeds are judged on states that none of them has chosen its trials by."""

COLUMNS = ("status", "plan_length", "cost", "generated", "initial_h", "search_time")
"""Figures of a search that are columns of the store under their own names; the others go into ``extra``."""


class BlockedError(GoalwardError):
    """The machine is in the way (a full disk, say): that is no result of the unit, and others would fare no better."""


class LostError(Exception):
    """Somebody killed what the unit had started: that is no result of the unit."""


class Enforce(Protocol):
    """Makes what runs under it end with a LimitError when so many seconds are over, or the process has so many bytes.

    Seconds do not count any more when ``unless`` returns True.
    """

    def __call__(
        self, seconds: float, memory: int, activity: str, unless: Callable[[], bool] | None = None
    ) -> AbstractContextManager[None]:
        """Begin to count now."""


def unenforced(
    seconds: float, memory: int, activity: str, unless: Callable[[], bool] | None = None
) -> AbstractContextManager[None]:
    """In an experiment, units are processes, whose limits are enforced from outside."""
    return nullcontext()


def do_unit(
    job: Job,
    watcher: Watcher | None = None,
    go_on: Callable[[], bool] = lambda: True,
    enforce: Enforce = unenforced,
) -> Result:
    """Do a unit and say how it ended, whatever goes wrong in it; raises LostError and BlockedError alone.

    A training tells ``watcher`` how it goes. A search ends as cancelled when ``go_on`` returns False; it is asked about
    twenty times a second. ``enforce`` is for what does not look at limits itself.
    """
    # PyTorch is loaded before the clock starts.
    if job.unit.kind == "train":
        import goalward.learning.trainer  # noqa: F401, PLC0415
    elif job.model is not None:
        import_for(job.model)
    clock = _Clock(cpu=job.counts_cpu_time)
    try:
        if job.domain_instances:
            return _train_for_domain(job, clock)
        if job.unit.kind == "train":
            return _train(job, clock, watcher, enforce)
        if job.contestant.method in PLANNERS:
            return _run_planner(job, clock, go_on)
        return _search(job, clock, go_on, enforce)
    except LimitError as error:
        memory = error.exit_code is ExitCode.OUT_OF_MEMORY
        return _ended(job, Status.OUT_OF_MEMORY if memory else Status.OUT_OF_TIME, clock, str(error))
    except MemoryError:
        return _ended(job, Status.OUT_OF_MEMORY, clock, "out of memory")
    except (GoalwardError, OSError, RecursionError) as error:
        if is_the_machines(error):
            raise BlockedError(str(error)) from None
        return Result(job.unit.id, "failed", total_time=clock.seconds, error=str(error))


class _Clock:
    """Seconds since a unit began: by the wall clock, or the CPU time of this process and of those it has waited for."""

    def __init__(self, *, cpu: bool) -> None:
        self._read = _cpu_seconds if cpu else time.monotonic
        self._began = self._read()

    @property
    def seconds(self) -> float:
        """So many by now."""
        return self._read() - self._began


def _cpu_seconds() -> float:
    return sum(os.times()[:4])


def _ended(job: Job, status: Status, clock: _Clock, error: str) -> Result:
    return Result(job.unit.id, status.value, total_time=clock.seconds, memory=_core.peak_memory(), error=error)


def _train_for_domain(job: Job, clock: _Clock) -> Result:
    from goalward.baselines.hgn_training import train_domain  # noqa: PLC0415 - loads PyTorch
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    assert job.unit.seed is not None
    tasks = [ground_files(Path(folder, "domain.pddl"), Path(folder, "problem.pddl")) for folder in job.domain_instances]
    left = job.budgets.train - clock.seconds
    if left <= 0:
        return _ended(job, Status.OUT_OF_TIME, clock, "out of time while grounding")
    model = train_domain(tasks, job.contestant.domain_options(job.unit.seed, left))
    seconds = clock.seconds
    save_domain_model(model, job.scratch)
    info = model.info
    extra = {
        "curve": info["curve"],
        "seconds": info["seconds"],
        "notes": {"end": info["end"], "problems": info["problems"]},
    }
    return Result(job.unit.id, "trained", total_time=seconds, memory=_core.peak_memory(), extra=finite(extra))


def _train(job: Job, clock: _Clock, watcher: Watcher | None, enforce: Enforce) -> Result:
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    assert job.unit.seed is not None
    memory = job.budgets.memory
    with enforce(job.budgets.train, memory, "reading and grounding the problem"):
        task = ground_files(job.domain_file, job.problem_file)
    spent = clock.seconds  # grounding counts
    if spent >= job.budgets.train:
        return _ended(job, Status.OUT_OF_TIME, clock, "out of time while grounding")
    options = job.contestant.learn_options(job.unit.seed, job.budgets.train)
    listener = _Listener(watcher)
    with enforce(job.budgets.train - spent, memory, "training", lambda: listener.done):
        model = train_with(task, job.contestant.method, options, listener, spent=spent)
    seconds = clock.seconds
    save_model(model, job.scratch)
    info = model.info
    extra: dict[str, Any] = {
        "curve": info["curve"],
        "seconds": info["seconds"],
        "data": listener.data_sets,
        "notes": info["notes"] | {"end": info["end"], "trials": info["trials"]},
    }
    verdict = _validate(job, model)
    if verdict is not None:
        extra["validation_solved"] = verdict.solved
        extra["validation_states"] = verdict.states
        extra["validation_evaluations"] = verdict.evaluations
    return Result(
        job.unit.id,
        "trained",
        total_time=seconds,
        memory=_core.peak_memory(),
        n_atoms=task.n_atoms,
        extra=finite(extra),
    )


class _Listener(FirstEpoch):
    """Keeps what a training says of its data."""

    def __init__(self, watcher: Watcher | None) -> None:
        super().__init__(watcher)
        self.data_sets: list[dict[str, Any]] = []

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The data set of a trial is ready."""
        self.data_sets.append(summary)
        super().data(trial, summary)


def _validate(job: Job, model: Model) -> Score | None:
    """How many validation states the model solves: the same ones for every seed and method."""
    if not job.validation.states:
        return None
    from goalward.learning.validation import score, validation_states  # noqa: PLC0415 - the room loads PyTorch

    states = validation_states(model.task, job.validation.states, VALIDATION_SEED)
    options = job.contestant.search_options(job.validation.search, job.budgets.memory, model)
    return score(model.heuristic(), states, options)


def _search(job: Job, clock: _Clock, go_on: Callable[[], bool], enforce: Enforce) -> Result:
    with enforce(job.budgets.search, job.budgets.memory, "reading and grounding the problem, or loading the model"):
        start, heuristic, model = _prepare(job)
    prepared = clock.seconds
    if prepared >= job.budgets.search:
        return _ended(job, Status.OUT_OF_TIME, clock, "out of time before the search began")
    wall_limit = job.search_wall_limit - prepared
    options = job.contestant.search_options(wall_limit, job.budgets.memory, model)
    # Searches look at the wall clock; CPU time is looked at here, about twenty times a second.
    cpu_limit = job.budgets.search if job.counts_cpu_time else math.inf
    descent = _Descent(lambda: clock.seconds < cpu_limit and go_on())
    outcome = solve(start, heuristic, options, improve=job.contestant.improvement, progress=descent.heard)
    seconds = clock.seconds
    figures = outcome.record()
    if job.counts_cpu_time:
        if outcome.status is Status.CANCELLED and clock.seconds >= cpu_limit:
            figures["status"] = Status.OUT_OF_TIME.value
        searching = outcome.search_time / max(outcome.search_time + outcome.improve_time, 1e-9)
        figures["search_time"] = round((seconds - prepared) * searching, 6)
    kept = {name: figures.pop(name) for name in COLUMNS}
    figures["preparation"] = round(prepared, 6)
    figures["best_h_over_time"] = descent.points(outcome)
    if outcome.solved:
        write_text_atomically(job.scratch, outcome.plan_text)
        figures["h_along"] = _h_along(heuristic, outcome)
        figures["better_plans"] = outcome.better_plans
    return Result(
        unit=job.unit.id,
        solved=outcome.solved,
        total_time=seconds,
        expansions=figures.pop("expanded"),
        evaluations=figures.pop("evaluated"),
        memory=_core.peak_memory(),
        n_atoms=start.task.n_atoms,
        extra=finite(figures),
        **kept,
    )


class _Descent:
    """Listens to a search, and keeps when the least value of its heuristic fell."""

    def __init__(self, go_on: Callable[[], bool]) -> None:
        self.go_on = go_on
        self.heard_of: list[tuple[float, float]] = []

    def heard(self, so_far: Statistics) -> bool:
        """Called while it searches, about twenty times a second."""
        if not self.heard_of or so_far.best_h < self.heard_of[-1][1]:
            self.heard_of.append((so_far.seconds, so_far.best_h))
        return self.go_on()

    def points(self, outcome: Outcome) -> list[tuple[float, float]]:
        """(seconds, least h so far): at the beginning, wherever it had fallen, and at the end of the search."""
        figures = outcome.statistics
        falls = [(seconds, h) for seconds, h in self.heard_of if h < figures.initial_h and seconds < figures.seconds]
        points = [(0.0, figures.initial_h), *falls, (figures.seconds, figures.best_h)]
        return [(round(seconds, 4), round(h, 4)) for seconds, h in points]


def _prepare(job: Job) -> tuple[Start, BoundHeuristic, LearnedModel | None]:
    """The state on the atoms of its task, what guides the search, and the model if there is one."""
    if job.model is not None:
        model = load_model(job.model)
        start = model.start(read_text(job.state_file), job.state_file)
        return start, job.contestant.strategy(model).bind(start.task), model
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    task = ground_files(job.domain_file, job.problem_file)
    text = read_text(job.state_file)
    start = Start(task, StateReader(task).parse(text, job.state_file), text, job.state_file)
    name = "ff" if job.contestant.method == PORTFOLIO else job.contestant.method
    options = job.contestant.search_options(job.budgets.search, job.budgets.memory)
    return start, bind_heuristic(task, name, unit_costs=options.counts_steps), None


def _h_along(heuristic: BoundHeuristic, outcome: Outcome) -> list[float]:
    values = heuristic.evaluate(states_along(outcome.start.task, outcome.start.atoms, outcome.plan or ()))
    return [round(float(value), 4) for value in values]


def _run_planner(job: Job, clock: _Clock, go_on: Callable[[], bool]) -> Result:
    spent = clock.seconds
    memory = None if sys.platform == "darwin" else job.budgets.memory
    found = run_planner(
        job.contestant.method,
        job.domain_file,
        job.state_file,
        time_limit=max(job.search_wall_limit - spent, 0.1),
        memory_limit=memory,
        cpu_limit=max(job.budgets.search - spent, 1.0) if job.counts_cpu_time else None,
        cancelled=lambda: not go_on(),
    )
    if found.signal is not None:
        raise LostError(found.reason)
    if found.cost is not None:
        write_text_atomically(job.scratch, format_plan(found.steps, found.cost, not found.uses_costs))
    extra: dict[str, Any] = {}
    if found.plans:
        extra = {
            "preparation": found.translate_time,
            "first_plan_time": found.plans[0].seconds,
            "first_plan_length": found.plans[0].length,
            "first_cost": found.plans[0].cost,
            "better_plans": [(plan.seconds, plan.cost, "lama") for plan in found.plans[1:] if plan.seconds is not None],
        }
    return Result(
        unit=job.unit.id,
        status=found.status.value,
        solved=found.solved,
        total_time=clock.seconds if job.counts_cpu_time else found.total_time,
        search_time=found.search_time,
        expansions=found.expanded,
        evaluations=found.evaluated,
        generated=found.generated,
        plan_length=found.length,
        cost=found.cost,
        memory=found.peak_memory,
        error=found.reason or None,
        extra=extra,
    )
