"""The one exception family of goalward.

Every error that a user can cause is a :class:`GoalwardError` whose text is one sentence: what was wrong, where, and
what to do about it. The command line prints that sentence and exits with ``exit_code``; the codes are those of Fast
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
    """Exit codes of the command line: those of Fast Downward's driver, 1 for a plan that is not valid, 30 for a defect
    of goalward itself, and the shell's 128 + N for a command that signal N ended."""

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
    """Base of all errors that a user can cause."""

    exit_code: ExitCode = ExitCode.CRITICAL_ERROR


class UsageError(GoalwardError):
    """A wrong argument: an unknown name, a value out of bounds, a file that is not there."""

    exit_code = ExitCode.DRIVER_INPUT_ERROR


class WriteError(UsageError):
    """A file that cannot be written: a full disk, a folder that is not there or that nobody may write to."""


class PddlError(GoalwardError):
    """A PDDL, state or plan file that cannot be read as what it should be."""

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
    """A problem file that does not describe a state of the task it is used with."""


class InvalidPlanError(PddlError):
    """A plan that cannot be carried out or does not reach the goal."""

    exit_code = ExitCode.INVALID_PLAN

    def __init__(self, reason: str, source: str | Path, line: int | None) -> None:
        super().__init__(f"plan not valid: {reason}", source, line)


class StoredFileError(GoalwardError):
    """A file stored by goalward (a task, a data set, a model) that is damaged, foreign or of a newer format."""

    exit_code = ExitCode.DRIVER_INPUT_ERROR


class LimitError(GoalwardError):
    """A time or memory limit was reached outside of search (while grounding, say)."""

    def __init__(self, message: str, exit_code: ExitCode) -> None:
        self.exit_code = exit_code
        super().__init__(message)


class StoppedError(GoalwardError):
    """Ctrl-C or SIGTERM came in the middle of work that leaves nothing to keep."""

    exit_code = ExitCode.INTERRUPTED


_MACHINE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE}


def is_the_machines(error: BaseException | None) -> bool:
    """Is it the machine that is in trouble (a full disk, say), so that the same work may well succeed later?"""
    return isinstance(error, WriteError) or (isinstance(error, OSError) and error.errno in _MACHINE)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The part of a sentence that offers the most similar name, or nothing; only the first 5,000 names are compared."""
    close = difflib.get_close_matches(name, islice(known, 5000), n=1)
    return f"; did you mean {close[0]}?" if close else ""


def of_these(name: str, known: Iterable[str]) -> str:
    """As :func:`did_you_mean`, followed by the list of all known names."""
    listed = list(known)
    return f"{did_you_mean(name, listed)} (known: {', '.join(listed) or 'none'})"
