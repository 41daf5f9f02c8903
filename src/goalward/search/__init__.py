"""Heuristic search over grounded tasks: heuristics by name or from Python, and best-first search in native code.

Use :func:`~goalward.search.solving.solve` to solve a state and :func:`~goalward.search.learned.load_model` for models;
:func:`search`, :class:`SearchOptions`, :class:`SearchResult`, :class:`Status`, :func:`bind_heuristic`, the
table :data:`HEURISTICS` and :func:`improve_plan`; the rest is private to the room.
"""

from goalward.search.best_first import (
    ALGORITHMS,
    GUIDED,
    TURNS,
    Algorithm,
    SearchOptions,
    SearchResult,
    Statistics,
    Status,
    prepare,
    search,
)
from goalward.search.heuristics import HEURISTICS, BoundHeuristic, bind_heuristic
from goalward.search.improve import ImprovedPlan, ImproveStatus, improve_plan

__all__ = [
    "ALGORITHMS",
    "GUIDED",
    "HEURISTICS",
    "TURNS",
    "Algorithm",
    "BoundHeuristic",
    "ImproveStatus",
    "ImprovedPlan",
    "SearchOptions",
    "SearchResult",
    "Statistics",
    "Status",
    "bind_heuristic",
    "improve_plan",
    "prepare",
    "search",
]
