"""``goalward plan``: plans, exit codes, the lines that Downward Lab reads, JSON and plan files."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalward.cli.limits import Limits
from goalward.cli.plan import report
from goalward.search import SearchOptions
from goalward.search.solving import solve
from goalward.search.starts import initial_state
from goalward.task.grounding import ground_files

from .program import DOMAIN, PLAN, PROBLEM, Bundled, Files, Goalward, Outcome, replaced, spawn, write_files

# What Downward Lab's parsers look for; each may occur once only.
LAB_PATTERNS = {
    "raw_memory": (r"Peak memory: (.+) KB", int),
    "cost": (r"Plan cost: (.+)\n", float),
    "plan_length": (r"Plan length: (\d+) step\(s\)\.", int),
    "evaluations": (r"Evaluations: (.+)\n", int),
    "dead_ends": (r"Dead ends: (\d+) state\(s\)\.", int),
    "evaluated": (r"Evaluated (\d+) state\(s\)\.", int),
    "expansions": (r"Expanded (\d+) state\(s\)\.", int),
    "generated": (r"Generated (\d+) state\(s\)\.", int),
    "reopened": (r"Reopened (\d+) state\(s\)\.", int),
    "search_time": (r"Search time: (.+)s", float),
    "total_time": (r"Total time: (.+)s", float),
}
SOLUTION_ONLY = {"cost", "plan_length"}


def lab_properties(log: str) -> dict[str, float]:
    """A run's properties as Downward Lab would collect them from what was printed."""
    properties = {}
    for name, (pattern, kind) in LAB_PATTERNS.items():
        found = re.findall(pattern, log)
        assert len(found) <= 1, f"{name} is given more than once"
        if found:
            properties[name] = kind(found[0])
    for _, value in re.findall(r"Initial heuristic value for (.+): ([-]?\d+|infinity)$", log, flags=re.MULTILINE):
        properties["initial_h_value"] = float(value)
    return properties


def steps_of(text: str) -> list[str]:
    return re.findall(r"^\(.*\)$", text, flags=re.MULTILINE)


# --- what is printed ---


def test_lab_reads_every_property_of_a_solved_problem(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", *trains.names)
    assert outcome.code == 0
    found = lab_properties(outcome.out)
    assert found.keys() == LAB_PATTERNS.keys() | {"initial_h_value"}
    assert (found["plan_length"], found["cost"], found["initial_h_value"]) == (2, 12, 2)
    assert (found["evaluated"], found["evaluations"]) == (2, 4), "two states, each by h_FF and by landmarks"
    assert (found["expansions"], found["generated"], found["reopened"], found["dead_ends"]) == (2, 2, 0, 0)
    assert 0 < found["search_time"] <= found["total_time"]
    assert 10_000 < found["raw_memory"] < 10_000_000
    assert "Solution found.\n" in outcome.out
    assert "Plan valid.\n" in outcome.out
    assert PLAN in outcome.out


def test_lab_reads_no_plan_where_search_proves_that_there_is_none(goalward: Goalward, unsolvable: Files) -> None:
    outcome = goalward("plan", *unsolvable.names, "-H", "blind")
    assert outcome.code == 11
    assert "No plan exists: all reachable states have been searched.\n" in outcome.out
    found = lab_properties(outcome.out)
    assert found.keys() == (LAB_PATTERNS.keys() | {"initial_h_value"}) - SOLUTION_ONLY
    assert found["expansions"] == 13
    outcome = goalward("plan", *unsolvable.names, "--json", "-H", "blind")
    found = one_object(outcome)
    assert (outcome.code, found["status"], found["expanded"]) == (11, "unsolvable", 13)
    assert [found[name] for name in ("plan", "plan_length", "cost")] == [None] * 3


@pytest.mark.parametrize("goal", ["(and (at t1 a))", "(at t1 a)", "(and)"])
def test_where_the_goal_holds_already_the_plan_is_empty(goalward: Goalward, tmp_path: Path, goal: str) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(and (at t1 c))", goal))
    outcome = goalward("plan", *files.names)
    assert outcome.code == 0
    assert steps_of(outcome.out) == []
    assert "; cost = 0 (general cost)\n" in outcome.out
    assert "Plan length: 0 step(s).\nPlan cost: 0\n" in outcome.out


@pytest.mark.parametrize(
    ("initial_h", "written"), [(0.0, "0"), (1e6, "1000000"), (float("inf"), "infinity"), (2.5, "2.5"), (-3.0, "-3")]
)
def test_initial_values_are_written_as_fast_downward_does(
    trains: Files, capfd: pytest.CaptureFixture[str], initial_h: float, written: str
) -> None:
    outcome = solve(initial_state(ground_files(*trains.names)), "blind", SearchOptions())
    found = replace(outcome.found, statistics=replace(outcome.statistics, initial_h=initial_h))
    report(replace(outcome, found=found), Limits(None, None))
    assert f"Initial heuristic value for blind: {written}\n" in capfd.readouterr().out


# --- options ---


def test_astar_minimises_what_the_costs_option_says(goalward: Goalward, tmp_path: Path) -> None:
    # A detour a-d-e-c of cost 3 against the direct way a-b-c of cost 12.
    problem = replaced(PROBLEM, "a b - city", "a b d e - city")
    detour = "".join(f" (track {x} {y}) (= (distance {x} {y}) 1)" for x, y in ("ad", "de", "ec"))
    files = write_files(tmp_path, DOMAIN, replaced(problem, "(= (total-cost) 0)", f"(= (total-cost) 0){detour}"))

    def solve(*options: str) -> tuple[float, float]:
        outcome = goalward("plan", *files.names, "-H", "hmax", *options)
        return outcome.number(r"Plan cost: (\d+)"), outcome.number(r"Plan length: (\d+) step\(s\)\.")

    assert solve("-s", "astar") == solve("-s", "astar", "--costs", "pddl") == (3, 3)
    assert solve("-s", "astar", "--costs", "unit") == (12, 2)
    assert solve("-s", "wastar", "--weight", "1") == (3, 3)


def test_unit_costs_are_reported_where_the_pddl_has_none(goalward: Goalward, bundled: Bundled, tmp_path: Path) -> None:
    outcome = goalward("plan", *bundled("blocks", n=4).names, "-o", tmp_path / "plan")
    *steps, last = (tmp_path / "plan").read_text().splitlines()
    assert last == f"; cost = {len(steps)} (unit cost)"
    assert outcome.number(r"Plan cost: (\d+)") == outcome.number(r"Plan length: (\d+) step\(s\)\.") == len(steps) > 0


# --- JSON ---


def one_object(outcome: Outcome) -> dict[str, Any]:
    """The JSON object that stdout consists of, without NaN or Infinity, which are no JSON."""
    assert outcome.err == ""
    found = json.loads(outcome.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert isinstance(found, dict)
    assert {"status", "plan", "plan_length", "cost", "total_time", "peak_memory"} <= found.keys()
    return found


def test_json_of_a_solved_problem(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", *trains.names, "--json")
    assert outcome.code == 0
    found = one_object(outcome)
    assert found["status"] == "solved"
    assert found["plan"] == ["(drive t1 a b)", "(drive t1 b c)"]
    assert (found["plan_length"], found["cost"], found["valid"], found["heuristic"]) == (2, 12, True, "ff")
    assert (found["expanded"], found["evaluated"], found["generated"], found["initial_h"]) == (2, 2, 2, 2)
    assert 0 < found["seconds"] <= found["total_time"]


def test_grounding_alone_may_prove_that_there_is_no_plan(goalward: Goalward, tmp_path: Path) -> None:
    files = write_files(tmp_path, DOMAIN, replaced(PROBLEM, "(track b c)", ""))
    outcome = goalward("plan", *files.names)
    assert outcome.code == 10
    assert outcome.error.startswith(f"{files.problem}: no plan exists")
    outcome = goalward("plan", *files.names, "--json")
    found = one_object(outcome)
    assert (outcome.code, found["status"], found["plan"]) == (10, "unsolvable", None)
    assert "no plan exists" in found["reason"]


@pytest.mark.parametrize(("large_one", "limit"), [(False, "3s"), (True, "50ms")], ids=["search", "grounding"])
def test_json_of_a_run_that_was_out_of_time(
    goalward: Goalward, hard: Files, large: Files, large_one: bool, limit: str
) -> None:
    files = large if large_one else hard
    outcome = goalward("plan", *files.names, "--json", "-H", "blind", "--time-limit", limit)
    found = one_object(outcome)
    assert (outcome.code, found["status"], found["plan"]) == (23, "out of time", None)
    assert "grounding" in found["reason"] if large_one else found["expanded"] > 0


# --- plan files ---


def test_the_plan_file_has_exactly_the_plan(goalward: Goalward, trains: Files, tmp_path: Path) -> None:
    path = tmp_path / "plan"
    outcome = goalward("plan", *trains.names, "-o", path)
    assert path.read_text() == PLAN
    assert f"Plan written to {path}\n" in outcome.out
    assert steps_of(outcome.out) == []
    assert [entry.name for entry in tmp_path.iterdir() if entry.is_file()] == ["plan"]


@pytest.mark.parametrize("case", ["unsolvable", "time", "input"])
def test_a_run_without_a_plan_leaves_an_old_plan_file_alone(
    goalward: Goalward, unsolvable: Files, hard: Files, tmp_path: Path, case: str
) -> None:
    arguments, code = {
        "unsolvable": (unsolvable.names, 11),
        "time": ((*hard.names, "-H", "blind", "--time-limit", "600ms"), 23),
        "input": ((hard.problem, hard.domain), 31),
    }[case]
    path = tmp_path / "out" / "plan"
    path.parent.mkdir()
    path.write_text("old\n")
    assert goalward("plan", *arguments, "-o", path, "--force").code == code
    assert path.read_text() == "old\n"
    assert list(path.parent.iterdir()) == [path]


def test_a_plan_may_go_to_standard_output(trains: Files) -> None:
    outcome = spawn("plan", *trains.names, "-o", "/dev/stdout")
    assert outcome.code == 0
    assert PLAN in outcome.out


# --- which search ---


def test_the_search_is_portfolio_unless_a_heuristic_is_given(goalward: Goalward, bundled: Bundled) -> None:
    files = bundled("delivery")

    def queues(*options: str) -> set[str]:
        outcome = goalward("plan", *files.names, *options)
        assert outcome.code == 0
        assert ("Led to the goal by " in outcome.out) == ("Expansions by " in outcome.out)
        return set(re.findall(r"(?m)^Expansions by (.+): \d+$", outcome.out))

    assert queues() == queues("--search", "portfolio")
    assert queues()
    assert all(name.startswith(("landmarks: ff", "landmarks: landmarks")) for name in queues())
    assert queues("-H", "ff") == queues("-H", "goalcount") == queues("--search", "wastar") == set()


def test_hybrid_search_needs_a_model(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", *trains.names, "--search", "hybrid")
    assert outcome.code == 36
    assert outcome.error == "the search hybrid needs another heuristic than h_FF, such as a model; or use portfolio"
    outcome = goalward("plan", *trains.names, "--search", "portfolio", "-H", "goalcount")
    assert outcome.code == 36
    assert outcome.error.startswith(
        "the search portfolio uses only h_FF and landmarks; use the search hybrid to add goalcount"
    )
