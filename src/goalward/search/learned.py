"""The kinds of model files, and the one way to load them.

To add a kind: one file with a subclass of :class:`~goalward.search.planning.LearnedModel` and a function that loads it
from a path, and one line in :data:`KINDS`. Every command that takes a model then takes files of that kind.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from goalward.errors import StateMismatchError
from goalward.search.planning import LearnedModel
from goalward.search.portfolio import LEADS, LONGEST_HEAD_START, current_lead
from goalward.task import sexpr
from goalward.task.store import stored_format


@dataclass(frozen=True)
class ModelKind:
    """One kind of model file: the function that loads it, and what its heuristics need that is slow to import."""

    module: str
    function: str
    slow_import: str | None = None


KINDS: dict[str, ModelKind] = {
    "goalward-model": ModelKind("goalward.search.model", "load_problem_model"),
    "goalward-domain-model": ModelKind("goalward.baselines.hgn_model", "load_domain_model", "goalward.baselines.hgn"),
}
"""By the format that a file's header names."""


def load_model(path: str | Path) -> LearnedModel:
    """Read a model file of any kind; a damaged, foreign or newer one is an error that says so."""
    kind = _kind(path)
    model: LearnedModel = getattr(import_module(kind.module), kind.function)(path)
    return model


def import_for(path: str | Path) -> None:
    """Import what the heuristic of a model file needs, before a clock starts that should not count it."""
    slow = _kind(path).slow_import
    if slow is not None:
        import_module(slow)


def is_model(path: str | Path) -> bool:
    """Does the file say that it is a model?"""
    return stored_format(path) in KINDS


_INFO: dict[str, type | tuple[type, ...]] = {
    "method": str, "preset": str, "options": dict, "method_options": dict, "notes": dict, "versions": dict,
    "trials": list, "curve": list, "problems": list, "starts": list, "seconds": (int, float),
    "head_start": (int, float), "network_share": (int, float), "seconds_per_state": (int, float),
    "seconds_per_state_without": (int, float),
}  # fmt: skip


def checked_info(info: Any) -> dict[str, Any]:
    """How a model came to be, from a header; ValueError unless what goalward itself reads of it is as it writes it.

    Former names of what leads in search are replaced by the present ones.
    """
    if not isinstance(info, dict):
        raise ValueError("its record is no table")
    for name, kind in _INFO.items():
        if info.get(name) is not None and not isinstance(info[name], kind):
            raise ValueError(f"{name} in its record is of the wrong kind")
    record = _with_current_leads(info)
    if record.get("lead") not in (None, *LEADS):
        raise ValueError("what leads in search is unknown")
    if info.get("network_use", "none") not in ("search", "improvement", "none", "unknown"):
        raise ValueError("what the network is used for is unknown")
    if info.get("head_start") is not None and not 0 < info["head_start"] <= LONGEST_HEAD_START:
        raise ValueError("the head start of what leads in search is out of range")
    if info.get("network_share") is not None and not 0 <= info["network_share"] < 1:
        raise ValueError("the share of the network in improving plans must be at least 0 and below 1")
    for row in info.get("curve") or []:
        if not isinstance(row, list) or not all(entry is None or isinstance(entry, (int, float)) for entry in row):
            raise ValueError("its training curve holds something else than rows of numbers")
    for problem in info.get("problems") or []:
        if not isinstance(problem, dict) or not isinstance(problem.get("states"), int):
            raise ValueError("its list of problems holds something else")
    return record


def _with_current_leads(info: dict[str, Any]) -> dict[str, Any]:
    renamed = dict(info)
    if "lead" in info:
        renamed["lead"] = current_lead(info["lead"])
    for name in ("seconds_by_lead", "expansions_by_lead"):
        if isinstance(info.get(name), dict):
            renamed[name] = {current_lead(lead): figure for lead, figure in info[name].items()}
    return renamed


def require_domain(name: str, trained: str, text: str, source: str) -> None:
    """Refuse a domain whose text says something else than the one that a model was trained with."""
    if sexpr.parse(text, source) != sexpr.parse(trained, "the model's domain"):
        raise StateMismatchError(f"this is not the domain that the model was trained for ({name})", source)


def _kind(path: str | Path) -> ModelKind:
    """What is no model is left to the first loader, which says what is wrong with it."""
    return KINDS.get(stored_format(path) or "", next(iter(KINDS.values())))
