"""goalward as an engine of unified-planning: what it admits it solves, and what it says is so."""

from __future__ import annotations

import io
import subprocess
import sys
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from goalward.search import BoundHeuristic, SearchOptions
from goalward.search.model import Model
from goalward.search.solving import Outcome, solve
from goalward.search.starts import Start
from goalward.task.domains import generate
from helpers import whole_number_network

up = pytest.importorskip("unified_planning", reason="unified-planning is not installed (pip install 'goalward[up]')")

from unified_planning.engines import OperationMode, PlanGenerationResultStatus, ValidationResultStatus  # noqa: E402
from unified_planning.engines.results import FailedValidationReason  # noqa: E402
from unified_planning.exceptions import UPUsageError  # noqa: E402
from unified_planning.io import PDDLReader  # noqa: E402
from unified_planning.shortcuts import (  # noqa: E402
    AnytimePlanner,
    BoolType,
    Fluent,
    InstantaneousAction,
    Int,
    MinimizeActionCosts,
    Object,
    OneshotPlanner,
    Or,
    PlanValidator,
    Problem,
    UserType,
    get_environment,
)
from unified_planning.test.examples import get_example_problems  # noqa: E402

from goalward.up import GoalwardEngine, learn  # noqa: E402
from goalward.up.translation import Translation  # noqa: E402

# A limit may strike while Python frees the parser of unified-planning; it strikes again a moment later.
pytestmark = pytest.mark.filterwarnings(
    r"ignore:Exception ignored in. <function Forward.__del__:pytest.PytestUnraisableExceptionWarning"
)
Statuses = PlanGenerationResultStatus
EXAMPLES = {name: case for name, case in get_example_problems().items() if GoalwardEngine.supports(case.problem.kind)}
PDDL = Path(up.__file__).parent / "test" / "pddl"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The engine is registered, says nothing, and leaves no thread behind."""
    environment = get_environment()
    environment.credits_stream = None
    if "goalward" not in environment.factory.engines:
        environment.factory.add_engine("goalward", "goalward.up", "GoalwardEngine")
    yield
    assert [thread.name for thread in threading.enumerate() if thread.name.startswith("goalward")] == []


def path_problem(length: int = 6, *, cost: int | None = None) -> Problem:
    """Places in a row; one starts at the first and wants to be at the last."""
    place = UserType("Place")
    at, road = Fluent("at", BoolType(), p=place), Fluent("road", BoolType(), a=place, b=place)
    problem = Problem("path")
    for fluent in (at, road):
        problem.add_fluent(fluent, default_initial_value=False)
    places = [Object(f"P{i}", place) for i in range(length)]
    problem.add_objects(places)
    move = InstantaneousAction("Move", a=place, b=place)
    move.add_precondition(at(move.a))
    move.add_precondition(road(move.a, move.b))
    move.add_effect(at(move.a), False)
    move.add_effect(at(move.b), True)
    problem.add_action(move)
    for a, b in pairwise(places):
        problem.set_initial_value(road(a, b), True)
    problem.set_initial_value(at(places[0]), True)
    problem.add_goal(at(places[-1]))
    if cost is not None:
        problem.add_quality_metric(MinimizeActionCosts({move: Int(cost)}))
    return problem


def bundled(tmp_path: Path, domain: str, seed: int = 0, **parameters: int) -> Problem:
    """A bundled problem as unified-planning reads it."""
    instance = generate(domain, seed=seed, **parameters)
    (tmp_path / "domain.pddl").write_text(instance.domain_text)
    (tmp_path / "problem.pddl").write_text(instance.problem_text)
    return PDDLReader().parse_problem(str(tmp_path / "domain.pddl"), str(tmp_path / "problem.pddl"))


# --- unified-planning's own cases ---


def test_it_admits_more_than_a_few_of_the_examples() -> None:
    assert len(EXAMPLES) >= 17


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_that_is_admitted_is_solved(name: str) -> None:
    case = EXAMPLES[name]
    with (
        OneshotPlanner(name="goalward", params={"improve": None}) as planner,
        PlanValidator(name="sequential_plan_validator") as theirs,
        PlanValidator(name="goalward") as ours,
    ):
        result = planner.solve(case.problem, timeout=60)
        assert (result.status == Statuses.SOLVED_SATISFICING) == case.solvable
        if result.plan is not None:
            assert theirs.validate(case.problem, result.plan)
            assert ours.validate(case.problem, result.plan)
        for plan in (*case.valid_plans, *case.invalid_plans):
            assert ours.validate(case.problem, plan).status == theirs.validate(case.problem, plan).status


def test_a_problem_read_from_their_pddl_is_solved() -> None:
    problem = PDDLReader().parse_problem(str(PDDL / "depot" / "domain.pddl"), str(PDDL / "depot" / "problem.pddl"))
    with OneshotPlanner(name="goalward") as planner, PlanValidator(name="sequential_plan_validator") as validator:
        result = planner.solve(problem)
        assert validator.validate(problem, result.plan)
        assert result.metrics["expanded"] > 0
        assert result.metrics["plan_length"] == len(result.plan.actions)


@pytest.mark.parametrize("name", ["basic_conditional", "counter", "htn-go", "matchcellar"])
def test_what_it_cannot_do_is_not_admitted(name: str) -> None:
    problem = get_example_problems()[name].problem
    assert not GoalwardEngine.supports(problem.kind)
    with OneshotPlanner(name="goalward") as planner:
        with pytest.warns(UserWarning, match="whether goalward can solve"):
            result = planner.solve(problem)
        assert (result.status, result.plan) == (Statuses.UNSUPPORTED_PROBLEM, None)
        assert "does not support " in result.log_messages[0].message
        planner.error_on_failed_checks = True
        with pytest.raises(UPUsageError, match="goalward"):
            planner.solve(problem)


# --- what results say ---


def test_a_goal_with_alternatives_is_solved_at_the_least_cost() -> None:
    problem = path_problem(cost=3)
    at, places = problem.fluent("at"), problem.all_objects
    problem.clear_goals()
    problem.add_goal(Or(at(places[5]), at(places[3])))
    with OneshotPlanner(name="goalward") as planner, PlanValidator(name="goalward") as validator:
        result = planner.solve(problem)
        assert [action.action.name for action in result.plan.actions] == ["Move"] * 3
        assert (result.metrics["plan_length"], result.metrics["cost"]) == (3, 9)
        assert result.status == Statuses.SOLVED_OPTIMALLY
        assert validator.validate(problem, result.plan)


def test_optimal_is_said_only_where_something_is_to_be_minimised() -> None:
    with OneshotPlanner(name="goalward") as planner:
        assert planner.solve(path_problem()).status == Statuses.SOLVED_SATISFICING
        assert planner.solve(path_problem(cost=2)).status == Statuses.SOLVED_OPTIMALLY


def test_a_problem_without_a_plan_is_proven_unsolvable() -> None:
    problem = path_problem()
    places = problem.all_objects
    problem.set_initial_value(problem.fluent("road")(places[2], places[3]), False)
    with OneshotPlanner(name="goalward") as planner:
        result = planner.solve(problem)
    assert (result.status, result.plan) == (Statuses.UNSOLVABLE_PROVEN, None)


@pytest.mark.parametrize("timeout", [1e-4, 0.5])
def test_a_limit_is_not_taken_for_a_proof(tmp_path: Path, timeout: float) -> None:
    problem = bundled(tmp_path, "tiles", rows=7, cols=7)
    said = io.StringIO()
    with OneshotPlanner(name="goalward") as planner:
        result = planner.solve(problem, timeout=timeout, output_stream=said)
    assert (result.status, result.plan) == (Statuses.TIMEOUT, None)
    assert "out of time" in said.getvalue()


def test_a_timeout_of_nothing_is_refused() -> None:
    with (
        OneshotPlanner(name="goalward") as planner,
        pytest.raises(UPUsageError, match="timeout must be above 0 s, but is 0 s"),
    ):
        planner.solve(path_problem(), timeout=0)


def test_what_is_ignored_is_warned_of() -> None:
    with OneshotPlanner(name="goalward") as planner, pytest.warns(UserWarning, match="does not use heuristic"):
        assert planner.solve(path_problem(), heuristic=lambda _: 0.0).plan


# --- models ---


def test_a_model_that_was_learned_leads_the_search(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=4)
    model = learn(problem, time_limit="500ms", seed=1)
    model.info["network_use"] = "search"  # whatever training found on so small a problem
    model.save(tmp_path / "model.goalward")
    with OneshotPlanner(name="goalward", params={"model": str(tmp_path / "model.goalward")}) as planner:
        result = planner.solve(problem)
        assert result.metrics["heuristic"] == "n-rsl"
        with PlanValidator(name="sequential_plan_validator") as validator:
            assert validator.validate(problem, result.plan)
        with pytest.raises(UPUsageError, match="the model was not trained for this problem"):
            planner.solve(path_problem())


# --- better and better plans ---


def test_plans_come_one_by_one_and_get_cheaper(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=12, seed=3)
    with AnytimePlanner(name="goalward") as planner, PlanValidator(name="sequential_plan_validator") as validator:
        results = list(planner.get_solutions(problem, timeout=1.5))
        assert all(validator.validate(problem, result.plan) for result in results)
    *before, last = results
    assert {result.status for result in before} == {Statuses.INTERMEDIATE}
    assert last.status == Statuses.SOLVED_SATISFICING
    lengths = [len(result.plan.actions) for result in before]
    assert lengths == sorted(set(lengths), reverse=True)
    assert len(last.plan.actions) == lengths[-1]


def test_a_plan_may_be_asked_for_while_better_ones_are_looked_for(tmp_path: Path) -> None:
    """Both use the same bound heuristic, each in a thread of its own: neither may disturb the other."""
    problem = bundled(tmp_path, "tiles", rows=4, cols=3)
    task = Translation(problem).ground()
    params = {"model": Model(task, whole_number_network(task)), "improve": None}
    with AnytimePlanner(name="goalward", params=params) as engine:
        alone = engine.solve(problem)
        solutions = engine.get_solutions(problem, timeout=60)
        assert next(solutions).plan == alone.plan
        during = [engine.solve(problem) for _ in range(10)]
        assert len(next(solutions).plan.actions) < len(alone.plan.actions), "nothing was looked for meanwhile"
        solutions.close()
    assert alone.status == Statuses.SOLVED_SATISFICING
    for result in during:
        assert (result.status, result.plan) == (alone.status, alone.plan)
        assert result.metrics["expanded"] == alone.metrics["expanded"]


def test_the_engine_uses_several_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = bundled(tmp_path, "blocks", n=5, seed=3)
    used: list[int] = []

    def spy(start: Start, heuristic: BoundHeuristic, options: SearchOptions, **others: Any) -> Outcome:
        used.append(options.cores)
        return solve(start, heuristic, options, **others)

    monkeypatch.setattr("goalward.up.planning.solve", spy)
    for params in ({}, {"cores": 2}):
        with OneshotPlanner(name="goalward", params=params) as planner:
            assert planner.solve(problem).plan is not None
    assert used == [1, 2]
    refused = pytest.raises(UPUsageError, match="cores must be between 1 and 1024, but is 0")
    with OneshotPlanner(name="goalward", params={"cores": 0}) as planner, refused:
        planner.solve(problem)


def test_who_stops_listening_ends_the_search(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=12, seed=3)
    with AnytimePlanner(name="goalward") as planner:
        solutions = planner.get_solutions(problem)
        assert next(solutions).plan
        solutions.close()


def test_without_a_plan_one_result_says_why() -> None:
    problem = path_problem()
    problem.set_initial_value(problem.fluent("at")(problem.all_objects[0]), False)
    with AnytimePlanner(name="goalward") as planner:
        assert [result.status for result in planner.get_solutions(problem)] == [Statuses.UNSOLVABLE_PROVEN]


# --- verdicts ---


def test_a_plan_that_fails_is_told_where() -> None:
    problem = path_problem()
    with OneshotPlanner(name="goalward") as planner, PlanValidator(name="goalward") as validator:
        plan = planner.solve(problem).plan
        short = up.plans.SequentialPlan(plan.actions[:-1])
        verdict = validator.validate(problem, short)
        assert (verdict.status, verdict.reason) == (
            ValidationResultStatus.INVALID, FailedValidationReason.UNSATISFIED_GOALS,
        )  # fmt: skip
        verdict = validator.validate(problem, up.plans.SequentialPlan(plan.actions[1:]))
        assert verdict.reason == FailedValidationReason.INAPPLICABLE_ACTION
        assert verdict.inapplicable_action == plan.actions[1]


# --- registration ---


def test_up_ini_registers_it(tmp_path: Path) -> None:
    (tmp_path / "up.ini").write_text("[engine goalward]\nmodule_name: goalward.up\nclass_name: GoalwardEngine\n")
    code = (
        "from unified_planning.shortcuts import *; "
        "print(get_environment().factory.engine('goalward').__name__, OneshotPlanner(name='goalward').name)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert run.stdout.splitlines()[-1].endswith("GoalwardEngine goalward")


def test_it_has_four_modes() -> None:
    modes = {mode.value for mode in OperationMode if getattr(GoalwardEngine, f"is_{mode.value}")()}
    assert modes == {"oneshot_planner", "anytime_planner", "replanner", "plan_validator"}


def test_importing_it_does_not_load_pytorch() -> None:
    code = "import sys, goalward.up; print('torch' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False"]
