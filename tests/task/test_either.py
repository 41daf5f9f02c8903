"""`(either a b)` for variables of predicates, actions and quantifiers: one type above each of its parts."""

from __future__ import annotations

import pytest

from goalward.search import search
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.strips import Task
from goalward.task.validate import validate_plan

DOMAIN = """(define (domain fleet) (:requirements :strips :typing :adl)
  (:types car boat - vehicle truck - car vehicle place{tail})
  (:predicates (at ?v - (either truck boat) ?p - place) (met ?p - place) (seen ?p - place))
  (:action go :parameters (?v - (either truck boat) ?a ?b - place)
    :precondition (at ?v ?a) :effect (and (at ?v ?b) (not (at ?v ?a))))
  (:action meet :parameters (?p - place)
    :precondition (forall (?v - (either truck boat)) (at ?v ?p)) :effect (met ?p))
  (:action look :parameters (?p - place)
    :precondition (exists (?v - (either boat truck)) (at ?v ?p)) :effect (seen ?p)))"""
PROBLEM = """(define (problem two) (:domain fleet)
  (:objects t - truck b - boat c - car x y - place)
  (:init (at t x) (at b y)) (:goal (and (met x) (seen y))))"""


@pytest.fixture(params=["", " - object"], ids=["the last types have no parent", "all types have a parent"])
def task(request: pytest.FixtureRequest) -> Task:
    domain = parse_domain(DOMAIN.replace("{tail}", request.param), "domain")
    return ground(domain, parse_problem(PROBLEM, "problem", domain))


def test_only_objects_of_one_of_the_types_take_part(task: Task) -> None:
    assert set(task.operators) == {
        *(f"(go {v} {a} {b})" for v in "tb" for a, b in ("xy", "yx")),
        *(f"({action} {place})" for action in ("meet", "look") for place in "xy"),
    }
    assert not any(" c " in name for name in (*task.atoms, *task.operators))


def test_a_plan_is_found_and_accepted_by_the_lifted_checker(task: Task) -> None:
    result = search(task, "ff")
    domain = parse_domain(task.domain_text, "domain")
    steps = [tuple(step[1:-1].split()) for step in result.steps]
    assert result.solved
    assert validate_plan(domain, parse_problem(PROBLEM, "problem", domain), steps).valid
