"""Visitall: a robot visits every cell of a grid with holes."""

from __future__ import annotations

from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact
from goalward.task.domains.maps import connected_grid, neighbours

TEXT = """\
; Visitall: a robot moves between neighbouring cells until it has seen all of them.
(define (domain visitall)
  (:requirements :strips :typing)
  (:types cell)
  (:predicates
    (robot-at ?c - cell)
    (visited ?c - cell)
    (linked ?c ?other - cell)
  )

  (:action move
    :parameters (?from ?to - cell)
    :precondition (and (robot-at ?from) (linked ?from ?to))
    :effect (and (robot-at ?to) (visited ?to) (not (robot-at ?from)))
  )
)
"""


def make(rng: Random, *, rows: int, cols: int, missing: int) -> Problem:
    """A grid with holes; always solvable, because its cells are connected."""
    cells = connected_grid(rng, rows, cols, missing)
    name_of = {cell: f"c-{cell[0] + 1}-{cell[1] + 1}" for cell in cells}
    start = name_of[rng.choice(cells)]
    linked = [
        fact("linked", name_of[cell], name_of[other])
        for cell in cells
        for other in neighbours(cell)
        if other in name_of
    ]
    return Problem(
        {"cell": list(name_of.values())},
        [fact("robot-at", start), fact("visited", start), *linked],
        [fact("visited", name) for name in name_of.values()],
    )


def scaled(size: int) -> dict[str, int]:
    """3x3, 4x4, 5x5, …, each with a fifth of the cells missing."""
    return {"rows": size + 2, "cols": size + 2, "missing": 20}


DOMAIN = BundledDomain(
    name="visitall",
    summary="a robot visits every cell of a grid with holes",
    text=TEXT,
    options=(
        Option("rows", 5, 2, 100, "rows of the grid"),
        Option("cols", 5, 2, 100, "columns of the grid"),
        Option("missing", 20, 0, 75, "share of the cells that are missing, in percent"),
    ),
    make=make,
    scaled=scaled,
)
