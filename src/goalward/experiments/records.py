"""Units of work and their results, and the checks on those that are read from a store.

A store may be damaged or forged, so everything that is read from one is checked here first.
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
        """The name of the unit in files and tables: kind, domain, difficulty, instance, method, seed and state."""
        parts = [self.kind, self.domain, self.difficulty, self.instance, self.method]
        parts += ["-" if self.seed is None else str(self.seed)]
        return "/".join(parts + ([] if self.state is None else [self.state]))


@dataclass(frozen=True)
class Result:
    """How a unit ended.

    ``status`` is that of a search ("solved", "out of time", …), "trained" for a training, or "failed" with an
    ``error``. ``extra`` has the figures without a column.

    ``extra`` of a training:

    - ``curve``: epoch, training loss, validation loss and seconds of each epoch;
    - ``seconds`` and ``notes``;
    - with validation: ``validation_solved``, ``validation_states`` and ``validation_evaluations``.

    ``extra`` of a search:

    - ``preparation``: seconds before the search began; the times below count from there;
    - ``best_h_over_time``: pairs of seconds and minimum h so far;
    - ``h_along``, if it is solved: h at each state of the plan, including the first and the last;
    - ``better_plans``: seconds, cost and origin of each plan that improved on the one before;
    - ``first_plan_time``: seconds until the first plan, if that is not ``search_time``;
    - further figures of the outcome.
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
    """Raise ValueError for values whose types are not those of the dataclass's fields; bool is a number in SQLite."""
    for part in fields(owner):
        if part.name in values and part.name != "kind":
            kind, _, none = str(part.type).partition(" | ")
            value = values[part.name]
            endless = isinstance(value, float) and not math.isfinite(value) and part.name != "initial_h"
            if endless or not (isinstance(value, _TYPES[kind]) or (value is None and none)):
                raise ValueError(f"{part.name} must be {part.type}, but is {str(value)[:40]!r}")


def checked_unit(row: Sequence[Any]) -> Unit:
    """A unit from its columns; ValueError if they are not valid."""
    values = dict(zip((part.name for part in fields(Unit)), row, strict=True))
    _check(Unit, values)
    if values["kind"] not in KINDS or (values["state"] is None) != (values["kind"] == "train"):
        raise ValueError(f"a unit has the unknown kind {str(values['kind'])[:40]!r}, or a state that does not fit it")
    return Unit(**values)


def checked_result(values: dict[str, Any]) -> Result:
    """A result from its columns, with ``extra`` as JSON or left out; ValueError if they are not valid."""
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
    """The values; ValueError unless they are a dictionary whose known entries have the types of ``kinds``."""
    if not isinstance(values, dict):
        raise ValueError(f"{what} must be a table")
    for name, kind in kinds.items():
        if values.get(name) is not None and not isinstance(values[name], kind):
            raise ValueError(f"{name} in {what} has a wrong type: {str(values[name])[:40]!r}")
    return values


def _numbers(values: Any) -> bool:
    return isinstance(values, list) and all(value is None or isinstance(value, (int, float)) for value in values)


def checked_extra(text: Any) -> dict[str, Any]:
    """``extra`` of a result, from JSON; ValueError if it is not valid."""
    extra = _table(finite(json.loads(text)), _EXTRA, "extra")
    best_h = extra.get("best_h_over_time") or []
    curves = [*(extra.get("curve") or []), extra.get("h_along") or [], *best_h]
    if not all(map(_numbers, curves)) or any(len(point) != 2 for point in best_h):
        raise ValueError("a curve must have only numbers")
    return extra


def checked_meta(rows: Iterable[tuple[Any, Any]]) -> dict[str, Any]:
    """The meta data of an experiment, from keys and JSON; entries that are null are left out."""
    facts = {str(key): finite(json.loads(value)) for key, value in rows}
    known = {key: value for key, value in facts.items() if value is not None}
    meta = _table(known, _META, "the meta data")
    if not all(isinstance(entry, dict) for name in ("runs", "imported") for entry in meta.get(name) or []):
        raise ValueError("its lists of runs and of imports must have only tables")
    return meta
