"""The program ``goalward``: commands, and the one place where errors become a sentence and an exit code."""

from __future__ import annotations

import io
import os
import sys
from importlib.metadata import version
from typing import Annotated

import typer
from typer.exceptions import TyperException

from goalward.errors import ExitCode, GoalwardError

app = typer.Typer(
    name="goalward",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"goalward {version('goalward')}")
        raise typer.Exit


@app.callback()
def goalward(
    show_version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="print the version")
    ] = False,
) -> None:
    """Learn a heuristic for one planning problem, then solve it from any initial state."""


def _register() -> None:
    """Load the commands, unless they are there already."""
    if app.registered_commands:
        return
    from goalward.cli import (  # noqa: PLC0415
        compare,
        experiment,
        generate,
        improve,
        inspect,
        methods,
        plan,
        solve,
        train,
        train_domain,
        validate,
        walk,
    )

    for command in (
        train.train,
        solve.solve,
        plan.plan,
        improve.improve,
        compare.compare,
        methods.methods,
        train_domain.train_domain,
        validate.validate,
        walk.walk,
        inspect.inspect,
        generate.generate,
    ):
        app.command()(command)
    app.add_typer(experiment.app, name="experiment")


def main() -> None:
    """Run the command line; never returns."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # it is None where the stream is closed
            stream.reconfigure(errors="backslashreplace")
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and give its exit code."""
    try:
        _register()
        return int(app(arguments or ["--help"], prog_name="goalward", standalone_mode=False) or 0)
    except GoalwardError as error:
        return _fail(str(error), error.exit_code)
    except TyperException as error:  # wrong usage, in the sense of the command line's grammar
        return _fail(f"{error.format_message()} (see goalward --help)", ExitCode.DRIVER_INPUT_ERROR)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fail(f"{where}{error.strerror or error}", ExitCode.DRIVER_INPUT_ERROR)
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted", ExitCode.INTERRUPTED)
    except MemoryError:
        return _fail("out of memory", ExitCode.OUT_OF_MEMORY)
    except RecursionError:
        return _fail("the input is nested too deeply", ExitCode.INPUT_ERROR)


def _fail(message: str, code: ExitCode) -> int:
    first_line = " ".join(message.split())
    try:
        print(f"goalward: {first_line}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    return int(code)
