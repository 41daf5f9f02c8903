"""The commands by name. A command's module is imported when the command is used, so that the program starts at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
import typer.main
from typer.core import CompletionItem, TyperArgument, TyperCommand, TyperGroup  # type: ignore[attr-defined]
from typer.exceptions import TyperException

from goalward.cli.imports import quick_imports
from goalward.cli.main import DEBUG, name_and_version
from goalward.cli.plain_values import read_plainly
from goalward.errors import UsageError, did_you_mean

PROGRAM = "goalward"
COMPLETION_VARIABLE = "_GOALWARD_COMPLETE"


# --- the table ---


@dataclass(frozen=True)
class Entry:
    """A command: what the list of commands says of it, its module in this package, and the function there."""

    summary: str
    module: str
    function: str

    def load(self, name: str) -> Command:
        """Import it and read its options."""
        app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        with quick_imports():
            module = import_module(f"goalward.cli.{self.module}")
        app.command(name, cls=Command)(getattr(module, self.function))
        return typer.main.get_command(app)  # type: ignore[return-value]  # with one command, it is that command


@dataclass(frozen=True)
class Family:
    """Commands under a name of their own."""

    summary: str
    entries: Mapping[str, Entry]

    def load(self, name: str) -> Group:
        """The group; its commands stay where they are."""
        return make_group(name, self.summary, self.entries)


EXPERIMENT = {
    "run": Entry("Run an experiment, or what is left of it.", "experiment", "run"),
    "status": Entry("Show how far an experiment is.", "experiment", "status"),
    "report": Entry("Write its tables and plots as one HTML page.", "experiment_report", "report"),
    "export": Entry("Write its results for other programs.", "experiment_report", "export"),
    "import": Entry("Add results of Downward Lab to it.", "experiment_report", "import_"),
}

COMMANDS: dict[str, Entry | Family] = {
    "train": Entry("Learn a heuristic for one problem.", "train", "train"),
    "solve": Entry("Solve a model's problem from many initial states.", "solve", "solve"),
    "plan": Entry("Find a plan for one problem.", "plan", "plan"),
    "improve": Entry("Make a plan cheaper, whoever found it.", "improve", "improve"),
    "compare": Entry("Run several methods on the same problem and states.", "compare", "compare"),
    "experiment": Family("Run experiments of any size and look at their results.", EXPERIMENT),
    "methods": Entry("List the methods, or explain one with its options.", "methods", "methods"),
    "train-domain": Entry("Learn a heuristic for all problems of a domain.", "train_domain", "train_domain"),
    "validate": Entry("Check a plan file step by step on the PDDL.", "validate", "validate"),
    "walk": Entry("Make initial states by random walks.", "walk", "walk"),
    "inspect": Entry("Show what a problem looks like grounded, or what a file holds.", "inspect", "inspect"),
    "generate": Entry("Write a problem of a bundled domain.", "generate", "generate"),
}


def call(arguments: list[str]) -> int:
    """Run one command and give its exit code; wrong usage is a :class:`UsageError`."""
    program = make_group(
        PROGRAM, "Learn a heuristic for one planning problem, then solve it from any initial state.", COMMANDS, _options
    )
    if instruction := os.environ.get(COMPLETION_VARIABLE):  # a shell asks what may stand at the cursor
        from goalward.cli.completion import answer  # noqa: PLC0415

        return answer(program, instruction)
    try:
        with program.make_context(PROGRAM, arguments) as context:
            program.invoke(context)
    except typer.Exit as end:
        return int(end.exit_code)
    except TyperException as error:
        context_of_error = getattr(error, "ctx", None)
        where = context_of_error.command_path if context_of_error else PROGRAM
        raise UsageError(f"{error.format_message()} (see {where} --help)") from None
    return 0


# --- the program's own options ---


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(name_and_version())
        raise typer.Exit


def _show_completion(asked: bool) -> None:
    if asked:
        from goalward.cli.completion import current_shell, script  # noqa: PLC0415

        typer.echo(script(current_shell()))
        raise typer.Exit


def _install_completion(asked: bool) -> None:
    if asked:
        from goalward.cli.completion import current_shell, install  # noqa: PLC0415

        typer.echo(install(current_shell()))
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="print the version")
    ] = False,
    debug: Annotated[
        bool, typer.Option(DEBUG, help="before a command: show where in the code an error came from")
    ] = False,
    install_completion: Annotated[
        bool,
        typer.Option(
            "--install-completion",
            callback=_install_completion,
            is_eager=True,
            help="let this shell (bash, zsh or fish) complete commands and options",
        ),
    ] = False,
    show_completion: Annotated[
        bool,
        typer.Option(
            "--show-completion",
            callback=_show_completion,
            is_eager=True,
            help="print the script that does so, to install it by hand",
        ),
    ] = False,
) -> None:
    """Options of the program itself; their callbacks do the work and end it. ``main`` looks for ``--debug``."""


def _no_options() -> None:
    """A group without options of its own."""


# --- groups and commands as typer sees them ---


def make_group(
    name: str,
    summary: str,
    entries: Mapping[str, Entry | Family],
    options: Callable[..., None] = _no_options,
) -> Group:
    """Commands that are imported when they are used."""
    app = typer.Typer(
        name=name,
        cls=Group,
        help=summary,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(options)
    group = typer.main.get_command(app)
    assert isinstance(group, Group)
    group.entries = entries
    return group


class _PlainlyRead:
    """A command or group that leaves pydantic unloaded as long as what was typed is plainly right."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Arguments and options, --help among them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        read_plainly(parameters)
        return parameters


class Group(_PlainlyRead, TyperGroup):
    """Commands of which only the table is read until one is used."""

    entries: Mapping[str, Entry | Family]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Show the help where nothing else is asked for."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: Any) -> list[str]:
        """The names in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import the command."""
        return self.entries[cmd_name].load(cmd_name) if cmd_name in self.entries else None

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that the first argument names."""
        name = args[0]
        if name not in self.entries and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, self.entries)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """The list of commands, each with its whole summary."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Commands and options that begin so."""
        names = [name for name in self.entries if name.startswith(incomplete)]
        options = super(TyperGroup, self).shell_complete(ctx, incomplete)  # TyperGroup's would import every command
        return [CompletionItem(name, help=self.entries[name].summary) for name in names] + options


class Command(_PlainlyRead, TyperCommand):
    """A command whose help names its arguments as people write them, ``MODEL STATES...``, and not Python's types."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        for argument in self._arguments():
            argument.metavar = (argument.metavar or argument.name).upper()

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What stands behind the name of the command."""
        shown = [(_shown_name(argument), argument.required) for argument in self._arguments()]
        return [self.options_metavar or "", *(name if required else f"[{name}]" for name, required in shown)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """The lists of arguments and options."""
        arguments = [(_shown_name(argument), argument.help or "") for argument in self._arguments()]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl(arguments)
        others = [parameter for parameter in self.get_params(ctx) if not isinstance(parameter, TyperArgument)]
        records = [record for option in others if (record := option.get_help_record(ctx))]
        with formatter.section("Options"):
            formatter.write_dl([(name.replace(" range>", ">"), text) for name, text in records])

    def _arguments(self) -> list[TyperArgument]:
        return [parameter for parameter in self.params if isinstance(parameter, TyperArgument)]


def _shown_name(argument: TyperArgument) -> str:
    return f"{argument.metavar}{'...' if argument.nargs != 1 else ''}"
