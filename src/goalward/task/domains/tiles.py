"""Tiles: the sliding-tile puzzle on a board of any size."""

from __future__ import annotations

from random import Random

from goalward.task.domains.bundled import BundledDomain, Option, Problem, fact, names
from goalward.task.domains.maps import neighbours

TEXT = """\
; Tiles: slide tiles into the one gap of the board until all are in order.
(define (domain tiles)
  (:requirements :strips :typing)
  (:types tile square)
  (:predicates
    (tile-at ?t - tile ?s - square)
    (gap ?s - square)
    (beside ?s ?other - square)
  )

  (:action slide
    :parameters (?t - tile ?from ?to - square)
    :precondition (and (tile-at ?t ?from) (gap ?to) (beside ?from ?to))
    :effect (and (tile-at ?t ?to) (gap ?from) (not (tile-at ?t ?from)) (not (gap ?to)))
  )
)
"""


def make(rng: Random, *, rows: int, cols: int) -> Problem:
    """A random board with the same parity as the goal, which makes it solvable on every board of at least 2x2."""
    squares = [(row, col) for row in range(rows) for col in range(cols)]
    square_names = [f"s-{row + 1}-{col + 1}" for row, col in squares]
    name_of = dict(zip(squares, square_names, strict=True))
    board = random_board(rng, rows, cols)
    beside = [
        fact("beside", name_of[square], name_of[other])
        for square in squares
        for other in neighbours(square)
        if other in name_of
    ]
    return Problem(
        {"tile": names("t", rows * cols - 1), "square": square_names},
        _board_facts(board, square_names) + beside,
        _board_facts([*range(1, rows * cols), 0], square_names),
    )


def random_board(rng: Random, rows: int, cols: int) -> list[int]:
    """Tile numbers square by square, 0 for the gap, drawn uniformly from the solvable boards except the solved one."""
    solved = [*range(1, rows * cols), 0]
    board = solved
    while board == solved:
        board = rng.sample(solved, len(solved))
        if not is_solvable(board, cols):
            first, second = (position for position, tile in enumerate(board) if tile in {1, 2})
            board[first], board[second] = board[second], board[first]
    return board


def is_solvable(board: list[int], cols: int) -> bool:
    """True if the permutation of the tiles has the same parity as the gap's distance from the last square.

    Each slide swaps the gap with a tile, so it changes both parities.
    """
    gap = board.index(0)
    rows = len(board) // cols
    distance = (rows - 1 - gap // cols) + (cols - 1 - gap % cols)
    solved = [*range(1, len(board)), 0]
    home = {tile: position for position, tile in enumerate(solved)}
    swaps = 0
    seen = [False] * len(board)
    for start in range(len(board)):
        position = start
        while not seen[position]:
            seen[position] = True
            position = home[board[position]]
            swaps += position != start
    return (swaps - distance) % 2 == 0


def _board_facts(board: list[int], square_names: list[str]) -> list[str]:
    return [
        fact("tile-at", f"t{tile}", square) if tile else fact("gap", square)
        for tile, square in zip(board, square_names, strict=True)
    ]


def scaled(size: int) -> dict[str, int]:
    """2x2, 2x3, 3x3, 3x4, 4x4, ..."""
    return {"rows": (size + 3) // 2, "cols": (size + 4) // 2}


DOMAIN = BundledDomain(
    name="tiles",
    summary="the sliding-tile puzzle",
    text=TEXT,
    options=(
        Option("rows", 3, 2, 30, "rows of the board"),
        Option("cols", 3, 2, 30, "columns of the board"),
    ),
    make=make,
    scaled=scaled,
)
