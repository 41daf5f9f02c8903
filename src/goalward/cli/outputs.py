"""Which files a command may write: never its inputs, and files that goalward did not write only with ``--force``.

goalward recognises as its own: stored tasks, data sets and models by their header; plans by their last line,
``; cost = …``; states by the problem's name, ``…-walk-1``; generated problems, reports, and tables of results and of
training by their first lines. Empty files and files that would not change may be replaced too.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from goalward.errors import UsageError
from goalward.task.plan_file import check_writable
from goalward.task.store import stored_format

END_BYTES = 4096
"""Number of bytes that are read at the beginning and at the end of a file to recognise it."""
_BEGINNINGS = re.compile(
    rb"; goalward generate |\(define \(problem [^\s()]+-walk-\d+\)"
    rb"|<!doctype html>.* \xe2\x80\x93 goalward</title>"
    rb"|kind,domain,difficulty,instance,|trial,epoch,seconds,|\{\s*\"format\": \"goalward results\""
    rb"|\{\s*\"[^\"]+\": \{\s*\"algorithm\": .*\"run_dir\": \"runs/",
    flags=re.DOTALL,
)
_END_OF_PLAN = re.compile(rb"(^|\n); cost = \d+ \((unit|general) cost\)\s*$")


def check_output(path: Path, inputs: Iterable[Path | None], *, force: bool, text: str | None = None) -> None:
    """Refuse, before any work is done, a file that must not or cannot be written; ``text`` is what will be written."""
    for read in inputs:
        if read is not None and _same_file(path, read):
            raise UsageError(f"{path}: is an input of this command; choose another name for the output")
    check_writable(path)
    if not force and not _may_replace(path, text):
        raise UsageError(f"{path}: exists and was not written by goalward; choose another name, or replace it: --force")


def _same_file(one: Path, other: Path) -> bool:
    if os.path.realpath(one) == os.path.realpath(other):
        return True
    try:
        return os.path.isfile(one) and os.path.samefile(one, other)
    except (OSError, ValueError):
        return False


def _may_replace(path: Path, text: str | None) -> bool:
    if not path.is_file() or path.parent == Path("/dev") or stored_format(path) is not None:
        return True
    with path.open("rb") as file:
        beginning = file.read(END_BYTES)
        file.seek(0, os.SEEK_END)
        size = file.tell()
        file.seek(max(size - END_BYTES, 0))
        end = file.read()
    if not size or _BEGINNINGS.match(beginning) or _END_OF_PLAN.search(end):
        return True
    return text is not None and path.read_bytes() == text.encode()
