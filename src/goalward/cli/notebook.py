"""A live table in a Jupyter notebook: one output that is replaced now and then, and stays when the work ends."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from rich.console import Console

from goalward.display import html_table

INTERVAL = 0.5
"""Seconds between two drawings."""


def in_notebook() -> bool:
    """Does this process serve a notebook, rather than a terminal?"""
    ipython: Any = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


class NotebookRows:
    """Names and values in the output of a cell, drawn by a thread of its own while the block runs."""

    def __init__(self, rows: Callable[[], list[tuple[str, str]]]) -> None:
        self.console = Console(highlight=False, markup=False)  # for lines that stay
        self._rows = rows
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._draw_on, daemon=True)

    def __enter__(self) -> NotebookRows:
        from IPython.display import display  # noqa: PLC0415 - there is none outside of notebooks

        self._output = display(self._drawn(), display_id=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()
        self._output.update(self._drawn())

    def _draw_on(self) -> None:
        while not self._ended.wait(INTERVAL):
            self._output.update(self._drawn())

    def _drawn(self) -> Any:
        from IPython.display import HTML  # noqa: PLC0415

        return HTML(html_table("", self._rows()))
