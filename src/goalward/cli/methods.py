"""``goalward methods``: what can be trained and compared."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from goalward.baselines.methods import METHODS, Method, find_method

KINDS = {"instance": "learned for one problem", "domain": "learned for a domain", "planner": "needs no learning"}


def methods(
    name: Annotated[str | None, typer.Argument(help="explain this one", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON and nothing else")] = False,
) -> None:
    """List the methods, or explain one with its options."""
    chosen = list(METHODS.values()) if name is None else [find_method(name)]
    if as_json:
        typer.echo(json.dumps([describe(method) for method in chosen], indent=2, ensure_ascii=False))
    elif name is None:
        _list(chosen)
    else:
        _explain(chosen[0])


def describe(method: Method) -> dict[str, Any]:
    """Everything about a method, as plain data."""
    return {
        "name": method.name,
        "kind": method.kind,
        "summary": method.summary,
        "reference": method.reference,
        "options": [
            {"name": field.name, "default": field.default, **field.metadata} for field in fields(method.options)
        ],
    }


def _list(chosen: list[Method]) -> None:
    table = Table(box=None, pad_edge=False, show_edge=False, show_header=False)
    kind = None
    for method in chosen:
        if method.kind != kind:
            kind = method.kind
            table.add_row("", "", "")
            table.add_row("", Text(KINDS[kind], style="bold"), "")
        table.add_row(method.name, method.summary, Text(method.reference, style="dim"))
    Console(highlight=False).print(table)
    typer.echo("\ngoalward methods NAME lists the options of one.")


def _explain(method: Method) -> None:
    typer.echo(f"{method.name}: {method.summary}\n{KINDS[method.kind]}; {method.reference}")
    if method.kind == "instance" and method.home is None:
        typer.echo(
            "Its options are those of goalward train: --samples, --random-share, --rollouts, --length, --sampler."
        )
    options = fields(method.options)
    if options:
        typer.echo("Options, each given as --set NAME=VALUE:")
    width = max((len(field.name) for field in options), default=0)
    for field in options:
        choices = field.metadata["choices"]
        bounds = f"; one of {', '.join(choices)}" if choices else ""
        typer.echo(f"  {field.name:{width}}  {field.metadata['help']} [{field.default}{bounds}]")
