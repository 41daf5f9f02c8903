"""Slurm through dask-jobqueue: the script that is shown, and workers that stand-ins for its programs start from it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from goalward.cli.main import run
from goalward.errors import ExitCode
from goalward.experiments import clusters
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

# A cluster of one machine: jobs are numbered, run at once, and are gone from the queue when they have ended.
PROGRAMS = {
    "sbatch": """\
#!/bin/sh
here=$(dirname "$0")
if [ "$1" = --test-only ]; then
    grep -q "^#SBATCH -p nowhere" "$2" || exit 0
    echo "sbatch: error: invalid partition specified: nowhere" >&2
    exit 1
fi
mkdir -p "$here/jobs"
number=$(($(ls "$here/jobs" | wc -l) + 1))
job="$here/jobs/$number"
mkdir "$job"
cp "$1" "$job/script"
setsid sh "$job/script" </dev/null >"$job/log" 2>&1 &
echo $! >"$job/pid"
echo "Submitted batch job $number"
""",
    "squeue": """\
#!/bin/sh
for job in "$(dirname "$0")"/jobs/*; do
    kill -0 "$(cat "$job/pid")" 2>/dev/null && basename "$job"
done
exit 0
""",
    "scancel": """\
#!/bin/sh
kill -- "-$(cat "$(dirname "$0")/jobs/$1/pid")"
""",
}


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


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the programs, which are first on the path."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name, text in PROGRAMS.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(clusters, "SLURM_RESTART_SECONDS", 0.5)
    return folder


def run_on_slurm(config: Path, output: Path) -> int:
    return run(["experiment", "run", str(config), "-o", str(output), "--slurm", "--jobs", "1"])


def test_jobs_do_the_work_and_are_cancelled_at_the_end(config: Path, slurm: Path, tmp_path: Path) -> None:
    assert run_on_slurm(config, tmp_path / "out") == 0
    with Store(tmp_path / "out" / FILE_NAME) as store:
        assert store.counts() == {"units": 2, "done": 2, "solved": 2, "failed": 0}
    assert "prepared" in (slurm / "jobs" / "1" / "log").read_text()


def test_a_job_that_dies_before_its_worker_is_there_is_replaced(config: Path, slurm: Path, tmp_path: Path) -> None:
    mark = tmp_path / "tried"
    config.write_text(config.read_text().replace("echo prepared", f"mkdir {mark} && exit 1"))
    assert run_on_slurm(config, tmp_path / "out") == 0
    with Store(tmp_path / "out" / FILE_NAME) as store:
        assert store.counts()["solved"] == 2
    assert len(list((slurm / "jobs").iterdir())) == 2


def test_a_job_that_is_ended_in_the_middle_is_replaced(config: Path, slurm: Path, tmp_path: Path) -> None:
    config.write_text(CONFIG.format(states=4, more=SLURM))

    def end_the_first_job() -> None:
        done = 0
        while not done:
            time.sleep(0.05)
            with contextlib.suppress(Exception), Store(tmp_path / "out" / FILE_NAME) as store:
                done = store.counts()["done"]
        os.killpg(int((slurm / "jobs" / "1" / "pid").read_text()), signal.SIGKILL)

    killer = threading.Thread(target=end_the_first_job)
    killer.start()
    assert run_on_slurm(config, tmp_path / "out") == 0
    killer.join()
    with Store(tmp_path / "out" / FILE_NAME) as store:
        assert store.counts() == {"units": 8, "done": 8, "solved": 8, "failed": 0}
    assert len(list((slurm / "jobs").iterdir())) == 2


def test_jobs_that_slurm_would_not_take_end_the_run_at_once(
    config: Path, slurm: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text().replace('"long"', '"nowhere"'))
    assert run_on_slurm(config, tmp_path / "out") == ExitCode.DRIVER_INPUT_ERROR
    err = capsys.readouterr().err
    assert "Slurm would not accept the jobs: sbatch: error: invalid partition specified: nowhere" in err
    assert not (slurm / "jobs").exists()


def test_a_machine_without_slurm_is_told_apart(
    config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert run_on_slurm(config, tmp_path / "out") == ExitCode.DRIVER_INPUT_ERROR
    assert "there is no sbatch here" in capsys.readouterr().err
