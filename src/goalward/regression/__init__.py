"""Regression from the goal: rollouts of pre-images, the sets of states that RSL and N-RSL learn from.

Use :func:`regress`, :class:`RolloutOptions` and :class:`Rollouts`; :func:`regress_plans` for pre-images along plans.
"""

from goalward.regression.plans import regress_plans
from goalward.regression.rollouts import METHODS, RolloutOptions, Rollouts, costs_to_goal, join_rollouts, regress

__all__ = ["METHODS", "RolloutOptions", "Rollouts", "costs_to_goal", "join_rollouts", "regress", "regress_plans"]
