"""Writes the reference pages docs/command-line.md and docs/options.md from the commands and options themselves.

python docs/make_reference.py            # after a change to a command or to an option
python docs/make_reference.py --check    # names the stale pages and exits with 1; the tests do the same
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from goalward.cli import commands
from goalward.declared import Option, own_first
from goalward.learning.methods import METHODS, Method
from goalward.learning.options import PRESETS

DOCS = Path(__file__).resolve().parent
NOTE = "<!-- Written by docs/make_reference.py; do not edit. -->"


def pages() -> dict[Path, str]:
    """The content that each page should have."""
    return {DOCS / "command-line.md": command_line_page(), DOCS / "options.md": options_page()}


# --- the command line ---


def command_line_page() -> str:
    """Every command with its arguments and flags."""
    found = list(commands_of(commands.program(), commands.PROGRAM))
    parts = [
        "# Command line",
        NOTE,
        "`goalward COMMAND --help` prints the same. Durations are written as `90s`, `5m` or `1h30m`, sizes\n"
        "as `512M` or `4G`. `goalward --version` prints the version. `goalward --debug COMMAND …` shows the\n"
        "place in the code at which an error arose. [Installation](installation.md#shell-completion) has\n"
        "shell completion.",
        "See also the [options of the learners](options.md), the [exit codes](exit-codes.md) and the\n"
        "[file formats](file-formats.md).",
        "\n".join(["| command | purpose |", "|---|---|", *(summary_row(*one) for one in found)]),
    ]
    parts += [command_entry(path, command) for path, command in found]
    return "\n\n".join(parts) + "\n"


def commands_of(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    """All commands below a group, each with the words that call it."""
    for name in group.list_commands(None):
        command = group.get_command(None, name)
        if hasattr(command, "list_commands"):
            yield from commands_of(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


def summary_row(path: str, command: Any) -> str:
    """A row of the table at the top of the page."""
    first = re.split(r"(?<=[.;:])\s", text_of(command.help or ""))[0].rstrip(".;:")
    return f"| [`{path}`](#{path.replace(' ', '-')}) | {first}. |"


def command_entry(path: str, command: Any) -> str:
    """One command: its usage, its help text, and a table of its arguments and flags."""
    with command.make_context(path.rsplit(" ", 1)[-1], [], resilient_parsing=True) as context:
        usage = " ".join([path, *command.collect_usage_pieces(context)])
        rows = [row for parameter in command.get_params(context) if (row := parameter_row(parameter, context))]
    table = "\n".join(["| | |", "|---|---|", *rows])
    return f"## {path}\n\n```text\n{usage}\n```\n\n{text_of(command.help or '', paragraphs=True)}\n\n{table}"


def parameter_row(parameter: Any, context: Any) -> str | None:
    """An argument or flag in a table; None if it is hidden or is ``--help``."""
    if parameter.name == "help" or getattr(parameter, "hidden", False):
        return None
    if parameter.param_type_name == "argument":
        name = parameter.make_metavar(context) if not parameter.metavar else parameter.metavar
        return f"| `{name}` | {cell(getattr(parameter, 'help', None) or '')} |"
    record = parameter.get_help_record(context)
    return record and f"| `{record[0].replace('|', chr(92) + '|')}` | {cell(record[1])} |"


def text_of(help_text: str, *, paragraphs: bool = False) -> str:
    """Help text as Markdown: the first paragraph, or all of them."""
    found = [" ".join(paragraph.split()) for paragraph in help_text.replace("\b", "").split("\n\n")]
    return "\n\n".join(map(escaped, found)) if paragraphs else escaped(found[0])


# --- options of learners ---


def options_page() -> str:
    """The options of every learner; those that the default method has are listed once."""
    shared = METHODS["n-rsl"]
    known = {option.name for option in own_first(shared.options)}
    parts = [
        "# Options of the learners",
        NOTE,
        "Set an option with `--set` of `goalward train` (`--set max_epochs=20`), as a keyword of\n"
        "`goalward.train` (`max_epochs=20`), or as a key of `options` in the config of an experiment.\n"
        "`goalward methods NAME` prints the options of one method. If a default depends on the preset, the\n"
        "table has both values; `fast` is the default preset. [How goalward learns](learning.md) explains\n"
        "what the options do.",
        "## n-rsl and rsl",
        table_of(own_first(shared.options)),
    ]
    for method in METHODS.values():
        own = [option for option in own_first(method.options) if option.name not in known]
        if own and method.name not in ("n-rsl", "rsl"):
            parts += [f"## {method.name}", introduction(method, known), table_of(own)]
    return "\n\n".join(parts) + "\n"


def introduction(method: Method, known: set[str]) -> str:
    """A method in a sentence, and the options that it shares with the default method."""
    shared = [f"`{option.name}`" for option in own_first(method.options) if option.name in known]
    more = f" It also has these options of `n-rsl`: {', '.join(shared)}." if shared else ""
    return f"{escaped(method.summary)} ({escaped(method.reference)}).{more}"


def table_of(options: list[Option]) -> str:
    """Options with their defaults and bounds."""
    rows = [f"| `{o.name}` | {default(o)} | {cell(o.expected)} | {cell(o.help)} |" for o in options]
    return "\n".join(["| option | default | value | meaning |", "|---|---|---|---|", *rows])


def default(option: Option) -> str:
    """The default value, or that of each preset."""
    if not option.by_preset:
        return "none" if option.default is None else f"`{shown(option, option.default)}`"
    values = {name: shown(option, values[option.name]) for name, values in PRESETS.items()}
    if len(set(values.values())) == 1:
        return f"`{next(iter(values.values()))}`"
    return ", ".join(f"`{value}` ({name})" for name, value in values.items())


def shown(option: Option, value: Any) -> str:
    """A value as it is written on the command line."""
    return option.kind.to_text(value)


# --- Markdown ---


def cell(text: str) -> str:
    """A text in a cell of a table."""
    return escaped(" ".join(text.split())).replace("|", "\\|")


def escaped(text: str) -> str:
    """A text in which Markdown finds no markup."""
    return re.sub(r"([<*_])", r"\\\1", text)


def main() -> None:
    """Write the pages, or say which are stale."""
    stale = {path: text for path, text in pages().items() if not path.exists() or path.read_text() != text}
    if "--check" in sys.argv[1:]:
        if stale:
            raise SystemExit(f"stale: {', '.join(path.name for path in stale)}; run python docs/make_reference.py")
        return
    for path, text in stale.items():
        path.write_text(text)
        print(f"docs/{path.name} written")


if __name__ == "__main__":
    main()
