"""The methods of an experiment: a label, a system and its options, checked when the config is read."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from goalward.baselines.fast_downward import PLANNERS, find_driver, missing_driver
from goalward.baselines.hgn_model import DomainOptions
from goalward.declared import DURATION, Options, option
from goalward.errors import GoalwardError, UsageError, of_these
from goalward.experiments.tables import LABEL, TABLE, TEXT, as_label, read_table
from goalward.learning.methods import FORMER_METHODS, METHODS, Method, find_method, make_options
from goalward.learning.options import LearnOptions
from goalward.search import HEURISTICS, SearchOptions
from goalward.search.best_first import FORMER_ALGORITHMS
from goalward.search.planning import LearnedModel
from goalward.search.portfolio import current_lead
from goalward.search.solving import UNTIL_THE_END, WHILE_IT_PAYS, Improvement
from goalward.search.strategy import Strategy, default_search, strategy_for

FROM_THE_CONFIG = {
    "seed": "seeds",
    "time_limit": "budgets.train",
}
"""Options of learned methods that stand elsewhere in a config, because they hold for all methods."""
PORTFOLIO = "portfolio"
"""Our searches without learning; ``lama`` is Fast Downward's LAMA."""
LIMITS = {"time_limit": "budgets.search", "memory_limit": "budgets.memory"}
"""Options of the search that stand elsewhere in a config."""
AUTO = "auto"
"""The search, or the improvement of plans, that ``goalward solve`` and ``plan`` use by default."""
ANYTIME = "anytime"
"""Improvement until the limit of the search, as ``goalward plan --anytime`` does."""
IMPROVE = "improve"
"""What is done with a plan after the search: :data:`AUTO`, :data:`ANYTIME`, a duration, or "none"."""


@dataclass(frozen=True)
class _Entry(Options):
    """A table [[methods]]."""

    label: str | None = option(None, "names the column and the files", kind=LABEL)
    method: str | None = option(None, "the system", kind=TEXT)
    options: dict[str, Any] | None = option(None, "options of the method", kind=TABLE)
    search: dict[str, Any] | None = option(None, "options of the search", kind=TABLE)
    grid: dict[str, Any] | None = option(None, "lists of values, for a method with each combination", kind=TABLE)
    train: float | None = option(None, "for one training, instead of budgets.train", kind=DURATION)
    model_of: str | None = option(None, "label of another method whose models it searches with", kind=LABEL)
    optional: bool = option(False, "left out where it is not installed")


@dataclass(frozen=True)
class Contestant:
    """One column of the table: a system under a label, with its own options and with those of the search.

    All of ``options`` goes to the method and all of ``search`` to the search; what is recorded is what is run. Former
    names of methods, searches and leads become the present ones; a label stays as it is.

    ``train`` is the time for a training, None for that of the config. A method that is learned per domain is trained in
    the experiment if it is set. With ``model_of`` nothing is trained: the models are those of the method of that label.
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

    def check(self) -> Contestant:
        """Refuse options that the system does not have; done once, where the config is read, for it loads learners."""
        try:
            self._check_search()
            if self.kind == "planner" and (self.train is not None or self.model_of is not None):
                raise UsageError(f"{self.method} learns nothing, so it has neither train nor model_of")
            if self.model_of is not None and (self.options or self.train is not None):
                raise UsageError("with model_of nothing is trained, so there are neither options nor train")
            if self.kind == "domain" and self.learns:
                self._check_domain_training()
            elif self.kind == "instance":
                _refuse(self.options, FROM_THE_CONFIG)
                self._refuse_search_options()
                make_options(self.method, self.options)
            else:
                self._check_unlearned()
        except GoalwardError as error:
            raise UsageError(f"{self.label}: {error}") from None
        return self

    def _check_search(self) -> None:
        known = search_names(self.method)
        _refuse(self.search, LIMITS)
        for name in self.search:
            if name not in known:
                raise UsageError(f"the search of {self.method} has no option {name!r}{of_these(name, known)}")
        try:
            self.search_options(1.0, 1)
            _ = self.improvement
        except TypeError:
            raise UsageError(f"the options of the search, {self.search!r}, are not all of the right type") from None

    def _check_domain_training(self) -> None:
        _refuse(self.options, FROM_THE_CONFIG)
        if "model" in self.options:
            raise UsageError("give options.model to use a model that is there already, or train to train one, not both")
        self._refuse_search_options()
        self.domain_options(0, 1.0)

    def _check_unlearned(self) -> None:
        self._refuse_search_options()
        known = ["model"] if self.kind == "domain" else []
        for name in self.options:
            if name not in known:
                raise UsageError(f"{self.method} has no option {name!r}{of_these(name, known)}")
        if self.kind == "domain" and not isinstance(self.options.get("model"), str):
            raise UsageError(
                f"{self.method} is learned per domain; name its model file in options.model, with {{domain}} where the "
                'domain\'s name belongs, or give it time to be trained here, as in train = "10m"'
            )

    def _refuse_search_options(self) -> None:
        own = {field.name for field in fields(_system(self.method).options)}
        for name in self.options:
            if name not in own and name in search_names(self.method):
                value = self.options[name]
                raise UsageError(f"{name} is an option of the search: write search = {{ {name} = {value} }}")

    @property
    def kind(self) -> Literal["instance", "domain", "planner"]:
        """Learned per instance, per domain, or not at all."""
        return _system(self.method).kind

    @property
    def learns(self) -> bool:
        """Is there a model of this experiment for each seed, of an instance or of a domain?"""
        return self.kind == "instance" or (self.kind == "domain" and (self.train is not None or bool(self.model_of)))

    @property
    def trains(self) -> bool:
        """Does it train these models itself?"""
        return self.learns and self.model_of is None

    def learn_options(self, seed: int, seconds: float) -> LearnOptions:
        """How one model is learned."""
        return replace(make_options(self.method, self.options), seed=seed, time_limit=seconds)

    def domain_options(self, seed: int, seconds: float) -> DomainOptions:
        """How one model of a domain is learned."""
        return replace(DomainOptions.of(self.method, self.options), seed=seed, time_limit=seconds)

    @property
    def full_search(self) -> dict[str, Any]:
        """The table ``search`` with its defaults written out, as results remember it.

        Learned methods are searched as ``goalward solve`` does, ``portfolio`` as ``goalward plan`` does, both with
        improvement of plans. What names its own search improves nothing unless asked to, and GBFS with one heuristic
        is such a search: a table then compares what searches find.
        """
        found = dict(self.search)
        if self.kind != "planner":
            found.setdefault("algorithm", AUTO)
        as_users_do = found.get("algorithm") == AUTO or (self.method == PORTFOLIO and "algorithm" not in found)
        return {IMPROVE: AUTO, **found} if as_users_do else found

    def strategy(self, model: LearnedModel) -> Strategy:
        """How to search with a model of this method."""
        algorithm, batch = self._algorithm_and_batch()
        return strategy_for(model, algorithm=algorithm, batch=batch)

    def search_options(self, seconds: float, memory: int, model: LearnedModel | None = None) -> SearchOptions:
        """How one state is searched from, with the model if the method is learned.

        Without the model, which decides it, a learned method is assumed to be of use.
        """
        if model is not None:
            default = self.strategy(model).options
        else:
            algorithm, batch = self._algorithm_and_batch()
            default = default_search(learned=self.kind != "planner", algorithm=algorithm, batch=batch)
        elsewhere = ("algorithm", "batch", IMPROVE)
        given: dict[str, Any] = {name: _as_tuple(value) for name, value in self.search.items() if name not in elsewhere}
        return replace(default, **given, time_limit=seconds, memory_limit=memory)

    def _algorithm_and_batch(self) -> tuple[Any, Any]:
        """As the config has them; None stands for the default of ``goalward solve`` or ``plan``."""
        one_heuristic = self.kind == "planner" and self.method != PORTFOLIO
        algorithm = self.search.get("algorithm", "gbfs" if one_heuristic else AUTO)
        return None if algorithm == AUTO else algorithm, _as_tuple(self.search.get("batch"))

    @property
    def improvement(self) -> Improvement | None:
        """How long plans are improved."""
        wish = self.full_search.get(IMPROVE)
        if wish in (AUTO, ANYTIME):
            return WHILE_IT_PAYS if wish == AUTO else UNTIL_THE_END
        return Improvement.of(wish)


def _as_tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def with_current_names(table: dict[str, Any]) -> dict[str, Any]:
    """A method as a config or a stored experiment has it, with present names for former ones."""
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


def _refuse(options: dict[str, Any], elsewhere: dict[str, str]) -> None:
    for name in options:
        if name in elsewhere:
            raise UsageError(f"{name} is the same for all methods: it is {elsewhere[name]} in a config")


def _system(name: str) -> Method:
    if name in HEURISTICS and name not in METHODS:
        return Method(name, "planner", f"GBFS with {name}", HEURISTICS[name].reference)
    if name not in METHODS and name not in FORMER_METHODS:
        raise UsageError(f"unknown method {name!r}{of_these(name, dict.fromkeys([*METHODS, *HEURISTICS]))}")
    return find_method(name)


def search_names(method: str) -> list[str]:
    """What may stand in the table ``search`` of a method; other programs search in their own way."""
    if method in PLANNERS:
        return []
    return [*(field.name for field in fields(SearchOptions) if field.name not in {*LIMITS, "at_once"}), IMPROVE]


def read_contestants(tables: list[dict[str, Any]]) -> tuple[list[Contestant], list[str]]:
    """The methods of a config, and the names of optional ones that are not installed here."""
    chosen: list[Contestant] = []
    missing: list[str] = []
    for number, table in enumerate(tables, start=1):
        where = f"methods[{number}]"
        entry = read_table(_Entry, table, where)
        name = entry.method or entry.label
        if name is None:
            raise UsageError(f"{where} has no method{of_these('', METHODS)}")
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
        base = Contestant(label, name, entry.options or {}, entry.search or {}, entry.train, entry.model_of)
        chosen += [one.check() for one in _expanded(base, entry.grid or {}, f"{where}.grid")]
    if not chosen:
        raise UsageError("a config needs at least one method, in a table [[methods]]")
    labels = [contestant.label for contestant in chosen]
    if len(set(labels)) < len(labels):
        raise UsageError(f"{max(labels, key=labels.count)} is the label of two methods; give each its own")
    _check_owners(chosen)
    return chosen, missing


def _check_owners(chosen: list[Contestant]) -> None:
    """Models that a method takes from another one must be trained by it, and be of the same kind."""
    trained = {one.label: one for one in chosen if one.trains}
    for one in chosen:
        if one.model_of is None:
            continue
        if one.model_of not in trained:
            raise UsageError(f"{one.label}: no method trains models under the label {one.model_of}"
                             f"{of_these(one.model_of, trained)}")  # fmt: skip
        if one.method != trained[one.model_of].method:
            raise UsageError(f"{one.label} is {one.method}, but {one.model_of} is {trained[one.model_of].method}")


def _expanded(base: Contestant, grid: dict[str, Any], where: str) -> list[Contestant]:
    """One contestant, or one for each combination of the values in ``grid`` and in ``grid.search``."""
    searches = grid.get("search", {})
    if not isinstance(searches, dict):
        raise UsageError(f"{where}.search is {searches!r}; it is a table of lists")
    axes = [("options", name, values) for name, values in grid.items() if name != "search"]
    axes += [("search", name, values) for name, values in searches.items()]
    for table, name, values in axes:
        if not isinstance(values, list) or not values:
            inner = "search." if table == "search" else ""
            raise UsageError(f"{where}.{inner}{name} is {values!r}; it is a list of values")
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
