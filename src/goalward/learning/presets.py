"""The presets: sets of values for the options that are left open. No PyTorch here."""

from __future__ import annotations

from typing import Any

PRESETS: dict[str, dict[str, Any]] = {
    "fast": {
        "batch_size": 256,
        "learning_rate": 1e-3,
        "max_epochs": 15,
        "patience": 8,
        "schedule": "cosine",
        "normalise": True,
        "enough_looks": 3,
        "sampler": ("reachable", "uniform"),  # the trials take them in turn
    },
    "paper": {
        "batch_size": 64,
        "learning_rate": 1e-4,
        "max_epochs": 1000,
        "patience": 2,
        "schedule": "constant",
        "normalise": False,
        "enough_looks": 0,
        "sampler": ("uniform",),
    },
}
