"""Heuristic search over grounded tasks: native searches with heuristics by name, from Python, or learned.

Use :func:`~goalward.search.solving.solve` to solve a state and get a checked plan, :func:`search` for the search alone,
:func:`improve_plan` for better plans, :func:`bind_heuristic` for heuristics, and
:func:`~goalward.search.learned.load_model` for models.
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
