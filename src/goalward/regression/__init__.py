"""Regression from the goal: rollouts of pre-images, which are the sets of states that RSL and N-RSL learn from.

Use :func:`regress` with :class:`RolloutOptions` for random rollouts and :func:`regress_plans` for rollouts along plans.
Both return :class:`Rollouts`.
"""

from goalward.regression.plans import regress_plans
from goalward.regression.rollouts import METHODS, RolloutOptions, Rollouts, costs_to_goal, join_rollouts, regress

__all__ = ["METHODS", "RolloutOptions", "Rollouts", "costs_to_goal", "join_rollouts", "regress", "regress_plans"]
