"""Reads TOML tables into declared options; error messages name a key by its full path."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from typing import Any, TypeVar

from goalward.declared import Kind, Options, declared
from goalward.errors import UsageError, known_names
from goalward.measures import parse_size

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=,:-]*")
"""Allowed in the id of a unit and in the name of a file."""
MAX_CHOSEN = 100_000
"""Maximum number of domains, instances or states that can be chosen by their number."""


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _label(value: Any) -> str:
    if not _NAME.fullmatch(_text(value)):
        raise ValueError
    return str(value)


def as_label(text: str) -> str:
    """The text with all characters replaced that a unit's id may not have: ``a/../b`` becomes ``a-..-b``."""
    return re.sub(r"[^A-Za-z0-9._+=,:-]+", "-", text).strip("-")


def _table(value: Any) -> dict[str, Any]:
    """The value; ValueError unless it is a table of TOML."""
    if not isinstance(value, dict):
        raise ValueError
    return value


def _texts(value: Any) -> tuple[str, ...]:
    """The value as a tuple of texts; ValueError unless it is a list of texts."""
    if not isinstance(value, (list, tuple)):
        raise ValueError
    return tuple(_text(line) for line in value)


def _choice(value: Any) -> int | tuple[str, ...]:
    if isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_CHOSEN:
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
    f"a number n between 1 and {MAX_CHOSEN} (for the first n) or a list of names",
    "N|NAME,…",
    _choice,
    str,
)

T = TypeVar("T", bound=Options)


def toml_value(text: str) -> Any:
    """The value of a ``--set`` argument: as TOML if it is valid TOML, else as text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text.strip()


def read_table(kind: type[T], table: Any, where: str, *, others: Iterable[str] = ()) -> T:
    """Read a table of a config into options.

    ``where`` is the name of the table, empty for the whole file. ``others`` are keys that are read elsewhere.
    """
    if not isinstance(table, dict):
        raise UsageError(f"{where} must be a table, but is {table!r}")
    prefix = f"{where}." if where else ""
    known = [*declared(kind), *others]
    for key in table:
        if key not in known:
            raise UsageError(f"unknown key {prefix}{key}{known_names(key, known)}")
    try:
        return kind(**{key: value for key, value in table.items() if key in declared(kind)})
    except UsageError as error:
        raise UsageError(f"{prefix}{error}") from None


def list_of_tables(table: dict[str, Any], key: str) -> list[dict[str, Any]]:
    """The array of tables under a key, written ``[[key]]``."""
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
        raise UsageError(f"{key} must be a list of tables, written [[{key}]], but is {value!r}")
    return value
