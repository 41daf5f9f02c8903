"""From the steps of a plan file to operators."""

from __future__ import annotations

from goalward.search import search
from goalward.task.steps import find_operators
from helpers import Tiny, ground_texts

DOMAIN = """
(define (domain doors)
  (:requirements :strips :disjunctive-preconditions)
  (:predicates (key) (lever) (open) (rested))
  (:action open-it :parameters () :precondition (or (key) (lever)) :effect (open))
  (:action drop :parameters () :precondition (key) :effect (and (not (key)) (lever)))
  (:action wait :parameters () :precondition (key) :effect (and))
)
"""
PROBLEM = "(define (problem p) (:domain doors) (:init (key)) (:goal (open)))"


def test_steps_of_a_plan_are_the_operators_that_search_chose(tiny: Tiny) -> None:
    found = search(tiny.task, "ff")
    assert found.plan is not None
    assert find_operators(tiny.task, tiny.task.init, [s.upper() for s in found.steps]) == list(found.plan)


def test_of_operators_of_one_name_the_applicable_one_is_meant() -> None:
    task = ground_texts(DOMAIN, PROBLEM)
    assert task.operators.count("(open-it)") == 2
    (at_once,) = find_operators(task, task.init, ["(open-it)"])
    _, after_drop = find_operators(task, task.init, ["(drop)", "(open-it)"])
    assert [task.atoms[a] for a in task.pre[at_once]] == ["(key)"]
    assert [task.atoms[a] for a in task.pre[after_drop]] == ["(lever)"]


def test_steps_that_grounding_leaves_out_are_skipped() -> None:
    task = ground_texts(DOMAIN, PROBLEM)
    assert len(find_operators(task, task.init, ["(wait)", "(open-it)", "(unheard of)"])) == 1
