"""The same numbers as Fast Downward: heuristic values of states, and costs of optimal plans."""

from __future__ import annotations

from math import inf

import pytest

from goalward.search import SearchOptions, bind_heuristic, search
from goalward.task.domains import DOMAINS, generate
from goalward.task.states import format_problem, random_walk_states
from helpers import TINY, FastDownward, ground_texts, make_tiny

EVALUATORS = {
    "goalcount": "goalcount()",
    "add": "eval_modify_costs(add(),cost_type=one)",
    "hmax": "eval_modify_costs(hmax(),cost_type=one)",
}
STATES = 2


@pytest.mark.parametrize("domain", DOMAINS)
def test_initial_values_are_equal(fast_downward: FastDownward, domain: str) -> None:
    instance = generate(domain, size=3, seed=1)
    task = ground_texts(instance.domain_text, instance.problem_text)
    heuristics = {name: bind_heuristic(task, name) for name in EVALUATORS}
    compared = 0
    # Long walks, and short ones where long ones end in dead ends.
    walked = [task.init, *random_walk_states(task, 10, 60, seed=1), *random_walk_states(task, 20, 3, seed=2)]
    for number, state in enumerate(walked):
        ours = {name: heuristic.value(state) for name, heuristic in heuristics.items()}
        if inf in ours.values():
            continue  # the translator answers with an empty task
        sas = fast_downward.translate(instance.domain_text, format_problem(task, state, f"state-{number}"))
        assert fast_downward.initial_values(sas, list(EVALUATORS.values())) == ours
        compared += 1
        if compared == STATES:
            return
    pytest.fail("too few states with finite values")


def test_initial_values_with_costs_are_equal(fast_downward: FastDownward) -> None:
    instance = generate("courier", size=4, seed=2)
    task = ground_texts(instance.domain_text, instance.problem_text)
    sas = fast_downward.translate(instance.domain_text, instance.problem_text)
    theirs = fast_downward.initial_values(sas, ["add()", "hmax()"])
    assert theirs == {name: bind_heuristic(task, name, unit_costs=False).value(task.init) for name in theirs}
    assert len(theirs) == 2


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("domain", TINY)
def test_optimal_costs_are_equal(fast_downward: FastDownward, domain: str, seed: int) -> None:
    tiny = make_tiny(domain, seed=seed)
    sas = fast_downward.translate(tiny.instance.domain_text, tiny.instance.problem_text)
    result = search(tiny.task, "hmax", SearchOptions("astar"))
    assert result.cost == fast_downward.optimal_cost(sas)
    if not tiny.task.uses_costs:
        assert result.cost == result.length


def test_optimal_costs_of_courier_are_those_of_the_roads_not_of_the_steps(fast_downward: FastDownward) -> None:
    differ = 0
    for seed in range(3):
        tiny = make_tiny("courier", seed=seed)
        sas = fast_downward.translate(tiny.instance.domain_text, tiny.instance.problem_text)
        optimum = fast_downward.optimal_cost(sas)
        assert search(tiny.task, "blind", SearchOptions("astar", batch=4)).cost == optimum
        differ += search(tiny.task, "blind", SearchOptions("astar", unit_costs=True)).length != optimum
    assert differ == 3


@pytest.mark.parametrize("domain", ["blocks", "lights", "tiles"])
def test_optimal_costs_of_larger_instances_are_equal(fast_downward: FastDownward, domain: str) -> None:
    instance = generate(domain, size=2 if domain == "tiles" else 4, seed=3)
    task = ground_texts(instance.domain_text, instance.problem_text)
    sas = fast_downward.translate(instance.domain_text, instance.problem_text)
    assert search(task, "hmax", SearchOptions("astar", batch=16)).cost == fast_downward.optimal_cost(sas)
