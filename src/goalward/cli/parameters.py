"""Arguments and flags: the kinds of values, the flags that several commands share, and commands with help in sections.

    @command(DOMAIN, PROBLEM, flag("--seed", "same seed, same states", default=0, low=0), JSON)
    def walk(domain: Path, problem: Path, seed: int, as_json: bool) -> int | None:

Declared options become flags by :func:`flags_of`. Only click is imported here, so that the program starts quickly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from goalward.declared import DURATION, NAME, NAMES, NUMBER, SIZE, WHOLE, Kind
from goalward.declared import Option as DeclaredOption

OPTIONS = "Options"
"""The section of the help page for flags that belong to no other."""

Function = Callable[..., int | None]
"""A command's function. It returns the exit code, or None for success."""


# --- kinds of values ---


class PathType(click.ParamType[Path]):
    """A file or folder. It is not checked here, but by the code that reads or writes it."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path."""
        return Path(value)

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The shell completes names of files by itself."""
        return [CompletionItem(incomplete, type="file")]


class DeclaredType(click.ParamType[Any]):
    """The values of a declared option; its errors name the flag."""

    def __init__(self, option: DeclaredOption) -> None:
        self.option = option
        self.name = option.kind.metavar

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The value; defaults are values already."""
        return self.option.from_text(value) if isinstance(value, str) else value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem[str]]:
        """The choices, if there are any."""
        return [CompletionItem(name) for name in self.option.choices if name.startswith(incomplete)]


# --- parameters ---


class Flag(click.Option):
    """A flag, in a section of the help page."""

    def __init__(self, *names: str, help: str, section: str = OPTIONS, **more: Any) -> None:
        super().__init__(list(names), help=help, **more)
        self.section = section


def argument(name: str, help: str, **more: Any) -> click.Argument:
    """The name of a file, or with ``nargs=-1`` several."""
    return click.Argument([name], help=help, **{"type": PathType()} | more)


def flag(
    *names: str,
    help: str,
    kind: Kind | None = None,
    default: Any = None,
    low: float | None = None,
    high: float | None = None,
    choices: Iterable[str] = (),
    note: str = "",
    **more: Any,
) -> Flag:
    """A flag with a value of a declared kind; without a kind, the type of its default says which, or it is a text.

    The help text shows the default, or ``note`` in its place.
    """
    kind = kind or {int: WHOLE, float: NUMBER}.get(type(default), NAME)
    declared = DeclaredOption(names[0], kind, default, help, low, high, tuple(choices), False, names[0])
    shown = f"{help}  [default: {kind.to_text(default)}]" if default is not None else help
    named = {"metavar": metavar(declared)} | more
    return Flag(
        *names, help=f"{help}  [{note}]" if note else shown, type=DeclaredType(declared), default=default, **named
    )


def switch(*names: str, help: str, **more: Any) -> Flag:
    """A flag without a value."""
    return Flag(*names, help=help, is_flag=True, **more)


def path_flag(*names: str, help: str, **more: Any) -> Flag:
    """A flag with the name of a file or folder."""
    return Flag(*names, help=help, type=PathType(), **more)


def flags_of(
    options: Iterable[DeclaredOption],
    presets: Mapping[str, Mapping[str, Any]],
    section: str = OPTIONS,
    *,
    hidden: bool = False,
) -> list[Flag]:
    """A flag for each declared option. Its value stays a text, which the options class of the method reads."""
    return [
        Flag(
            option.flag,
            option.name,
            help=_with_default(option, presets),
            section=section,
            metavar=metavar(option),
            hidden=hidden,
        )
        for option in options
    ]


def given(texts: Mapping[str, str | None]) -> dict[str, str]:
    """The flags of declared options that were used, by the names of the options."""
    return {name: text for name, text in texts.items() if text is not None}


def metavar(option: DeclaredOption) -> str:
    """Placeholder for a value in help texts."""
    return "|".join(option.choices) + (",…" if option.kind is NAMES else "") or option.kind.metavar


def describe_default(option: DeclaredOption, presets: Mapping[str, Mapping[str, Any]]) -> str:
    """The default as a text, or one for each preset; empty if there is none."""
    if option.by_preset:
        values = {name: option.kind.to_text(preset[option.name]) for name, preset in presets.items()}
        return ", ".join(f"{name} {value}" for name, value in values.items())
    return "" if option.default is None else option.kind.to_text(option.default)


def _with_default(option: DeclaredOption, presets: Mapping[str, Mapping[str, Any]]) -> str:
    default = describe_default(option, presets)
    return f"{option.help}  [default: {default}]" if default else option.help


# --- shared by several commands ---

DOMAIN = argument("domain", "PDDL domain file")
PROBLEM = argument("problem", "PDDL problem file")
TASK = DOMAIN, PROBLEM
PLAN = argument("plan", "plan file: one (action arg …) per line")
STATES = argument("states", "PDDL problem files; only their :init is used", nargs=-1, required=True)
FOLDER = argument("folder", "folder of the experiment", metavar="DIR")
PLAN_OUTPUT = path_flag("--output", "-o", help="write the plan to this file instead of printing it")
MODEL_OUTPUT = path_flag("--output", "-o", help="the model file, NAME.goalward", required=True)
FORCE = switch("--force", help="replace files that goalward did not write")
JSON = switch("--json", "as_json", help="print one JSON object and nothing else")
CSV = switch("--csv", "as_csv", help="print a CSV table and nothing else")
MEMORY_LIMIT = flag("--memory-limit", help="memory limit of the process: 512M, 4G", kind=SIZE)


def settings_flag(help: str, metavar: str = "NAME=VALUE") -> Flag:
    """The flag --set, which may be given several times."""
    return flag("--set", "settings", help=help, metavar=metavar, multiple=True)


def time_limit(help: str, default: float | None = None) -> Flag:
    """The flag --time-limit."""
    return flag("--time-limit", help=help, kind=DURATION, default=default)


# --- commands ---


def command(*parameters: click.Parameter) -> Callable[[Function], Command]:
    """Make a function a command with these arguments and flags; its docstring is the text of the help page."""

    def make(function: Function) -> Command:
        name = function.__name__.rstrip("_").replace("_", "-")
        return Command(name, callback=function, params=list(parameters), help=function.__doc__)

    return make


class Command(click.Command):
    """A command whose help page lists its arguments, and its flags by section."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The lists of flags."""
        sections: dict[str, list[tuple[str, str]]] = {OPTIONS: []}
        for parameter in self.get_params(ctx):
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(ctx)):
                sections.setdefault(getattr(parameter, "section", OPTIONS), []).append(record)
        for title, records in sections.items():
            with formatter.section(title):
                formatter.write_dl(records)
