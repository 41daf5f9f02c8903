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
from goalward.search.portfolio import LEADS, MAX_HEAD_START, current_lead
from goalward.task import sexpr
from goalward.task.store import stored_format


@dataclass(frozen=True)
class ModelKind:
    """A kind of model file: the function that loads it, and a module that its heuristics need and that loads slowly."""

    module: str
    function: str
    slow_import: str | None = None


KINDS: dict[str, ModelKind] = {
    "goalward-model": ModelKind("goalward.search.model", "load_problem_model"),
    "goalward-domain-model": ModelKind("goalward.baselines.hgn_model", "load_domain_model", "goalward.baselines.hgn"),
}
"""The kinds of model files, by the format in the header of a file."""


def load_model(path: str | Path) -> LearnedModel:
    """Read a model file of any kind; raises :class:`StoredFileError` if it is damaged or of another format."""
    kind = _kind(path)
    model: LearnedModel = getattr(import_module(kind.module), kind.function)(path)
    return model


def import_for(path: str | Path) -> None:
    """Import the modules that the heuristic of a model file needs, so that later time limits do not include it."""
    slow = _kind(path).slow_import
    if slow is not None:
        import_module(slow)


def is_model(path: str | Path) -> bool:
    """True if the header of the file says that it is a model."""
    return stored_format(path) in KINDS


_INFO: dict[str, type | tuple[type, ...]] = {
    "method": str, "preset": str, "options": dict, "method_options": dict, "notes": dict, "versions": dict,
    "trials": list, "curve": list, "problems": list, "starts": list, "seconds": (int, float),
    "head_start": (int, float), "network_share": (int, float), "seconds_per_state": (int, float),
    "seconds_per_state_without": (int, float),
}  # fmt: skip


def checked_info(info: Any) -> dict[str, Any]:
    """Check the training record in a model file's header; raises ValueError if a value has the wrong type or range.

    Former names of leads are replaced by the present ones.
    """
    if not isinstance(info, dict):
        raise ValueError("its record is not a table")
    for name, kind in _INFO.items():
        if info.get(name) is not None and not isinstance(info[name], kind):
            raise ValueError(f"{name} in its record has the wrong type")
    record = _with_current_leads(info)
    if record.get("lead") not in (None, *LEADS):
        raise ValueError("its lead is unknown")
    if info.get("network_use", "none") not in ("search", "improvement", "none", "unknown"):
        raise ValueError("its network use is unknown")
    if info.get("head_start") is not None and not 0 < info["head_start"] <= MAX_HEAD_START:
        raise ValueError("its head start is out of range")
    if info.get("network_share") is not None and not 0 <= info["network_share"] < 1:
        raise ValueError("the share of the network in improving plans must be at least 0 and below 1")
    for row in info.get("curve") or []:
        if not isinstance(row, list) or not all(entry is None or isinstance(entry, (int, float)) for entry in row):
            raise ValueError("its training curve must consist of rows of numbers")
    for problem in info.get("problems") or []:
        if not isinstance(problem, dict) or not isinstance(problem.get("states"), int):
            raise ValueError("its list of problems is not valid")
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
    """Raise an error if a domain text differs from the one in training in more than comments and layout."""
    if sexpr.parse(text, source) != sexpr.parse(trained, "the model's domain"):
        raise StateMismatchError(f"this is not the domain that the model was trained for ({name})", source)


def _kind(path: str | Path) -> ModelKind:
    """The kind of a model file; for any other file the first kind, whose loader raises a helpful error."""
    return KINDS.get(stored_format(path) or "", next(iter(KINDS.values())))
