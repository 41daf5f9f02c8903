"""A small experiment in this process: several methods on one instance and its states, unit after unit.

The units, their clock and their results are those of every experiment; only the processes around them are left out.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from goalward.baselines.fast_downward import PLANNERS, find_driver, missing_driver
from goalward.errors import StateMismatchError, UsageError, did_you_mean
from goalward.experiments.config import Budgets, Validation
from goalward.experiments.contestants import FROM_THE_CONFIG, LIMITS, Contestant
from goalward.experiments.store import Result, Unit
from goalward.experiments.summary import Entry
from goalward.experiments.unit_work import Enforce, LostError, do_unit, unenforced
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
class Entrant:
    """A contestant; ``model`` is a file to use instead of training."""

    contestant: Contestant
    model: Path | None = None

    @property
    def trains(self) -> bool:
        """Is a model made for it here?"""
        return self.contestant.learns and self.model is None


def parse_entrants(text: str, settings: Sequence[str] = (), batch: tuple[int, ...] | None = None) -> list[Entrant]:
    """Entrants in ``n-rsl,ff,lama`` or ``hgn=blocks.goalward``; what cannot run is an error now, not in an hour.

    ``settings`` are options as ``method.name=value``, of the search as ``method.search.name=value``. ``batch`` is for
    the searches of all that is learned.
    """
    entrants: dict[str, Entrant] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, path = part.partition("=")
        name = FORMER_METHODS.get(name, name)
        entrant = _entrant(part, name, Path(path) if equals else None)
        if name in entrants:
            raise UsageError(f"{name} stands twice among the methods")
        entrants[name] = entrant
    if not entrants:
        raise UsageError("there is no method to compare")
    for setting in settings:
        name, dot, rest = setting.partition(".")
        name = FORMER_METHODS.get(name, name)
        if not dot or name not in entrants:
            hint = did_you_mean(name, entrants)
            raise UsageError(f"--set {setting}: write it as METHOD.NAME=VALUE with one of {', '.join(entrants)}{hint}")
        entrants[name] = _changed(entrants[name], setting, rest)
    return [_with_batch(entrant, batch) for entrant in entrants.values()]


def _entrant(part: str, name: str, model: Path | None) -> Entrant:
    contestant = Contestant(name, name)
    if model is not None and contestant.kind == "planner":
        raise UsageError(f"{part}: {name} learns nothing, so it has no model")
    if contestant.kind == "domain":
        if model is None:
            raise UsageError(
                f"{name} is learned per domain: make a model with goalward train-domain and write {name}=MODEL"
            )
        contestant = replace(contestant, options={"model": str(model)})
    if name in PLANNERS and find_driver() is None:
        raise missing_driver(name)
    if contestant.kind == "domain" or (contestant.kind == "instance" and model is None):
        require_torch(name)
    return Entrant(contestant.check(), model)


def _changed(entrant: Entrant, setting: str, rest: str) -> Entrant:
    """With one more option, which must be one of its own."""
    name, equals, text = rest.partition("=")
    if not equals:
        raise UsageError(f"--set {setting}: write it as METHOD.NAME=VALUE")
    one = entrant.contestant
    table, _, option = name.rpartition(".")
    option = option.strip().replace("-", "_")
    try:
        if table == "search":
            if option in LIMITS:
                raise UsageError("limits are the same for all: --time-limit, --memory-limit")
            changed = replace(one, search={**one.search, option: _toml(text)})
        elif table:
            raise UsageError(f"there is no table {table!r}; options of the search are {one.method}.search.NAME=VALUE")
        elif not entrant.trains:
            raise UsageError(f"{one.method} is not trained here, so it has no options to set")
        elif option in FROM_THE_CONFIG:
            raise UsageError("seed and time are the same for all: --seed, --train-limit")
        else:
            value = options_class(one.method).find(option, one.method).from_text(text)
            changed = replace(one, options={**one.options, option: value})
        return replace(entrant, contestant=changed.check())
    except UsageError as error:
        raise UsageError(f"--set {setting}: {error}") from None


def _toml(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def _with_batch(entrant: Entrant, batch: tuple[int, ...] | None) -> Entrant:
    one = entrant.contestant
    if batch is None or one.kind == "planner" or "batch" in one.search:
        return entrant
    return replace(entrant, contestant=replace(one, search={**one.search, "batch": list(batch)}).check())


class Observer(Protocol):
    """Told what happens during a contest."""

    def begins(self, unit: Unit) -> Watcher | None:
        """A unit begins; returns who watches it if it is a training."""

    def ended(self, unit: Unit, result: Result) -> None:
        """It has ended."""

    def go_on(self) -> bool:
        """False when the user wants an end."""


def _check_model(contestant: Contestant, path: Path, domain: Domain, problem: Problem) -> None:
    """A model must be what its name in the table says, and know the problem."""
    model = load_model(path)
    made_by = model.info.get("method")
    if (model.task is None) != (contestant.kind == "domain") or (contestant.learns and made_by != contestant.method):
        raise UsageError(f"{path}: this is a model of {made_by}, not of {contestant.method}")
    model.check_domain(domain.text, domain.source)
    try:
        model.start(problem.text, problem.source)
    except StateMismatchError as error:
        raise UsageError(f"{path}: this model was trained for another problem: {error}") from None


@dataclass(frozen=True)
class Contest:
    """An instance, its states, and who tries to solve them; the files of units are left in two folders."""

    domain: Path
    problem: Path
    states: tuple[Path, ...]
    entrants: tuple[Entrant, ...]
    budgets: Budgets
    seed: int
    models: Path
    plans: Path
    enforce: Enforce = unenforced

    def check(self) -> dict[str, str]:
        """Refuse now what every unit would stumble over: wrong PDDL, foreign states, models of other problems.

        Returns warnings about states in which facts are missing, by state.
        """
        domain = read_domain(self.domain)
        problem = read_problem(self.problem, domain)
        task = ground(domain, problem)
        states = zip(self.states, StateReader(task).read_all(self.states), strict=True)
        warnings = {str(path): missing_facts(task, state, str(path)) for path, state in states}
        for entrant in self.entrants:
            if entrant.model is not None:
                _check_model(entrant.contestant, entrant.model, domain, problem)
        return {state: warning for state, warning in warnings.items() if warning is not None}

    def load(self) -> None:
        """Load what the clock of a unit does not count, so that no unit takes longer than its limit."""
        if any(entrant.trains for entrant in self.entrants):
            import goalward.learning.trainer  # noqa: F401, PLC0415
        for entrant in self.entrants:
            if entrant.model is not None:
                import_for(entrant.model)

    def run(self, observer: Observer) -> Iterator[Entry]:
        """All units, one after the other, until the observer wants an end. Without a model there are no searches."""
        for entrant in self.entrants:
            one, model = entrant.contestant, entrant.model
            seed = self.seed if one.learns else None
            training = Unit("train", self.domain.stem, "-", self.problem.stem, one.label, seed)
            if model is not None:
                seconds = load_model(model).info.get("seconds")
                yield training, Result(training.id, "trained", total_time=seconds)
            elif entrant.trains:
                if not observer.go_on():
                    return
                model = self.models / f"{one.label}.goalward"
                result = self._do(training, one, None, model, self.problem, observer)
                yield training, result
                if result.status != "trained":
                    continue
            for state in self.states:
                if not observer.go_on():
                    return
                search = replace(training, kind="search", state=str(state))
                yield search, self._do(search, one, model, self.plans / "plan", state, observer)

    def _do(
        self, unit: Unit, contestant: Contestant, model: Path | None, product: Path, state: Path, observer: Observer
    ) -> Result:
        job = Job(
            unit,
            contestant,
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
