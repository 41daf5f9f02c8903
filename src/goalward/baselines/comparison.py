"""Several methods on the same instance and the same states, under the same limits."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from goalward.baselines.fast_downward import PLANNERS, PlannerStatus, find_driver, missing_driver, run_planner
from goalward.declared import split_settings
from goalward.errors import GoalwardError, UsageError, did_you_mean
from goalward.learning.methods import Method, find_method, make_options, train_with
from goalward.search import TURNS, BoundHeuristic, SearchOptions, bind_heuristic
from goalward.search.model import load_problem_model, save_model, task_fingerprint
from goalward.search.solving import Start, solve
from goalward.task.grounding import ground
from goalward.task.lifted import Domain
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.sexpr import read_text
from goalward.task.states import StateReader
from goalward.task.strips import Task


@dataclass(frozen=True)
class Contestant:
    """A method of the comparison; ``model`` is a file to use instead of training."""

    method: Method
    model: Path | None = None
    settings: tuple[str, ...] = ()  # its options as name=value

    @property
    def name(self) -> str:
        """As tables show it."""
        return self.method.name


def parse_contestants(text: str, settings: Sequence[str] = ()) -> list[Contestant]:
    """Contestants in ``n-rsl,ff,lama`` or ``hgn=blocks.goalward``; what cannot run is an error now, not in an hour.

    ``settings`` are options of those that are trained, as ``method.name=value``.
    """
    contestants = []
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, path = part.partition("=")
        method = find_method(name)
        if equals and method.kind == "planner":
            raise UsageError(f"{part}: {name} learns nothing, so it has no model")
        if method.kind == "domain" and not path:
            raise UsageError(
                f"{name} is learned per domain: make a model with goalward train-domain and write {name}=MODEL"
            )
        if name in PLANNERS and find_driver() is None:
            raise missing_driver(name)
        contestants.append(Contestant(method, Path(path) if path else None))
    if not contestants:
        raise UsageError("there is no method to compare")
    names = [contestant.name for contestant in contestants]
    if len(set(names)) < len(names):
        raise UsageError(f"{max(names, key=names.count)} stands twice among the methods")
    for setting in settings:
        name, _, option = setting.partition(".")
        trained = [one.name for one in contestants if one.method.kind == "instance" and one.model is None]
        if name not in trained:
            raise UsageError(
                f"--set {setting}: write it as METHOD.NAME=VALUE with a method that is trained here"
                f"{did_you_mean(name, trained)} ({', '.join(trained) or 'none is'})"
            )
        contestants = [replace(o, settings=(*o.settings, option)) if o.name == name else o for o in contestants]
    for one in contestants:
        if one.settings:
            given = make_options(one.name, texts=split_settings(one.settings))
            if (given.seed, given.time_limit) != (0, None):
                raise UsageError(f"--set {one.name}: the seed and the time are --seed and --train-limit for all")
    return contestants


@dataclass(frozen=True)
class CompareOptions:
    """Limits and seed, the same for all; ``train_limit`` is for each method, ``time_limit`` for each state."""

    train_limit: float = 120.0
    time_limit: float = 30.0
    memory_limit: int | None = None
    seed: int = 0
    batch: tuple[int, ...] = TURNS
    models: Path | None = None  # folder that keeps the trained models


@dataclass(frozen=True)
class Run:
    """One method on one state."""

    method: str
    state: str
    status: str
    plan_length: int | None
    expanded: int | None
    evaluated: int | None
    seconds: float  # Fast Downward's with translation, every time; ours without, the task is grounded once
    search_seconds: float | None = None
    reason: str = ""

    @property
    def solved(self) -> bool:
        """Did it find a plan that our checker accepts?"""
        return self.status == PlannerStatus.SOLVED.value


@dataclass(frozen=True)
class MethodResult:
    """All runs of a method; ``failure`` says why there are none."""

    method: str
    training_seconds: float | None
    runs: list[Run] = field(default_factory=list)
    failure: str | None = None

    def summary(self) -> dict[str, Any]:
        """One line of the table."""
        solved = [run for run in self.runs if run.solved]
        counted = [run for run in self.runs if run.evaluated is not None and run.search_seconds is not None]
        spent = sum(run.search_seconds or 0.0 for run in counted)
        expansions = [run.expanded for run in solved if run.expanded is not None]
        return {
            "method": self.method,
            "solved": len(solved),
            "states": len(self.runs),
            "training_seconds": self.training_seconds,
            "median_expanded": statistics.median(expansions) if expansions else None,
            "evaluations_per_second": sum(run.evaluated or 0 for run in counted) / spent if spent else None,
            "median_plan_length": statistics.median(run.plan_length or 0 for run in solved) if solved else None,
            "median_seconds": statistics.median(run.seconds for run in solved) if solved else None,
            "failure": self.failure,
        }


class Observer(Protocol):
    """Told what happens during a comparison."""

    def training(self, method: str) -> Any:
        """A method begins to learn; returns a watcher for it, or None."""

    def trained(self, method: str, seconds: float, notes: dict[str, Any]) -> None:
        """It has learned."""

    def run(self, run: Run) -> None:
        """A state has been tried."""

    def stopped(self) -> bool:
        """Does the user want an end?"""


class Comparison:
    """An instance, its states, and what is needed to run methods on them."""

    def __init__(
        self, domain: Path, problem: Path, states: Sequence[Path], options: CompareOptions, observer: Observer
    ) -> None:
        self.domain_path, self.options, self.observer = domain, options, observer
        self.domain: Domain = read_domain(domain)
        self.task: Task = ground(self.domain, read_problem(problem, self.domain))
        self.states = list(states)
        self._texts = [read_text(path) for path in self.states]
        reader = StateReader(self.task)
        self._inits = [reader.parse(text, str(path)) for text, path in zip(self._texts, self.states, strict=True)]

    def run(self, contestants: Sequence[Contestant]) -> list[MethodResult]:
        """Train what must be trained and solve every state with each; stops between runs when the observer asks."""
        results = []
        for contestant in contestants:
            if self.observer.stopped():
                break
            results.append(self._run_method(contestant))
        return results

    def _run_method(self, contestant: Contestant) -> MethodResult:
        seconds = None
        if contestant.name in PLANNERS:
            return self._solve_all(contestant.name, None, lambda i: self._run_planner(contestant.name, i))
        try:
            heuristic, seconds = self._heuristic(contestant)
        except GoalwardError as error:
            if isinstance(error, UsageError):
                raise
            return MethodResult(contestant.name, seconds, failure=str(error))
        batch = (1,) if contestant.method.kind == "planner" else self.options.batch
        options = SearchOptions(time_limit=self.options.time_limit, memory_limit=self.options.memory_limit, batch=batch)
        return self._solve_all(contestant.name, seconds, lambda i: self._search(contestant.name, heuristic, options, i))

    def _heuristic(self, contestant: Contestant) -> tuple[BoundHeuristic, float | None]:
        if contestant.method.kind == "planner":
            return bind_heuristic(self.task, contestant.name), None
        if contestant.method.kind == "domain":
            return self._domain_heuristic(contestant)
        if contestant.model is not None:
            model = load_problem_model(contestant.model)
            if model.fingerprint != task_fingerprint(self.task):
                raise UsageError(f"{contestant.model}: this model was trained for another problem")
        else:
            learn = make_options(contestant.name, texts=split_settings(contestant.settings))
            learn = replace(learn, seed=self.options.seed, time_limit=self.options.train_limit)
            model = train_with(self.task, contestant.name, learn, self.observer.training(contestant.name))
            if self.options.models is not None:
                save_model(model, self.options.models / f"{contestant.name}.goalward")
        seconds = float(model.info.get("seconds", 0.0))
        self.observer.trained(contestant.name, seconds, dict(model.info.get("notes") or {}))
        # A model from a file has a task of its own, equal to ours.
        return model.heuristic(), seconds

    def _domain_heuristic(self, contestant: Contestant) -> tuple[BoundHeuristic, float | None]:
        from goalward.baselines.hgn_model import load_domain_model  # noqa: PLC0415 - loads PyTorch

        assert contestant.model is not None
        model = load_domain_model(contestant.model)
        model.check_domain(self.domain.text, self.domain.source)
        return model.heuristic(self.task), float(model.info.get("seconds", 0.0))

    def _solve_all(self, name: str, training: float | None, solve: Callable[[int], Run]) -> MethodResult:
        runs = []
        for i in range(len(self.states)):
            if self.observer.stopped():
                break
            runs.append(solve(i))
            self.observer.run(runs[-1])
        return MethodResult(name, training, runs)

    def _search(self, name: str, heuristic: BoundHeuristic, options: SearchOptions, i: int) -> Run:
        state = str(self.states[i])
        start = Start(heuristic.task, self._inits[i], self._texts[i], state)
        outcome = solve(start, heuristic, options, progress=lambda _: not self.observer.stopped())
        s = outcome.statistics
        return Run(
            name, state, outcome.status.value, outcome.length, s.expanded, s.evaluated, s.seconds, outcome.search_time
        )

    def _run_planner(self, name: str, i: int) -> Run:
        result = run_planner(
            name,
            self.domain_path,
            self.states[i],
            time_limit=self.options.time_limit,
            memory_limit=self.options.memory_limit,
            cancelled=self.observer.stopped,
        )
        return Run(
            name,
            str(self.states[i]),
            result.status.value,
            result.length,
            result.expanded,
            result.evaluated,
            result.total_time,
            result.search_time,
            result.reason,
        )
