"""Chooses how to search with a model, unless the user does.

``goalward solve``, ``plan --model``, ``compare``, :func:`goalward.plan`, :meth:`Model.solve` and the unified-planning
engine all use :func:`strategy_for`. It follows the verdict that training stores in the model file.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from goalward.search.best_first import TURNS, Algorithm, SearchOptions
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.search.planning import LearnedModel  # imports this module

PLAIN = SearchOptions(algorithm="portfolio", lead="landmarks")
"""The search of ``goalward plan``, which does not depend on the verdict of a training."""


class NetworkUse(Enum):
    """What a network should be used for, according to the validation searches after training."""

    SEARCH = "search"  # finding the first plan, and perhaps improving it
    IMPROVEMENT = "improvement"
    NONE = "none"
    UNKNOWN = "unknown"  # too few validation states were tried, or none was solved


@dataclass(frozen=True)
class Strategy:
    """Search options, and a function that binds their heuristic to a task."""

    options: SearchOptions
    bind: Callable[[Task], BoundHeuristic]


def default_search(
    *, learned: bool, algorithm: Algorithm | None = None, batch: int | tuple[int, ...] | None = None
) -> SearchOptions:
    """Search options for a learned heuristic or for h_FF; an argument that is None gets its default.

    A learned heuristic may mislead, so greedy searches of several widths take turns with it. The paper's search is
    ``algorithm="gbfs", batch=1``.
    """
    algorithm = algorithm or ("hybrid" if learned else "portfolio")
    if batch is None and learned and algorithm == "gbfs":
        batch = TURNS
    return SearchOptions(algorithm=algorithm, batch=batch)


def strategy_for(
    model: LearnedModel | None,
    *,
    algorithm: Algorithm | None = None,
    batch: int | tuple[int, ...] | None = None,
) -> Strategy:
    """Choose how to search with a model, or with h_FF if there is no model.

    By default, the network searches for the first plan only if that was better on validation states. Otherwise, or if
    no validation state was solved, it is used only to improve plans. ``algorithm="portfolio"`` does not use it at all.
    """
    if model is None or algorithm == "portfolio":
        return Strategy(default_search(learned=False, algorithm=algorithm, batch=batch), bind_h_ff)
    if algorithm is None and batch is None and network_use(model.info) not in (NetworkUse.SEARCH, None):
        return Strategy(PLAIN, model.heuristic)
    return Strategy(default_search(learned=True, algorithm=algorithm, batch=batch), model.heuristic)


def network_use(info: Mapping[str, Any]) -> NetworkUse | None:
    """The verdict in a model's info; None if the model was not validated."""
    if "network_use" in info:
        return NetworkUse(info["network_use"])
    helps = info.get("likely_to_help")  # written by earlier versions
    if helps is None:
        return None if info.get("solved_without") is None else NetworkUse.UNKNOWN
    return NetworkUse.SEARCH if helps else NetworkUse.NONE


def describe_cost_ratio(info: Mapping[str, Any]) -> str | None:
    """A clause on the cost of plans with and without the network; None if plans were not compared."""
    if info.get("cost_ratio") is None or not info.get("quality_states"):
        return None
    if not info.get("network_share") and network_use(info) is not NetworkUse.SEARCH:
        return "the network did not make plans cheaper in the same time"
    if f"{info['cost_ratio']:.2f}" == "1.00":
        return "plans cost as much as those found without the network in the same time"
    return f"plans cost {info['cost_ratio']:.2f} of those found without the network in the same time"


def bind_h_ff(task: Task) -> BoundHeuristic:
    """Bind h_FF, the heuristic of the portfolio."""
    return bind_heuristic(task, "ff")
