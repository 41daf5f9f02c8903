"""Flags of the command line that are derived from declared options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Annotated, Any, TypeVar

import typer

from goalward.declared import NAMES, Option
from goalward.learning.options import PRESETS
from goalward.search.best_first import ALGORITHMS
from goalward.search.solving import AS_LONG_AS_SEARCH, SHORT, Improvement

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


def search_flag(more: str) -> Any:
    """The flag --search, which names one of our searches; ``more`` ends its help text."""
    summaries = "; ".join(f"{name}: {summary}" for name, summary in ALGORITHMS.items())
    return typer.Option("--search", "-s", metavar="|".join(ALGORITHMS), help=summaries + more, show_default=False)


IMPROVE = typer.Option(
    "--improve",
    metavar="DURATION|none",
    help="improve the plan for so long after the search, within the time limit  "
    f"[default: as long as the search took, at least {SHORT:g}s]",
    show_default=False,
)


def parse_improvement(text: str | None) -> Improvement | None:
    """How long to improve plans, from what was typed."""
    return AS_LONG_AS_SEARCH if text is None else Improvement.of(text)


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
