"""The commands for experiments that the pages show are run, on one tiny experiment that all of them share.

A config that takes minutes or days is run as a tiny one under the same options, or with ``--dry-run``: then it is read
and its units are listed. Not run at all: ``pip install`` (the tests have what it installs), and ``--slurm`` without
``--dry-run``, which ``tests/experiments/test_slurm.py`` does with stand-ins for Slurm's programs.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalward.baselines.fast_downward import find_driver
from goalward.cli.main import run
from goalward.task.domains import generate
from test_docs import BLOCK, COMMAND, DOCS, REPOSITORY, with_program_on_path

pytest.importorskip("distributed", reason="Dask is not installed (pip install 'goalward[experiments]')")

TINY = """\
states = 1
{source}
[budgets]
search = "20s"

[[methods]]
label = "n-rsl"  # the report's example names it; nothing is learned here, which would take long
method = "portfolio"

[[methods]]
method = "ff"
"""
BUNDLED = '[[generate]]\ndomain = "blocks"\ndifficulty = "hard"\nparameters = { n = 4 }\n'
PUBLIC = '[benchmark]\ndomains = ["blocks"]\ndifficulties = ["hard"]\n'
INSTANCES = [
    "blocks/moderate/probBLOCKS-14-0",
    "blocks/hard/probBLOCKS-18-4",
    "storage/moderate/p18",
    "transport-opt14-strips/moderate/p10",
    "visitall-opt14-strips/moderate/p-1-12",
]
"""What the repository's configs choose from the public benchmark, by name; here all are the same small problem."""
BY_HAND = re.compile(r"^    umask .*\n(?:    .*\n)+", flags=re.MULTILINE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A reader's folder and home: a small benchmark, an experiment that was run, the repository's own configs."""
    here = tmp_path_factory.mktemp("reader")
    instance = generate("blocks", n=4, seed=1)
    for name in INSTANCES:
        place = here / "ferber" / name
        place.mkdir(parents=True)
        (place / "domain.pddl").write_text(instance.domain_text)
        for state in ("problem", "p1"):
            (place / f"{state}.pddl").write_text(instance.problem_text)
    (here / "smoke.toml").write_text(TINY.format(source=BUNDLED))
    (here / "paper-table.toml").write_text(TINY.format(source=PUBLIC))
    for name in ("benchmarks", "docs"):
        (here / name).symlink_to(REPOSITORY / name)
    (here / "FOLDER").symlink_to("ferber")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(here)
        patch.setenv("HOME", str(here))
        call(first_of("experiments.md", "run smoke").replace("smoke", "smoke.toml") + " --jobs 1")
        for name in ("DIR", "table"):
            (here / name).symlink_to("out")
        yield here


def lines_of(page: str) -> list[str]:
    """The commands for experiments on a page."""
    found = COMMAND.findall((REPOSITORY / page).read_text())
    return [line.split(" #")[0].strip() for line in found if line.startswith("goalward experiment")]


def first_of(page: str, words: str) -> str:
    return next(line for line in lines_of(f"docs/{page}") if words in line)


def call(line: str) -> None:
    """Run a command as a shell would, in this process: starting one each would take most of the time."""
    program, *words = shlex.split(line)
    assert program == "goalward"
    assert run([os.path.expanduser(word) for word in words]) == 0, line


PLANNED = [
    (page, line)
    for page in ("README.md", "CONTRIBUTING.md", "docs/experiments.md", "docs/results/README.md")
    for line in lines_of(page)
    if line.startswith("goalward experiment run") and "--scheduler" not in line
]


@pytest.mark.parametrize(("page", "line"), PLANNED)
def test_what_is_to_be_run_can_be(page: str, line: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if find_driver() is None and " smoke " not in line:
        pytest.skip("Fast Downward is not installed (pip install 'goalward[baselines]')")
    call(line if "--dry-run" in line else f"{line} --dry-run")
    units = re.search(r"^(\d+) units: ", capsys.readouterr().out, flags=re.MULTILINE)
    assert units is not None
    assert int(units[1]) > 0


def test_an_experiment_can_be_looked_at(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for page in ("README.md", "docs/experiments.md", "docs/results/README.md") for line in lines_of(page)]
    shown = [line for line in lines if not line.startswith("goalward experiment run")]
    assert any("status" in line for line in shown)
    assert any("report" in line for line in shown)
    for line in shown:
        call(line)
    assert "2 of 2 units done, complete" in capsys.readouterr().out
    assert {"report.html", "kept.json"} <= {path.name for path in folder.iterdir()}


def test_what_the_page_on_reports_shows_works(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = 0
    for line in lines_of("docs/report.md"):
        first, *others = line.split(" | ")  # a line may show several options to choose from
        beginning = first[: first.index(" --")] if others else first
        for command in [first, *(f"{beginning} {other}" for other in others)]:
            kind = re.search(r"--(lab|parquet|csv) OUT", command)
            call(command.replace("OUT", f"OUT.{kind[1] if kind else ''}").replace("PROPERTIES", "OUT.lab"))
            commands += 1
    assert commands == 5
    files = ("report.html", "table.tex", "OUT.lab", "OUT.parquet", "OUT.csv")
    assert [name for name in files if not (folder / name).is_file()] == []
    out = capsys.readouterr().out
    assert "2 runs read, 0 of them new" in out
    for language, block in BLOCK.findall((DOCS / "report.md").read_text()):
        assert language == "python"
        exec(compile(block, "report.md", "exec"), {})
    assert "n-rsl" in capsys.readouterr().out


@pytest.mark.timeout(300)
def test_a_scheduler_and_a_worker_can_be_started_by_hand(folder: Path) -> None:
    """Key, scheduler, worker and experiment as the page has them; the tiny experiment, and a port that is free."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    (block,) = BY_HAND.findall((DOCS / "experiments.md").read_text())
    lines = []
    for line in block.splitlines():
        here = (
            re.sub(r" #.*", "", line).replace("HOST:8786", f"127.0.0.1:{port}").replace("127.0.0.1:8787", "127.0.0.1:0")
        )
        here = here.replace("run paper-table -o table", "run paper-table.toml -o by-hand")
        here = here.replace("dask scheduler ", f"dask scheduler --port {port} ")
        lines.append(f"{here} &" if here.strip().startswith("dask") else here)
    assert sum(line.endswith("&") for line in lines) == 2
    script = "\n".join(["set -e", *lines])
    log = folder / "by-hand.log"
    with log.open("w") as file:
        shell = subprocess.Popen(
            ["bash", "-c", script], stdout=file, stderr=file, env=with_program_on_path(), start_new_session=True
        )
        try:
            code = shell.wait(timeout=240)
        finally:
            os.killpg(shell.pid, signal.SIGKILL)  # scheduler and worker go on until they are ended
    assert code == 0, log.read_text()[-3000:]
    assert (folder / "by-hand" / "results.sqlite").is_file()
    assert (folder / "dask.key").stat().st_mode & 0o077 == 0
    assert "2 of 2" in log.read_text()
