"""Learning a heuristic, in four parts that can be read on their own:

- ``rsl.py``: the paper's Algorithm 1, regress, sample, label, fit;
- ``expert.py``: expert iteration, which carries it on;
- ``trainer.py``: the training loop, with the network, its batches and its optimiser beside it;
- ``selection.py``: validation searches and the verdict on a model.

Use :func:`goalward.learning.methods.train_with` for everything at once, or
:func:`goalward.learning.trainer.train_network` with any :class:`~goalward.sampling.Dataset`. PyTorch is
imported only when something is trained, so that the command line and configs can read methods and options without it.
"""
