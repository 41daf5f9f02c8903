"""``goalward inspect``: describe a grounded problem, a stored task or a model."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from goalward.cli.console import print_json, say
from goalward.cli.live import spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import FORCE, JSON, argument, command, path_flag
from goalward.errors import UsageError
from goalward.measures import format_duration
from goalward.outward import printable
from goalward.search.learned import is_model, load_model
from goalward.task.grounding import ground_files
from goalward.task.packing import native_problem
from goalward.task.store import load_task, save_task
from goalward.task.strips import Task


@command(
    argument("domain", "PDDL domain file; or, alone, a model or a task stored with --save"),
    argument("problem", "PDDL problem file", required=False),
    path_flag("--save", help="store the grounded task in this file"),
    FORCE,
    JSON,
)
def inspect(domain: Path, problem: Path | None, save: Path | None, force: bool, as_json: bool) -> None:
    """Print the result of grounding (atoms, operators, mutex groups, bytes per state), or the contents of a model."""
    if save is not None:
        check_output(save, [domain, problem], force=force)
    started = time.perf_counter()
    learned: dict[str, Any] = {}
    task: Task | None
    with spinner("grounding"):
        if problem is not None:
            task = ground_files(domain, problem)
        elif is_model(domain):
            model = load_model(domain)
            task, learned = model.task, model.summary(details=as_json)
        else:
            task = load_task(domain)
        grounded = {} if task is None else describe(task)
    seconds = {"seconds": round(time.perf_counter() - started, 3)}
    if save is not None:
        if task is None:
            raise UsageError(f"{domain}: a model of a whole domain contains no task to store")
        save_task(task, save)
    if as_json:
        print_json(grounded | learned | seconds)
        return
    show({"Task": grounded, "Model": learned})
    say(f"\n{'grounded' if problem else 'read'} in {format_duration(seconds['seconds'])}")
    if save is not None:
        say(f"stored in {save}")


def show(sections: dict[str, dict[str, Any]]) -> None:
    """Print sections of names and values; a nested table, such as the options, becomes a section of its own."""
    for title, facts in sections.items():
        tables = {name.capitalize(): value for name, value in facts.items() if isinstance(value, dict)}
        _show_section(title, {name.replace("_", " "): v for name, v in facts.items() if not isinstance(v, dict)})
        for name, table in tables.items():
            _show_section(name, table)  # the names of options are not changed


def _show_section(title: str, facts: dict[str, Any]) -> None:
    if facts:
        click.echo(click.style(printable(title), bold=True))
    width = max(map(len, facts), default=0)
    for name, value in facts.items():
        say(f"  {name:{width}}  {shown(value)}")


def shown(value: Any) -> str:
    """A value as text."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(shown, value)) or "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def describe(task: Task) -> dict[str, Any]:
    """Names and values of a grounded task."""
    problem = native_problem(task, whole=False)
    lengths = task.mutex_groups.lengths
    return {
        "domain": task.domain_name,
        "problem": task.problem_name,
        "atoms": task.n_atoms,
        "complement_atoms": int((task.complement_of >= 0).sum()),
        "operators": task.n_operators,
        "goal_atoms": len(task.goal),
        "true_initially": len(task.init),
        "initial_states": len(task.inits),
        "mutex_groups": len(task.mutex_groups),
        "largest_mutex_group": int(lengths.max()) if len(lengths) else 0,
        "atoms_in_mutex_groups": int((task.groups_of.lengths > 0).sum()),
        "uses_costs": task.uses_costs,
        "search_variables": problem.n_variables,
        "search_bits_per_state": problem.state_bits,
        "search_bytes_per_state": problem.state_bytes,
    }
