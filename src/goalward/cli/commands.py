"""The table of commands. The module of a command is imported when it is used, so that the program starts quickly."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module

import click
from click.shell_completion import CompletionItem

from goalward.cli.main import DEBUG, name_and_version, quick_imports
from goalward.cli.parameters import Command, switch
from goalward.errors import UsageError, did_you_mean

PROGRAM = "goalward"
COMPLETION_VARIABLE = "_GOALWARD_COMPLETE"


@dataclass(frozen=True)
class Entry:
    """A command: its line in the list of commands, its module in this package, and its name there."""

    summary: str
    module: str
    name: str

    def load(self) -> Command:
        """Import the command."""
        with quick_imports():
            found = getattr(import_module(f"goalward.cli.{self.module}"), self.name)
        assert isinstance(found, Command)
        return found


class Group(click.Group):
    """Commands that are imported when they are used; help and completion need only the table."""

    def __init__(
        self, name: str, summary: str, entries: Mapping[str, Entry | Group], params: Iterable[click.Parameter] = ()
    ) -> None:
        super().__init__(
            name, help=summary, params=list(params), context_settings={"help_option_names": ["-h", "--help"]}
        )
        self.summary = summary
        self.entries = entries

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help page if there are no arguments."""
        return super().parse_args(ctx, args or ["--help"])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(self.entries)

    def get_command(self, ctx: click.Context | None, cmd_name: str) -> click.Command | None:
        """Import the command."""
        entry = self.entries.get(cmd_name)
        return entry.load() if isinstance(entry, Entry) else entry

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first argument names."""
        name = args[0]
        if name not in self.entries and not name.startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"there is no command {name!r}{did_you_mean(name, self.entries)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, each with its whole summary."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem[str]]:
        """Commands and flags that begin like this."""
        names = [name for name in self.entries if name.startswith(incomplete)]
        flags = click.Command.shell_complete(self, ctx, incomplete)  # that of click.Group would import every command
        return [CompletionItem(name, help=self.entries[name].summary) for name in names] + flags


EXPERIMENT = {
    "run": Entry("Run an experiment, or what is left of it.", "experiment", "run"),
    "status": Entry("Show the progress of an experiment.", "experiment", "status"),
    "report": Entry("Write its tables and plots as one HTML page.", "experiment_report", "report"),
    "export": Entry("Write its results for other programs.", "experiment_report", "export"),
    "import": Entry("Add results to it that were made elsewhere.", "experiment_report", "import_"),
}

COMMANDS: dict[str, Entry | Group] = {
    "train": Entry("Learn a heuristic for one problem.", "train", "train"),
    "solve": Entry("Solve a model's problem from many initial states.", "solve", "solve"),
    "plan": Entry("Find a plan for one problem.", "plan", "plan"),
    "improve": Entry("Make the plan of any planner cheaper.", "improve", "improve"),
    "compare": Entry("Run several methods on the same problem and states.", "compare", "compare"),
    "experiment": Group("experiment", "Run experiments of any size and look at their results.", EXPERIMENT),
    "methods": Entry("List the methods, or explain one with its options.", "methods", "methods"),
    "train-domain": Entry("Learn a heuristic for all problems of a domain.", "train_domain", "train_domain"),
    "validate": Entry("Check a plan file step by step on the PDDL.", "validate", "validate"),
    "walk": Entry("Create initial states by random walks.", "walk", "walk"),
    "inspect": Entry("Show what a problem looks like grounded, or what a file contains.", "inspect", "inspect"),
    "generate": Entry("Write a problem of a bundled domain.", "generate", "generate"),
}


def program() -> Group:
    """The whole command line."""
    summary = "Learn a heuristic for one planning problem, then solve it from any initial state."
    params = [
        _printing("--version", "print the version", name_and_version),
        switch(DEBUG, help="before a command: show where in the code an error came from", expose_value=False),
        _printing(
            "--install-completion",
            "let this shell (bash, zsh or fish) complete commands and options",
            _completion("install"),
        ),
        _printing("--show-completion", "print the completion script, to install it by hand", _completion("script")),
    ]
    return Group(PROGRAM, summary, COMMANDS, params)


def call(arguments: list[str]) -> int:
    """Run one command and return its exit code; wrong usage is a :class:`UsageError`."""
    group = program()
    if instruction := os.environ.get(COMPLETION_VARIABLE):  # a shell asks for completions
        from click.shell_completion import shell_complete  # noqa: PLC0415

        return shell_complete(group, {}, PROGRAM, COMPLETION_VARIABLE, instruction)
    try:
        with group.make_context(PROGRAM, arguments) as context:
            return int(group.invoke(context) or 0)
    except click.exceptions.Exit as end:
        return end.exit_code
    except click.NoSuchOption as error:  # click would suggest hidden flags, too
        command = error.ctx.command if error.ctx else group
        known = [name for one in command.params if not getattr(one, "hidden", False) for name in one.opts]
        where = error.ctx.command_path if error.ctx else PROGRAM
        hint = did_you_mean(error.option_name, known)
        raise UsageError(f"there is no option {error.option_name}{hint} (see {where} --help)") from None
    except click.UsageError as error:
        where = error.ctx.command_path if error.ctx else PROGRAM
        raise UsageError(f"{error.format_message()} (see {where} --help)") from None


def _printing(name: str, help: str, text: Callable[[], str]) -> click.Option:
    """A flag that prints a text and ends the program."""

    def show(ctx: click.Context, param: click.Parameter, asked: bool) -> None:
        if asked and not ctx.resilient_parsing:
            click.echo(text())
            ctx.exit()

    return switch(name, help=help, is_eager=True, callback=show, expose_value=False)


def _completion(name: str) -> Callable[[], str]:
    def call() -> str:
        module = import_module("goalward.cli.completion")
        return str(getattr(module, name)(module.current_shell()))

    return call
