"""goalward: learn a heuristic for one planning problem and solve it from any initial state.

The names below are imported when they are first used, so that ``import goalward`` is quick and loads neither the
translator nor PyTorch. The function that searches is ``goalward.search.search``.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalward.errors import GoalwardError
    from goalward.learning.methods import train_with
    from goalward.search import ImprovedPlan, SearchOptions, SearchResult, Status, bind_heuristic, improve_plan
    from goalward.search.learned import load_model
    from goalward.search.model import Model, save_model
    from goalward.task.domains import generate
    from goalward.task.grounding import ground, ground_files
    from goalward.task.states import StateReader, format_problem, random_walk_states
    from goalward.task.store import load_task, save_task
    from goalward.task.strips import Task
    from goalward.task.validate import validate_plan

_HOME = {
    "GoalwardError": "errors",
    "ImprovedPlan": "search",
    "Model": "search.model",
    "SearchOptions": "search",
    "SearchResult": "search",
    "StateReader": "task.states",
    "Status": "search",
    "Task": "task.strips",
    "bind_heuristic": "search",
    "format_problem": "task.states",
    "generate": "task.domains",
    "ground": "task.grounding",
    "ground_files": "task.grounding",
    "improve_plan": "search",
    "load_model": "search.learned",
    "load_task": "task.store",
    "random_walk_states": "task.states",
    "save_model": "search.model",
    "save_task": "task.store",
    "train_with": "learning.methods",
    "validate_plan": "task.validate",
}

__all__ = [
    "GoalwardError",
    "ImprovedPlan",
    "Model",
    "SearchOptions",
    "SearchResult",
    "StateReader",
    "Status",
    "Task",
    "bind_heuristic",
    "format_problem",
    "generate",
    "ground",
    "ground_files",
    "improve_plan",
    "load_model",
    "load_task",
    "random_walk_states",
    "save_model",
    "save_task",
    "train_with",
    "validate_plan",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow to load, and seldom asked for

        return version("goalward")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'goalward' has no attribute {name!r}")
    value = getattr(import_module(f"goalward.{home}"), name)
    globals()[name] = value
    return value
