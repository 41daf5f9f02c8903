"""goalward as an engine of unified-planning: planner, anytime planner, replanner and plan validator in one class.

Register it with ``get_environment().factory.add_engine("goalward", "goalward.up", "GoalwardEngine")`` or in ``up.ini``.
:func:`learn` trains a model for the engine's parameter ``model``. Needs ``pip install 'goalward[up]'``.
"""

from __future__ import annotations

from goalward.up.engine import GoalwardEngine
from goalward.up.translation import learn

__all__ = ["GoalwardEngine", "learn"]
