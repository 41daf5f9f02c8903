"""Domains that ask about all objects of a type are grounded, with few copies of actions, and keep their meaning."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from fast_downward.translate.pddl_parser import parsing_functions

from goalward.search import SearchOptions, search
from goalward.search.starts import check_plan, initial_state
from goalward.task import sexpr
from goalward.task.quantifiers import expand_quantifiers
from goalward.task.strips import Task
from helpers import ground_texts
from quantified_domains import QUANTIFIED, lift, taxiway


def grounded(texts: tuple[str, str]) -> Task:
    return ground_texts(*texts)


@pytest.mark.parametrize("make", QUANTIFIED.values(), ids=QUANTIFIED)
def test_a_plan_found_on_the_grounded_problem_is_one_of_the_pddl(make: Callable[[int], tuple[str, str]]) -> None:
    task = grounded(make(4))
    found = search(task, "ff", SearchOptions(time_limit=60.0))
    assert found.plan is not None
    check_plan(initial_state(task), [task.operators[operator] for operator in found.plan])


def test_alternatives_that_imply_each_other_are_no_cases() -> None:
    """`ride` asks of each of six passengers that he is outside or any of six others inside: 7^6 cases, 7 needed."""
    task = grounded(lift(6))
    rides = [operator for operator in task.operators if operator.startswith("(ride f0 f1")]
    assert 0 < len(rides) <= 7


def test_bindings_that_no_fact_allows_are_not_made() -> None:
    """Two planes, and a plane may go from a segment to its neighbours only: not 12 times 12 of them."""
    parsed = parsing_functions.parse_task(*(sexpr.parse(text, "text") for text in taxiway(12)))
    expand_quantifiers(parsed)
    assert sum(action.name == "taxi" for action in parsed.actions) <= 2 * 2 * 11
