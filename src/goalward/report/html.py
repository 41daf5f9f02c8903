"""One HTML file that needs nothing else: template, style, scripts, numbers, and the plotting library inside.

The plots are plotly.js (MIT), taken from the PyPI package ``plotly`` that is installed here. The library and the
numbers are stored compressed; every browser since 2023 unpacks them by itself. The page forbids itself to load anything
from elsewhere.
"""

from __future__ import annotations

import base64
import gzip
import html
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from goalward.errors import UsageError
from goalward.experiments.store import Store
from goalward.report.data import load
from goalward.report.page import make_page
from goalward.report.table_text import writer_for
from goalward.task.plan_file import write_bytes_atomically, write_text_atomically

SCRIPTS = ("basics.js", "table.js", "plots.js", "figures.js", "plans.js", "learning.js", "states.js", "main.js")


def write_report(store: Store, path: Path, table: Path | None = None) -> int:
    """Write the report of an experiment, and its coverage table as text if asked; returns the page's size in bytes."""
    table_writer = writer_for(table) if table else None
    experiment = load(store)
    data = render(make_page(experiment, store)).encode()
    write_bytes_atomically(path, data)
    if table and table_writer:
        write_text_atomically(table, table_writer(experiment))
    return len(data)


def render(page: dict[str, Any]) -> str:
    """The page as text."""
    numbers = json.dumps(page, separators=(",", ":"), allow_nan=False).encode()
    parts = {
        "title": html.escape(page["title"]),
        "style": _asset("style.css"),
        "library": _plotting_library(),
        "numbers": _packed(numbers),
        "scripts": "\n".join(_asset(name) for name in SCRIPTS),
    }
    text = _asset("page.html")
    for name, part in parts.items():
        text = text.replace(f"<!--{name}-->", part)
    return text


def _asset(name: str) -> str:
    return (files("goalward.report") / "assets" / name).read_text(encoding="utf-8")


@cache
def _plotting_library() -> str:
    """It is the same in every page of a process, and packing it takes longer than all the rest."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "the report needs plotly, which is not installed: pip install 'goalward[experiments]'"
        ) from None
    return _packed(get_plotlyjs().encode())


def _packed(data: bytes) -> str:
    # The time in a gzip header would make two pages of the same results differ.
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
