"""``goalward validate``: valid plans pass, and a message points at the line of the first step that does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from .program import DOMAIN, PLAN, PROBLEM, Files, Goalward, replaced, spawn, write_files


def write_plan(folder: Path, text: str) -> Path:
    path = folder / "the.plan"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [
        PLAN,
        PLAN.upper(),
        replaced(PLAN, "cost = 12", "cost = 3"),
        PLAN.replace("\n", "\r\n"),
        "; a comment\n\n  ( drive  t1 a b ) ; on the way\n(drive t1 b c)",
    ],
)
def test_a_valid_plan_is_accepted_however_it_is_spelt(
    goalward: Goalward, trains: Files, tmp_path: Path, text: str
) -> None:
    outcome = goalward("validate", *trains.names, write_plan(tmp_path, text))
    assert outcome.code == 0
    assert outcome.out == "Plan valid.\nPlan length: 2 steps.\nPlan cost: 12\n"


@pytest.mark.parametrize(
    ("text", "code", "says"),
    [
        ("; comment\n(drive t1 b c)\n", 1, ":2: plan not valid: step 1 (drive t1 b c): (at t1 b) is false"),
        ("(drive t1 a b)\n; cost = 5\n", 1, ":1: plan not valid: the goal does not hold"),
        ("(drive t1 a b)\n\n(drvie t1 b c)\n", 1, ":3: plan not valid: step 2: there is no action (drvie t1 b c)"),
        ("", 1, ": plan not valid: the goal does not hold"),
        ("(drive t1 a b)\ndrive t1 b c\n", 31, ":2: expected one step"),
    ],
)
def test_a_plan_that_fails_is_refused_with_its_line(
    goalward: Goalward, trains: Files, tmp_path: Path, text: str, code: int, says: str
) -> None:
    """tests/task/test_validate.py has all that can be wrong with a step, test_plan_file.py with a line."""
    plan = write_plan(tmp_path, text)
    outcome = goalward("validate", *trains.names, plan)
    assert outcome.code == code
    assert outcome.error.startswith(f"{plan}{says}"), outcome.error


def test_an_empty_plan_is_valid_where_the_goal_holds_already(goalward: Goalward, tmp_path: Path) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(and (at t1 c))", "(and (at t1 a))"))
    outcome = goalward("validate", *files.names, write_plan(tmp_path, "; cost = 0 (unit cost)\n"))
    assert (outcome.code, outcome.out) == (0, "Plan valid.\nPlan length: 0 steps.\nPlan cost: 0\n")


def test_the_installed_program_refuses_too(trains: Files, tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "(drive t1 a b)\n")
    outcome = spawn("validate", *trains.names, plan)
    assert outcome.code == 1
    assert f"{plan}:1: " in outcome.error
    assert spawn("validate", *trains.names, write_plan(tmp_path, PLAN)).code == 0
