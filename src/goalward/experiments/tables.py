"""Reading TOML tables: every key is asked for by name and type, and what is wrong is said with its full name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from goalward.errors import GoalwardError, UsageError, of_these
from goalward.measures import parse_duration, parse_size

T = TypeVar("T")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,:-]*")
"""What may be part of a unit's id and of a file's name."""


class Reader:
    """One table of a config; ``where`` is its name, empty for the whole file."""

    def __init__(self, table: Any, where: str, keys: Iterable[str]) -> None:
        if not isinstance(table, dict):
            raise UsageError(f"{where} is {table!r}; it is a table")
        self.table: dict[str, Any] = table
        self.where = where
        known = list(keys)
        for key in table:
            if key not in known:
                raise UsageError(f"unknown key {self.name(key)}{of_these(key, known)}")

    def name(self, key: str) -> str:
        """The key as a person finds it in the file."""
        return f"{self.where}.{key}" if self.where else key

    def wrong(self, key: str, expected: str) -> UsageError:
        """The error for a value that is not what it should be."""
        return UsageError(f"{self.name(key)} is {self.table[key]!r}; it is {expected}")

    def __contains__(self, key: str) -> bool:
        return key in self.table

    def read(self, key: str, kinds: type[T] | tuple[type, ...], default: T, expected: str) -> T:
        """A value of a type; True and False are no numbers."""
        if key not in self.table:
            return default
        value = self.table[key]
        chosen = kinds if isinstance(kinds, tuple) else (kinds,)
        if not isinstance(value, chosen) or (isinstance(value, bool) and bool not in chosen):
            raise self.wrong(key, expected)
        return cast(T, value)

    def text(self, key: str, default: str | None = None) -> str | None:
        """A text."""
        return self.read(key, (str,), default, "a text")

    def flag(self, key: str, default: bool = False) -> bool:
        """True or false."""
        return self.read(key, bool, default, "true or false")

    def whole(self, key: str, default: int, low: int, high: int) -> int:
        """A whole number between bounds."""
        value = self.read(key, int, default, f"a whole number from {low} to {high}")
        if not low <= value <= high:
            raise self.wrong(key, f"a whole number from {low} to {high}")
        return value

    def duration(self, key: str, default: float) -> float:
        """Seconds, from a number or from a text such as ``5m``."""
        return self._parsed(key, parse_duration, default, "a duration such as 90s, 5m or 1h30m")

    def size(self, key: str, default: int) -> int:
        """Bytes, from a number or from a text such as ``4G``."""
        return self._parsed(key, parse_size, default, "a size such as 512M or 4G")

    def _parsed(self, key: str, parse: Callable[[str], T], default: T, expected: str) -> T:
        if key not in self.table:
            return default
        try:
            return parse(str(self.read(key, (str, int, float), 0, expected)))
        except GoalwardError:
            raise self.wrong(key, expected) from None

    def label(self, key: str, default: str) -> str:
        """A name that can be part of a file's name."""
        value = self.text(key, default) or ""
        if not NAME.fullmatch(value):
            raise self.wrong(key, "a name of letters, digits and . _ + = , : -")
        return value

    def choice(self, key: str, least: int = 1) -> int | tuple[str, ...] | None:
        """The first so many, or those of these names; None for all."""
        expected = f"a whole number of at least {least} (the first so many) or a list of names"
        if key not in self.table:
            return None
        value: int | list[Any] = self.read(key, (int, list), 0, expected)
        if isinstance(value, int):
            if value < least:
                raise self.wrong(key, expected)
            return value
        if not value or not all(isinstance(name, str) and NAME.fullmatch(name) for name in value):
            raise self.wrong(key, expected)
        return tuple(value)

    def tables(self, key: str) -> list[dict[str, Any]]:
        """An array of tables, written ``[[key]]``."""
        value: list[Any] = self.read(key, (list,), [], f"a list of tables, written [[{key}]]")
        if not all(isinstance(entry, dict) for entry in value):
            raise self.wrong(key, f"a list of tables, written [[{key}]]")
        return value
