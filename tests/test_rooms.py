"""The rooms of the house stand in one order, and each knows only those before it."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import goalward
from goalward.learning.methods import learned_methods

ROOMS = ("task", "search", "regression", "sampling", "learning", "baselines", "experiments", "report", "cli", "up")
ANYONE_MAY_IMPORT = ("declared", "display", "errors", "extras", "former_names", "measures", "outward", "_core")
SOURCE = Path(goalward.__file__).parent


def imported_modules(text: str, package: str) -> list[tuple[int, str]]:
    """Line and full name of everything a module imports, inside functions too; relative names are resolved."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")
            base = ".".join(parents[: len(parents) - node.level + 1]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            found += [(node.lineno, f"{module}.{alias.name}") for alias in node.names]
    return found


def offences(text: str, package: str) -> list[str]:
    """Imports that a module of a package may not have."""
    room = package.split(".")[1] if "." in package else ""
    allowed = {*ANYONE_MAY_IMPORT, *(ROOMS[: ROOMS.index(room) + 1] if room else ROOMS)}
    return [
        f"line {line}: {name}"
        for line, name in imported_modules(text, package)
        if name == "goalward" or (name.startswith("goalward.") and name.split(".")[1] not in allowed)
    ]


def modules() -> list[Path]:
    return sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))


@pytest.mark.parametrize("module", modules(), ids=str)
def test_a_room_imports_only_itself_and_earlier_rooms(module: Path) -> None:
    package = ".".join(["goalward", *module.parent.parts])
    assert offences((SOURCE / module).read_text(), package) == []


def test_every_folder_is_a_room_that_has_its_place_in_the_order() -> None:
    folders = {path.parent.relative_to(SOURCE).parts[0] for path in SOURCE.rglob("*.py") if path.parent != SOURCE}
    assert folders <= set(ROOMS)
    assert "search" in folders


def test_the_package_knows_its_version() -> None:
    assert goalward.__version__ == version("goalward")


def test_every_room_says_what_it_is_for() -> None:
    rooms = [room for room in ROOMS if list((SOURCE / room).glob("*.py"))]
    assert [room for room in rooms if not _docstring(SOURCE / room / "__init__.py")] == []


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text())) if path.exists() else None


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("goalward.task", "from goalward.search import search"),
        ("goalward.task", "def f():\n    import goalward.search.best_first"),
        ("goalward.task.domains", "from ...search import search"),
        ("goalward.search", "from ..cli import main"),
        ("goalward.search", "from goalward import learning"),
        ("goalward.search", "import goalward"),
    ],
)
def test_the_check_finds_what_it_looks_for(package: str, text: str) -> None:
    assert offences(text, package)


@pytest.mark.parametrize(
    ("package", "text"),
    [
        ("goalward.search", "from goalward import _core\nfrom goalward.errors import UsageError"),
        (
            "goalward.search",
            "from goalward.task.strips import Task\nfrom .heuristics import bind_heuristic\nimport torch",
        ),
        ("goalward.cli", "from goalward.task import strips\nfrom ..learning import train"),
    ],
)
def test_the_check_lets_through_what_is_right(package: str, text: str) -> None:
    assert offences(text, package) == []


EVERY_METHOD = "; ".join(f"make_options('{name}')" for name in learned_methods())


@pytest.mark.parametrize(
    "code",
    [
        "import goalward, goalward.task.grounding, goalward.search",
        f"from goalward.learning.methods import make_options; {EVERY_METHOD}",
        "from goalward.cli.main import run; run(['train', '--help']); run(['methods', 'boot'])",
        "from goalward.experiments.config import load_config; load_config('paper-table', ['benchmark.folder=.'])",
    ],
    ids=["packages", "options", "help", "config"],
)
def test_reading_options_and_configs_does_not_import_torch(code: str) -> None:
    script = f"{code}\nimport sys; print([name for name in sys.modules if name.split('.')[0] == 'torch'])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_every_slow_test_that_is_listed_exists() -> None:
    tests = Path(__file__).parent
    for line in (tests / "slow.txt").read_text().splitlines():
        file, _, name = line.partition("::")
        if not line.startswith("#"):
            assert (tests / file).is_file(), line
            assert not name or f"\ndef {name}(" in (tests / file).read_text(), line
