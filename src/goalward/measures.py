"""Durations, sizes and counts as text: ``90s``, ``5m``, ``1h30m``, ``512M``, ``4G``."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable
from typing import Any

from goalward.errors import UsageError

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_BYTES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def parse_duration(text: str | float) -> float:
    """Seconds in ``90``, ``90s``, ``5m``, ``1h30m``, ``200ms``; a number is a number of seconds already."""
    compact = text.strip().lower().replace(" ", "") if isinstance(text, str) else ""
    if not isinstance(text, str):
        seconds = _number(text)
    elif re.fullmatch(r"\d+(\.\d+)?", compact):
        seconds = float(compact)
    else:
        parts = re.findall(r"(\d+(?:\.\d+)?)(ms|[smhd])", compact)
        if not parts or "".join(number + unit for number, unit in parts) != compact:
            raise UsageError(f"{text!r} is not a duration; write it like 90s, 5m or 1h30m")
        seconds = sum(float(number) * _SECONDS[unit] for number, unit in parts)
    if not 0 < seconds < 1e9:
        raise UsageError(f"a duration must be above 0 and below 30 years, but is {text!r}")
    return seconds


def parse_size(text: str | int) -> int:
    """Bytes in ``4G``, ``512M``, ``1.5GiB``, ``1000000``; a number is a number of bytes already."""
    if isinstance(text, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b)?", text.strip().lower())
        size = float(match[1]) * _BYTES[match[2]] if match else 0.0
    else:
        size = _number(text)
    if not 1 <= size < 2**60:
        raise UsageError(f"{text!r} is not a size; write it like 512M or 4G")
    return math.floor(size)


def format_memory(size: float) -> str:
    """``4G``, ``512M`` or a number of bytes, as :func:`parse_size` reads it."""
    for suffix, factor in (("G", 2**30), ("M", 2**20)):
        if size >= factor and size % factor == 0:
            return f"{size // factor:.0f}{suffix}"
    return f"{size:.0f}"


def parse_batches(text: str) -> tuple[int, ...]:
    """Batch sizes in ``32`` or ``1,32,256``."""
    if not re.fullmatch(r"\d{1,9}(\s*,\s*\d{1,9})*", text.strip()):
        raise UsageError(f"{text!r} is not a batch size; write it like 32, or 1,32,256 for searches that take turns")
    return tuple(int(part) for part in text.split(","))


def format_batches(batches: Iterable[int]) -> str:
    """``1,32,256``, as :func:`parse_batches` reads it."""
    return ",".join(map(str, batches))


def parse_share(text: str | float) -> float:
    """A share in ``50%``, ``50 %`` or ``0.5``; a number is a share already."""
    if isinstance(text, str):
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(%?)", text.strip())
        share = float(match[1]) / (100 if match[2] else 1) if match else -1.0
    else:
        share = _number(text)
    if not 0 <= share <= 1:
        raise UsageError(f"{text!r} is not a share; write it like 50% or 0.5")
    return share


def _number(value: Any) -> float:
    """The number, or -1, which is not a valid measure, for anything that is not a number."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        return -1.0
    try:
        return float(value)
    except OverflowError:  # a whole number of hundreds of digits
        return math.inf


def format_size(size: float) -> str:
    """``512.0 MiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} TiB"


def format_duration(seconds: float) -> str:
    """``0.42 s``, ``3 m 20 s``, ``2 h 05 m``."""
    if seconds < 60:
        return f"{seconds:.2f} s" if seconds < 10 else f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} m {rest:02d} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60:02d} m"


def format_count(count: float) -> str:
    """``950``, ``12.3k``, ``4.50M``."""
    if count < 10_000:
        return f"{count:.0f}"
    return f"{count / 1e3:.1f}k" if count < 1e6 else f"{count / 1e6:.2f}M"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 state``, ``56 states``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def format_short_duration(seconds: float) -> str:
    """``1.5 ms``, ``0.42 s``, ``13.7 s``, ``3 m 20 s``."""
    return f"{1000 * seconds:.1f} ms" if seconds < 0.1 else format_duration(seconds)
