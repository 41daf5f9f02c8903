"""``goalward generate``: write an instance of a bundled domain."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from goalward.cli.console import say
from goalward.cli.terminal import print_table
from goalward.errors import UsageError
from goalward.task.domains import DOMAINS
from goalward.task.domains import generate as make_instance
from goalward.task.plan_file import write_text_atomically


def generate(
    domain: Annotated[str | None, typer.Argument(help=", ".join(DOMAINS), show_default=False)] = None,
    size: Annotated[int | None, typer.Option(help="one number for all parameters; larger is harder")] = None,
    seed: Annotated[int, typer.Option(help="same seed and parameters, same instance")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="a parameter of the domain", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="folder for domain.pddl and problem.pddl; default: the instance's name"),
    ] = None,
) -> None:
    """Write domain.pddl and problem.pddl of a solvable instance; without a domain, list what there is."""
    if domain is None:
        _list()
        return
    instance = make_instance(domain, seed=seed, size=size, **_parse_settings(settings or []))
    folder = output or Path(instance.problem_name)
    folder.mkdir(parents=True, exist_ok=True)
    write_text_atomically(folder / "domain.pddl", instance.domain_text)
    write_text_atomically(folder / "problem.pddl", instance.problem_text)
    say(f"{folder / 'domain.pddl'} {folder / 'problem.pddl'}")


def _parse_settings(settings: list[str]) -> dict[str, int]:
    parameters: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        try:
            parameters[name.strip()] = int(value)
        except ValueError:
            raise UsageError(f"--set {setting}: write it as NAME=VALUE with a whole number") from None
        if name.strip() in {"seed", "size", "domain"}:
            raise UsageError(f"--set {setting}: {name.strip()} is an option of its own")
    return parameters


def _list() -> None:
    table = Table(box=None, pad_edge=False)
    for column in ("domain", "what it is", "parameters (default, bounds)"):
        table.add_column(column)
    for bundled in DOMAINS.values():
        options = "\n".join(f"{o.name}={o.default} ({o.low}…{o.high}) {o.help}" for o in bundled.options)
        table.add_row(bundled.name, bundled.summary, options)
    print_table(table)
