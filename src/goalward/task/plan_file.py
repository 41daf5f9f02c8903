"""Reads and writes plan files, one step per line and the cost at the end; and writes files atomically."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path

from goalward.errors import PddlError, WriteError
from goalward.task.sexpr import read_text

_FOLDER_OF_OPEN_FILES = re.compile(r"/dev/fd|/proc/\d+(/task/\d+)?/fd")


def read_plan(path: str | Path) -> list[tuple[int, tuple[str, ...]]]:
    """Return the line number and the lower-case words of each step."""
    steps = []
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        step = line.partition(";")[0].strip().lower()
        if not step:
            continue
        words = step[1:-1].split()
        plain = step[1:-1].isascii() and "(" not in step[1:] and ")" not in step[:-1]
        if step.startswith("(define"):
            raise PddlError("this is PDDL, but a plan is expected here: one step such as '(move a b)' per line", path)
        if not (words and plain and step[0] == "(" and step[-1] == ")"):
            raise PddlError(f"expected one step such as '(move a b)' but found {step[:60]!r}", path, number)
        steps.append((number, tuple(words)))
    return steps


def format_plan(steps: Sequence[str], cost: int, unit_cost: bool) -> str:
    """Return the text of a plan file; each step is written ``(action object …)``."""
    kind = "unit" if unit_cost else "general"
    return "".join(f"{line}\n" for line in (*(step.lower() for step in steps), f"; cost = {cost} ({kind} cost)"))


def write_text_atomically(path: str | Path, text: str) -> None:
    """Write a text file in UTF-8, atomically."""
    write_bytes_atomically(path, text.encode())


def write_bytes_atomically(path: str | Path, data: bytes) -> None:
    """Write a file atomically: a reader sees the old content or the new, and a failure leaves no partial file.

    Symbolic links are followed. Pipes and devices such as ``/dev/stdout`` are written to directly. The file is synced
    to disk before the call returns.
    """
    with _errors_of_writing(path):
        given = Path(path)
        if _is_stream(given):
            with open(given, "ab") as stream:
                stream.write(data)
        else:
            _replace(Path(os.path.realpath(given)), data)


def check_writable(path: str | Path) -> None:
    """Raise :class:`WriteError` if a file cannot be written, so that the error comes before hours of work."""
    with _errors_of_writing(path):
        if _is_stream(Path(path)):
            os.stat(path)
        else:
            scratch = _scratch(Path(os.path.realpath(path)))
            os.close(os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            scratch.unlink()


@contextlib.contextmanager
def _errors_of_writing(path: str | Path) -> Iterator[None]:
    try:
        if Path(path).is_dir():
            raise WriteError(f"{path}: is a directory, not a file")
        yield
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not Path(path).parent.is_dir():
            raise WriteError(f"{path}: cannot be written, there is no directory {Path(path).parent}") from None
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else "not a file name"
        raise WriteError(f"{path}: cannot be written ({reason})") from None


def _scratch(target: Path) -> Path:
    """An unused name for a temporary file in the same folder."""
    return target.with_name(f".goalward-{secrets.token_hex(8)}.tmp")


def _is_stream(path: Path) -> bool:
    """True for devices, pipes, and links to open files such as ``/dev/stdout`` (even if that is a regular file)."""
    if path.exists() and not path.is_file():
        return True
    followed: set[Path] = set()
    while path not in followed:
        followed.add(path)
        folder = os.path.realpath(path.parent)
        if _FOLDER_OF_OPEN_FILES.fullmatch(folder):
            return True
        if path.is_symlink():
            path = Path(folder, os.readlink(path))
    return False


def _replace(target: Path, data: bytes) -> None:
    scratch = _scratch(target)
    descriptor = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)  # permissions as umask says
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(scratch, target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder to disk, so that a rename in it survives a crash; does nothing if the file system cannot."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
