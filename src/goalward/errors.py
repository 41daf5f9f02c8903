"""The exceptions of goalward.

Every error that a user can cause is a :class:`GoalwardError`. Its text is one sentence: what was wrong, where, and what
to do about it. The command line prints that sentence and exits with ``exit_code``. The codes are those of Fast
Downward's driver, so that scripts written for it keep working.
"""

from __future__ import annotations

import difflib
import errno
from collections.abc import Iterable
from enum import IntEnum
from itertools import islice
from pathlib import Path


class ExitCode(IntEnum):
    """Exit codes of the command line.

    They are those of Fast Downward's driver, 1 for an invalid plan, 30 for a defect of goalward itself, and the shell's
    128 + N for a command ended by signal N.
    """

    SUCCESS = 0
    INVALID_PLAN = 1
    TRANSLATE_UNSOLVABLE = 10
    SEARCH_UNSOLVABLE = 11
    SEARCH_UNSOLVED_INCOMPLETE = 12
    OUT_OF_MEMORY = 22
    OUT_OF_TIME = 23
    DEFECT = 30
    INPUT_ERROR = 31
    UNSUPPORTED = 34
    CRITICAL_ERROR = 35
    DRIVER_INPUT_ERROR = 36
    DRIVER_UNSUPPORTED = 37
    INTERRUPTED = 130
    BROKEN_PIPE = 141
    TERMINATED = 143


class GoalwardError(Exception):
    """Base class of all errors that a user can cause."""

    exit_code: ExitCode = ExitCode.CRITICAL_ERROR


class UsageError(GoalwardError):
    """A wrong argument: an unknown name, a value of the wrong type or out of bounds, a missing file."""

    exit_code = ExitCode.DRIVER_INPUT_ERROR


class WriteError(UsageError):
    """A file that cannot be written: a full disk, a missing folder, no permission."""


class PddlError(GoalwardError):
    """A PDDL, state or plan file that is not valid."""

    exit_code = ExitCode.INPUT_ERROR

    def __init__(self, message: str, source: str | Path | None = None, line: int | None = None) -> None:
        self.message = message
        self.source = None if source is None else str(source)
        self.line = line
        where = "" if source is None else f"{source}:{line}: " if line is not None else f"{source}: "
        super().__init__(f"{where}{message}")


class UnsupportedError(PddlError):
    """A PDDL feature that goalward does not handle; the message names the action, predicate or function."""

    exit_code = ExitCode.UNSUPPORTED


class StateMismatchError(PddlError):
    """A problem file that is not a state of the task it is used with."""


class InvalidPlanError(PddlError):
    """A plan with a step that is not applicable, or that does not reach the goal."""

    exit_code = ExitCode.INVALID_PLAN

    def __init__(self, reason: str, source: str | Path, line: int | None) -> None:
        super().__init__(f"plan not valid: {reason}", source, line)


class StoredFileError(GoalwardError):
    """A stored task, data set or model that is damaged, of a newer format, or not written by goalward."""

    exit_code = ExitCode.DRIVER_INPUT_ERROR


class LimitError(GoalwardError):
    """A time or memory limit was reached outside of search, for example while grounding."""

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        self.exit_code = exit_code
        super().__init__(message)


class StoppedError(GoalwardError):
    """Ctrl-C or SIGTERM during work without results to keep."""

    exit_code = ExitCode.INTERRUPTED


_MACHINE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE}


def is_machine_error(error: BaseException | None) -> bool:
    """True if the machine is the cause, for example a full disk, so that the same work may succeed later."""
    return isinstance(error, WriteError) or (isinstance(error, OSError) and error.errno in _MACHINE_ERRORS)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``; did you mean NAME?`` with the most similar name, or an empty text; only 5,000 names are compared."""
    close = difflib.get_close_matches(name, islice(known, 5000), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def known_names(name: str, known: Iterable[str]) -> str:
    """Text for the error about an unknown name: :func:`did_you_mean`, and the list of all known names."""
    listed = list(known)
    return f"{did_you_mean(name, listed)} (known: {', '.join(listed) or 'none'})"
