"""A small experiment in this process: several methods on one instance and its states, one unit after the other.

Units, time limits and results are the same as in any experiment; only the separate processes are missing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from goalward.baselines.fast_downward import PLANNERS, find_driver, missing_driver
from goalward.declared import split_setting
from goalward.errors import StateMismatchError, UsageError, did_you_mean
from goalward.experiments.config import Budgets, Validation
from goalward.experiments.method_configs import LIMITS, SET_FOR_ALL_METHODS, MethodConfig
from goalward.experiments.store import Result, Unit
from goalward.experiments.summary import Entry
from goalward.experiments.tables import toml_value
from goalward.experiments.unit_work import EnforceLimits, LostError, do_unit, not_enforced
from goalward.experiments.units import Job
from goalward.extras import require_torch
from goalward.learning.methods import FORMER_METHODS, options_class
from goalward.search.learned import import_for, load_model
from goalward.task.grounding import ground
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.states import StateReader, missing_facts

if TYPE_CHECKING:
    from goalward.learning.watchers import Watcher


@dataclass(frozen=True)
class ComparedMethod:
    """One method of a comparison; ``model`` is the path of a model to use instead of training one."""

    config: MethodConfig
    model: Path | None = None

    @property
    def trains(self) -> bool:
        """True if the comparison trains a model for the method."""
        return self.config.learns and self.model is None


def parse_methods(
    text: str, settings: Sequence[str] = (), batch: tuple[int, ...] | None = None
) -> list[ComparedMethod]:
    """Methods in ``n-rsl,ff,lama`` or ``hgn=blocks.goalward``; UsageError for a method that could not run.

    ``settings`` are options as ``method.name=value``, or ``method.search.name=value`` for the search. ``batch`` is the
    batch size of searches with learned heuristics.
    """
    found: dict[str, ComparedMethod] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, path = part.partition("=")
        name = FORMER_METHODS.get(name, name)
        method = _method(part, name, Path(path) if equals else None)
        if name in found:
            raise UsageError(f"{name} is given twice in --methods")
        found[name] = method
    if not found:
        raise UsageError("--methods must name at least one method")
    for setting in settings:
        key, value = split_setting(setting, "METHOD.NAME=VALUE")
        name, dot, option = key.partition(".")
        name = FORMER_METHODS.get(name, name)
        if not dot or name not in found:
            hint = did_you_mean(name, found)
            raise UsageError(f"--set {setting}: write it as METHOD.NAME=VALUE with one of {', '.join(found)}{hint}")
        try:
            found[name] = _with_option(found[name], option, value)
        except UsageError as error:
            raise UsageError(f"--set {setting}: {error}") from None
    return [_with_batch(method, batch) for method in found.values()]


def _method(part: str, name: str, model: Path | None) -> ComparedMethod:
    config = MethodConfig(name, name)
    if model is not None and config.kind == "planner":
        raise UsageError(f"{part}: {name} learns nothing, so it has no model")
    if config.kind == "domain":
        if model is None:
            raise UsageError(
                f"{name} is learned per domain: train a model with goalward train-domain and write {name}=MODEL"
            )
        config = replace(config, options={"model": str(model)})
    if name in PLANNERS and find_driver() is None:
        raise missing_driver(name)
    if config.kind == "domain" or (config.kind == "instance" and model is None):
        require_torch(name)
    return ComparedMethod(config.check(), model)


def _with_option(method: ComparedMethod, option: str, text: str) -> ComparedMethod:
    """The method with one more option, ``name`` or ``search.name``; UsageError if the method does not have it."""
    config = method.config
    table, _, name = option.rpartition(".")
    name = name.replace("-", "_")
    if table == "search":
        if name in LIMITS:
            raise UsageError("limits are the same for all methods: use --time-limit or --memory-limit")
        changed = replace(config, search={**config.search, name: toml_value(text)})
    elif table:
        raise UsageError(f"there is no table {table!r}; options of the search are {config.method}.search.NAME=VALUE")
    elif not method.trains:
        raise UsageError(f"{config.method} is not trained here, so it has no options to set")
    elif name in SET_FOR_ALL_METHODS:
        raise UsageError("seed and time limit are the same for all methods: use --seed or --train-limit")
    else:
        value = options_class(config.method).find(name, config.method).from_text(text)
        changed = replace(config, options={**config.options, name: value})
    return replace(method, config=changed.check())


def _with_batch(method: ComparedMethod, batch: tuple[int, ...] | None) -> ComparedMethod:
    config = method.config
    if batch is None or config.kind == "planner" or "batch" in config.search:
        return method
    return replace(method, config=replace(config, search={**config.search, "batch": list(batch)}).check())


class ComparisonObserver(Protocol):
    """Follows a comparison."""

    def begins(self, unit: Unit) -> Watcher | None:
        """Called when a unit begins; returns the watcher of a training."""

    def ended(self, unit: Unit, result: Result) -> None:
        """Called when a unit has ended."""

    def go_on(self) -> bool:
        """False once a stop was requested."""


def _check_model(config: MethodConfig, path: Path, domain: Domain, problem: Problem) -> None:
    """Raise UsageError unless the model was trained by this method, and for this problem or its domain."""
    model = load_model(path)
    made_by = model.info.get("method")
    if (model.task is None) != (config.kind == "domain") or (config.learns and made_by != config.method):
        raise UsageError(f"{path}: this is a model of {made_by}, not of {config.method}")
    model.check_domain(domain.text, domain.source)
    try:
        model.start(problem.text, problem.source)
    except StateMismatchError as error:
        raise UsageError(f"{path}: this model was trained for another problem: {error}") from None


@dataclass(frozen=True)
class Comparison:
    """An instance, its states, and the methods to compare; units leave their files in ``models`` and ``plans``."""

    domain: Path
    problem: Path
    states: tuple[Path, ...]
    methods: tuple[ComparedMethod, ...]
    budgets: Budgets
    seed: int
    models: Path
    plans: Path
    enforce: EnforceLimits = not_enforced

    def check(self) -> dict[str, str]:
        """Raise an error for input on which every unit would fail: wrong PDDL, states or models of other problems.

        Returns warnings about states in which facts are missing, by state.
        """
        domain = read_domain(self.domain)
        problem = read_problem(self.problem, domain)
        task = ground(domain, problem)
        states = zip(self.states, StateReader(task).read_all(self.states), strict=True)
        warnings = {str(path): missing_facts(task, state, str(path)) for path, state in states}
        for method in self.methods:
            if method.model is not None:
                _check_model(method.config, method.model, domain, problem)
        return {state: warning for state, warning in warnings.items() if warning is not None}

    def preload(self) -> None:
        """Import now what a unit would need, so that imports do not count against time limits."""
        if any(method.trains for method in self.methods):
            import goalward.learning.trainer  # noqa: F401, PLC0415
        for method in self.methods:
            if method.model is not None:
                import_for(method.model)

    def run(self, observer: ComparisonObserver) -> Iterator[Entry]:
        """Yield the results of all units, until a stop is requested. A method without a model is not searched with."""
        for method in self.methods:
            config, model = method.config, method.model
            seed = self.seed if config.learns else None
            training = Unit("train", self.domain.stem, "-", self.problem.stem, config.label, seed)
            if model is not None:
                seconds = load_model(model).info.get("seconds")
                yield training, Result(training.id, "trained", total_time=seconds)
            elif method.trains:
                if not observer.go_on():
                    return
                model = self.models / f"{config.label}.goalward"
                result = self._do(training, config, None, model, self.problem, observer)
                yield training, result
                if result.status != "trained":
                    continue
            for state in self.states:
                if not observer.go_on():
                    return
                search = replace(training, kind="search", state=str(state))
                yield search, self._do(search, config, model, self.plans / "plan", state, observer)

    def _do(
        self,
        unit: Unit,
        config: MethodConfig,
        model: Path | None,
        product: Path,
        state: Path,
        observer: ComparisonObserver,
    ) -> Result:
        job = Job(
            unit,
            config,
            domain_file=str(self.domain),
            problem_file=str(self.problem),
            state_file=str(state),
            model=None if model is None else str(model),
            scratch=str(product),
            budgets=self.budgets,
            validation=Validation(),
        )
        watcher = observer.begins(unit)
        try:
            result = do_unit(job, watcher, observer.go_on, self.enforce)
        except LostError as error:
            result = Result(unit.id, "failed", error=str(error))
        observer.ended(unit, result)
        return result
