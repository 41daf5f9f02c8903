"""Regression from the goal: rollouts of pre-images, the sets of states that RSL and N-RSL learn from.

Use :func:`regress`, :class:`RolloutOptions` and :class:`Rollouts`.
"""

from goalward.regression.rollouts import METHODS, RolloutOptions, Rollouts, regress

__all__ = ["METHODS", "RolloutOptions", "Rollouts", "regress"]
