"""Expert iteration: which states are solved, what is learned from plans, and that labels are proven."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from goalward.learning.budget import SHARES, Budget
from goalward.learning.expert import ExpertIteration, Recipe
from goalward.learning.lessons import CurrentWeights, Lesson, join_choices
from goalward.learning.methods import train_with
from goalward.learning.rsl import PreimageOptions
from goalward.regression import RolloutOptions, join_rollouts, regress
from goalward.sampling import SamplingOptions, Source, label
from goalward.search import SearchOptions, SearchResult, search
from goalward.search.heuristics import BoundHeuristic
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task.states import BitRows, add_fixed_atoms, from_bits, random_walk_states
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import State, as_set, cheapest_cost, make_task, successors, with_init

RECIPE = Recipe(states=200, choices=50, warm_up_states=100)
TASKS = pytest.mark.parametrize("name", ["blocks", "delivery", "tiles", "visitall"])


def constant(task: Task) -> CurrentWeights:
    """A network that gives every state the value 3."""
    none = np.zeros((1, 1), dtype=np.float32)
    weights = NetworkWeights(np.zeros((task.n_atoms, 1), dtype=np.float32), none[0], (Layer(none, none[0] + 3),))
    return lambda: weights


def prepared(
    name: str | Task, recipe: Recipe = RECIPE, budget: Budget | None = None, *, unit_costs: bool = True
) -> ExpertIteration:
    task = make_tiny(name).task if isinstance(name, str) else name
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=3))
    source = Source(task, rollouts, SamplingOptions(200, 0.5, "reachable", unit_costs=unit_costs))
    return ExpertIteration(source, 3, budget or Budget(), recipe=recipe)


def teach(expert: ExpertIteration, rounds: int = 3) -> Lesson:
    """The last of some lessons."""
    for _ in range(rounds):
        lesson = expert.next(0.5, constant(expert.task))
    return lesson


def sets(task: Task, rows: BitRows) -> list[State]:
    return [as_set(np.flatnonzero(row)) for row in from_bits(rows, task.n_atoms)]


# --- plans ---


@TASKS
def test_plans_lead_from_their_start_states_to_the_goal(name: str) -> None:
    expert = prepared(name)
    teach(expert)
    assert expert.plans
    for plan in expert.plans.values():
        states = sets(expert.task, plan.states)
        for before, after, operator in zip(states, states[1:], plan.operators, strict=False):
            assert dict(successors(expert.task, before))[operator] == after
        assert len(states) == len(plan.operators) + 1
        assert states[-1] >= as_set(expert.task.goal)


def test_the_best_known_plan_of_a_state_is_kept() -> None:
    expert = prepared("blocks", replace(RECIPE, effort=1))
    lengths: dict[bytes, int] = {}
    for _ in range(10):  # four blocks have few states, so walks end in the same ones again
        teach(expert, 1)
        for start, plan in expert.plans.items():
            assert len(plan.operators) <= lengths.get(start, 10**6)
            lengths[start] = len(plan.operators)
    assert 6 < len(lengths) < 10 * (RECIPE.walked + RECIPE.led)


def test_the_oldest_plans_go_if_there_are_too_many_steps() -> None:
    expert = prepared("tiles", replace(RECIPE, kept_steps=60))
    gone = 0
    for _ in range(6):
        before = dict(expert.plans)
        teach(expert, 1)
        # A better plan of the same state counts as new.
        old = [plan for start, plan in before.items() if expert.plans.get(start, plan) is plan]
        kept = [plan for start, plan in before.items() if expert.plans.get(start) is plan]
        gone += len(old) - len(kept)
        assert kept == old[len(old) - len(kept) :], "the newest"
        assert sum(len(plan.operators) for plan in expert.plans.values()) <= 60
    assert gone > 0


def test_states_that_searches_are_led_to_are_solved_too() -> None:
    # A blind greedy search from a walked state is soon left somewhere else, and no walk is longer than a step.
    recipe = replace(RECIPE, walked=1, led=3, longest_walk=2, led_expansions=(30, 31), led_widths=(1,))
    expert = prepared("tiles", recipe)
    teach(expert, 4)
    near = {as_set(expert.task.init), *(state for _, state in successors(expert.task, as_set(expert.task.init)))}
    starts = [sets(expert.task, plan.states[:1])[0] for plan in expert.plans.values()]
    assert any(start not in near for start in starts)


@pytest.fixture
def searches(monkeypatch: pytest.MonkeyPatch) -> list[tuple[SearchOptions, SearchResult]]:
    """All searches for plans, with their options."""
    made = []

    def recorded(task: Task, heuristic: BoundHeuristic, options: SearchOptions, **more: Any) -> SearchResult:
        made.append((options, search(task, heuristic, options, **more)))
        return made[-1][1]

    monkeypatch.setattr("goalward.learning.expert.search", recorded)
    return made


def test_the_network_pauses_longer_after_each_failure(searches: list[tuple[SearchOptions, SearchResult]]) -> None:
    expert = prepared("tiles", replace(RECIPE, evaluations=1, led=0))
    while len(searches) < 40:
        teach(expert, 1)
    algorithms = "".join(options.algorithm[0] for options, _ in searches)
    assert algorithms.startswith("wp" + "p" + "wp" + 3 * "p" + "wp" + 7 * "p" + "wp" + 7 * "p" + "wp")


def test_no_other_search_is_needed_if_the_network_solves(
    searches: list[tuple[SearchOptions, SearchResult]],
) -> None:
    teach(prepared("blocks"), 4)
    assert {options.algorithm for options, _ in searches} == {"wastar"}
    assert all(result.plan is not None for _, result in searches)


def test_batches_let_a_search_go_twice_as_deep_as_plans_are_long(
    searches: list[tuple[SearchOptions, SearchResult]],
) -> None:
    expert = prepared("visitall", replace(RECIPE, evaluations=200))
    teach(expert, 3)
    steps = np.mean([len(plan.operators) for plan in expert.plans.values()])
    searches.clear()
    expert._solve(bind_network(expert.task, constant(expert.task)()), expert.task.init, lambda: True)
    limit = searches[0][0].expansion_limit
    assert limit is not None
    assert 1 < searches[0][0].batch == int(limit / (2 * steps)) < RECIPE.widest


@TASKS
def test_siblings_are_successors_that_the_plan_does_not_come_to_by_a_step_that_is_left(name: str) -> None:
    expert = prepared(name)
    teach(expert)
    for plan in expert.plans.values():
        siblings = sets(expert.task, plan.choices.siblings)
        for step, state in enumerate(sets(expert.task, plan.choices.before)):
            possible = dict(successors(expert.task, state))
            chosen = possible[plan.operators[step]]
            assert sets(expert.task, plan.choices.after[step : step + 1]) == [chosen]
            expected = [s for o, s in possible.items() if o not in plan.operators[step:] and s != chosen]
            found = [s for s, owner in zip(siblings, plan.choices.owners, strict=True) if owner == step]
            assert len(found) == min(len(expected), expert.recipe.siblings)
            assert all(s in expected for s in found)


# --- lessons ---


@TASKS
def test_labels_of_states_from_plans_are_proven(name: str) -> None:
    expert = prepared(name)
    lesson = teach(expert)
    from_plans = slice(-round(RECIPE.states * RECIPE.plan_share), None)
    states, labels = add_fixed_atoms(expert.task, lesson.states[from_plans]), lesson.labels[from_plans]
    for truth, bound in list(zip(from_bits(states, expert.task.n_atoms), labels, strict=True))[::10]:
        assert cheapest_cost(with_init(expert.task, np.flatnonzero(truth)), unit_costs=True) <= bound


def test_labels_of_states_from_plans_count_costs_if_asked_to() -> None:
    expert = prepared("courier", unit_costs=False)
    lesson = teach(expert)
    from_plans = slice(-round(RECIPE.states * RECIPE.plan_share), None)
    states, labels = add_fixed_atoms(expert.task, lesson.states[from_plans]), lesson.labels[from_plans]
    proven = [
        cheapest_cost(with_init(expert.task, np.flatnonzero(truth)), unit_costs=False)
        for truth in from_bits(states, expert.task.n_atoms)
    ]
    assert (np.array(proven) <= labels).all()
    assert np.median(labels / np.maximum(proven, 1)) < 1.5, "plans are close to the cheapest ones"
    for plan in expert.plans.values():
        assert plan.choices.costs.tolist() == expert.task.costs[list(plan.operators)].tolist()
        successors_of = [dict(successors(expert.task, state)) for state in sets(expert.task, plan.choices.before)]
        for sibling, owner, cost in zip(
            sets(expert.task, plan.choices.siblings), plan.choices.owners, plan.choices.sibling_costs, strict=True
        ):
            ways = [operator for operator, after in successors_of[owner].items() if after == sibling]
            assert cost in expert.task.costs[ways]


@TASKS
def test_labels_are_those_of_the_pre_images_of_rollouts_and_plans(name: str) -> None:
    expert = prepared(name)
    lesson = teach(expert)
    known = join_rollouts([expert._source.rollouts, *(plan.preimages for plan in expert.plans.values())])
    assert np.array_equal(lesson.labels, label(expert.task, known, lesson.states))
    assert len(lesson.labels) == RECIPE.states


def test_the_warm_up_has_labels_of_rsl_and_few_states_beyond_all_pre_images() -> None:
    expert = prepared("blocks")
    lesson = expert.next(0.0, None)
    rollouts = expert._source.rollouts
    assert np.array_equal(lesson.labels, label(expert.task, rollouts, lesson.states))
    assert (lesson.labels == rollouts.beyond).sum() <= RECIPE.beyond_share * RECIPE.warm_up_states
    assert lesson.choices is None
    assert expert.next(SHARES["warm-up"] / 2, constant(expert.task)).choices is None
    assert expert.next(SHARES["warm-up"], constant(expert.task)).choices is not None


def test_training_may_end_early_after_some_rounds() -> None:
    expert = prepared("blocks", replace(RECIPE, rounds=2))
    teach(expert, 1)
    assert not expert.may_end()
    teach(expert, 1)
    assert expert.may_end()


def test_a_network_is_trained_on_a_lesson_for_as_long_as_making_it_took() -> None:
    ticks = iter(range(10**6))
    timed = teach(prepared("blocks", budget=Budget(1e9, clock=lambda: float(next(ticks)))), 1)
    assert (timed.passes, timed.seconds > 0) == (1, True)
    untimed = teach(prepared("blocks"), 1)
    assert (untimed.passes, untimed.seconds) == (RECIPE.passes, 0.0)


def test_when_time_is_up_there_is_something_to_train_on_all_the_same() -> None:
    expert = prepared("blocks")
    expert._go_on = lambda: False
    lesson = teach(expert, 1)
    assert not expert.plans
    assert lesson.choices is None
    assert len(lesson.labels) > 0


def test_a_task_in_which_every_state_is_a_goal_has_no_plans() -> None:
    task = make_task(2, [([0], [1], [0], 1), ([1], [0], [1], 1)], [0], [], [[0, 1]])
    expert = prepared(task)
    lesson = teach(expert)
    assert not expert.plans
    assert lesson.choices is None


# --- what comes of it ---


def test_a_network_learns_what_steps_are_worth() -> None:
    task = make_tiny("delivery").task
    options = PreimageOptions(
        width=32, samples=2000, rollouts=20, length=10, max_epochs=25, required_probes=0, validation_states=0
    )
    starts = [state for state in random_walk_states(task, 40, 30, seed=7) if not task.is_goal(state)]
    expert = prepared(task)
    plans = [search(task, "blind", SearchOptions("astar"), init=start).plan for start in starts]
    choices = join_choices(
        [expert._plan(start, plan).choices for start, plan in zip(starts, plans, strict=True) if plan]
    )

    def figures(*, with_expert: bool) -> tuple[float, float]:
        heuristic = bind_network(task, train_with(task, "n-rsl", replace(options, expert=with_expert)).weights)
        before, after, siblings = map(heuristic.evaluate, (choices.before, choices.after, choices.siblings))
        return float(np.abs(before - after - 1).mean()), float((after[choices.owners] < siblings).mean())

    error, ranked = figures(with_expert=True)
    error_of_rsl, ranked_of_rsl = figures(with_expert=False)
    assert error < error_of_rsl, "a step along a plan is worth one"
    assert ranked > ranked_of_rsl, "and better than its siblings"
