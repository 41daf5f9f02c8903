"""What the pages show is run: programs as they stand, commands as a shell takes them, with budgets of seconds.

Every command is also read by the command line: names and options must be there. Those for experiments are run in
``test_docs_experiments.py``. Links, file names and generated pages are checked, too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from goalward import plan
from goalward.baselines.fast_downward import find_driver
from goalward.cli.commands import program
from goalward.errors import ExitCode
from goalward.task.domains import generate
from goalward.task.states import format_problem, random_walk_states

REPOSITORY = Path(__file__).resolve().parents[1]
DOCS = REPOSITORY / "docs"
EXECUTED = [
    "index.md",
    "learn-and-solve.md",
    "next-action.md",
    "plan-and-improve.md",
    "python.md",
    "unified-planning.md",
]
PAGES = sorted([*REPOSITORY.glob("*.md"), *DOCS.rglob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LONG = re.compile(r"(?<![\w.])(\d+m|[1-9]\ds|\d+h)(?!\w)")
SIZE = re.compile(r"--size \d+")
LEARNS = re.compile(r"train|learn")
TRAIN = re.compile(r"goalward train ")
FEW = {"n-rsl": "--set samples=1000 --set max_epochs=2 ", "boot": "--set max_rounds=2 "}
"""With these a training ends after few epochs, however fast the machine is."""
ENDS_BY_ITSELF = re.compile(r"goalward (solve|plan) (?!.*--anytime)")  # with the first plan, whatever the limit
MENTIONED = re.compile(r"`goalward (?!results`)([a-z][^`]*)`")  # "goalward results" is a file format
COMMAND = re.compile(r"^    (?:\.venv/bin/)?(goalward [a-z](?:[^\n]*\\\n)*[^\n]*)$", flags=re.MULTILINE)


def short(text: str, seconds: str = "2s") -> str:
    """Durations and sizes on the pages are what users want; here moments and the least size do."""

    def moment(line: str) -> str:
        if TRAIN.search(line):  # loading PyTorch counts, and this machine may be busy
            return "60s"
        only_learns = LEARNS.search(line) and "--train-limit" not in line  # with that limit it is several methods
        return "500ms" if only_learns else seconds

    def with_few_epochs(line: str) -> str:
        return TRAIN.sub(r"\g<0>" + FEW["boot" if "--method boot" in line else "n-rsl"], line)

    lines = map(with_few_epochs, text.splitlines(keepends=True))
    shortened = [line if ENDS_BY_ITSELF.search(line) else LONG.sub(moment(line), line) for line in lines]
    return SIZE.sub("--size 1", "".join(shortened))


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
    found = []
    for page in PAGES:
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
    lines = [short(line, "5s" if re.search("improve|--anytime", line) else "2s") for line in lines]  # grounding counts
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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_commands_and_flags_in_sentences_exist(page: Path) -> None:
    """Arguments may be left out there, so the line cannot be read as a whole."""
    if "lab" in page.parts or page.name == "CHANGELOG.md":
        return  # they tell of earlier versions
    for line in MENTIONED.findall(page.read_text()):
        command, words = program(), line.split()
        while hasattr(command, "entries") and words:
            name, *words = words
            command = command.get_command(None, name)
            assert command is not None, f"there is no command {name}"
        flags = {flag for parameter in command.params for flag in parameter.opts}
        assert [word for word in words if word.startswith("-") and word.split("=")[0] not in flags] == []


@pytest.mark.timeout(600)
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed (pip install nbformat)")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed (pip install nbclient)")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed (pip install ipykernel)")
    notebook = nbformat.read(path, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells)  # kept without outputs, which would go stale
    for cell in notebook.cells:
        cell.source = short(cell.source).replace("states = 3", "states = 1")
    for name, value in with_program_on_path().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    client = nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    """Those between pages of the site are checked by MkDocs as well, anchors included; it does not see the README."""
    links = [link.split("#")[0] for link in LINK.findall(page.read_text()) if not re.match(r"\w+:|#", link)]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", ["architecture.md", "native-core.md", "learning.md", "improving.md"])
def test_files_that_an_explanation_names_are_there(page: str) -> None:
    named = set(re.findall(r"`(?:tests/)?([\w/]+\.py)\b", (DOCS / page).read_text()))
    sources = [str(path) for folder in ("src", "tests") for path in (REPOSITORY / folder).rglob("*.py")]
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in sources)] == []


def test_the_page_on_the_native_core_names_files_that_are_there() -> None:
    heading = ""
    for line in (DOCS / "native-core.md").read_text().splitlines():
        if line.startswith("## "):
            heading = line
        elif line.startswith("| `"):
            names = re.findall(r"`([\w/]+)`", line.split("|")[1])
            places = re.findall(r"`([\w/]+)/`", heading) or [""]
            first = names[0].rsplit("/", 1)[0] if "/" in names[0] else ""
            for name in names:
                path = name if "/" in name or not first else f"{first}/{name}"
                tried = [REPOSITORY / "src" / "native" / place / path for place in [*places, "search"]]
                assert any(list(one.parent.glob(f"{one.name}.*pp")) for one in tried), f"{heading}: {name}"


def test_generated_pages_are_up_to_date() -> None:
    command = [sys.executable, DOCS / "make_reference.py", "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_every_exit_code_is_on_its_page() -> None:
    listed = re.findall(r"^\| (\d+) \|", (DOCS / "exit-codes.md").read_text(), flags=re.MULTILINE)
    assert [int(code) for code in listed] == sorted(code.value for code in ExitCode)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as ``make docs`` does; warnings are errors."""
    pytest.importorskip("mkdocs", reason="MkDocs is not installed (pip install mkdocs-material)")
    folder = tmp_path_factory.mktemp("documentation") / "site"
    command = [sys.executable, "-W", "ignore", "-m", "mkdocs", "build", "--quiet", "--site-dir", folder]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=REPOSITORY)
    assert run.returncode == 0, run.stderr + run.stdout
    return folder


@pytest.mark.timeout(600)
def test_the_site_needs_no_other_site(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert site / "index.html" in pages
    loaded = [
        address
        for page in pages
        for address in re.findall(r"<(?:script|img)[^>]* src=\"(\w+:[^\"]*)", page.read_text())
    ]
    assert [address for address in loaded if address.startswith("http")] == []


@pytest.mark.timeout(600)
def test_search_works_when_the_site_is_opened_from_disk(site: Path, tmp_path: Path) -> None:
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if browser is None:
        pytest.skip("Chromium is not installed")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}"]
    command += ["--virtual-time-budget=20000", "--dump-dom", f"{(site / 'index.html').as_uri()}?q=landmark"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert re.search(r"\b[1-9]\d* matching documents", run.stdout), run.stdout[-1000:] + run.stderr[-1000:]


def test_scripts_that_pages_name_are_there() -> None:
    """They are not run, because they measure for minutes or hours."""
    named = {
        name
        for page in PAGES
        for name in re.findall(r"\b(?:benchmarks|packaging|examples)/[\w./]*\w", page.read_text())
    }
    assert len(named) > 20
    assert [name for name in sorted(named) if not (REPOSITORY / name).exists()] == []
