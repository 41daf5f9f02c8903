"""The program ``goalward``: turns errors and signals into one line and an exit code."""

from __future__ import annotations

import atexit
import contextlib
import gc
import io
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

from goalward.cli.signals import ending_signals
from goalward.cli.startup import start_clock
from goalward.errors import ExitCode, GoalwardError
from goalward.outward import printable, wrapped

DEBUG = "--debug"
BLAS_THREADS = "OPENBLAS_NUM_THREADS"
REPORT = "please report it to goalward's issue tracker with the command, its files and the output of goalward --debug …"


def main() -> NoReturn:
    """Run the command line."""
    _open_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a closed stream is None
            stream.reconfigure(errors="backslashreplace")
    held: list[BaseException] = []
    code = run(sys.argv[1:], held, time.process_time())  # the time that Python took to start
    if code == ExitCode.BROKEN_PIPE:  # otherwise Python would try to flush the buffer at exit, and complain
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    _leave(code)


def run(arguments: list[str], held: list[BaseException] | None = None, spent: float = 0.0) -> int:
    """Run one command and return its exit code; ``spent`` seconds were spent before."""
    start_clock(spent)
    return carry_out(lambda: _call(arguments), debug=DEBUG in arguments[:1], held=held)


def _call(arguments: list[str]) -> int:
    if arguments == ["--version"]:  # asked often by other programs, so nothing is imported for it
        print(name_and_version())
        return ExitCode.SUCCESS
    with quick_imports():
        from goalward.cli.commands import call  # noqa: PLC0415

    return call(arguments)


def carry_out(work: Callable[[], int], *, debug: bool = False, held: list[BaseException] | None = None) -> int:
    """Run ``work``, which returns an exit code; an exception becomes one line on stderr and an exit code.

    The exception is appended to ``held``, which keeps everything alive that it refers to.
    """
    with ending_signals() as received:
        try:
            code = work()
            if sys.stdout is not None:
                sys.stdout.flush()
        except BaseException as error:
            if held is not None:
                held.append(error)
            if debug and not isinstance(error, BrokenPipeError):
                traceback.print_exc()
            code = _ended_by(error)
        return ExitCode.TERMINATED if signal.SIGTERM in received else code


def _ended_by(problem: BaseException) -> int:
    """Print the line for an exception and return its exit code."""
    try:
        raise problem
    except GoalwardError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:  # for example: goalward … | head
        return ExitCode.BROKEN_PIPE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or str(error) or type(error).__name__}", ExitCode.DRIVER_INPUT_ERROR)
    except KeyboardInterrupt:
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except MemoryError:
        return _fail("out of memory", ExitCode.OUT_OF_MEMORY)
    except RecursionError:
        return _fail("the input is nested too deeply", ExitCode.INPUT_ERROR)
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return _fail(f"this is a defect of goalward ({what[:300]}); {REPORT}", ExitCode.DEFECT)


def name_and_version() -> str:
    """The output of ``--version``."""
    from importlib.metadata import version  # noqa: PLC0415 - slow to load

    return f"goalward {version('goalward')}"


def _fail(message: str, code: ExitCode) -> int:
    first_line = printable(" ".join(message.split()))
    try:
        print(wrapped(f"goalward: {first_line}", sys.stderr), file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return int(code)


def _leave(code: int) -> NoReturn:
    """End the process without freeing its objects one by one.

    After an interrupted grounding there are millions of them, and freeing them takes half a second, beyond the time
    limit.
    """
    others = (thread for thread in threading.enumerate() if thread is not threading.current_thread())
    if any(not thread.daemon for thread in others):
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def _open_streams() -> None:
    """Open standard streams that are closed, so that no file opened later gets their descriptors."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)
    sys.stdout = sys.stdout or os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = sys.stderr or os.fdopen(2, "w", encoding="utf-8", closefd=False)


@contextlib.contextmanager
def quick_imports() -> Iterator[None]:
    """Import without garbage collection and without threads for numpy's BLAS.

    Imports leave no garbage. goalward multiplies no large matrices with numpy, and starting a thread per core takes
    longer than loading numpy. The library reads the variable once, when it is loaded; child processes and PyTorch are
    not affected.
    """
    collecting, chosen = gc.isenabled(), os.environ.get(BLAS_THREADS)
    os.environ.setdefault(BLAS_THREADS, "1")
    try:
        gc.disable()
        yield
    finally:
        if collecting:
            gc.enable()
            gc.freeze()  # otherwise the first collection would go through everything that was imported
        if chosen is None:
            os.environ.pop(BLAS_THREADS, None)
