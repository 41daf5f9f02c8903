"""Tasks that sampling must get right and that no bundled domain has."""

from __future__ import annotations

import pytest

from goalward.task.strips import Task
from helpers import ground_texts

DOMAIN = """\
(define (domain sweeping)
  (:requirements :strips :negative-preconditions)
  (:predicates (at ?r) (dirty ?r) (way ?r ?other))
  (:action go :parameters (?r ?other) :precondition (and (at ?r) (way ?r ?other))
    :effect (and (at ?other) (not (at ?r))))
  (:action sweep :parameters (?r) :precondition (at ?r) :effect (not (dirty ?r)))
  (:action soil :parameters (?r) :precondition (at ?r) :effect (dirty ?r)))
"""

PROBLEM = """\
(define (problem two-rooms)
  (:domain sweeping)
  (:objects a b)
  (:init (at a) (dirty a) (dirty b) (way a b) (way b a))
  (:goal (and (not (dirty a)) (not (dirty b)))))
"""


@pytest.fixture(scope="session")
def negative_goal() -> Task:
    """A task whose goal is negative and whose negated atoms are in no precondition."""
    return ground_texts(DOMAIN, PROBLEM)
