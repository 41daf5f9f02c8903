"""What the pages show is run: programs as they stand, commands as a shell takes them, with budgets of seconds.

Every command is also read by the command line: names and options must be there. Those for experiments are run in
``test_docs_experiments.py``.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from goalward import plan
from goalward.baselines.fast_downward import find_driver
from goalward.cli.commands import program
from goalward.task.domains import generate
from goalward.task.states import format_problem, random_walk_states

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
EXECUTED = ["index.md", "learn-and-solve.md", "plan-and-improve.md", "python.md", "unified-planning.md"]
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LONG = re.compile(r"(?<![\w.])(\d+m|[1-9]\ds|\d+h)(?!\w)")
SIZE = re.compile(r"--size \d+")
LEARNS = re.compile(r"train|learn")
COMMAND = re.compile(r"^    (?:\.venv/bin/)?(goalward [a-z](?:[^\n]*\\\n)*[^\n]*)$", flags=re.MULTILINE)


def short(text: str, seconds: str = "2s") -> str:
    """Durations and sizes on the pages are what users want; here moments and the least size do."""

    def moment(line: str) -> str:
        if "goalward train " in line:  # loading PyTorch counts, and this machine may be busy
            return "12s"
        only_learns = LEARNS.search(line) and "--train-limit" not in line  # with that limit it is several methods
        return "500ms" if only_learns else seconds

    lines = text.splitlines(keepends=True)
    return SIZE.sub("--size 1", "".join(LONG.sub(moment(line), line) for line in lines))


def as_script(text: str) -> str:
    """All blocks of a page, in order, as one program."""
    lines = ["import subprocess"]
    for language, block in BLOCK.findall(text):
        part = short(block)
        lines.append(part if language == "python" else f"subprocess.run({'set -e;' + part!r}, shell=True, check=True)")
    return "\n".join(lines)


def with_program_on_path() -> dict[str, str]:
    return os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "MPLBACKEND": "Agg"}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", EXECUTED)
def test_what_a_page_shows_works(page: str, tmp_path: Path) -> None:
    if "unified" in page:
        pytest.importorskip("unified_planning", reason="unified-planning is not installed (pip install 'goalward[up]')")
    command = [sys.executable, "-c", as_script((DOCS / page).read_text())]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=with_program_on_path())
    assert run.returncode == 0, run.stdout[-1000:] + run.stderr[-3000:]


def commands() -> list[tuple[str, str]]:
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    found = []
    for page in sorted(pages):
        for line in COMMAND.findall(page.read_text()):
            alternatives = line.replace("\\\n", " ").split("#")[0].split(" | ")
            found += [(page.name, one.strip()) for one in alternatives if one.startswith("goalward")]
    return found


@pytest.fixture
def at_hand(tmp_path: Path) -> Path:
    """A folder with the files that users are said to have: a small problem, states of it, and a plan."""
    instance = generate("blocks", n=4, seed=1)
    (tmp_path / "domain.pddl").write_text(instance.domain_text)
    for name in ("p01.pddl", "problem.pddl"):
        (tmp_path / name).write_text(instance.problem_text)
    task = instance.ground()
    for folder in ("states", "small", "."):
        (tmp_path / folder).mkdir(exist_ok=True)
        for number, state in enumerate(random_walk_states(task, 2, 50, seed=3), start=1):
            (tmp_path / folder / f"p{number}.pddl").write_text(format_problem(task, state, f"p{number}"))
    (tmp_path / "sas_plan").write_text(plan(task).plan_text)
    return tmp_path


@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", ["README.md", "docs/improving.md", "docs/methods.md"])
def test_commands_and_programs_for_files_at_hand_work(page: str, at_hand: Path) -> None:
    """All but experiments: what is on a page with names that a reader replaces."""
    text = (REPOSITORY / page).read_text()
    lines = [line for line in COMMAND.findall(text) if not line.startswith("goalward experiment")]
    if find_driver() is None:
        lines = [line.replace(",fd-ff,lama", "").replace(",lama", "") for line in lines]
    search = re.compile(r"goalward (plan|improve) ")  # grounding counts, and this machine may be busy
    lines = [short(line, "5s" if search.match(line) else "2s") for line in lines]
    program = "".join(short(block) for language, block in BLOCK.findall(text) if language == "python")
    for command in (["bash", "-c", "\n".join(["set -e", *lines])], [sys.executable, "-c", program]):
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, cwd=at_hand, env=with_program_on_path()
        )
        assert run.returncode == 0, run.stdout[-1000:] + run.stderr[-3000:]


def test_there_are_commands_on_the_pages() -> None:
    assert len(commands()) > 20


@pytest.mark.parametrize(("page", "line"), commands())
def test_every_command_on_a_page_is_understood(page: str, line: str) -> None:
    command = program()
    arguments = shlex.split(line)[1:]
    while True:  # from the program to its group to the command
        name, *arguments = arguments
        command = command.get_command(None, name)
        assert command is not None, f"there is no command {name}"
        if not hasattr(command, "entries"):
            break
    command.make_context(name, arguments)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install nbformat)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (pip install nbclient)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install ipykernel)")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without outputs, which would go stale
    for cell in notebook.cells:
        cell.source = short(cell.source)
    for name, value in with_program_on_path().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()


def test_the_site_can_be_built(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="MkDocs is not installed (pip install mkdocs-material)")
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--quiet", "--site-dir", tmp_path / "site"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert run.returncode == 0, run.stderr + run.stdout
    assert (tmp_path / "site" / "index.html").is_file()


def test_scripts_that_pages_name_are_there() -> None:
    """They measure for minutes or hours, so nobody runs them here."""
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *DOCS.rglob("*.md")]
    named = {
        name
        for page in pages
        for name in re.findall(r"\b(?:benchmarks|packaging|examples)/[\w./]*\w", page.read_text())
    }
    assert len(named) > 20
    assert [name for name in sorted(named) if not (REPOSITORY / name).exists()] == []
