"""Storage: a worker pushes crates to their places in a crowded warehouse; some pushes lead to dead ends."""

from __future__ import annotations

from random import Random

from goalward.errors import UsageError
from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import STEPS, Cell, connected_grid, neighbours

CELLS_PER_CRATE = 4
TURNS_PER_CRATE = 6
MAX_PULL = 4

TEXT = """\
; Storage: a worker walks between free cells and pushes crates, one at a time and never pulling, to their places.
(define (domain storage)
  (:requirements :strips :typing)
  (:types cell crate direction)
  (:constants north east south west - direction)
  (:predicates
    (worker-on ?c - cell)
    (crate-on ?k - crate ?c - cell)
    (no-crate ?c - cell)
    (next ?c ?other - cell ?d - direction)
  )

  (:action walk
    :parameters (?from ?to - cell ?d - direction)
    :precondition (and (worker-on ?from) (next ?from ?to ?d) (no-crate ?to))
    :effect (and (worker-on ?to) (not (worker-on ?from)))
  )

  (:action push
    :parameters (?k - crate ?behind ?from ?to - cell ?d - direction)
    :precondition (and
      (worker-on ?behind) (crate-on ?k ?from) (no-crate ?to)
      (next ?behind ?from ?d) (next ?from ?to ?d)
    )
    :effect (and
      (worker-on ?from) (crate-on ?k ?to) (no-crate ?from)
      (not (worker-on ?behind)) (not (crate-on ?k ?from)) (not (no-crate ?to))
    )
  )
)
"""


def make(rng: Random, *, rows: int, cols: int, crates: int, pillars: int) -> Problem:
    """Crates out of place; always solvable, because they were pulled from their places and a push undoes each pull."""
    n_floor = rows * cols - rows * cols * pillars // 100
    if crates > n_floor // CELLS_PER_CRATE:
        raise UsageError(
            f"storage: crates={crates} do not fit on {n_floor} free cells: use at most {n_floor // CELLS_PER_CRATE}, "
            "or more rows or cols"
        )
    floor, places, worker, start = _scrambled(rng, rows, cols, crates, pillars)
    name_of = {cell: f"c-{cell[0] + 1}-{cell[1] + 1}" for cell in floor}
    crate_names = names("crate", crates)
    init = [fact("worker-on", name_of[worker])]
    init += [fact("crate-on", crate, name_of[cell]) for crate, cell in zip(crate_names, start, strict=True)]
    init += [fact("no-crate", name_of[cell]) for cell in floor if cell not in start]
    for cell in floor:
        for direction, step in STEPS.items():
            other = _moved(cell, step)
            if other in name_of:
                init.append(fact("next", name_of[cell], name_of[other], direction))
    goal = [fact("crate-on", crate, name_of[cell]) for crate, cell in zip(crate_names, places, strict=True)]
    return Problem({"cell": list(name_of.values()), "crate": crate_names}, init, goal)


def _scrambled(
    rng: Random, rows: int, cols: int, n_crates: int, pillars: int
) -> tuple[list[Cell], list[Cell], Cell, list[Cell]]:
    """The floor, the crates' places, the worker's cell and the crates' cells, with most crates out of place."""
    wanted = n_crates
    while True:
        floor = connected_grid(rng, rows, cols, pillars)
        places = rng.sample(floor, n_crates)
        worker, crates = _pulled_apart(rng, floor, places)
        if sum(crate != place for crate, place in zip(crates, places, strict=True)) >= wanted:
            return floor, places, worker, crates
        wanted = max(1, wanted * 9 // 10)  # a crowded or narrow warehouse may not let every crate move


def _pulled_apart(rng: Random, floor: list[Cell], places: list[Cell]) -> tuple[Cell, list[Cell]]:
    """The cells of the worker and of the crates after random pulls that start with all crates in place.

    Each pull moves one of the crates that were pulled least often, so that few crates stay in place.
    """
    crates = list(places)
    turns = [0] * len(crates)
    free = set(floor) - set(crates)
    worker = rng.choice([cell for cell in floor if cell in free])
    for _ in range(TURNS_PER_CRATE * len(crates)):
        region = _reachable(worker, free)
        pulls = [
            (turns[number], number, step)
            for number, crate in enumerate(crates)
            for step in STEPS.values()
            if _moved(crate, step) in region and _moved(crate, step, 2) in free
        ]
        if not pulls:
            break
        min_turns = min(pulls)[0]
        _, number, step = rng.choice([pull for pull in pulls if pull[0] == min_turns])
        turns[number] += 1
        for _ in range(rng.randint(1, MAX_PULL)):
            if _moved(crates[number], step, 2) not in free:
                break
            free.add(crates[number])
            crates[number] = _moved(crates[number], step)
            free.remove(crates[number])
            worker = _moved(crates[number], step)
    return rng.choice(sorted(_reachable(worker, free))), crates


def _reachable(start: Cell, free: set[Cell]) -> set[Cell]:
    reached = {start}
    stack = [start]
    while stack:
        for cell in neighbours(stack.pop()):
            if cell in free and cell not in reached:
                reached.add(cell)
                stack.append(cell)
    return reached


def _moved(cell: Cell, step: Cell, times: int = 1) -> Cell:
    return cell[0] + times * step[0], cell[1] + times * step[1]


def scaled(size: int) -> dict[str, int]:
    """One more crate, row and column per step."""
    return {"rows": size + 3, "cols": size + 3, "crates": size, "pillars": 10}


DOMAIN = BundledDomain(
    name="storage",
    summary="a worker pushes crates to their places in a crowded warehouse",
    text=TEXT,
    options=(
        Option("rows", 5, 3, 40, "rows of the warehouse"),
        Option("cols", 5, 3, 40, "columns of the warehouse"),
        Option("crates", 2, 1, 60, f"number of crates, at most one for {CELLS_PER_CRATE} free cells"),
        Option("pillars", 10, 0, 30, "share of the cells that are blocked, in percent"),
    ),
    make=make,
    scaled=scaled,
)
