"""``goalward plan --anytime``: a file for every better plan, whatever ends the search for them."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from .program import PLAN, PROGRAM, Bundled, Files, Goalward, environment, on_terminal


@pytest.fixture
def deliveries(bundled: Bundled) -> Files:
    """A problem whose first plan, found without much guidance, is not the best, and whose best one is soon found."""
    return bundled("delivery", size=3, packages=2, seed=1)


def written(name: Path) -> list[Path]:
    """The files of a series, which must be numbered from 1 on without gaps."""
    files = sorted(name.parent.glob(f"{name.name}.*"), key=lambda path: int(path.suffix[1:]))
    assert [path.suffix for path in files] == [f".{number}" for number in range(1, len(files) + 1)]
    return files


def cost_in(plan: Path) -> int:
    (cost,) = re.findall(r"^; cost = (\d+) \(\w+ cost\)$", plan.read_text(), flags=re.MULTILINE)
    return int(cost)


def test_each_plan_is_valid_and_better_than_the_last(goalward: Goalward, deliveries: Files, tmp_path: Path) -> None:
    outcome = goalward("plan", *deliveries.names, "-H", "goalcount", "--anytime", "-o", tmp_path / "sas_plan")
    assert outcome.code == 0
    files = written(tmp_path / "sas_plan")
    assert len(files) > 1
    assert all(later < earlier for earlier, later in pairwise(map(cost_in, files)))
    for file in files:
        assert goalward("validate", *deliveries.names, file).code == 0
    told = re.findall(r"^(.+): cost (\d+), \d+ steps?, after (\S+) s$", outcome.out, flags=re.MULTILINE)
    assert [(Path(name), int(cost)) for name, cost, _ in told] == [(file, cost_in(file)) for file in files]
    assert [float(seconds) for *_, seconds in told] == sorted(float(seconds) for *_, seconds in told)
    assert outcome.number(r"Plan cost: (\d+)") == cost_in(files[-1])
    assert f"No plan is cheaper.\n{len(files)} plans written to {files[0]} to {files[-1]}, the best one last\n" in (
        outcome.out
    )


def test_it_ends_where_no_plan_is_cheaper(
    goalward: Goalward, trains: Files, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = goalward("plan", *trains.names, "--anytime")
    assert outcome.code == 0
    assert (tmp_path / "plan.1").read_text() == PLAN
    assert "No plan is cheaper.\nPlan written to plan.1\n" in outcome.out


def test_json_lists_the_plans(goalward: Goalward, deliveries: Files, tmp_path: Path) -> None:
    outcome = goalward("plan", *deliveries.names, "-H", "goalcount", "--anytime", "-o", tmp_path / "p", "--json")
    told = json.loads(outcome.out)
    files = written(tmp_path / "p")
    assert [(Path(plan["file"]), plan["cost"]) for plan in told["plans"]] == [(file, cost_in(file)) for file in files]
    assert told["plans"][-1]["cost"] == told["cost"]
    assert told["plans"][-1]["plan_length"] == told["plan_length"]
    assert [plan["seconds"] for plan in told["plans"]] == sorted(plan["seconds"] for plan in told["plans"])
    assert told["end_of_improvement"] == "optimal"


def test_it_ends_at_the_time_limit(goalward: Goalward, hard: Files, tmp_path: Path) -> None:
    outcome = goalward("plan", *hard.names, "--anytime", "-o", tmp_path / "p", "--time-limit", "1s")
    assert "Time limit reached.\n" in outcome.out
    assert outcome.code == (0 if written(tmp_path / "p") else 23), "on a slow machine there is no plan yet"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_a_signal_leaves_the_plans_that_are_there(
    goalward: Goalward, hard: Files, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    command = [PROGRAM, "plan", *hard.names, "--anytime", "-o", tmp_path / "p"]
    environ = environment(PYTHONUNBUFFERED="1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith(f"{tmp_path / 'p'}.2: "):
                break
        process.send_signal(number)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, err) == (code, "")
    assert "Interrupted: this is the best plan so far.\n" in out
    assert len(written(tmp_path / "p")) >= 2
    assert goalward("validate", *hard.names, written(tmp_path / "p")[-1]).code == 0


def test_plans_of_an_earlier_series_go_when_there_is_a_new_one(
    goalward: Goalward, trains: Files, unsolvable: Files, tmp_path: Path
) -> None:
    for name in ("p.1", "p.2", "p.3", "p.5", "p.txt"):
        (tmp_path / name).write_text("; cost = 99 (unit cost)\n")
    assert goalward("plan", *unsolvable.names, "--anytime", "-o", tmp_path / "p").code == 11
    assert len(list(tmp_path.glob("p.*"))) == 5, "there is nothing to put in their place"
    assert goalward("plan", *trains.names, "--anytime", "-o", tmp_path / "p").code == 0
    assert {path.name for path in tmp_path.glob("p.*")} == {"p.1", "p.5", "p.txt"}
    assert (tmp_path / "p.1").read_text() == PLAN


def test_what_cannot_be_is_said_at_once(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    both = goalward("plan", *trains.names, "--anytime", "--improve", "1s")
    assert (both.code, "--improve" in both.error) == (36, True)
    folder = goalward("plan", *trains.names, "--anytime", "-o", tmp_path)
    assert (folder.code, f"{tmp_path.name}.1" in folder.error) == (36, True)
    assert goalward("plan", *trains.names, "--anytime", "-o", tmp_path / "no" / "where").code == 36
    assert goalward("plan", *trains.names, "--anytime", "-o", "/dev/stdout").code == 36


@pytest.mark.parametrize("whole", [False, True])
def test_a_terminal_shows_each_plan_and_how_far_it_has_come(deliveries: Files, tmp_path: Path, whole: bool) -> None:
    command = ["plan", *deliveries.names, "-H", "goalcount", "--anytime", "-o", tmp_path / "p"]
    shown = on_terminal(*command, whole=whole)
    assert shown.code == 0
    assert "improving" in shown.text
    assert shown.cursor_is_back
    lines = shown.screen if whole else shown.out.splitlines()
    costs = [int(found[1]) for line in lines if (found := re.search(r"p\.\d+: cost (\d+), ", line))]
    assert costs == [cost_in(file) for file in written(tmp_path / "p")]
