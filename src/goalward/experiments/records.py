"""What an experiment's store holds: units of work and their results, and what must be true of those that are read.

A store may be damaged, or made up by somebody. What is read from one is checked here before anything else sees it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from goalward.outward import finite

KINDS = ("train", "search")


@dataclass(frozen=True)
class Unit:
    """One training, or one search from one state; ``method`` is the label that the config gives it."""

    kind: Literal["train", "search"]
    domain: str
    difficulty: str
    instance: str
    method: str
    seed: int | None = None
    state: str | None = None

    @property
    def id(self) -> str:
        """Names the unit in files and tables."""
        parts = [self.kind, self.domain, self.difficulty, self.instance, self.method]
        parts += ["-" if self.seed is None else str(self.seed)]
        return "/".join(parts + ([] if self.state is None else [self.state]))


@dataclass(frozen=True)
class Result:
    """How a unit ended.

    ``status`` is that of a search ("solved", "out of time", …), "trained" for a training, or "failed" with an
    ``error``. ``extra`` of a training holds ``curve`` (epoch, training loss, validation loss, seconds), ``seconds``,
    ``notes`` and, where seeds compete, ``validation_solved``, ``validation_states`` and ``validation_evaluations``;
    that of a search the figures of its outcome that have no column, ``best_h_over_time`` (seconds, and the least value
    of its heuristic so far) and, if it is solved, ``h_along``, the heuristic's value at each state of the plan, the
    first and the last included, and ``better_plans``: when each better one was found, its cost, and what found it.
    Their times count from the beginning of the search, which began ``preparation`` seconds after the run.
    ``first_plan_time`` is when the first plan was found if ``search_time`` does not say that.
    """

    unit: str
    status: str
    solved: bool = False
    total_time: float | None = None
    search_time: float | None = None
    expansions: int | None = None
    evaluations: int | None = None
    generated: int | None = None
    plan_length: int | None = None
    cost: int | None = None
    memory: int | None = None
    initial_h: float | None = None
    n_atoms: int | None = None
    error: str | None = None
    attempts: int = 1
    finished: float = 0.0
    extra: dict[str, Any] = field(default_factory=dict)


_TYPES: dict[str, type | tuple[type, ...]] = {
    "str": str, "int": int, "float": (int, float), "bool": int, "dict[str, Any]": dict,
}  # fmt: skip


def _check(owner: type, values: dict[str, Any]) -> None:
    """Refuse values of another type than the fields of a dataclass say; bool is a number in SQLite."""
    for part in fields(owner):
        if part.name in values and part.name != "kind":
            kind, _, none = str(part.type).partition(" | ")
            value = values[part.name]
            endless = isinstance(value, float) and not math.isfinite(value) and part.name != "initial_h"
            if endless or not (isinstance(value, _TYPES[kind]) or (value is None and none)):
                raise ValueError(f"{part.name} is {str(value)[:40]!r}, not what it should be")


def checked_unit(row: Sequence[Any]) -> Unit:
    """A unit from its columns; ValueError where they are not those of one."""
    values = dict(zip((part.name for part in fields(Unit)), row, strict=True))
    _check(Unit, values)
    if values["kind"] not in KINDS or (values["state"] is None) != (values["kind"] == "train"):
        raise ValueError(f"a unit is of the kind {str(values['kind'])[:40]!r}")
    return Unit(**values)


def checked_result(values: dict[str, Any]) -> Result:
    """A result from its columns, ``extra`` as JSON or left out; ValueError where they are not those of one."""
    if "extra" in values:
        values = values | {"extra": checked_extra(values["extra"])}
    _check(Result, values)
    return Result(**values | {"solved": bool(values["solved"])})


_EXTRA: dict[str, type | tuple[type, ...]] = {
    "curve": list, "notes": dict, "seconds": (int, float), "validation_solved": int, "validation_states": int,
    "validation_evaluations": int, "h_along": list, "best_h_over_time": list, "better_plans": list, "imported": str,
    "preparation": (int, float), "first_plan_time": (int, float), "first_cost": (int, float),
}  # fmt: skip
_META: dict[str, type | tuple[type, ...]] = {
    "name": str, "config": dict, "versions": dict, "machine": dict, "runs": list, "imported": list,
}  # fmt: skip


def _table(values: Any, kinds: dict[str, type | tuple[type, ...]], what: str) -> dict[str, Any]:
    if not isinstance(values, dict):
        raise ValueError(f"{what} is no table")
    for name, kind in kinds.items():
        if values.get(name) is not None and not isinstance(values[name], kind):
            raise ValueError(f"{name} in {what} is {str(values[name])[:40]!r}, not what it should be")
    return values


def _numbers(values: Any) -> bool:
    return isinstance(values, list) and all(value is None or isinstance(value, (int, float)) for value in values)


def checked_extra(text: Any) -> dict[str, Any]:
    """What a result holds beside its columns, from JSON."""
    extra = _table(finite(json.loads(text)), _EXTRA, "extra")
    descent = extra.get("best_h_over_time") or []
    curves = [*(extra.get("curve") or []), extra.get("h_along") or [], *descent]
    if not all(map(_numbers, curves)) or any(len(point) != 2 for point in descent):
        raise ValueError("a curve holds something else than numbers")
    return extra


def checked_meta(rows: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """The facts about an experiment, from keys and JSON; one that is null is not there."""
    facts = {str(key): finite(json.loads(value)) for key, value in rows}
    known = {key: value for key, value in facts.items() if value is not None}
    meta = _table(known, _META, "the facts about the experiment")
    if not all(isinstance(entry, dict) for name in ("runs", "imported") for entry in meta.get(name) or []):
        raise ValueError("its list of runs or of imports holds something else")
    return meta
