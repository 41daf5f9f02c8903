"""Reading TOML tables into declared options: what is wrong is said with the key's full name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, TypeVar

from goalward.declared import Kind, Options, declared
from goalward.errors import UsageError, of_these
from goalward.measures import parse_size

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,:-]*")
"""What may be part of a unit's id and of a file's name."""
MOST_CHOSEN = 100_000
"""Domains, instances or states that anybody chooses by their number."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _label(value: Any) -> str:
    if not _NAME.fullmatch(_text(value)):
        raise ValueError
    return str(value)


def as_label(text: str) -> str:
    """The nearest text that may be part of a unit's id and of a file's name: ``a/../b`` becomes ``a-..-b``."""
    return re.sub(r"[^A-Za-z0-9._+=,:-]+", "-", text).strip("-")


def _table(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ValueError
    return tuple(_text(line) for line in value)


def _choice(value: Any) -> int | tuple[str, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MOST_CHOSEN:
        return value
    if not isinstance(value, (list, tuple)) or not value:
        raise ValueError
    return tuple(_label(name) for name in value)


SIZE = Kind("a size such as 512M or 4G", "SIZE", parse_size, str)
TEXT = Kind("a text", "TEXT", _text, str)
TEXTS = Kind("a list of texts", "TEXT,…", _texts, str)
LABEL = Kind("a name of letters, digits and . _ + = , : -", "NAME", _label, str)
TABLE = Kind("a table", "{…}", _table, str)
CHOICE = Kind(
    f"a whole number of at least 1 and at most {MOST_CHOSEN} (the first so many) or a list of names",
    "N|NAME,…",
    _choice,
    str,
)

T = TypeVar("T", bound=Options)


def read_table(kind: type[T], table: Any, where: str, *, others: Iterable[str] = ()) -> T:
    """A table of a config as options; ``where`` is its name, empty for the whole file, whose ``others`` are tables."""
    if not isinstance(table, dict):
        raise UsageError(f"{where} is {table!r}; it is a table")
    prefix = f"{where}." if where else ""
    known = [*declared(kind), *others]
    for key in table:
        if key not in known:
            raise UsageError(f"unknown key {prefix}{key}{of_these(key, known)}")
    try:
        return kind(**{key: value for key, value in table.items() if key in declared(kind)})
    except UsageError as error:
        raise UsageError(f"{prefix}{error}") from None


def list_of_tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """An array of tables, written ``[[key]]``."""
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise UsageError(f"{key} is {value!r}; it is a list of tables, written [[{key}]]")
    return value
