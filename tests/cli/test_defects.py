"""What goalward does about its own mistakes, and about streams that are not there."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from goalward.cli.main import run

from .program import PROGRAM, Files, Goalward, environment


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> None:
    def stumble(*arguments: Any) -> None:
        raise KeyError("a\x1b[2Jb")

    monkeypatch.setattr("goalward.cli.plan.ground", stumble)


@pytest.mark.usefixtures("broken")
def test_an_unexpected_error_is_one_sentence_that_says_where_to_report_it(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", *trains.names)
    assert outcome.code == 30
    assert outcome.error.startswith("this is a defect of goalward (KeyError: ")
    assert "please report it" in outcome.error
    assert "--debug" in outcome.error


@pytest.mark.usefixtures("broken")
def test_debug_shows_where_it_came_from(trains: Files, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["--debug", "plan", *trains.names]) == 30
    told = capfd.readouterr().err
    assert "Traceback (most recent call last)" in told
    assert "in stumble" in told
    assert told.rstrip().rpartition("\n")[2].startswith("goalward: this is a defect")


def test_debug_changes_nothing_where_nothing_goes_wrong(goalward: Goalward, trains: Files) -> None:
    assert goalward("--debug", "inspect", *trains.names).code == 0
    assert "Plan valid." in goalward("--debug", "plan", *trains.names).out


@pytest.mark.parametrize("closed", ["0", "1", "2"])
def test_a_closed_stream_is_no_mistake_and_swallows_no_file(trains: Files, tmp_path: Path, closed: str) -> None:
    plan = tmp_path / "plan"
    command = f'exec "$0" plan "$1" "$2" -o "$3" {closed}>&-'
    ended = subprocess.run(
        ["sh", "-c", command, PROGRAM, *trains.names, plan],
        capture_output=True, text=True, check=False, timeout=60, env=environment(),
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stderr == ""
    assert plan.read_text().startswith("(drive t1 a b)\n(drive t1 b c)\n")
    assert plan.read_text().count("\n") == 3
