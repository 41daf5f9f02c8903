"""The live view of a search on a terminal: a few calm numbers on stderr that disappear when it ends."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from goalward import _core
from goalward.measures import format_count, format_duration, format_size
from goalward.search import Statistics

BARS = " ▁▂▃▄▅▆▇█"

errors = Console(stderr=True, highlight=False)


def search_view(statistics: Statistics) -> Table:
    """One row of figures."""
    table = Table.grid(padding=(0, 3))
    rate = statistics.evaluated / statistics.seconds if statistics.seconds > 0 else 0.0
    cells = [
        ("time", format_duration(statistics.seconds)),
        ("expanded", format_count(statistics.expanded)),
        ("evaluations/s", format_count(rate)),
        ("best h", f"{statistics.best_h:g}"),
        ("memory", format_size(_core.resident_memory())),
    ]
    table.add_row(*(Text.assemble((f"{label} ", "dim"), (value, "bold")) for label, value in cells))
    return table


@contextlib.contextmanager
def live_search(enabled: bool) -> Iterator[Callable[[Statistics], None]]:
    """A function that shows statistics while the block runs; it does nothing where there is no terminal."""
    if not enabled or not errors.is_terminal:
        yield lambda statistics: None
        return
    with Live(console=errors, transient=True, auto_refresh=False) as live:
        yield lambda statistics: live.update(search_view(statistics), refresh=True)


@contextlib.contextmanager
def spinner(message: str, enabled: bool = True) -> Iterator[None]:
    """A word on what is happening, on terminals only."""
    if enabled and errors.is_terminal:
        with errors.status(message, spinner="dots"):
            yield
    else:
        yield


def sparkline(losses: Sequence[float]) -> str:
    """The last losses as little bars, on a logarithmic scale."""
    finite = [loss for loss in losses if math.isfinite(loss)]  # a round that solved nothing has none
    values = [math.log(max(loss, 1e-9)) for loss in finite[-30:]] or [0.0]
    low, high = min(values), max(values)
    scale = (len(BARS) - 1) / (high - low) if high > low else 0
    return "".join(BARS[round((value - low) * scale)] for value in values)
