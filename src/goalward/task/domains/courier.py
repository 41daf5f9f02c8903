"""Courier: riders bring letters along roads of different lengths; action costs."""

from __future__ import annotations

from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import random_roads

LONGEST_ROAD = 20

TEXT = """\
; Courier: riders bring letters from town to town; a ride costs the length of the road, handling a letter costs 1.
(define (domain courier)
  (:requirements :strips :typing :action-costs)
  (:types rider letter town)
  (:predicates
    (rider-at ?r - rider ?t - town)
    (letter-at ?l - letter ?t - town)
    (in-bag ?l - letter ?r - rider)
    (road ?from ?to - town)
  )
  (:functions
    (total-cost) - number
    (distance ?from ?to - town) - number
  )

  (:action ride
    :parameters (?r - rider ?from ?to - town)
    :precondition (and (rider-at ?r ?from) (road ?from ?to))
    :effect (and (rider-at ?r ?to) (not (rider-at ?r ?from)) (increase (total-cost) (distance ?from ?to)))
  )

  (:action collect
    :parameters (?l - letter ?r - rider ?t - town)
    :precondition (and (rider-at ?r ?t) (letter-at ?l ?t))
    :effect (and (in-bag ?l ?r) (not (letter-at ?l ?t)) (increase (total-cost) 1))
  )

  (:action hand-over
    :parameters (?l - letter ?r - rider ?t - town)
    :precondition (and (rider-at ?r ?t) (in-bag ?l ?r))
    :effect (and (letter-at ?l ?t) (not (in-bag ?l ?r)) (increase (total-cost) 1))
  )
)
"""


def make(rng: Random, *, riders: int, letters: int, towns: int) -> Problem:
    """Letters at random towns; always solvable, because all towns are connected and one rider can bring them all."""
    town_names = names("town", towns)
    rider_names = names("rider", riders)
    letter_names = names("letter", letters)

    init = [fact("=", "(total-cost)", "0")]
    goal = []
    init += [fact("rider-at", rider, rng.choice(town_names)) for rider in rider_names]
    for letter in letter_names:
        start, end = rng.sample(town_names, 2)
        init.append(fact("letter-at", letter, start))
        goal.append(fact("letter-at", letter, end))
    for first, second in random_roads(rng, towns, towns):
        length = str(rng.randint(1, LONGEST_ROAD))
        for road in ((town_names[first], town_names[second]), (town_names[second], town_names[first])):
            init += [fact("road", *road), fact("=", fact("distance", *road), length)]
    objects = {"rider": rider_names, "letter": letter_names, "town": town_names}
    return Problem(objects, init, goal, "minimize (total-cost)")


def scaled(size: int) -> dict[str, int]:
    """One more letter and two more towns per step, and one more rider every fourth step."""
    return {"riders": 1 + size // 4, "letters": size + 1, "towns": 2 * size + 3}


DOMAIN = BundledDomain(
    name="courier",
    summary="riders bring letters along roads of different lengths",
    text=TEXT,
    options=(
        Option("riders", 1, 1, 20, "number of riders"),
        Option("letters", 3, 1, 500, "number of letters"),
        Option("towns", 7, 2, 500, "number of towns"),
    ),
    make=make,
    scaled=scaled,
)
