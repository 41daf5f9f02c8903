"""Writes the report as one self-contained HTML file, with template, style, scripts, numbers and plotting library.

Plots are drawn by plotly.js (MIT), taken from the installed PyPI package ``plotly``. The library and the numbers are
compressed; browsers since 2023 can decompress them. The page's security policy forbids loading anything else.
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
    """Write the report of an experiment, and with ``table`` its coverage table; return the page's size in bytes."""
    table_writer = writer_for(table) if table else None
    experiment = load(store)
    data = render(make_page(experiment, store)).encode()
    write_bytes_atomically(path, data)
    if table and table_writer:
        write_text_atomically(table, table_writer(experiment))
    return len(data)


def render(page: dict[str, Any]) -> str:
    """The HTML text of the page."""
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
    """The compressed library, cached because compressing it takes longer than making the rest of the page."""
    try:
        from plotly.offline import get_plotlyjs  # noqa: PLC0415
    except ImportError:
        raise UsageError(
            "the report needs plotly, which is not installed: pip install 'goalward[experiments]'"
        ) from None
    return _packed(get_plotlyjs().encode())


def _packed(data: bytes) -> str:
    # Without a time in the gzip header, the same results give the same page.
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()
