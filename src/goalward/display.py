"""HTML for notebooks: small tables and plots without JavaScript."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

_WIDTH, _HEIGHT = 320, 60


def html_table(title: str, rows: Iterable[tuple[str, object]], below: str = "") -> str:
    """A table of names and values with a caption, and HTML below it; values are escaped."""
    lines = "".join(
        f'<tr><th style="text-align:left">{escape(name)}</th><td style="text-align:left">{escape(str(value))}</td></tr>'
        for name, value in rows
        if value is not None
    )
    caption = f'<caption style="text-align:left;font-weight:bold">{escape(title)}</caption>' if title else ""
    return f"<div><table>{caption}<tbody>{lines}</tbody></table>{below}</div>"


def html_list(items: Sequence[str], max_items: int = 30) -> str:
    """A numbered list of at most ``max_items`` items, and the number of items that are left out."""
    shown = "".join(f"<li><code>{escape(item)}</code></li>" for item in items[:max_items])
    rest = f"<p>… and {len(items) - max_items} more</p>" if len(items) > max_items else ""
    return f"<ol>{shown}</ol>{rest}"


def bars(heights: Sequence[float], caption: str) -> str:
    """A bar chart as SVG, with a caption below it."""
    highest = max([*heights, 1e-12])
    width = _WIDTH / max(len(heights), 1)
    drawn = "".join(
        f'<rect x="{i * width:.1f}" y="{_HEIGHT * (1 - height / highest):.1f}" width="{max(width - 1, 0.5):.1f}" '
        f'height="{_HEIGHT * height / highest:.1f}"/>'
        for i, height in enumerate(heights)
    )
    return _picture(f'<g fill="currentColor">{drawn}</g>', caption)


def falling_line(values: Sequence[float], caption: str) -> str:
    """A line plot on a logarithmic scale as SVG, for losses; values that are not finite are left out."""
    found = [(i, math.log(max(value, 1e-9))) for i, value in enumerate(values) if math.isfinite(value)]
    if len(found) < 2:
        return ""
    low, high = min(y for _, y in found), max(y for _, y in found)
    scale = _HEIGHT / (high - low) if high > low else 0.0
    points = " ".join(f"{_WIDTH * i / (len(values) - 1):.1f},{(high - y) * scale:.1f}" for i, y in found)
    return _picture(f'<polyline fill="none" stroke="currentColor" stroke-width="1.5" points="{points}"/>', caption)


def _picture(drawing: str, caption: str) -> str:
    view = f'viewBox="-2 -2 {_WIDTH + 4} {_HEIGHT + 4}" width="{_WIDTH}" height="{_HEIGHT}"'
    return f"<figure><svg {view}>{drawing}</svg><figcaption>{escape(caption)}</figcaption></figure>"
