"""``goalward experiment`` on the command line: status, errors, and what is not loaded."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from goalward.cli.main import run
from goalward.experiments import clusters
from goalward.experiments.config import Budgets, load_config
from goalward.experiments.progress import Progress
from goalward.experiments.runner import open_store, prepare
from goalward.experiments.store import FILE_NAME, Result, Store, Unit

from .crashes import CONFIG


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Three searches, of which one is solved and one has failed."""
    with Store(tmp_path / FILE_NAME, create=True) as store:
        units = [Unit("search", "blocks", "hard", "p1", "ff", None, f"p{number}") for number in (1, 2, 3)]
        store.add_units(units)
        store.set_meta(name="mine")
        store.add(Result(units[0].id, "solved", solved=True, total_time=2.0))
        store.add(Result(units[1].id, "failed", error="no luck", total_time=4.0))
    return tmp_path


def test_status_says_how_far_it_is_and_why_units_failed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["experiment", "status", str(folder)]) == 0
    out = capsys.readouterr().out
    assert "mine: 2 of 3 units done, stopped; run it again to continue" in out
    assert "failed: 1 × no luck" in out
    assert run(["experiment", "status", str(folder), "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["methods"]
    assert (row["method"], row["units"], row["done"], row["solved"], row["failed"]) == ("ff", 3, 2, 1, 1)


def test_a_folder_without_an_experiment_is_said_to_be_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["experiment", "status", str(tmp_path)]) == 36
    assert "no experiment here" in capsys.readouterr().err


def test_failed_units_stay_so_until_they_are_tried_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config, output = tmp_path / "tiny.toml", tmp_path / "out"
    config.write_text(CONFIG.format(states=1, more=""))
    with open_store(output) as store:
        plan = prepare(load_config(str(config)), output, store)
        store.add_many(Result(unit.id, "failed", error="the disk is full") for unit in plan.units)
    command = ["experiment", "run", str(config), "-o", str(output), "--jobs", "1"]
    assert run(command) == 0
    with open_store(output) as store:
        assert store.counts() == {"units": 2, "done": 2, "solved": 0, "failed": 2}
    assert "failed: 2 × the disk is full" in capsys.readouterr().out
    assert run([*command, "--retry-failed"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines[:3]] == [["method", "solved"], ["ff", "1/1"], ["blind", "1/1"]]
    assert lines[-2:] == [
        "2 of 2 units done, 0 failed; 2 of 2 searches solved",
        f"Tables and plots: goalward experiment report {output} -o {output}/report.html",
    ]
    with open_store(output) as store:
        assert store.counts() == {"units": 2, "done": 2, "solved": 2, "failed": 0}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no shipped config of that name"),
        (["paper-table"], "set benchmark.folder (or use --benchmark FOLDER)"),
        (["smoke", "--set", "benchmark=3", "--benchmark", "x"], "smoke: benchmark must be a table, but is 3"),
        (["smoke", "--set", "seeds=99999999999"], "smoke: seeds must be a number of seeds (at most 10000)"),
        (["smoke", "--set", "bugdets.train=1s"], "unknown key bugdets; did you mean budgets?"),
        (["smoke", "--slurm", "--scheduler", "tcp://x:1"], "choose one of --scheduler and --slurm"),
        (["smoke", "--scheduler", "tcp://x:1", "--jobs", "2"], "--jobs is for this machine"),
    ],
)
def test_wrong_usage_is_a_sentence(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["experiment", "run", *arguments, "-o", str(tmp_path / "out")]) == 36
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Exception, match=r"pip install 'goalward\[experiments\]'"), clusters.local_cluster(1):
        pass


def test_the_time_left_follows_what_units_have_taken(folder: Path) -> None:
    with Store(folder / FILE_NAME) as store:
        progress = Progress.of(store.progress(), Budgets(search=100))
    assert progress.seconds_left(1) == 3.0
    unit = Unit("search", "blocks", "hard", "p1", "ff", None, "p3")
    progress.started(unit)
    assert progress.running.total() == 1
    progress.finished(unit, Result(unit.id, "solved", solved=True, total_time=1.0))
    assert (progress.total("done"), progress.total("solved"), progress.running.total()) == (3, 2, 0)
    assert progress.seconds_left(1) == 0


def test_the_time_left_counts_what_a_unit_takes_beside_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"method": "ff", "kind": "search", "units": 3, "done": 0, "solved": 0, "failed": 0, "mean_time": None}
    progress = Progress.of([row], Budgets(search=100))
    assert progress.seconds_left(2) == 150
    unit = Unit("search", "blocks", "hard", "p1", "ff", None, "p3")
    clock = iter([10.0, 14.0])
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    progress.started(unit)
    progress.finished(unit, Result(unit.id, "solved", solved=True, total_time=1.0))
    assert progress.rows["ff", "search"]["mean_time"] == 1.0
    assert progress.seconds_left(2) == 8.0  # one ran at once, whatever was hoped for


def test_other_commands_do_not_load_dask_or_torch() -> None:
    script = (
        "import sys; from goalward.cli.main import run; run(['experiment', '--help']);"
        "print([name for name in sys.modules if name.split('.')[0] in {'dask', 'distributed', 'torch'}])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
