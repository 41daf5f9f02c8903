"""``goalward improve``: the plan of any planner in, a better one out, and a sentence where that cannot be."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from .program import PATIENCE, PLAN, PROGRAM, Files, Goalward, environment, let_work, on_terminal

ROUND_TRIP = """\
(define (problem round-trip)
  (:domain trains)
  (:objects t1 - train a b - city c - harbour)
  (:init (at t1 a)
    (track a b) (= (distance a b) 5) (track b a) (= (distance b a) 1)
    (track b c) (= (distance b c) 7) (track a c) (= (distance a c) 30)
    (= (total-cost) 0)
  )
  (:goal (and (at t1 c)))
  (:metric minimize (total-cost))
)
"""


@pytest.fixture
def round_trip(trains: Files) -> Files:
    trains.problem.write_text(ROUND_TRIP)
    return trains


@pytest.fixture
def plan_file(tmp_path: Path) -> Path:
    path = tmp_path / "given.plan"
    path.write_text("; by somebody\n(DRIVE t1 A b)\n(drive t1 b a)\n(drive t1 a c)\n")
    return path


def test_a_better_plan_is_written_and_described(
    goalward: Goalward, round_trip: Files, plan_file: Path, tmp_path: Path
) -> None:
    better = tmp_path / "better"
    outcome = goalward("improve", *round_trip.names, plan_file, "-o", better)
    assert outcome.code == 0
    assert better.read_text() == PLAN
    task, *lines = outcome.out.splitlines()
    assert task.startswith("Task: 3 atoms, 4 operators, ")
    before = lines.pop(3)
    assert before.startswith("Before: 3 steps, cost 36; ")
    assert lines[:5] == [
        "No plan is cheaper.",
        "Plan length: 2 steps.",
        "Plan cost: 12",
        "Plan valid.",
        f"Plan written to {better}",
    ]
    assert goalward("validate", *round_trip.names, better).code == 0


def test_without_a_file_the_plan_is_printed_first(goalward: Goalward, round_trip: Files, plan_file: Path) -> None:
    assert goalward("improve", *round_trip.names, plan_file).out.partition("\n")[2].startswith(PLAN)


def test_steps_may_count_instead_of_costs(goalward: Goalward, round_trip: Files, plan_file: Path) -> None:
    outcome = goalward("improve", *round_trip.names, plan_file, "--costs", "unit")
    assert "\n(drive t1 a c)\n; cost = 30 (general cost)\n" in outcome.out


def test_json_has_the_whole_story(goalward: Goalward, round_trip: Files, plan_file: Path) -> None:
    told = json.loads(goalward("improve", *round_trip.names, plan_file, "--json").out)
    assert told["status"] == "optimal"
    assert told["plan"] == ["(drive t1 a b)", "(drive t1 b c)"]
    assert (told["plan_length_before"], told["cost_before"]) == (3, 36)
    assert (told["plan_length"], told["cost"], told["valid"]) == (2, 12, True)
    assert [better["cost"] for better in told["better"]][-1] == 12
    assert all(better["by"] and 0 <= better["seconds"] <= told["improvement_time"] for better in told["better"])
    assert told["improvement_time"] <= told["total_time"]


def test_a_plan_that_is_none_is_refused_with_its_line(goalward: Goalward, round_trip: Files, plan_file: Path) -> None:
    plan_file.write_text("(drive t1 a b)\n(drive t1 a c)\n")
    outcome = goalward("improve", *round_trip.names, plan_file)
    assert outcome.code == 1
    assert outcome.error.startswith(f"{plan_file}:2: plan not valid: ")
    plan_file.write_text("(drive t1 a b)\n")
    assert goalward("improve", *round_trip.names, plan_file).error.startswith(f"{plan_file}:1: plan not valid: ")
    plan_file.write_text("")
    assert goalward("improve", *round_trip.names, plan_file).error.startswith(f"{plan_file}: plan not valid: ")


def test_what_cannot_be_read_is_said_at_once(
    goalward: Goalward, round_trip: Files, plan_file: Path, tmp_path: Path
) -> None:
    assert "nowhere" in goalward("improve", *round_trip.names, tmp_path / "nowhere").error
    plan_file.write_text("drive t1 a b\n")
    assert goalward("improve", *round_trip.names, plan_file).error.startswith(f"{plan_file}:1: expected one step")


def test_what_is_there_at_the_time_limit_is_kept(goalward: Goalward, hard: Files, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    assert goalward("plan", *hard.names, "-o", plan, "--improve", "none").code == 0
    for limit in ("2s", "20s", "200s"):  # on a busy machine grounding alone may take longer
        outcome = goalward("improve", *hard.names, plan, "--time-limit", limit)
        if outcome.code != 23:
            break
    assert outcome.code == 0
    assert "Time limit reached." in outcome.out
    assert outcome.number(r"Plan length: (\d+) steps\.") < len(plan.read_text().splitlines()) - 1


def test_ctrl_c_keeps_the_best_plan_so_far(goalward: Goalward, hard: Files, tmp_path: Path) -> None:
    plan, better = tmp_path / "plan", tmp_path / "better"
    assert goalward("plan", *hard.names, "-o", plan, "--improve", "none").code == 0
    command = [PROGRAM, "improve", *hard.names, plan, "-o", better, "--time-limit", "1h"]
    environ = environment(PYTHONUNBUFFERED="1")
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"Task: ")
        let_work(process, 0.5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert b"Interrupted: this is the best plan so far." in out
    assert len(better.read_text().splitlines()) < len(plan.read_text().splitlines())
    assert goalward("validate", *hard.names, better).code == 0


def test_a_terminal_shows_how_far_the_plan_has_come(goalward: Goalward, hard: Files, tmp_path: Path) -> None:
    plan = tmp_path / "plan"
    assert goalward("plan", *hard.names, "-o", plan).code == 0
    shown = on_terminal("improve", *hard.names, plan, "-o", tmp_path / "better", "--time-limit", "6s")
    assert shown.code == 0
    assert "improving" in shown.text
    assert "→" in shown.text
    assert shown.cursor_is_back
