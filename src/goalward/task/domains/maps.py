"""Random connected maps for the generators: grids with missing cells, and road networks."""

from __future__ import annotations

from random import Random
from typing import TypeVar

T = TypeVar("T")

Cell = tuple[int, int]
STEPS: dict[str, Cell] = {"north": (-1, 0), "east": (0, 1), "south": (1, 0), "west": (0, -1)}


def neighbours(cell: Cell) -> list[Cell]:
    """The four cells next to ``cell``, inside the grid or not."""
    return [(cell[0] + down, cell[1] + right) for down, right in STEPS.values()]


def connected_grid(rng: Random, rows: int, cols: int, missing_percent: int) -> list[Cell]:
    """The cells of a connected grid in reading order, with about ``missing_percent`` of them removed at random.

    Only leaves of a random spanning tree are removed, so that the remaining cells stay connected.
    """
    tree = _spanning_tree(rng, rows, cols)
    n_cells = rows * cols
    n_missing = min(n_cells * missing_percent // 100, n_cells - 2)
    leaves = sorted(cell for cell, joined in tree.items() if len(joined) == 1)
    for _ in range(n_missing):
        leaf = _pop_random(rng, leaves)
        (stem,) = tree.pop(leaf)
        tree[stem].remove(leaf)
        if len(tree[stem]) == 1:
            leaves.append(stem)
    return sorted(tree)


def random_roads(rng: Random, n_towns: int, n_extra: int) -> list[tuple[int, int]]:
    """A connected road network, sorted: a random tree over ``0..n_towns-1`` and up to ``n_extra`` other roads."""
    roads = {(rng.randrange(town), town) for town in range(1, n_towns)}
    for _ in range(n_extra):
        first, second = sorted(rng.sample(range(n_towns), 2))
        roads.add((first, second))
    return sorted(roads)


def _spanning_tree(rng: Random, rows: int, cols: int) -> dict[Cell, list[Cell]]:
    start = (rng.randrange(rows), rng.randrange(cols))
    tree: dict[Cell, list[Cell]] = {start: []}
    frontier = [(start, cell) for cell in neighbours(start)]
    while frontier:
        stem, cell = _pop_random(rng, frontier)
        if cell in tree or not (0 <= cell[0] < rows and 0 <= cell[1] < cols):
            continue
        tree[stem].append(cell)
        tree[cell] = [stem]
        frontier += [(cell, next_cell) for next_cell in neighbours(cell)]
    return tree


def _pop_random(rng: Random, items: list[T]) -> T:
    position = rng.randrange(len(items))
    items[position], items[-1] = items[-1], items[position]
    return items.pop()
