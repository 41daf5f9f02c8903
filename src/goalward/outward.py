"""Escaping of texts and numbers of unknown origin for terminals, JSON and spreadsheets.

Names in PDDL, headers of model files, imported results and file names may contain anything, escape sequences and
formulas included. Everything that is printed or exported goes through here.
"""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that move the cursor, change colours or the direction of writing; line ends and tabs are harmless."""
_KEPT_TOGETHER = re.compile(r"(?<=\d) (?=(?:ms|s|m|h|%)(?!\w))|(?<=--set) ")
"""Spaces at which prose is not wrapped: between a number and its unit, and after a flag that needs its value."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def printable(text: str) -> str:
    """The text with control characters escaped, ``\\x1b`` for an escape, so that a terminal shows them."""
    return _CONTROL.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def wrapped(text: str, stream: TextIO, indent: int = 0) -> str:
    """The text as it is, or on a terminal with its lines wrapped between words, further ones indented."""
    if not stream.isatty():
        return text
    import shutil  # noqa: PLC0415 - not needed off a terminal
    import textwrap  # noqa: PLC0415

    columns, margin = shutil.get_terminal_size().columns, " " * indent
    lines = _KEPT_TOGETHER.sub("\N{NO-BREAK SPACE}", text).split("\n")
    filled = [textwrap.fill(line, columns, subsequent_indent=margin, break_on_hyphens=False) for line in lines]
    return "\n".join(filled).replace("\N{NO-BREAK SPACE}", " ")


def finite(value: Any) -> Any:
    """Replace what JSON and UTF-8 cannot represent, also in nested values.

    Infinite numbers, NaN and whole numbers of over 308 digits become None; lone surrogates become question marks.
    """
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
    """A value for CSV: a text that a spreadsheet would read as a formula gets an apostrophe in front."""
    if not isinstance(value, str):
        return value
    return printable(f"'{value}" if value.startswith(_FORMULA) and len(value) > 1 else value)


def csv_text(columns: Sequence[str], rows: Iterable[Mapping[str, Any] | Sequence[Any]], line_end: str = "\r\n") -> str:
    """A table as CSV; rows are lists of values, or dictionaries by column name."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator=line_end)
    writer.writerow(columns)
    for row in rows:
        values = [row[name] for name in columns] if isinstance(row, Mapping) else row
        writer.writerow([cell(value) for value in values])
    return stream.getvalue()
