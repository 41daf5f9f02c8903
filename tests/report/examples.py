"""A small experiment whose every number can be worked out by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from goalward.experiments.store import FILE_NAME, Result, Store, Unit

Entry = tuple[Unit, Result]
CONFIG = {
    "name": "small & <plain>",
    "methods": [
        {"label": "n-rsl", "method": "n-rsl", "options": {"length": 500}},
        {"label": "short", "method": "n-rsl", "options": {"length": 50}},
        {"label": "ff", "method": "ff", "options": {}},
    ],
}


def search(where: str, method: str, state: str, solved: bool = True, seed: int | None = None, **more: Any) -> Entry:
    """``where`` is "domain/difficulty/instance"."""
    domain, difficulty, instance = where.split("/")
    unit = Unit("search", domain, difficulty, instance, method, seed, state)
    status = more.pop("status", "solved" if solved else "out of time")
    return unit, Result(unit.id, status, solved, finished=1.0, **more)


def training(where: str, method: str, seed: int, seconds: float, validated: int | None = None, **more: Any) -> Entry:
    domain, difficulty, instance = where.split("/")
    unit = Unit("train", domain, difficulty, instance, method, seed)
    extra = {"seconds": seconds, "curve": [[1, 9.0, 10.0, 0.5], [2, 3.0, 4.0, 1.0]], **more}
    if validated is not None:
        extra |= {"validation_solved": validated, "validation_states": 10}
    return unit, Result(unit.id, "trained", total_time=seconds, extra=extra, finished=1.0)


def small() -> list[Entry]:
    """Two domains, three methods; n-rsl has two seeds that competed, and the second wins on blocks."""
    found: list[Entry] = []
    for domain, n_states in (("blocks", 4), ("rovers", 2)):
        where = f"{domain}/hard/p1"
        for seed, validated in ((0, 3), (1, 7)):
            found.append(training(where, "n-rsl", seed, 10.0 + seed, validated))
        found.append(training(where, "short", 0, 4.0))
        atoms = 100 if domain == "blocks" else 3000
        for state in range(n_states):
            name = f"s{state}"
            shared = {"n_atoms": atoms, "search_time": 2.0, "evaluations": 2000}
            # seed 0 solves one state, seed 1 all but the last
            found.append(
                search(where, "n-rsl", name, state == 0, 0, total_time=1.0, expansions=9, plan_length=9, **shared)
            )
            extra = {"h_along": [4.0, 2.5, 0.0]}
            found.append(
                search(
                    where,
                    "n-rsl",
                    name,
                    state < n_states - 1,
                    1,
                    total_time=state + 1.0,
                    expansions=10 * (state + 1),
                    plan_length=20,
                    extra=extra,
                    **shared,
                )
            )
            found.append(
                search(where, "short", name, state == 0, 0, total_time=3.0, expansions=50, plan_length=5, **shared)
            )
            found.append(
                search(where, "ff", name, domain == "blocks", total_time=0.5, expansions=20, plan_length=20, **shared)
            )
    found.append(search("blocks/moderate/p0", "ff", "s0", False, status="failed", error="the worker\nwas lost"))
    return found


def store_of(folder: Path, entries: list[Entry], meta: dict[str, Any] | None = None) -> Store:
    """A store that holds them."""
    store = Store(folder / FILE_NAME, create=True)
    store.add_units(unit for unit, _ in entries)
    store.add_many(result for _, result in entries)
    store.set_meta(**({"config": CONFIG, "versions": {"goalward": "1"}} if meta is None else meta))
    return store
