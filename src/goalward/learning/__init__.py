"""Learning a heuristic, in four parts that can be read on their own:

- ``rsl.py``: the paper's Algorithm 1, regress, sample, label, fit;
- ``expert.py``: expert iteration, which carries it on;
- ``trainer.py``: the training loop, with the network, its batches and its optimiser beside it;
- ``selection.py``: validation searches and the verdict on a model, with ``validation.py`` and ``leads.py``.

Use :func:`train_with` for everything at once, or :func:`train_network` with any :class:`~goalward.sampling.Dataset`.
PyTorch is imported when something is trained, so that the command line and configs can read methods and options without
waiting for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalward.learning.methods import METHODS, Method, find_method, make_options, train_with
    from goalward.learning.options import PRESETS, LearnOptions, NetworkShape, TrainingOptions
    from goalward.learning.results import TrainingResult
    from goalward.learning.rsl import PreimageOptions
    from goalward.learning.trainer import train_network

_HOME = {
    "METHODS": "methods",
    "PRESETS": "options",
    "LearnOptions": "options",
    "Method": "methods",
    "NetworkShape": "options",
    "PreimageOptions": "rsl",
    "TrainingOptions": "options",
    "TrainingResult": "results",
    "find_method": "methods",
    "make_options": "methods",
    "train_network": "trainer",
    "train_with": "methods",
}

__all__ = [
    "METHODS",
    "PRESETS",
    "LearnOptions",
    "Method",
    "NetworkShape",
    "PreimageOptions",
    "TrainingOptions",
    "TrainingResult",
    "find_method",
    "make_options",
    "train_network",
    "train_with",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'goalward.learning' has no attribute {name!r}")
    return getattr(import_module(f"goalward.learning.{_HOME[name]}"), name)
