"""Flags of the command line that are derived from declared options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

import typer

from goalward.declared import NAMES, Option
from goalward.learning.options import PRESETS

Command = TypeVar("Command", bound=Callable[..., None])


def with_flags(shown: Iterable[Option], hidden: Iterable[Option] = ()) -> Callable[[Command], Command]:
    """Give a command, which takes ``**texts``, a flag for each option.

    It is handed the texts of those flags that were given, by the options' names. Hidden flags work but are not listed.
    """
    flags = {option.name: _flag(option, hidden=False) for option in shown}
    flags |= {option.name: _flag(option, hidden=True) for option in hidden if option.name not in flags}

    def decorate(command: Command) -> Command:
        def run(*arguments: Any, **values: Any) -> None:
            texts = {name: values.pop(name) for name in flags}
            given = {name: text for name, text in texts.items() if text is not None}
            command(*arguments, **values, **given)

        signature = inspect.signature(command, eval_str=True)
        own = [p for p in signature.parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
        own = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in own]
        run.__signature__ = signature.replace(parameters=[*own, *flags.values()])  # type: ignore[attr-defined]
        run.__name__, run.__doc__ = command.__name__, command.__doc__
        return run  # type: ignore[return-value]

    return decorate


def _flag(option: Option, *, hidden: bool) -> inspect.Parameter:
    described = f"{option.help}  [default: {describe_default(option)}]" if describe_default(option) else option.help
    info = typer.Option(option.flag, metavar=metavar(option), help=described, show_default=False, hidden=hidden)
    annotation = Annotated[str | None, info]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def metavar(option: Option) -> str:
    """What stands for a value of an option in help texts."""
    return "|".join(option.choices) + (",…" if option.kind is NAMES else "") or option.kind.metavar


def describe_default(option: Option) -> str:
    """What holds where nothing is said: a value, or one for each preset; empty where there is none."""
    if option.by_preset:
        values = {name: option.kind.to_text(preset[option.name]) for name, preset in PRESETS.items()}
        return ", ".join(f"{name} {value}" for name, value in values.items())
    return "" if option.default is None else option.kind.to_text(option.default)
