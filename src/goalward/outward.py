"""Texts and numbers of unknown origin on their way out: to a terminal, to JSON, to a spreadsheet.

Names in PDDL, headers of model files, results of other people and names of files may hold anything. What shows them
sends them through here, so that they are seen and never obeyed.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""All that moves a cursor, changes a colour or turns the direction of writing; line ends and tabs are harmless."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def printable(text: str) -> str:
    """The text with control characters spelt out, ``\\x1b`` for an escape, so that a terminal shows them."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def finite(value: Any) -> Any:
    """The value as JSON and UTF-8 can hold it: numbers that are infinite, none at all or whole with over 308
    digits become None, half characters question marks."""
    if isinstance(value, dict):
        return {finite(key): finite(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [finite(entry) for entry in value]
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode()
    if isinstance(value, (int, float)):
        return value if abs(value) <= sys.float_info.max else None
    return value


def cell(value: Any) -> Any:
    """A value for CSV: a text that a spreadsheet would take for a formula is marked as a text with an apostrophe."""
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(_FORMULA) and len(value) > 1 else value)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any] | Sequence[Any]], line_end: str = "\r\n") -> str:
    """A table as CSV; rows are values in the order of the columns, or by their names."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=line_end)
    writer.writerow(columns)
    for row in rows:
        values = [row[name] for name in columns] if isinstance(row, Mapping) else row
        writer.writerow([cell(value) for value in values])
    return stream.getvalue()
