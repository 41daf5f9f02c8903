"""Lights: a caretaker closes a building for the night; negative preconditions and a negative goal."""

from __future__ import annotations

from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names

TEXT = """\
; Lights: a caretaker who never enters a dark room puts out the lights of a building, locks its doors
; and brings the keys to the entrance. The switch of a room is outside of it, and one hand holds one key.
(define (domain lights)
  (:requirements :strips :typing :negative-preconditions)
  (:types room door key)
  (:predicates
    (inside ?r - room)
    (lit ?r - room)
    (switch-in ?r ?lamp-room - room)
    (joins ?d - door ?r ?other - room)
    (locked ?d - door)
    (fits ?k - key ?d - door)
    (key-in ?k - key ?r - room)
    (carries ?k - key)
    (hand-full)
  )

  (:action go
    :parameters (?from ?to - room ?d - door)
    :precondition (and (inside ?from) (joins ?d ?from ?to) (lit ?to) (not (locked ?d)))
    :effect (and (inside ?to) (not (inside ?from)))
  )

  (:action switch-on
    :parameters (?r ?lamp-room - room)
    :precondition (and (inside ?r) (switch-in ?r ?lamp-room) (not (lit ?lamp-room)))
    :effect (lit ?lamp-room)
  )

  (:action switch-off
    :parameters (?r ?lamp-room - room)
    :precondition (and (inside ?r) (switch-in ?r ?lamp-room) (lit ?lamp-room))
    :effect (not (lit ?lamp-room))
  )

  (:action take
    :parameters (?k - key ?r - room)
    :precondition (and (inside ?r) (key-in ?k ?r) (not (hand-full)))
    :effect (and (carries ?k) (hand-full) (not (key-in ?k ?r)))
  )

  (:action leave
    :parameters (?k - key ?r - room)
    :precondition (and (inside ?r) (carries ?k))
    :effect (and (key-in ?k ?r) (not (carries ?k)) (not (hand-full)))
  )

  (:action lock
    :parameters (?d - door ?k - key ?r ?other - room)
    :precondition (and (inside ?r) (joins ?d ?r ?other) (fits ?k ?d) (carries ?k) (not (locked ?d)))
    :effect (locked ?d)
  )

  (:action unlock
    :parameters (?d - door ?k - key ?r ?other - room)
    :precondition (and (inside ?r) (joins ?d ?r ?other) (fits ?k ?d) (carries ?k) (locked ?d))
    :effect (not (locked ?d))
  )
)
"""


def make(rng: Random, *, rooms: int, locks: int) -> Problem:
    """A tree of rooms behind an entrance that is always lit.

    Always solvable: the switch of room i and the key of its door are in rooms before i, so the rooms can be opened in
    order. Then all keys can be brought to the entrance, and the rooms locked and darkened in reverse order.
    """
    room_names = names("room", rooms)
    door_names = names("door", rooms - 1)
    lockable = sorted(rng.sample(range(rooms - 1), -(-(rooms - 1) * locks // 100)))
    key_names = [f"key{door + 1}" for door in lockable]
    inner = room_names[1:]
    lit = [room for room in inner if rng.randrange(2)] or [rng.choice(inner)]

    init = [fact("inside", room_names[0]), fact("lit", room_names[0]), *(fact("lit", room) for room in lit)]
    for door in range(rooms - 1):
        before, behind, name = room_names[rng.randrange(door + 1)], room_names[door + 1], door_names[door]
        init += [fact("joins", name, before, behind), fact("joins", name, behind, before)]
        init.append(fact("switch-in", before, behind))
    for door, key in zip(lockable, key_names, strict=True):
        init.append(fact("fits", key, door_names[door]))
        init.append(fact("key-in", key, room_names[rng.randrange(door + 1)]))
        if rng.randrange(2):
            init.append(fact("locked", door_names[door]))

    goal = [fact("inside", room_names[0])]
    goal += [f"(not {fact('lit', room)})" for room in inner]
    goal += [fact("locked", door_names[door]) for door in lockable]
    goal += [fact("key-in", key, room_names[0]) for key in key_names]
    objects = {"room": room_names, "door": door_names}
    return Problem(objects | ({"key": key_names} if key_names else {}), init, goal)


def scaled(size: int) -> dict[str, int]:
    """Four rooms for size 1 and one more per step; half of the doors have a lock."""
    return {"rooms": size + 3, "locks": 50}


DOMAIN = BundledDomain(
    name="lights",
    summary="a caretaker puts out the lights and locks the doors of a building",
    text=TEXT,
    options=(
        Option("rooms", 5, 2, 300, "number of rooms"),
        Option("locks", 50, 0, 100, "share of the doors that have a lock and a key, in percent"),
    ),
    make=make,
    scaled=scaled,
)
