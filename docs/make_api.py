"""Writes docs/api.md from the docstrings, and src/goalward/__init__.pyi for type checkers, from ``goalward.PUBLIC``.

python docs/make_api.py            # after a change to what is public, or to a docstring
python docs/make_api.py --check    # says what is stale, and exits with 1; the tests do the same
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import sys
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any

import goalward
from goalward.declared import Options, declared

REPOSITORY = Path(__file__).resolve().parents[1]
SECTIONS = {
    "task": "Tasks, states and plans",
    "search": "Planning, models and search",
    "front_door": "Learning a model",
    "regression": "Regression",
    "sampling": "Training data",
    "learning": "Methods, their options, and training step by step",
    "baselines": "Options of the other methods, and models of a domain",
    "experiments": "Experiments",
    "errors": "Errors",
}

FIRST = (
    "ground_files",
    "Task",
    "train",
    "Model",
    "load_model",
    "plan",
    "Outcome",
    "Status",
    "SearchOptions",
    "Improvement",
    "anytime_plans",
    "improve_plan",
    "as_state",
    "as_states",
    "random_walk_states",
    "format_problem",
    "validate_plan",
    "generate",
    "Watcher",
    "GoalwardError",
    "UsageError",
)
"""The twenty names that most programs need; the page begins with them."""


def files() -> dict[Path, str]:
    """The contents of the generated files."""
    return {
        REPOSITORY / "docs" / "api.md": api_page(),
        REPOSITORY / "src" / "goalward" / "__init__.pyi": stub(),
    }


def stub() -> str:
    """The package as type checkers see it: every public name, from where it is."""
    lines = ["# Made by docs/make_api.py from the table PUBLIC in __init__.py.", ""]
    for home, names in sorted(goalward.PUBLIC.items()):
        lines += [f"from goalward.{home} import {name} as {name}" for name in names]
    listed = "".join(f'    "{name}",\n' for name in goalward.__all__)
    return "\n".join(
        [*lines, "", "PUBLIC: dict[str, tuple[str, ...]]", "__version__: str", f"__all__ = [\n{listed}]", ""]
    )


def api_page() -> str:
    """All public names, by the room that they come from."""
    parts = [
        "# The Python API",
        "Everything here is imported from `goalward`, as in `from goalward import train`. "
        "`docs/make_api.py` writes this page from the docstrings.",
        "## Twenty names to begin with",
        "\n".join(["| name | |", "|---|---|", *map(first_row, FIRST)]),
    ]
    for room, title in SECTIONS.items():
        homes = [home for home in goalward.PUBLIC if home.split(".")[0] == room]
        parts.append(f"## {title}")
        parts += [entry(home, name) for home in homes for name in goalward.PUBLIC[home]]
    return "\n\n".join(parts) + "\n"


def first_row(name: str) -> str:
    """A name with the first sentence of its docstring."""
    sentence = text(getattr(goalward, name).__doc__).split("\n\n")[0].split(". ")[0].rstrip(".")
    return f"| [`{name}`](#{name.lower()}) | {sentence.replace('|', chr(92) + '|')} |"


def entry(home: str, name: str) -> str:
    """One name: what it is called with, and what it says of itself."""
    value = getattr(goalward, name)
    if inspect.isclass(value):
        return class_entry(name, value)
    if inspect.isroutine(value):
        return f"### {name}\n\n{code(signature(name, value))}\n\n{text(value.__doc__)}"
    comment = comment_on(home, name)
    return f"### {name}\n\n{comment}\n\n" + "\n".join(f"- `{key}`: {about(part)}" for key, part in value.items())


def class_entry(name: str, value: type) -> str:
    """A class: its fields or options, and its public methods and properties."""
    parts = [f"### {name}", text(value.__doc__)]
    if issubclass(value, Options):
        parts.append(options_table(value))
    elif issubclass(value, Enum):
        parts.append("\n".join(f"- `{name}.{member.name}`: {member.value}" for member in value))
    elif dataclasses.is_dataclass(value):
        parts.append(code(signature(name, value)))
    elif issubclass(value, Exception):
        return "\n\n".join(parts)
    members = [member_line(key, member) for key, member in own_members(value)]
    members = [line for line in members if "_core." not in line]  # what only the native core understands
    return "\n\n".join([*parts, *(["\n".join(members)] if members else [])])


def own_members(value: type) -> list[tuple[str, Any]]:
    """Public methods and properties that have a docstring, those of private and mixed-in classes too."""
    private = [b for b in value.__mro__ if b.__module__.startswith("goalward") and b.__name__ not in goalward.__all__]
    found: dict[str, Any] = {}
    for home in [value, *(base for base in private if base is not Options)]:
        for key, member in vars(home).items():
            plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            plain = plain.func if hasattr(plain, "func") else plain  # a cached property
            shown = inspect.isroutine(plain) or isinstance(member, property) or hasattr(member, "func")
            if shown and not key.startswith("_") and plain.__doc__:
                found.setdefault(key, member)
    return list(found.items())


def member_line(name: str, member: Any) -> str:
    """A method with what it is called with, or a property, and all that it says of itself."""
    if isinstance(member, property) or hasattr(member, "func"):
        return f"- `{name}`: {text(member.__doc__, indent='  ')}"
    plain = member.__func__ if isinstance(member, classmethod | staticmethod) else member
    return f"- `{signature(name, plain, line=10_000)}`: {text(plain.__doc__, indent='  ')}"


def options_table(value: type[Options]) -> str:
    """Options that are declared in the class itself; those of its bases stand there."""
    own = inspect.get_annotations(value)
    rows = [f"| `{o.name}` | {default(o)} | {o.help} |" for o in declared(value).values() if o.name in own]
    bases = [f"`{base.__name__}`" for base in value.__bases__ if base is not Options and issubclass(base, Options)]
    below = f"\n\nAnd the options of {' and '.join(bases)}." if bases else ""
    table = "\n".join(["| option | default | |", "|---|---|---|", *rows]) if rows else ""
    return (table + below).strip()


def default(option: Any) -> str:
    """The default of an option as text."""
    return "by preset" if option.by_preset else f"`{option.default!r}`"


def signature(name: str, value: Any, line: int = 110) -> str:
    """The signature of a call; long ones have one parameter per line."""
    found = inspect.signature(value)
    parameters, starred = [], False
    for parameter in found.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parameters.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        kind = "" if parameter.annotation is parameter.empty else f": {annotation(parameter.annotation)}"
        given = "" if parameter.default is parameter.empty else f" = {parameter.default!r}".replace("<factory>", "…")
        if parameter.name not in ("self", "cls"):
            parameters.append(f"{stars}{parameter.name}{kind}{given}")
    result = found.return_annotation
    end = "" if inspect.isclass(value) or result in (found.empty, None, "None") else f" -> {annotation(result)}"
    short = f"{name}({', '.join(parameters)}){end}"
    return short if len(short) <= line else f"{name}(\n" + "".join(f"    {p},\n" for p in parameters) + f"){end}"


def annotation(kind: Any) -> str:
    """A type as it is written in the source."""
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def text(docstring: str | None, indent: str = "") -> str:
    """A docstring as Markdown: roles and double quotes become code, examples become blocks."""
    plain = inspect.cleandoc(docstring or "")
    plain = re.sub(r":\w+:`~?([^`]+)`", lambda m: f"`{m[1].rsplit('.', 1)[-1]}`", plain)
    plain = plain.replace("``", "`").replace("  # doctest: +SKIP", "")
    blocks = re.split(r"\n\n+", plain)
    shown = [
        code(block) if block.startswith(">>>") else re.sub(r"\n(?!- )\s*", " ", block)  # items of lists stay apart
        for block in blocks
    ]
    return f"\n\n{indent}".join(block.replace("\n", f"\n{indent}") for block in shown)


def code(block: str) -> str:
    """A block of Python."""
    return f"```python\n{block}\n```"


def about(value: Any) -> str:
    """An entry of a table such as HEURISTICS in half a sentence."""
    return value if isinstance(value, str) else str(getattr(value, "summary", ""))


def comment_on(home: str, name: str) -> str:
    """The docstring below a table's assignment."""
    source = Path(str(import_module(f"goalward.{home}").__file__)).read_text()
    body = ast.parse(source).body
    for node, after in pairwise(body):
        target = getattr(node, "target", None) or (getattr(node, "targets", None) or [None])[0]
        if (
            getattr(target, "id", None) == name
            and isinstance(after, ast.Expr)
            and isinstance(after.value, ast.Constant)
        ):
            return text(str(after.value.value))
    raise SystemExit(f"goalward.{home}.{name} is public and has no docstring below it")


def main() -> None:
    """Write, or say what is stale."""
    stale = [path for path, content in files().items() if not path.exists() or path.read_text() != content]
    if "--check" in sys.argv[1:]:
        if stale:
            raise SystemExit(f"stale: {', '.join(map(str, stale))}; run python docs/make_api.py")
        return
    for path in stale:
        path.write_text(files()[path])
        print(f"{path.relative_to(REPOSITORY)} written")


if __name__ == "__main__":
    main()
