"""Options of a method, declared once: type, default, bounds and help text of each field.

class Options(MethodOptions):
    steps: int = option(200, "steps of a random walk", 1, 100_000)
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any, Self

from goalward.errors import UsageError, did_you_mean


def option(default: Any, help_text: str, low: float | None = None, high: float | None = None) -> Any:
    """A field with a help text and bounds; a tuple of strings as ``default`` is a choice, the first one the default."""
    choices = default if isinstance(default, tuple) else None
    metadata = {"help": help_text, "low": low, "high": high, "choices": choices}
    return dataclasses.field(default=choices[0] if choices else default, metadata=metadata)


@dataclass(frozen=True)
class MethodOptions:
    """Base of all methods' options; they check themselves."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value, low, high = getattr(self, field.name), field.metadata["low"], field.metadata["high"]
            choices = field.metadata["choices"]
            if choices and value not in choices:
                raise UsageError(f"{field.name} is {value!r}; it is one of {', '.join(choices)}")
            if low is not None and not low <= value <= high:
                raise UsageError(f"{field.name} is {value}; it goes from {low} to {high}")

    @classmethod
    def parse(cls, settings: Iterable[str], method: str) -> Self:
        """Options from ``name=value`` texts."""
        known = {field.name: field for field in fields(cls)}
        given: dict[str, Any] = {}
        for setting in settings:
            name, equals, text = setting.partition("=")
            name = name.strip().replace("-", "_")
            if not equals:
                raise UsageError(f"--set {setting}: write it as name=value")
            if name not in known:
                hint = did_you_mean(name, known)
                listed = ", ".join(known) or "none"
                raise UsageError(f"{method} has no option {name!r}{hint} (its options: {listed})")
            kind: type[int | float | str] = type(known[name].default)  # type: ignore[assignment]
            try:
                given[name] = kind(text.strip())
            except ValueError:
                raise UsageError(f"--set {setting}: {name} is a{'n' * (kind is int)} {kind.__name__}") from None
        return cls(**given)
