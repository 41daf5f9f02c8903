"""The other systems of the paper's comparison, each one file and one line in the table of methods.

Use :data:`METHODS` and :func:`find_method` to learn with any of them, and
:class:`~goalward.baselines.comparison.Comparison` to run several on the same states.
"""

from goalward.baselines.methods import METHODS, Method, find_method, train_with

__all__ = ["METHODS", "Method", "find_method", "train_with"]
