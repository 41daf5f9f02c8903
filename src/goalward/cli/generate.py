"""``goalward generate``: write an instance of a bundled domain."""

from __future__ import annotations

from pathlib import Path

from goalward.cli.console import say
from goalward.cli.outputs import check_output
from goalward.cli.parameters import FORCE, argument, command, flag, path_flag, settings_flag
from goalward.cli.terminal import make_table, print_table
from goalward.declared import WHOLE, split_setting
from goalward.errors import UsageError
from goalward.task.domains import DOMAINS
from goalward.task.domains import generate as make_instance
from goalward.task.plan_file import write_text_atomically


@command(
    argument("domain", ", ".join(DOMAINS), required=False, type=str),
    flag("--size", help="one number for all parameters; larger is harder", kind=WHOLE),
    flag("--seed", help="same seed and parameters, same instance", default=0),
    settings_flag("a parameter of the domain"),
    path_flag("--output", "-o", help="folder for domain.pddl and problem.pddl  [default: the instance's name]"),
    FORCE,
)
def generate(
    domain: str | None, size: int | None, seed: int, settings: tuple[str, ...], output: Path | None, force: bool
) -> None:
    """Write domain.pddl and problem.pddl of a solvable instance; without a domain, list the bundled domains."""
    if domain is None:
        _list()
        return
    instance = make_instance(domain, seed=seed, size=size, **_parse_settings(settings))
    folder = output or Path(instance.problem_name)
    folder.mkdir(parents=True, exist_ok=True)
    texts = {folder / "domain.pddl": instance.domain_text, folder / "problem.pddl": instance.problem_text}
    for path, text in texts.items():
        check_output(path, [], force=force, text=text)
    for path, text in texts.items():
        write_text_atomically(path, text)
    say(" ".join(map(str, texts)))


def _parse_settings(settings: tuple[str, ...]) -> dict[str, int]:
    parameters: dict[str, int] = {}
    for setting in settings:
        name, value = split_setting(setting, "NAME=VALUE with a whole number")
        try:
            parameters[name] = int(value)
        except ValueError:
            raise UsageError(f"--set {setting}: write it as NAME=VALUE with a whole number") from None
        if name in {"seed", "size", "domain"}:
            raise UsageError(f"--set {setting}: {name} is not a parameter of a domain; use --{name}")
    return parameters


def _list() -> None:
    rows = []
    for bundled in DOMAINS.values():
        options = "\n".join(f"{o.name}={o.default} ({o.low}…{o.high}) {o.help}" for o in bundled.options)
        rows.append((bundled.name, bundled.summary, options))
    print_table(make_table(("domain", "description", "parameters (default, bounds)"), rows, left=3))
