"""What can be imported from ``goalward``: one table, and everything that is made from it."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import goalward
from goalward.declared import Options
from goalward.errors import GoalwardError

REPOSITORY = Path(__file__).resolve().parents[1]
NAMES = [(home, name) for home, names in goalward.PUBLIC.items() for name in names]
TEXTS = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]


@pytest.fixture(scope="module")
def make_api() -> ModuleType:
    """The script that writes the files."""
    spec = importlib.util.spec_from_file_location("make_api", REPOSITORY / "docs" / "make_api.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("home", "name"), NAMES)
def test_every_name_is_what_its_home_has(home: str, name: str) -> None:
    assert getattr(goalward, name) is getattr(importlib.import_module(f"goalward.{home}"), name)


def test_everything_is_in_all_and_in_dir_once() -> None:
    names = [name for _, name in NAMES]
    assert len(set(names)) == len(names)
    assert sorted(names) == goalward.__all__
    assert {*names, "__version__"} <= {*dir(goalward)}
    everything: dict[str, object] = {}
    exec("from goalward import *", everything)
    assert set(names) <= set(everything)


def test_what_is_not_there_is_an_error_of_python() -> None:
    with pytest.raises(AttributeError, match="module 'goalward' has no attribute 'trian'"):
        goalward.trian  # type: ignore[attr-defined]


def test_importing_goalward_loads_nothing_else() -> None:
    script = (
        "import sys, goalward; print([m for m in sys.modules if m.startswith('goalward.')], 'numpy' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[] False"


def test_generated_files_are_up_to_date(make_api: ModuleType) -> None:
    stale = [path.name for path, content in make_api.files().items() if path.read_text() != content]
    assert stale == [], "run python docs/make_api.py"


def test_the_page_has_a_section_for_every_home(make_api: ModuleType) -> None:
    assert {home.split(".")[0] for home in goalward.PUBLIC} == set(make_api.SECTIONS)


@pytest.mark.parametrize(("home", "name"), NAMES)
def test_every_name_says_what_it_is(home: str, name: str, make_api: ModuleType) -> None:
    value = getattr(goalward, name)
    if inspect.isclass(value) or inspect.isroutine(value):
        assert value.__doc__, "no docstring"
        assert not value.__doc__.startswith(f"{name}("), "what a dataclass writes where nobody did"
    else:
        assert make_api.comment_on(home, name)


def test_all_options_and_errors_of_a_user_are_public() -> None:
    """Up to the rooms that need a cluster or a browser; the options of a method can also be had from its entry."""
    rooms = ("task", "search", "regression", "sampling", "learning", "baselines")
    for module in pkgutil.walk_packages(goalward.__path__, "goalward."):
        if module.name.split(".")[1] in rooms:
            importlib.import_module(module.name)
    importlib.import_module("goalward.errors")
    missing = {
        value.__name__
        for name, module in list(sys.modules.items())
        if name.startswith("goalward.") and name.split(".")[1] in (*rooms, "errors")
        for value in vars(module).values()
        if inspect.isclass(value)
        and value.__module__ == name
        and not value.__name__.startswith("_")
        and (issubclass(value, GoalwardError | Options) or value.__name__.endswith("Options"))
        and value.__name__ not in goalward.__all__
    } - {method.options.__name__ for method in goalward.METHODS.values()}
    assert missing == set()


def blocks(path: Path) -> list[str]:
    """The Python in a text."""
    return re.findall(r"```python\n(.*?)```", path.read_text(), flags=re.DOTALL)


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_what_texts_import_is_there(path: Path) -> None:
    for block in blocks(path):
        if block.startswith(">>>") or path.name == "api.md":
            continue
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "goalward":
                home = importlib.import_module(str(node.module))
                assert [a.name for a in node.names if not hasattr(home, a.name)] == []


def test_the_readme_shows_python() -> None:
    assert any("from goalward import" in block for block in blocks(REPOSITORY / "README.md"))
