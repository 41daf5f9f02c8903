"""Optional dependencies, such as those of ``pip install 'goalward[train]'``."""

from __future__ import annotations

from importlib.util import find_spec

from goalward.errors import UsageError


def require_torch(what: str) -> None:
    """Raise UsageError if PyTorch, which ``what`` needs, is not installed."""
    try:
        found = find_spec("torch") is not None
    except ImportError:
        found = False
    if not found:
        raise UsageError(f"{what} needs PyTorch, which is not installed: pip install 'goalward[train]'")
