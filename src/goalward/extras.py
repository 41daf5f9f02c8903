"""What is installed only when it is asked for, as in ``pip install 'goalward[train]'``."""

from __future__ import annotations

from importlib.util import find_spec

from goalward.errors import UsageError


def require_torch(what: str) -> None:
    """Refuse what needs PyTorch, where it is not installed, before any work is done for it."""
    try:
        found = find_spec("torch") is not None
    except ImportError:
        found = False
    if not found:
        raise UsageError(f"{what} needs PyTorch, which is not installed: pip install 'goalward[train]'")
