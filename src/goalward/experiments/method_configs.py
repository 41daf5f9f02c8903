"""The methods of an experiment: each a label, a system and its options, checked when the config is read."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from goalward.baselines.fast_downward import PLANNERS, find_driver, missing_driver
from goalward.baselines.hgn_model import DomainOptions
from goalward.declared import DURATION, Options, option
from goalward.errors import GoalwardError, UsageError, known_names
from goalward.experiments.tables import LABEL, TABLE, TEXT, as_label, read_table
from goalward.learning.methods import FORMER_METHODS, METHODS, Method, find_method, make_options
from goalward.learning.options import LearnOptions
from goalward.search import HEURISTICS, SearchOptions
from goalward.search.best_first import FORMER_ALGORITHMS
from goalward.search.planning import LearnedModel
from goalward.search.portfolio import current_lead
from goalward.search.solving import DEFAULT_IMPROVEMENT, UNLIMITED_IMPROVEMENT, Improvement
from goalward.search.strategy import Strategy, default_search, strategy_for

SET_FOR_ALL_METHODS = {
    "seed": "seeds",
    "time_limit": "budgets.train",
}
"""Options of learned methods that have another key in a config, because they are the same for all methods."""
PORTFOLIO = "portfolio"
"""goalward's searches without learning; ``lama`` is Fast Downward's LAMA."""
LIMITS = {"time_limit": "budgets.search", "memory_limit": "budgets.memory"}
"""Options of the search that have another key in a config."""
AUTO = "auto"
"""The default search, or the default improvement of plans, of ``goalward solve`` and ``plan``."""
ANYTIME = "anytime"
"""Improvement until the time limit of the search, as in ``goalward plan --anytime``."""
IMPROVE = "improve"
"""The key for the improvement of plans: :data:`AUTO`, :data:`ANYTIME`, a duration, or "none"."""


@dataclass(frozen=True)
class _Entry(Options):
    """A table [[methods]]."""

    label: str | None = option(None, "name of the column and of files", kind=LABEL)
    method: str | None = option(None, "name of the system", kind=TEXT)
    options: dict[str, Any] | None = option(None, "options of the method", kind=TABLE)
    search: dict[str, Any] | None = option(None, "options of the search", kind=TABLE)
    grid: dict[str, Any] | None = option(None, "lists of values; one method for each combination", kind=TABLE)
    train: float | None = option(None, "time limit of a training, instead of budgets.train", kind=DURATION)
    model_of: str | None = option(None, "label of another method whose models are used", kind=LABEL)
    optional: bool = option(False, "leave the method out if it is not installed")


@dataclass(frozen=True)
class MethodConfig:
    """One column of the table: a system with a label, the options of the system, and the options of its search.

    All of ``options`` is passed to the method and all of ``search`` to the search. Former names of methods, searches
    and leads are replaced by the current ones; the label is not changed.

    ``train`` is the time limit of a training; None is that of the config. A method that is learned per domain is
    trained in the experiment only if ``train`` is set. With ``model_of`` nothing is trained: the models are those of
    the method with that label.
    """

    label: str
    method: str
    options: dict[str, Any] = field(default_factory=dict)
    search: dict[str, Any] = field(default_factory=dict)
    train: float | None = None
    model_of: str | None = None

    def __post_init__(self) -> None:
        for name, value in with_current_names({"method": self.method, "search": self.search}).items():
            object.__setattr__(self, name, value)

    def check(self) -> MethodConfig:
        """Raise UsageError for options that the system does not have; return self.

        Called once, when the config is read, because it imports the learners.
        """
        try:
            self._check_search()
            if self.kind == "planner" and (self.train is not None or self.model_of is not None):
                raise UsageError(f"{self.method} learns nothing, so it has neither train nor model_of")
            if self.model_of is not None and (self.options or self.train is not None):
                raise UsageError("with model_of nothing is trained, so options and train must be left out")
            if self.kind == "domain" and self.learns:
                self._check_domain_training()
            elif self.kind == "instance":
                _refuse(self.options, SET_FOR_ALL_METHODS)
                self._refuse_search_options()
                make_options(self.method, self.options)
            else:
                self._check_untrained()
        except GoalwardError as error:
            raise UsageError(f"{self.label}: {error}") from None
        return self

    def _check_search(self) -> None:
        known = search_names(self.method)
        _refuse(self.search, LIMITS)
        for name in self.search:
            if name not in known:
                raise UsageError(f"the search of {self.method} has no option {name!r}{known_names(name, known)}")
        try:
            self.search_options(1.0, 1)
            _ = self.improvement
        except TypeError:
            raise UsageError(f"an option of the search has a wrong type: {self.search!r}") from None

    def _check_domain_training(self) -> None:
        _refuse(self.options, SET_FOR_ALL_METHODS)
        if "model" in self.options:
            raise UsageError("choose one of options.model, for an existing model, and train, to train one")
        self._refuse_search_options()
        self.domain_options(0, 1.0)

    def _check_untrained(self) -> None:
        """Check the options of a method that is not trained here: a planner, or a model of a domain from a file."""
        self._refuse_search_options()
        known = ["model"] if self.kind == "domain" else []
        for name in self.options:
            if name not in known:
                raise UsageError(f"{self.method} has no option {name!r}{known_names(name, known)}")
        if self.kind == "domain" and not isinstance(self.options.get("model"), str):
            raise UsageError(
                f"{self.method} is learned per domain: set options.model to its model file, with {{domain}} for the "
                'name of the domain, or set a time limit to train it here, as in train = "10m"'
            )

    def _refuse_search_options(self) -> None:
        own = {field.name for field in fields(_system(self.method).options)}
        for name in self.options:
            if name not in own and name in search_names(self.method):
                value = self.options[name]
                raise UsageError(f"{name} is an option of the search: write search = {{ {name} = {value} }}")

    @property
    def kind(self) -> Literal["instance", "domain", "planner"]:
        """Whether the method learns per instance, per domain, or not at all ("planner")."""
        return _system(self.method).kind

    @property
    def learns(self) -> bool:
        """True if the experiment has a model of this method for each seed, per instance or per domain."""
        return self.kind == "instance" or (self.kind == "domain" and (self.train is not None or bool(self.model_of)))

    @property
    def trains(self) -> bool:
        """True if this method trains its models, rather than using those of another method."""
        return self.learns and self.model_of is None

    def learn_options(self, seed: int, seconds: float) -> LearnOptions:
        """The options of training one model."""
        return replace(make_options(self.method, self.options), seed=seed, time_limit=seconds)

    def domain_options(self, seed: int, seconds: float) -> DomainOptions:
        """The options of training one domain model."""
        return replace(DomainOptions.of(self.method, self.options), seed=seed, time_limit=seconds)

    @property
    def full_search(self) -> dict[str, Any]:
        """The table ``search`` with its defaults filled in, as it is stored with results.

        By default, learned methods search like ``goalward solve`` and ``portfolio`` searches like ``goalward plan``,
        with improvement of plans. Methods with any other search improve plans only if the config says so, so that the
        table compares what the searches find. This includes GBFS with one heuristic.
        """
        found = dict(self.search)
        if self.kind != "planner":
            found.setdefault("algorithm", AUTO)
        is_default = found.get("algorithm") == AUTO or (self.method == PORTFOLIO and "algorithm" not in found)
        return {IMPROVE: AUTO, **found} if is_default else found

    def strategy(self, model: LearnedModel) -> Strategy:
        """The search strategy for a model of this method."""
        algorithm, batch = self._algorithm_and_batch()
        return strategy_for(model, algorithm=algorithm, batch=batch)

    def search_options(self, seconds: float, memory: int, model: LearnedModel | None = None) -> SearchOptions:
        """The options of a search from one state.

        For a learned method, the verdict in ``model`` decides. Without the model, the network is assumed to be useful.
        """
        if model is not None:
            default = self.strategy(model).options
        else:
            algorithm, batch = self._algorithm_and_batch()
            default = default_search(learned=self.kind != "planner", algorithm=algorithm, batch=batch)
        handled = ("algorithm", "batch", IMPROVE)
        given: dict[str, Any] = {name: _as_tuple(value) for name, value in self.search.items() if name not in handled}
        return replace(default, **given, time_limit=seconds, memory_limit=memory)

    def _algorithm_and_batch(self) -> tuple[Any, Any]:
        """Algorithm and batch size of the config; None is the default of ``goalward solve`` or ``plan``."""
        one_heuristic = self.kind == "planner" and self.method != PORTFOLIO
        algorithm = self.search.get("algorithm", "gbfs" if one_heuristic else AUTO)
        return None if algorithm == AUTO else algorithm, _as_tuple(self.search.get("batch"))

    @property
    def improvement(self) -> Improvement | None:
        """The limits of plan improvement; None if plans are not improved."""
        value = self.full_search.get(IMPROVE)
        if value in (AUTO, ANYTIME):
            return DEFAULT_IMPROVEMENT if value == AUTO else UNLIMITED_IMPROVEMENT
        return Improvement.of(value)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def with_current_names(table: dict[str, Any]) -> dict[str, Any]:
    """The table of a method, with former names replaced by the current ones."""
    renamed = dict(table)
    if isinstance(method := table.get("method"), str):
        renamed["method"] = FORMER_METHODS.get(method, method)
    if isinstance(search := table.get("search"), dict):
        renamed["search"] = dict(search)
        if isinstance(algorithm := search.get("algorithm"), str):
            renamed["search"]["algorithm"] = FORMER_ALGORITHMS.get(algorithm, algorithm)
        if "lead" in search:
            renamed["search"]["lead"] = current_lead(search["lead"])
    return renamed


def _refuse(options: dict[str, Any], other_keys: dict[str, str]) -> None:
    """Raise UsageError for an option that has another key in a config."""
    for name in options:
        if name in other_keys:
            raise UsageError(f"{name} is the same for all methods: set {other_keys[name]} in the config")


def _system(name: str) -> Method:
    if name in HEURISTICS and name not in METHODS:
        return Method(name, "planner", f"GBFS with {name}", HEURISTICS[name].reference)
    if name not in METHODS and name not in FORMER_METHODS:
        raise UsageError(f"unknown method {name!r}{known_names(name, dict.fromkeys([*METHODS, *HEURISTICS]))}")
    return find_method(name)


def search_names(method: str) -> list[str]:
    """The allowed keys in the table ``search`` of a method; none for Fast Downward."""
    if method in PLANNERS:
        return []
    return [*(field.name for field in fields(SearchOptions) if field.name not in {*LIMITS, "n_concurrent"}), IMPROVE]


def read_methods(tables: list[dict[str, Any]]) -> tuple[list[MethodConfig], list[str]]:
    """Read the methods of a config; return them and the labels of optional ones that are not installed."""
    chosen: list[MethodConfig] = []
    missing: list[str] = []
    for number, table in enumerate(tables, start=1):
        where = f"methods[{number}]"
        entry = read_table(_Entry, table, where)
        name = entry.method or entry.label
        if name is None:
            raise UsageError(f"{where} has no method{known_names('', METHODS)}")
        try:
            _system(name)
        except UsageError as error:
            raise UsageError(f"{where}.method: {error}") from None
        label = entry.label or name
        if name in PLANNERS and find_driver() is None:
            if not entry.optional:
                raise missing_driver(name)
            missing.append(label)
            continue
        base = MethodConfig(label, name, entry.options or {}, entry.search or {}, entry.train, entry.model_of)
        chosen += [one.check() for one in _expanded(base, entry.grid or {}, f"{where}.grid")]
    if not chosen:
        raise UsageError("a config needs at least one method, in a table [[methods]]")
    labels = [one.label for one in chosen]
    if len(set(labels)) < len(labels):
        raise UsageError(f"two methods have the label {max(labels, key=labels.count)}; labels must differ")
    _check_model_sources(chosen)
    return chosen, missing


def _check_model_sources(chosen: list[MethodConfig]) -> None:
    """Raise UsageError unless each ``model_of`` is the label of a method that trains models of the same system."""
    trained = {one.label: one for one in chosen if one.trains}
    for one in chosen:
        if one.model_of is None:
            continue
        if one.model_of not in trained:
            raise UsageError(f"{one.label}: no method with the label {one.model_of} trains models"
                             f"{known_names(one.model_of, trained)}")  # fmt: skip
        if one.method != trained[one.model_of].method:
            raise UsageError(f"{one.label} is {one.method}, but {one.model_of} is {trained[one.model_of].method}")


def _expanded(base: MethodConfig, grid: dict[str, Any], where: str) -> list[MethodConfig]:
    """The method itself, or one for each combination of the values in ``grid`` and ``grid.search``."""
    searches = grid.get("search", {})
    if not isinstance(searches, dict):
        raise UsageError(f"{where}.search must be a table of lists, but is {searches!r}")
    axes = [("options", name, values) for name, values in grid.items() if name != "search"]
    axes += [("search", name, values) for name, values in searches.items()]
    for table, name, values in axes:
        if not isinstance(values, list) or not values:
            inner = "search." if table == "search" else ""
            raise UsageError(f"{where}.{inner}{name} must be a list of values, but is {values!r}")
    found = []
    for combination in itertools.product(*(values for _, _, values in axes)):
        one = base
        for (table, name, _), value in zip(axes, combination, strict=True):
            changed: dict[str, Any] = {
                table: {**getattr(one, table), name: value},
                "label": as_label(f"{one.label},{name}={value}"),
            }
            one = replace(one, **changed)
        found.append(one)
    return found
