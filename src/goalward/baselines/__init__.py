"""The other systems of the paper's comparison.

Each learner is one file here and one line in the table of ``goalward.learning.methods``. Learners are trained with
:func:`goalward.learning.methods.train_with`; Fast Downward runs as a separate program.
"""
