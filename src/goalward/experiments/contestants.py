"""The methods of an experiment: a label, a system and its options, checked when the config is read."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from goalward.baselines.fast_downward import PLANNERS, find_driver, missing_driver
from goalward.baselines.methods import METHODS, Method, find_method
from goalward.errors import GoalwardError, UsageError
from goalward.experiments.tables import Reader, nearest
from goalward.learning.options import LearnOptions
from goalward.search import HEURISTICS, TURNS, SearchOptions

# Names of the command line for the fields of LearnOptions; the first row is for all that learn.
COMMON = {"preset": "preset", "trials": "trials", "max_epochs": "max_epochs"}
RSL_ONLY = {"samples": "n_samples", "random_share": "random_share", "rollouts": "n_rollouts", "length": "length"}
KEYS = ("label", "method", "options", "grid", "optional")


@dataclass(frozen=True)
class Contestant:
    """One column of the table: a system with its options, under a label."""

    label: str
    method: str
    options: dict[str, Any] = field(default_factory=dict)

    def check(self) -> Contestant:
        """Refuse options that the system does not have; done once, where the config is read, for it loads learners."""
        known = option_names(self.method)
        for name in self.options:
            if name not in known:
                raise UsageError(f"{self.label}: {self.method} has no option {name!r}: {nearest(name, known)}")
        try:
            if self.learns:
                self.learn_options(0, 1.0)
                _system(self.method).options.parse(self.settings, self.method)
            SearchOptions(batch=self.batch)
        except GoalwardError as error:
            raise UsageError(f"{self.label}: {error}") from None
        except TypeError:
            raise UsageError(f"{self.label}: the options {self.options!r} are not all of the right type") from None
        if self.kind == "domain" and not isinstance(self.options.get("model"), str):
            raise UsageError(
                f"{self.label}: {self.method} is learned per domain; name its model file in options.model, with "
                "{domain} where the domain's name belongs"
            )
        return self

    @property
    def kind(self) -> Literal["instance", "domain", "planner"]:
        """Learned per instance, per domain, or not at all."""
        return _system(self.method).kind

    @property
    def learns(self) -> bool:
        """Is there a training for each instance and seed?"""
        return self.kind == "instance"

    @property
    def batch(self) -> tuple[int, ...]:
        """How many states a search expands at once; learned heuristics take turns by default."""
        default = (1,) if self.kind == "planner" else TURNS
        given = self.options.get("batch", default)
        return (given,) if isinstance(given, int) else tuple(given)

    @property
    def settings(self) -> list[str]:
        """Options that only this method knows, as ``name=value``."""
        shared = {*COMMON, *RSL_ONLY, "sampler", "batch"}
        return [f"{name}={value}" for name, value in self.options.items() if name not in shared]

    def learn_options(self, seed: int, seconds: float) -> LearnOptions:
        """How one model is learned."""
        given: dict[str, Any] = {
            target: self.options[name] for name, target in (COMMON | RSL_ONLY).items() if name in self.options
        }
        if "sampler" in self.options:
            chosen = self.options["sampler"]
            given["samplers"] = (chosen,) if isinstance(chosen, str) else tuple(chosen)
        return LearnOptions(method=self.method, seed=seed, time_limit=seconds, threads=1, **given)


def _system(name: str) -> Method:
    if name in HEURISTICS and name not in METHODS:
        return Method(name, "planner", f"GBFS with {name}", HEURISTICS[name].reference)
    if name not in METHODS:
        raise UsageError(f"unknown method {name!r}: {nearest(name, [*METHODS, *(HEURISTICS.keys() - METHODS.keys())])}")
    return find_method(name)


def option_names(method: str) -> list[str]:
    """What may stand in the options of a method."""
    system = _system(method)
    if system.name in PLANNERS:
        return []
    if system.kind == "planner":
        return ["batch"]
    if system.kind == "domain":
        return ["model", "batch"]
    own = [f.name for f in fields(system.options)]
    return [*COMMON, *own, "batch"] if system.home else [*COMMON, *RSL_ONLY, "sampler", "batch"]


def read_contestants(tables: list[dict[str, Any]]) -> tuple[list[Contestant], list[str]]:
    """The methods of a config, and the names of optional ones that are not installed here."""
    chosen: list[Contestant] = []
    missing: list[str] = []
    for number, table in enumerate(tables, start=1):
        reader = Reader(table, f"methods[{number}]", KEYS)
        name = reader.text("method") or reader.text("label")
        if name is None:
            raise UsageError(f"{reader.where} has no method: {nearest('', METHODS)}")
        try:
            _system(name)
        except UsageError as error:
            raise UsageError(f"{reader.name('method')}: {error}") from None
        label = reader.label("label", name)
        options = reader.read("options", dict, {}, "a table")
        if name in PLANNERS and find_driver() is None:
            if not reader.flag("optional"):
                raise missing_driver(name)
            missing.append(label)
            continue
        chosen += [one.check() for one in _expanded(Contestant(label, name, options), reader)]
    if not chosen:
        raise UsageError("a config needs at least one method, in a table [[methods]]")
    labels = [contestant.label for contestant in chosen]
    if len(set(labels)) < len(labels):
        raise UsageError(f"{max(labels, key=labels.count)} is the label of two methods; give each its own")
    return chosen, missing


def _expanded(base: Contestant, reader: Reader) -> list[Contestant]:
    """One contestant, or one for each combination of the values in ``grid``."""
    grid = reader.read("grid", dict, {}, "a table of lists")
    if not grid:
        return [base]
    for name, values in grid.items():
        if not isinstance(values, list) or not values:
            raise UsageError(f"{reader.name('grid')}.{name} is {values!r}; it is a list of values")
    combinations = [dict(zip(grid, values, strict=True)) for values in itertools.product(*grid.values())]
    return [
        Contestant(
            ",".join([base.label, *(f"{name}={value}" for name, value in combination.items())]),
            base.method,
            base.options | combination,
        )
        for combination in combinations
    ]
