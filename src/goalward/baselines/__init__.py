"""The other systems of the paper's comparison, each one file and one line in ``goalward.learning.methods``.

Use :class:`~goalward.baselines.comparison.Comparison` to run several on the same states.
"""
