"""Does the work of one unit: trains and saves a model, or searches and saves a checked plan.

An experiment runs each unit in a separate process (``unit_process.py``); ``goalward compare`` runs all of them in its
own process (``comparison.py``). In both cases, the time of a unit includes reading, grounding or loading.
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
from goalward.errors import ExitCode, GoalwardError, LimitError, is_machine_error
from goalward.experiments.method_configs import PORTFOLIO
from goalward.experiments.scores import Score, score
from goalward.experiments.store import Result
from goalward.experiments.units import Job
from goalward.learning.methods import train_with
from goalward.learning.watchers import Relay
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
    from goalward.learning.watchers import Watcher

VALIDATION_SEED = 2**32
"""Larger than all seeds of training, so that the models of all seeds are validated on states that none has seen."""

COLUMNS = ("status", "plan_length", "cost", "generated", "initial_h", "search_time")
"""Figures of a search that are columns of the store with the same name; the others go into ``extra``."""


class BlockedError(GoalwardError):
    """The machine prevents the unit from running, for example because of a full disk; other units would fail, too."""


class LostError(Exception):
    """A process that the unit had started was killed from outside, so the unit has no result."""


class EnforceLimits(Protocol):
    """Makes a context manager that raises LimitError in its body after ``seconds`` or above ``memory`` bytes.

    The time limit is no longer enforced once ``unless`` returns True.
    """

    def __call__(
        self, seconds: float, memory: int, activity: str, unless: Callable[[], bool] | None = None
    ) -> AbstractContextManager[None]:
        """Return the context manager; ``activity`` describes its body in the error."""


def not_enforced(
    seconds: float, memory: int, activity: str, unless: Callable[[], bool] | None = None
) -> AbstractContextManager[None]:
    """Enforce nothing: in an experiment, the guard of the unit's process enforces limits."""
    return nullcontext()


def do_unit(
    job: Job,
    watcher: Watcher | None = None,
    go_on: Callable[[], bool] = lambda: True,
    enforce: EnforceLimits = not_enforced,
) -> Result:
    """Do the work of a unit and return its result; errors become results, except LostError and BlockedError.

    A training reports to ``watcher``. A search is cancelled when ``go_on`` returns False, which is called about twenty
    times per second. ``enforce`` is for work that does not check limits itself.
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
        if job.config.method in PLANNERS:
            return _run_planner(job, clock, go_on)
        return _search(job, clock, go_on, enforce)
    except LimitError as error:
        memory = error.exit_code is ExitCode.OUT_OF_MEMORY
        return _ended(job, Status.OUT_OF_MEMORY if memory else Status.OUT_OF_TIME, clock, str(error))
    except MemoryError:
        return _ended(job, Status.OUT_OF_MEMORY, clock, "out of memory")
    except (GoalwardError, OSError, RecursionError) as error:
        if is_machine_error(error):
            raise BlockedError(str(error)) from None
        return Result(job.unit.id, "failed", total_time=clock.seconds, error=str(error))


class _Clock:
    """Measures seconds since a unit began, as wall-clock time or as CPU time of this process and its children."""

    def __init__(self, *, cpu: bool) -> None:
        self.read = _cpu_seconds if cpu else time.monotonic
        self._began = self.read()

    @property
    def seconds(self) -> float:
        """Seconds since the unit began."""
        return self.read() - self._began


def _cpu_seconds() -> float:
    return time.process_time() + sum(os.times()[2:4])


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
    model = train_domain(tasks, job.config.domain_options(job.unit.seed, left), clock=clock.read)
    seconds = clock.seconds
    save_domain_model(model, job.scratch)
    info = model.info
    extra = {
        "curve": info["curve"],
        "seconds": info["seconds"],
        "notes": {"end": info["end"], "problems": info["problems"]},
    }
    return Result(job.unit.id, "trained", total_time=seconds, memory=_core.peak_memory(), extra=finite(extra))


def _train(job: Job, clock: _Clock, watcher: Watcher | None, enforce: EnforceLimits) -> Result:
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    assert job.unit.seed is not None
    memory = job.budgets.memory
    with enforce(job.budgets.train, memory, "reading and grounding the problem"):
        task = ground_files(job.domain_file, job.problem_file)
    spent = clock.seconds  # grounding counts
    if spent >= job.budgets.train:
        return _ended(job, Status.OUT_OF_TIME, clock, "out of time while grounding")
    options = job.config.learn_options(job.unit.seed, job.budgets.train)
    listener = _Listener(watcher)
    with enforce(job.budgets.train - spent, memory, "training", lambda: listener.has_result):
        model = train_with(task, job.config.method, options, listener, spent=spent, clock=clock.read)
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


class _Listener(Relay):
    """Keeps the summaries of a training's data sets."""

    def __init__(self, watcher: Watcher | None) -> None:
        super().__init__(watcher)
        self.data_sets: list[dict[str, Any]] = []

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """Keep the summary of a trial's data set."""
        self.data_sets.append(summary)
        super().data(trial, summary)


def _validate(job: Job, model: Model) -> Score | None:
    """Search from validation states with the model; None without validation. All seeds and methods share the states."""
    if not job.validation.states:
        return None
    from goalward.learning.validation import validation_states  # noqa: PLC0415 - the room loads PyTorch

    states = validation_states(model.task, job.validation.states, VALIDATION_SEED)
    options = job.config.search_options(job.validation.search, job.budgets.memory, model)
    return score(model.heuristic(), states, options)


def _search(job: Job, clock: _Clock, go_on: Callable[[], bool], enforce: EnforceLimits) -> Result:
    with enforce(job.budgets.search, job.budgets.memory, "reading and grounding the problem, or loading the model"):
        start, heuristic, model = _prepare(job)
    prepared = clock.seconds
    if prepared >= job.budgets.search:
        return _ended(job, Status.OUT_OF_TIME, clock, "out of time before the search began")
    wall_limit = job.wall_limit - prepared
    options = job.config.search_options(wall_limit, job.budgets.memory, model)
    # Searches check only the wall clock; CPU time is checked here, about twenty times per second.
    cpu_limit = job.budgets.search if job.counts_cpu_time else math.inf
    best_h = _BestHOverTime(lambda: clock.seconds < cpu_limit and go_on())
    outcome = solve(start, heuristic, options, improve=job.config.improvement, progress=best_h.record)
    seconds = clock.seconds
    figures = outcome.record()
    if job.counts_cpu_time:
        if outcome.status is Status.CANCELLED and clock.seconds >= cpu_limit:
            figures["status"] = Status.OUT_OF_TIME.value
        searching = outcome.search_time / max(outcome.search_time + outcome.improve_time, 1e-9)
        figures["search_time"] = round((seconds - prepared) * searching, 6)
    kept = {name: figures.pop(name) for name in COLUMNS}
    figures["preparation"] = round(prepared, 6)
    figures["best_h_over_time"] = best_h.points(outcome)
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


class _BestHOverTime:
    """Records when the minimum heuristic value of a search decreased."""

    def __init__(self, go_on: Callable[[], bool]) -> None:
        self.go_on = go_on
        self.recorded: list[tuple[float, float]] = []

    def record(self, so_far: Statistics) -> bool:
        """Progress callback of a search: record a new minimum; return False to cancel the search."""
        if not self.recorded or so_far.best_h < self.recorded[-1][1]:
            self.recorded.append((so_far.seconds, so_far.best_h))
        return self.go_on()

    def points(self, outcome: Outcome) -> list[tuple[float, float]]:
        """Pairs (seconds, minimum h so far): at the start, after each recorded decrease, and at the end."""
        figures = outcome.statistics
        lower = [(seconds, h) for seconds, h in self.recorded if h < figures.initial_h and seconds < figures.seconds]
        points = [(0.0, figures.initial_h), *lower, (figures.seconds, figures.best_h)]
        return [(round(seconds, 4), round(h, 4)) for seconds, h in points]


def _prepare(job: Job) -> tuple[Start, BoundHeuristic, LearnedModel | None]:
    """The start state on the atoms of its task, the heuristic bound to the task, and the model if there is one."""
    if job.model is not None:
        model = load_model(job.model)
        start = model.start(read_text(job.state_file), job.state_file)
        return start, job.config.strategy(model).bind(start.task), model
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    task = ground_files(job.domain_file, job.problem_file)
    text = read_text(job.state_file)
    start = Start(task, StateReader(task).parse(text, job.state_file), text, job.state_file)
    name = "ff" if job.config.method == PORTFOLIO else job.config.method
    options = job.config.search_options(job.budgets.search, job.budgets.memory)
    return start, bind_heuristic(task, name, unit_costs=options.counts_steps), None


def _h_along(heuristic: BoundHeuristic, outcome: Outcome) -> list[float]:
    """The heuristic values of the states along the plan."""
    values = heuristic.evaluate(states_along(outcome.start.task, outcome.start.atoms, outcome.plan or ()))
    return [round(float(value), 4) for value in values]


def _run_planner(job: Job, clock: _Clock, go_on: Callable[[], bool]) -> Result:
    spent = clock.seconds
    memory = None if sys.platform == "darwin" else job.budgets.memory
    found = run_planner(
        job.config.method,
        job.domain_file,
        job.state_file,
        time_limit=max(job.wall_limit - spent, 0.1),
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
