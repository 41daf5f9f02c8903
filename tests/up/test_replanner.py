"""The Replanner: learn once, then answer one initial state after the other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goalward.errors import UsageError
from goalward.learning import models
from goalward.task.states import random_walk_states

pytest.importorskip("unified_planning", reason="unified-planning is not installed (pip install 'goalward[up]')")

from unified_planning.engines import PlanGenerationResultStatus
from unified_planning.exceptions import UPUsageError
from unified_planning.model import Problem
from unified_planning.shortcuts import PlanValidator, Replanner

from goalward.up.translation import Translation

from .test_engine import bundled, path_problem, registered  # noqa: F401

Statuses = PlanGenerationResultStatus


def states_of(problem: Problem, n: int) -> Iterator[dict[Any, bool]]:
    """Initial values, of those fluents that change, at the ends of random walks."""
    task = Translation(problem).ground()
    fluents = {}
    for atom in task.atoms:
        if not atom.startswith("(not "):
            name, *objects = atom[1:-1].split()
            fluents[atom] = problem.fluent(name)(*map(problem.object, objects))
    for state in random_walk_states(task, n, 60, 5):
        true = set(task.state_names(state))
        yield {fluent: atom in true for atom, fluent in fluents.items()}


@pytest.fixture
def always_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is used if there was no time for a verdict; on so small a problem a verdict may leave it out."""
    monkeypatch.setattr(models, "judge", lambda *_: None)


@pytest.mark.usefixtures("always_used")
def test_twenty_states_are_answered_with_what_was_learned_once(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=5)
    params = {"learn": "up front", "train_limit": "500ms", "seed": 1, "improve": None}
    with (
        Replanner(problem, name="goalward", params=params) as replanner,
        PlanValidator(name="sequential_plan_validator") as validator,
    ):
        present = problem.clone()
        for values in states_of(problem, 20):
            for fluent, value in values.items():
                replanner.update_initial_value(fluent, value)
                present.set_initial_value(fluent, value)
            result = replanner.resolve(timeout=60)
            assert result.status == Statuses.SOLVED_SATISFICING
            assert result.metrics["heuristic"] == "n-rsl"
            assert validator.validate(present, result.plan)
    assert problem.initial_values != present.initial_values  # the caller's problem is not touched


@pytest.mark.usefixtures("always_used")
def test_answers_do_not_wait_for_learning_in_the_background(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=5)
    with Replanner(problem, name="goalward", params={"learn": "background", "train_limit": "500ms"}) as replanner:
        assert replanner.resolve().metrics["heuristic"] == "ff"
        replanner._learning.wait()
        assert replanner.resolve().metrics["heuristic"] == "n-rsl"


def test_learning_in_the_background_ends_with_the_replanner(tmp_path: Path) -> None:
    """The fixture says so if its thread goes on."""
    with Replanner(bundled(tmp_path, "blocks", n=8), name="goalward", params={"train_limit": "1h"}) as replanner:
        assert replanner.resolve().plan


def test_a_state_that_needs_another_grounding_is_answered_too() -> None:
    problem = path_problem()
    at, road, places = problem.fluent("at"), problem.fluent("road"), problem.all_objects
    with Replanner(problem, name="goalward", params={"learn": "never"}) as replanner:
        assert len(replanner.resolve().plan.actions) == 5
        replanner.update_initial_value(road(places[0], places[5]), True)
        assert len(replanner.resolve().plan.actions) == 1
        replanner.update_initial_value(at(places[0]), False)
        assert replanner.resolve().status == Statuses.UNSOLVABLE_PROVEN
        replanner.update_initial_value(at(places[5]), True)
        assert replanner.resolve().plan.actions == []


def test_other_goals_and_actions_are_planned_for() -> None:
    problem = path_problem()
    at, places = problem.fluent("at"), problem.all_objects
    with Replanner(problem, name="goalward", params={"learn": "never"}) as replanner:
        replanner.add_goal(at(places[2]))
        assert replanner.resolve().status == Statuses.UNSOLVABLE_PROVEN
        replanner.remove_goal(at(places[5]))
        assert len(replanner.resolve().plan.actions) == 2
        replanner.remove_action("Move")
        assert replanner.resolve().status == Statuses.UNSOLVABLE_PROVEN
        replanner.add_action(problem.action("Move"))
        assert len(replanner.resolve().plan.actions) == 2
        with pytest.warns(UserWarning, match="there is no action Fly"):
            replanner.remove_action("Fly")
        replanner.error_on_failed_checks = True
        with pytest.raises(UPUsageError, match="there is no goal"):
            replanner.remove_goal(at(places[4]))


def test_what_was_learned_for_another_goal_is_not_used(tmp_path: Path) -> None:
    problem = bundled(tmp_path, "blocks", n=4)
    with Replanner(problem, name="goalward", params={"learn": "up front", "train_limit": "500ms"}) as replanner:
        learned = replanner._learning.model
        goal = problem.goals[0]
        replanner.remove_goal(goal)
        result = replanner.resolve()
        assert result.plan is not None
        assert replanner._learning.model is not learned


def test_a_way_of_learning_that_there_is_not_is_refused() -> None:
    with pytest.raises(UsageError, match="learn must be one of up front, background, never, but is 'later'"):
        Replanner(path_problem(), name="goalward", params={"learn": "later"})
