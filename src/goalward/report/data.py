"""The data of a report: searches, trainings, and the seed that represents each method."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from goalward.experiments.store import Result, Store, Unit
from goalward.learning.methods import METHODS

Instance = tuple[str, str, str]
"""Domain, difficulty, name."""

Entry = tuple[Unit, Result]

_FIRST_DIFFICULTIES = ("bundled", "easy", "moderate", "hard")


def instance_of(unit: Unit) -> Instance:
    """The instance of a unit."""
    return unit.domain, unit.difficulty, unit.instance


@dataclass(frozen=True)
class Experiment:
    """All results of an experiment. ``extra`` of searches is not loaded, because it is most of the data."""

    searches: list[Entry]
    trainings: list[Entry]
    meta: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    planned: Counter[tuple[str, str, str, int | None]] = field(default_factory=Counter)
    """Number of searches of each (domain, difficulty, method, seed), including those that have not run yet."""
    imported: frozenset[str] = frozenset()
    """Methods whose results were imported."""

    @cached_property
    def methods(self) -> list[str]:
        """The labels of all methods, in order of first appearance."""
        return list(dict.fromkeys(unit.method for unit, _ in [*self.trainings, *self.searches]))

    @cached_property
    def method_names(self) -> dict[str, str]:
        """The system behind each label, for example "n-rsl" behind "n-rsl, small"."""
        names = {entry["label"]: entry["method"] for entry in method_tables(self.meta) if "method" in entry}
        return {label: names.get(label, label.split("@")[0].split(",")[0]) for label in self.methods}

    @cached_property
    def learned(self) -> set[str]:
        """The labels of methods that learn, per instance or per domain."""
        seeded = {unit.method for unit, _ in [*self.trainings, *self.searches] if unit.seed is not None}
        named = {
            label for label, name in self.method_names.items() if name in METHODS and METHODS[name].kind != "planner"
        }
        return seeded | named

    @cached_property
    def domains(self) -> list[str]:
        """The names of all domains, sorted."""
        return sorted({unit.domain for unit, _ in [*self.trainings, *self.searches]})

    @cached_property
    def difficulties(self) -> list[str]:
        """The names of all difficulties: first those of the paper, in its order, then others."""
        found = {unit.difficulty for unit, _ in [*self.trainings, *self.searches]}
        first = [name for name in _FIRST_DIFFICULTIES if name in found]
        return first + sorted(found - set(first))

    @cached_property
    def instances(self) -> list[Instance]:
        """All instances, sorted by domain, difficulty and name."""
        order = {name: place for place, name in enumerate(self.difficulties)}
        found = {instance_of(unit) for unit, _ in [*self.trainings, *self.searches]}
        return sorted(found, key=lambda one: (one[0], order[one[1]], one[2]))

    @cached_property
    def seeds(self) -> dict[str, list[int]]:
        """The seeds of each method that learns."""
        found: dict[str, set[int]] = defaultdict(set)
        for unit, _ in [*self.trainings, *self.searches]:
            if unit.seed is not None:
                found[unit.method].add(unit.seed)
        return {method: sorted(seeds) for method, seeds in found.items()}

    @cached_property
    def validated(self) -> set[str]:
        """The labels of methods with several seeds whose models were validated."""
        return {
            unit.method
            for unit, result in self.trainings
            if len(self.seeds.get(unit.method, [])) > 1 and result.extra.get("validation_states")
        }

    @cached_property
    def chosen(self) -> dict[tuple[Instance, str], int]:
        """The seed that represents a method on an instance.

        It is the seed that solved the most validation states. Ties are broken by fewer evaluations, then by the lower
        seed. Without validation it is the lowest seed.
        """
        ranks: dict[tuple[Instance, str], dict[int, tuple[int, float, int]]] = defaultdict(dict)
        for unit, _ in self.searches:
            if unit.seed is not None:
                ranks[instance_of(unit), unit.method][unit.seed] = (-1, 0.0, -unit.seed)
        for unit, result in self.trainings:
            if unit.seed is not None:
                solved = result.extra.get("validation_solved")
                evaluations = result.extra.get("validation_evaluations") or 0
                rank = (-1 if solved is None else int(solved), -float(evaluations), -unit.seed)
                ranks[instance_of(unit), unit.method][unit.seed] = rank
        return {key: max(found, key=lambda seed: found[seed]) for key, found in ranks.items()}

    @cached_property
    def representatives(self) -> list[Entry]:
        """Searches without a seed or with the chosen one: at most one per method and state."""
        return [
            (unit, result)
            for unit, result in self.searches
            if unit.seed is None or self.chosen[instance_of(unit), unit.method] == unit.seed
        ]

    @cached_property
    def atoms(self) -> dict[Instance, int]:
        """The number of atoms of each instance, if it is known."""
        found = {}
        for unit, result in [*self.trainings, *self.searches]:
            if result.n_atoms is not None:
                found[instance_of(unit)] = result.n_atoms
        return found


def method_tables(meta: dict[str, Any]) -> list[dict[str, Any]]:
    """The tables of methods in the stored config; each has a label."""
    config = meta.get("config")
    tables = config.get("methods") if isinstance(config, dict) else None
    return [
        entry for entry in (tables if isinstance(tables, list) else []) if isinstance(entry, dict) and "label" in entry
    ]


def gather(entries: Iterable[Entry], meta: dict[str, Any] | None = None) -> Experiment:
    """An experiment from results in memory, assuming that all planned units have run."""
    listed = list(entries)
    searches = [entry for entry in listed if entry[0].kind == "search"]
    trainings = [entry for entry in listed if entry[0].kind == "train"]
    results = [result for _, result in listed]
    counts = {
        "units": len(results),
        "done": len(results),
        "solved": sum(result.solved for result in results),
        "failed": sum(result.status == "failed" for result in results),
    }
    planned = Counter((unit.domain, unit.difficulty, unit.method, unit.seed) for unit, _ in searches)
    return Experiment(searches, trainings, meta or {}, counts, planned)


def load(store: Store) -> Experiment:
    """Load what the report needs from a store, without ``extra`` of searches."""
    found = gather(store.results(with_extra=False), store.meta())
    extras = dict(store.extras(unit.id for unit, _ in found.trainings))
    trainings = [(unit, replace(result, extra=extras.get(unit.id, {}))) for unit, result in found.trainings]
    counts, planned = store.counts(), found.planned
    if counts["done"] < counts["units"]:
        units = [unit for unit in store.units() if unit.kind == "search"]
        planned = Counter((unit.domain, unit.difficulty, unit.method, unit.seed) for unit in units)
    # A method that was both imported and run here does not count as imported.
    ours = {entry["label"] for entry in method_tables(found.meta)} | {unit.method for unit, _ in trainings}
    notes = [note for note in found.meta.get("imported") or [] if isinstance(note, dict)]
    elsewhere = frozenset(method for note in notes for method in note.get("methods", [])) - ours
    return replace(found, trainings=trainings, counts=counts, planned=planned, imported=elsewhere)
