"""Slurm through dask-jobqueue: the script that is shown, and workers that a stand-in for sbatch starts from it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from goalward.cli.main import run
from goalward.experiments.store import FILE_NAME, Store

from .crashes import CONFIG

SLURM = """\
[slurm]
queue = "long"
account = "planning"
walltime = "02:00:00"
directives = ["--constraint=avx2"]
prologue = ["echo prepared"]
"""

# Keeps the script as the real one does, and runs it on this machine.
SBATCH = """\
#!/bin/sh
here=$(dirname "$0")
cp "$1" "$here/job.sh"
setsid sh "$here/job.sh" </dev/null >"$here/job.log" 2>&1 &
echo $! >"$here/pid"
echo "Submitted batch job 4711"
"""
SCANCEL = """\
#!/bin/sh
kill -- "-$(cat "$(dirname "$0")/pid")"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(CONFIG.format(states=1, more=SLURM))
    return path


def test_a_dry_run_shows_the_script_and_the_units_and_writes_nothing(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["experiment", "run", str(config), "-o", str(tmp_path / "out"), "--slurm", "--dry-run"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for line in ("-p long", "-A planning", "-t 02:00:00", "--cpus-per-task=1", "--mem=3G", "--constraint=avx2"):
        assert f"#SBATCH {line}" in lines
    assert "echo prepared" in lines
    assert any("dask_worker tcp://SCHEDULER:PORT" in line and "--nthreads 1" in line for line in lines)
    assert "search/blocks/bundled/blocks5/ff/-/p1" in lines
    assert lines[-1].startswith("2 units: 0 trainings, 2 searches; at most ")
    assert not (tmp_path / "out").exists()


def test_jobs_do_the_work_and_are_cancelled_at_the_end(config: Path, tmp_path: Path) -> None:
    for name, text in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        program = tmp_path / "bin" / name
        program.parent.mkdir(exist_ok=True)
        program.write_text(text)
        program.chmod(0o755)
    path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-m", "goalward", "experiment", "run", config, "-o", tmp_path / "out"]
    done = subprocess.run(
        [*command, "--slurm", "--jobs", "1"],
        capture_output=True, text=True, check=False, env=os.environ | {"PATH": path},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    with Store(tmp_path / "out" / FILE_NAME) as store:
        assert store.counts() == {"units": 2, "done": 2, "solved": 2, "failed": 0}
    assert "prepared" in (tmp_path / "bin" / "job.log").read_text()
