"""Delivery: trucks of limited capacity carry packages along roads; constants, equality and a type hierarchy."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import random_roads

TEXT = """\
; Delivery: trucks with room for a few packages serve towns along roads and end their day at the depot,
; where packages may also pass from one truck to another.
(define (domain delivery)
  (:requirements :strips :typing :equality :negative-preconditions)
  (:types
    truck package - movable
    movable place amount - object
  )
  (:constants depot - place)
  (:predicates
    (at ?m - movable ?p - place)
    (aboard ?pkg - package ?t - truck)
    (room-for ?t - truck ?n - amount)
    (successor ?less ?more - amount)
    (road ?from ?to - place)
  )

  (:action drive
    :parameters (?t - truck ?from ?to - place)
    :precondition (and (at ?t ?from) (road ?from ?to))
    :effect (and (at ?t ?to) (not (at ?t ?from)))
  )

  (:action load
    :parameters (?pkg - package ?t - truck ?p - place ?less ?more - amount)
    :precondition (and (at ?pkg ?p) (at ?t ?p) (room-for ?t ?more) (successor ?less ?more))
    :effect (and (aboard ?pkg ?t) (room-for ?t ?less) (not (at ?pkg ?p)) (not (room-for ?t ?more)))
  )

  (:action unload
    :parameters (?pkg - package ?t - truck ?p - place ?less ?more - amount)
    :precondition (and (aboard ?pkg ?t) (at ?t ?p) (room-for ?t ?less) (successor ?less ?more))
    :effect (and (at ?pkg ?p) (room-for ?t ?more) (not (aboard ?pkg ?t)) (not (room-for ?t ?less)))
  )

  (:action pass-on
    :parameters (?pkg - package ?giver ?taker - truck ?giver-less ?giver-more ?taker-less ?taker-more - amount)
    :precondition (and
      (not (= ?giver ?taker))
      (aboard ?pkg ?giver) (at ?giver depot) (at ?taker depot)
      (room-for ?giver ?giver-less) (successor ?giver-less ?giver-more)
      (room-for ?taker ?taker-more) (successor ?taker-less ?taker-more)
    )
    :effect (and
      (aboard ?pkg ?taker) (not (aboard ?pkg ?giver))
      (room-for ?giver ?giver-more) (not (room-for ?giver ?giver-less))
      (room-for ?taker ?taker-less) (not (room-for ?taker ?taker-more))
    )
  )
)
"""


def make(rng: Random, *, trucks: int, packages: int, towns: int, capacity: int) -> Problem:
    """Packages at random places; always solvable, because all towns are connected and one truck can carry them all."""
    town_names = names("town", towns - 1)
    places = ["depot", *town_names]
    amounts = [f"room{n}" for n in range(capacity + 1)]
    truck_names = names("truck", trucks)
    package_names = names("package", packages)

    init = [fact("at", truck, rng.choice(places)) for truck in truck_names]
    goal = [fact("at", truck, "depot") for truck in truck_names]
    for package in package_names:
        start, end = rng.sample(places, 2)
        init.append(fact("at", package, start))
        goal.append(fact("at", package, end))
    init += [fact("room-for", truck, amounts[-1]) for truck in truck_names]
    init += [fact("successor", less, more) for less, more in pairwise(amounts)]
    for first, second in random_roads(rng, towns, towns // 2):
        init += [fact("road", places[first], places[second]), fact("road", places[second], places[first])]
    return Problem({"truck": truck_names, "package": package_names, "place": town_names, "amount": amounts}, init, goal)


def scaled(size: int) -> dict[str, int]:
    """One more package and two more towns per step, and one more truck every third step."""
    return {"trucks": 1 + size // 3, "packages": size + 1, "towns": 2 * size + 2, "capacity": 2}


DOMAIN = BundledDomain(
    name="delivery",
    summary="trucks of limited capacity carry packages along roads",
    text=TEXT,
    options=(
        Option("trucks", 2, 1, 50, "number of trucks"),
        Option("packages", 4, 1, 500, "number of packages"),
        Option("towns", 6, 2, 500, "number of places, the depot among them"),
        Option("capacity", 2, 1, 20, "packages that fit into a truck"),
    ),
    make=make,
    scaled=scaled,
)
