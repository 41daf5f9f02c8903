"""``goalward validate``: valid plans pass, and a message points at the line of the first step that does not."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .program import DOMAIN, PLAN, PROBLEM, Files, Outcome, replaced, spawn, write_files

Goalward = Callable[..., Outcome]


def write_plan(folder: Path, text: str) -> Path:
    path = folder / "the.plan"
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    "text",
    [PLAN, PLAN.upper(), PLAN.replace("\n", "\r\n"), "; a comment\n\n  ( drive  t1 a b ) ; on the way\n(drive t1 b c)"],
)
def test_a_valid_plan_is_accepted_however_it_is_spelt(
    goalward: Goalward, trains: Files, tmp_path: Path, text: str
) -> None:
    outcome = goalward("validate", *trains.names, write_plan(tmp_path, text))
    assert outcome.code == 0
    assert outcome.out == "Plan valid.\nPlan length: 2 steps.\nPlan cost: 12\n"


def test_the_cost_is_counted_not_read_from_the_file(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    plan = write_plan(tmp_path, replaced(PLAN, "cost = 12", "cost = 3"))
    assert "Plan cost: 12\n" in goalward("validate", *trains.names, plan).out


def test_without_a_metric_every_step_costs_one(goalward: Goalward, tmp_path: Path) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(:metric minimize (total-cost))", ""))
    assert "Plan cost: 2\n" in goalward("validate", *files.names, write_plan(tmp_path, PLAN)).out


def test_an_empty_plan_is_valid_where_the_goal_holds_already(goalward: Goalward, tmp_path: Path) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(and (at t1 c))", "(and (at t1 a))"))
    outcome = goalward("validate", *files.names, write_plan(tmp_path, "; cost = 0 (unit cost)\n"))
    assert (outcome.code, outcome.out) == (0, "Plan valid.\nPlan length: 0 steps.\nPlan cost: 0\n")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("; comment\n(drive t1 b c)\n(drive t1 a b)\n", 2, ["step 1", "(drive t1 b c)", "(at t1 b) is false"]),
        ("(drive t1 a b)\n(drive t1 a b)\n", 2, ["step 2", "(at t1 a) is false"]),
        ("(drive t1 a c)\n", 1, ["(track a c) is false"]),
        ("(drive t1 a b)\n; cost = 5 (general cost)\n", 1, ["the goal does not hold", "(at t1 c) is false"]),
        ("(drive t1 a b)\n\n(drvie t1 b c)\n", 3, ["step 2", "there is no action", "drvie"]),
        ("(drive t1 a b)\n(drive t1 b d)\n", 2, ["there is no object d"]),
        ("(drive t1 a b)\n(drive t1 b)\n", 2, ["(drive t1 b)", "3"]),
        ("(drive a t1 b)\n", 1, ["is of type city", "train"]),
    ],
    ids=["order", "repeated", "precondition", "truncated", "unknown action", "unknown object", "arity", "type"],
)
def test_a_plan_that_fails_is_refused_with_its_line(
    goalward: Goalward, trains: Files, tmp_path: Path, text: str, line: int, words: list[str]
) -> None:
    plan = write_plan(tmp_path, text)
    outcome = goalward("validate", *trains.names, plan)
    assert outcome.code == 1
    assert outcome.error.startswith(f"{plan}:{line}: plan not valid: ")
    assert all(word in outcome.error for word in words), outcome.error


def test_an_empty_plan_that_does_not_reach_the_goal_is_refused(
    goalward: Goalward, trains: Files, tmp_path: Path
) -> None:
    plan = write_plan(tmp_path, "")
    outcome = goalward("validate", *trains.names, plan)
    assert outcome.code == 1
    assert outcome.error.startswith(f"{plan}: plan not valid: the goal does not hold")


@pytest.mark.parametrize(
    "line", ["drive t1 b c", "(drive t1 b c", "(drive (t1) b c)", "()", "(a) (b)", "(drive ä b c)"]
)
def test_a_line_that_is_no_step_is_bad_input(goalward: Goalward, trains: Files, tmp_path: Path, line: str) -> None:
    plan = write_plan(tmp_path, f"(drive t1 a b)\n{line}\n")
    outcome = goalward("validate", *trains.names, plan)
    assert outcome.code == 31
    assert outcome.error.startswith(f"{plan}:2: ")


def test_a_missing_plan_is_a_matter_of_usage(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    outcome = goalward("validate", *trains.names, tmp_path / "none")
    assert outcome.code == 36
    assert outcome.error == f"{tmp_path / 'none'}: no such file"


def test_the_installed_program_refuses_too(trains: Files, tmp_path: Path) -> None:
    plan = write_plan(tmp_path, "(drive t1 a b)\n")
    outcome = spawn("validate", *trains.names, plan)
    assert outcome.code == 1
    assert f"{plan}:1: " in outcome.error
    assert spawn("validate", *trains.names, write_plan(tmp_path, PLAN)).code == 0
