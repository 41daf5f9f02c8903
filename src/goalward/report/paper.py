"""The figures published in the paper, for comparison with an experiment's own.

O'Toole, Ramirez, Lipovetzky, Pearce: *Sampling from Pre-Images to Learn Heuristic Functions for Classical Planning*.
Coverage in percent and training hours per instance are from the main comparison (Table 1). The figures of SING and of
the grid search over hyper-parameters are from tables of the supplement.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

SOURCE = (
    "O'Toole, Ramirez, Lipovetzky, Pearce: Sampling from Pre-Images to Learn Heuristic Functions for Classical Planning"
    ", Table 1; SING and the hyper-parameter settings: supplement"
)
DOMAINS = (
    "blocks",
    "depot",
    "grid",
    "npuzzle",
    "pipesworld",
    "rovers",
    "scanalyzer",
    "storage",
    "transport",
    "visitall",
)
OTHER_NAMES = {"pipesworld-notankage": "pipesworld", "pipesworld-nt": "pipesworld"}
"""Folders of the benchmark that have a shorter name in the paper's tables; those also leave out the year."""
_YEAR = re.compile(r"-(opt|sat)\d\d(-strips)?$")  # as in scanalyzer-opt11-strips


@dataclass(frozen=True)
class PaperColumn:
    """A column of the paper's table; coverage is in the order of ``DOMAINS``."""

    method: str
    kind: Literal["single", "mean", "validated"]
    budget: str
    moderate: tuple[float, ...]
    hard: tuple[float, ...]
    hours: tuple[float, float] | None = None
    """Training time per instance, moderate and hard; for HGN the paper's figure is per instance too."""
    learned: bool = True


_SIX, _SIX_HUNDRED = "6 minutes to plan", "600 minutes to plan"

COLUMNS = (
    PaperColumn(
        "rsl",
        "mean",
        _SIX,
        (80, 48.7, 71, 15.3, 70.7, 12.6, 87.4, 16.1, 74.8, 93.6),
        (18.5, 4, 21.9, 0, 27.4, 0, 86.4, 3.7, 0, 82.4),
        (0.37, 0.69),
    ),
    PaperColumn(
        "n-rsl",
        "mean",
        _SIX,
        (91.5, 58.8, 60.3, 18.9, 69.6, 12.5, 94.1, 16.4, 70.8, 95.4),
        (45.3, 3.3, 32.1, 0, 25, 0.1, 89.7, 2.5, 1.2, 91.8),
        (0.38, 0.69),
    ),
    PaperColumn(
        "rsl",
        "validated",
        _SIX,
        (99.2, 77, 100, 25.2, 85.8, 15, 100, 17, 100, 99.7),
        (36.4, 14.6, 67.2, 0, 33.8, 0.1, 100, 1.8, 0, 100),
        (3.68, 6.88),
    ),
    PaperColumn(
        "n-rsl",
        "validated",
        _SIX,
        (100, 89, 97, 46.8, 82.6, 15.8, 100, 18, 93.8, 98),
        (68, 12.6, 69, 0, 33.1, 0.1, 100, 0.2, 8.8, 100),
        (3.75, 6.88),
    ),
    PaperColumn(
        "boot",
        "validated",
        _SIX_HUNDRED,
        (18, 60.3, 100, 28, 57.8, 48.2, 33.3, 89, 100, 55.3),
        (0, 8.3, 87.8, 0, 23.4, 2.8, 3.3, 27.2, 0, 28),
        (112, 112),
    ),
    PaperColumn(
        "bexp",
        "validated",
        _SIX_HUNDRED,
        (0, 32.7, 100, 0, 68.4, 21.8, 70.7, 57.5, 100, 0),
        (0, 4.3, 95, 0, 19.1, 0.8, 0, 13.2, 0, 0),
        (112, 112),
    ),
    PaperColumn(
        "avi",
        "validated",
        _SIX_HUNDRED,
        (0, 54.7, 51, 1, 50.2, 45, 67.3, 69.5, 87.5, 0),
        (0, 12.9, 70.5, 0, 8, 6.5, 60.7, 15.8, 2.4, 0),
        (112, 112),
    ),
    PaperColumn(
        "tsl",
        "validated",
        _SIX_HUNDRED,
        (80.4, 90.3, 93, 0, 92.2, 26, 82.7, 24.5, 99.2, 0),
        (0, 35.4, 60.2, 0, 48.7, 1.5, 60, 0, 0, 0),
        (112, 112),
    ),
    PaperColumn(
        "hgn",
        "validated",
        _SIX_HUNDRED,
        (100, 0, 0, 0.3, 7.6, 14, 11, 0, 94.7, 100),
        (50, 0, 0, 0, 0, 0.3, 0, 0, 0, 100),
        (13.1, 10.4),
    ),
    PaperColumn(
        "ff",
        "single",
        _SIX,
        (100, 93.7, 90, 92.8, 63, 79.5, 91.7, 27.5, 100, 89),
        (46.4, 9.4, 31, 5.8, 20.4, 8.3, 83.3, 9.2, 0, 40),
        None,
        learned=False,
    ),
    PaperColumn(
        "lama",
        "single",
        _SIX,
        (100, 99.3, 100, 97.8, 98.6, 100, 100, 34, 100, 100),
        (96, 69.4, 100, 12.8, 68, 100, 100, 9, 59.6, 100),
        None,
        learned=False,
    ),
    PaperColumn(
        "sing",
        "single",
        _SIX,
        (17.6, 0, 0, 0, 13.8, 6.2, 16.7, 0, 0, 1.3),
        (0.8, 0, 0, 0, 0.1, 0, 0, 1, 0, 0),
        (1.6, 2.6),
    ),
)


@dataclass(frozen=True)
class PaperSetting:
    """One setting of the grid search and its average coverage; single runs on 10 states per instance."""

    values: dict[str, float]
    moderate: float
    hard: float


# Averages of the grid search, in the order of SETTINGS below: L changes fastest, then N_r, P_r and N_t.
_GRID_MODERATE = (12.7, 15.9, 19.3, 36.7, 53, 60.8, 57.8, 60.9, 13.1, 19.7, 14.7, 34.7, 35.4, 46.4, 43, 59.9)
_GRID_HARD = (4.81, 3.41, 8.41, 9.89, 15.97, 18.33, 16.94, 26.97, 6.89, 5.94, 10.56, 10.72, 13.35, 17.47, 13.97, 27.91)

SETTINGS = tuple(
    PaperSetting({"N_t": n_t, "P_r": p_r, "N_r": n_r, "L": length}, _GRID_MODERATE[place], _GRID_HARD[place])
    for place, (n_t, p_r, n_r, length) in enumerate(
        (n_t, p_r, n_r, length)
        for n_t in (10_000, 100_000)
        for p_r in (0.0, 0.5)
        for n_r in (1, 5)
        for length in (50, 500)
    )
)


def coverage(column: PaperColumn, domain: str, difficulty: str) -> float | None:
    """The coverage that the paper reports for a domain of the benchmark; None if it reports none."""
    plain = _YEAR.sub("", domain)
    name = OTHER_NAMES.get(plain, plain)
    if name not in DOMAINS or difficulty not in {"moderate", "hard"}:
        return None
    return (column.moderate if difficulty == "moderate" else column.hard)[DOMAINS.index(name)]
