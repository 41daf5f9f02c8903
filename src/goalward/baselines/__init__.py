"""The other systems of the paper's comparison, each one file and one line in ``goalward.learning.methods``.

They are trained with :func:`goalward.learning.methods.train_with` and compared by :mod:`goalward.experiments`.
"""
