"""Gripper: a robot with several hands carries balls between rooms; untyped PDDL."""

from __future__ import annotations

from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import random_roads

TEXT = """\
; Gripper: a robot with several hands carries balls through doors between rooms.
(define (domain gripper)
  (:requirements :strips)
  (:predicates
    (is-room ?r)
    (is-ball ?b)
    (is-hand ?h)
    (door ?r ?other)
    (robot-in ?r)
    (ball-in ?b ?r)
    (grips ?h ?b)
    (empty ?h)
  )

  (:action walk
    :parameters (?from ?to)
    :precondition (and (is-room ?from) (is-room ?to) (door ?from ?to) (robot-in ?from))
    :effect (and (robot-in ?to) (not (robot-in ?from)))
  )

  (:action grasp
    :parameters (?h ?b ?r)
    :precondition (and (is-hand ?h) (is-ball ?b) (is-room ?r) (robot-in ?r) (ball-in ?b ?r) (empty ?h))
    :effect (and (grips ?h ?b) (not (ball-in ?b ?r)) (not (empty ?h)))
  )

  (:action release
    :parameters (?h ?b ?r)
    :precondition (and (is-hand ?h) (is-ball ?b) (is-room ?r) (robot-in ?r) (grips ?h ?b))
    :effect (and (ball-in ?b ?r) (empty ?h) (not (grips ?h ?b)))
  )
)
"""


def make(rng: Random, *, balls: int, rooms: int, grippers: int) -> Problem:
    """Balls in the wrong rooms; always solvable, because all rooms are connected."""
    room_names = names("room", rooms)
    ball_names = names("ball", balls)
    hand_names = names("hand", grippers)

    init = [fact("is-room", room) for room in room_names]
    init += [fact("is-ball", ball) for ball in ball_names]
    init += [fact("is-hand", hand) for hand in hand_names]
    for first, second in random_roads(rng, rooms, rooms // 2):
        init += [
            fact("door", room_names[first], room_names[second]),
            fact("door", room_names[second], room_names[first]),
        ]
    init.append(fact("robot-in", rng.choice(room_names)))
    init += [fact("empty", hand) for hand in hand_names]
    goal = []
    for ball in ball_names:
        start, end = rng.sample(room_names, 2)
        init.append(fact("ball-in", ball, start))
        goal.append(fact("ball-in", ball, end))
    return Problem({"": room_names + ball_names + hand_names}, init, goal)


def scaled(size: int) -> dict[str, int]:
    """Two more balls per step, and one more room every second step."""
    return {"balls": 2 * size, "rooms": 2 + size // 2, "grippers": 2}


DOMAIN = BundledDomain(
    name="gripper",
    summary="a robot with several hands carries balls between rooms",
    text=TEXT,
    options=(
        Option("balls", 4, 1, 1000, "number of balls"),
        Option("rooms", 2, 2, 100, "number of rooms"),
        Option("grippers", 2, 1, 20, "hands of the robot"),
    ),
    make=make,
    scaled=scaled,
)
