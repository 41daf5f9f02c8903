"""Regression from the goal: rollouts of pre-images against the paper's definitions written out."""
