"""Painters: robots paint a floor and never step on paint; painting in the wrong order leads to dead ends."""

from __future__ import annotations

from random import Random

from goalward.errors import UsageError
from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import neighbours

COLOURS = ("black", "white")

TEXT = """\
; Painters: robots paint the tiles of a floor in two colours, a tile before or behind them at a time, and never step on
; paint. Nothing can be undone: a robot that paints the tiles at the door first cannot get at the others.
(define (domain painters)
  (:requirements :strips :typing)
  (:types robot tile colour)
  (:predicates
    (robot-on ?r - robot ?t - tile)
    (vacant ?t - tile)
    (painted ?t - tile)
    (holds ?r - robot ?c - colour)
    (beside ?t ?other - tile)
    (in-reach ?t ?other - tile)
    (planned ?t - tile ?c - colour)
    (changes ?c ?other - colour)
  )

  (:action go
    :parameters (?r - robot ?from ?to - tile)
    :precondition (and (robot-on ?r ?from) (beside ?from ?to) (vacant ?to))
    :effect (and (robot-on ?r ?to) (vacant ?from) (not (robot-on ?r ?from)) (not (vacant ?to)))
  )

  (:action paint
    :parameters (?r - robot ?here ?t - tile ?c - colour)
    :precondition (and (robot-on ?r ?here) (in-reach ?here ?t) (vacant ?t) (planned ?t ?c) (holds ?r ?c))
    :effect (and (painted ?t) (not (vacant ?t)))
  )

  (:action change-brush
    :parameters (?r - robot ?c ?other - colour)
    :precondition (and (holds ?r ?c) (changes ?c ?other))
    :effect (and (holds ?r ?other) (not (holds ?r ?c)))
  )
)
"""


def make(rng: Random, *, rows: int, cols: int, robots: int, done: int) -> Problem:
    """A floor that is painted in part, starting from the far end, with robots at random on the rest.

    Always solvable: all robots go to the row at the door, which is never painted, and one of them paints the remaining
    tiles row by row, the farthest first. Problems of one size differ only in their initial states, and all of these are
    reachable if nothing is painted.
    """
    if robots > cols:
        raise UsageError(
            f"painters: robots={robots} do not fit into the row at the door: use at most {cols}, or more cols"
        )
    floor = [(row, col) for row in range(rows + 1) for col in range(cols)]
    name_of = {tile: f"t-{tile[0]}-{tile[1] + 1}" for tile in floor}
    from_far = [*rng.sample(floor[-cols:], cols), *reversed(floor[cols:-cols])]
    finished = set(from_far[: rows * cols * done // 100])
    robot_names = names("robot", robots)
    starts = dict(zip(robot_names, rng.sample([tile for tile in floor if tile not in finished], robots), strict=True))

    init = [fact("robot-on", robot, name_of[tile]) for robot, tile in starts.items()]
    init += [fact("holds", robot, rng.choice(COLOURS)) for robot in robot_names]
    init += [fact("painted", name_of[tile]) for tile in floor if tile in finished]
    init += [fact("vacant", name_of[tile]) for tile in floor if tile not in finished and tile not in starts.values()]
    init += [fact("changes", *COLOURS), fact("changes", *reversed(COLOURS))]
    for row, col in floor:
        for other in neighbours((row, col)):
            if other in name_of:
                init.append(fact("beside", name_of[row, col], name_of[other]))
                if other[1] == col:
                    init.append(fact("in-reach", name_of[row, col], name_of[other]))
    work = floor[cols:]
    init += [fact("planned", name_of[row, col], COLOURS[(row + col) % 2]) for row, col in work]
    objects = {"robot": robot_names, "tile": list(name_of.values()), "colour": list(COLOURS)}
    return Problem(objects, init, [fact("painted", name_of[tile]) for tile in work])


def scaled(size: int) -> dict[str, int]:
    """One more row per step, one more column every second step, and one more robot every fourth step."""
    return {"rows": size + 1, "cols": 2 + size // 2, "robots": 1 + size // 4, "done": 0}


DOMAIN = BundledDomain(
    name="painters",
    summary="robots paint a floor and never step on paint",
    text=TEXT,
    options=(
        Option("rows", 4, 1, 40, "rows of tiles to paint"),
        Option("cols", 3, 2, 40, "columns of tiles"),
        Option("robots", 2, 1, 20, "number of robots, at most one for each column"),
        Option("done", 0, 0, 90, "share of the tiles that are painted already, in percent"),
    ),
    make=make,
    scaled=scaled,
)
