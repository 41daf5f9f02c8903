"""``goalward methods``: list the methods that can be trained and compared."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click
from rich.console import RenderableType
from rich.text import Text

from goalward.cli.console import say, say_wrapped
from goalward.cli.parameters import argument, command, describe_default, switch
from goalward.cli.terminal import make_table, print_table
from goalward.declared import own_first
from goalward.learning.methods import METHODS, Method, find_method
from goalward.learning.options import PRESETS

KINDS = {"instance": "learned for one problem", "domain": "learned for a domain", "planner": "without learning"}


@command(
    argument("name", "explain this method", required=False, type=str),
    switch("--json", "as_json", help="print JSON and nothing else"),
)
def methods(name: str | None, as_json: bool) -> None:
    """List the methods, or explain one with its options."""
    chosen = list(METHODS.values()) if name is None else [find_method(name)]
    if as_json:
        click.echo(json.dumps([describe(method) for method in chosen], indent=2, ensure_ascii=False))
    elif name is None:
        _list(chosen)
    else:
        _explain(chosen[0])


def describe(method: Method) -> dict[str, Any]:
    """A method with its options, as plain data."""
    options = []
    for option in own_first(method.options):
        presets = {name: values[option.name] for name, values in PRESETS.items()} if option.by_preset else None
        options.append(asdict(option) | {"kind": option.kind.expected, "default": option.default, "presets": presets})
    facts = {name: getattr(method, name) for name in ("name", "kind", "summary", "reference")}
    return facts | {"options": options}


def _list(chosen: list[Method]) -> None:
    rows: list[tuple[RenderableType, ...]] = []
    kind = None
    for method in chosen:
        if method.kind != kind:
            kind = method.kind
            rows += [("", "", ""), ("", Text(KINDS[kind], style="bold"), "")]
        rows.append((method.name, method.summary, Text(method.reference, style="dim")))
    print_table(make_table(("", "", ""), rows, left=3))
    say("\ngoalward methods NAME lists the options of a method.")


def _explain(method: Method) -> None:
    say_wrapped(f"{method.name}: {method.summary}")
    say_wrapped(f"{KINDS[method.kind]}; {method.reference}")
    options = own_first(method.options)
    if not options:
        return
    where = "for goalward train (--set NAME=VALUE) and configs"
    say_wrapped(f"Options, {'each a flag of goalward train-domain' if method.kind == 'domain' else where}:")
    width = max(len(option.name) for option in options)
    for option in options:
        default = describe_default(option, PRESETS)
        choices = f"; {option.expected}" if option.choices else ""
        say_wrapped(
            f"  {option.name:{width}}  {option.help}{choices}{f' [{default}]' if default else ''}", indent=width + 4
        )
