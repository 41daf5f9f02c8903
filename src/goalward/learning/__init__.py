"""Learning a heuristic: the network, its training with PyTorch, and the choice among trials by validation states.

Use :func:`train_model` for everything at once, or :func:`train_network` with any :class:`~goalward.sampling.Dataset`.
This room, and none before it, imports PyTorch; it does so when one of its functions is first asked for, so that the
command line can read the options without waiting for it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalward.learning.options import PRESETS, LearnOptions, NetworkShape, TrainingOptions
    from goalward.learning.trainer import TrainingResult, train_network
    from goalward.learning.trials import train_model

__all__ = [
    "PRESETS",
    "LearnOptions",
    "NetworkShape",
    "TrainingOptions",
    "TrainingResult",
    "train_model",
    "train_network",
]

_HOME = {
    "PRESETS": "options",
    "LearnOptions": "options",
    "NetworkShape": "options",
    "TrainingOptions": "options",
    "TrainingResult": "trainer",
    "train_model": "trials",
    "train_network": "trainer",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'goalward.learning' has no attribute {name!r}")
    return getattr(import_module(f"goalward.learning.{_HOME[name]}"), name)
