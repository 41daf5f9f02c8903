"""The live view: figures on a terminal while search runs, nothing of it anywhere else."""

from __future__ import annotations

import re

import pytest

from .program import Files, on_terminal


def test_a_terminal_shows_the_figures_of_a_search(hard: Files) -> None:
    shown = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1.5s")
    assert shown.code == 23
    text = shown.text
    assert "grounding" in text
    for label in ("time", "expanded", "evaluations/s", "best h", "memory"):
        assert f"{label} " in text
    counts = re.findall(r"expanded ([\d.]+)(k|M|) ", text)
    values = [float(count) * {"": 1, "k": 1e3, "M": 1e6}[unit] for count, unit in counts]
    assert len(values) >= 5
    assert values == sorted(values)
    assert values[0] < values[-1]
    assert "\x1b" not in shown.out
    assert "Expanded " in shown.out


def test_the_view_disappears_and_gives_the_cursor_back(hard: Files) -> None:
    shown = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1s")
    assert shown.cursor_is_back
    assert "expanded" not in shown.terminal[shown.terminal.rfind("\x1b[2K") :]


def test_with_json_a_terminal_shows_nothing(hard: Files) -> None:
    shown = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1s", "--json")
    assert (shown.code, shown.terminal) == (23, "")
    assert shown.out.startswith("{")


@pytest.mark.parametrize("limit", ["--memory-limit=1M", "--time-limit=50ms"])
def test_a_limit_reached_while_grounding_is_one_line_on_a_terminal(large: Files, limit: str) -> None:
    shown = on_terminal("plan", *large.names, limit)
    assert shown.code in (22, 23)
    assert shown.out == ""
    assert re.findall(r"goalward: .*", shown.text.replace("\r", "")) == [
        f"goalward: out of {'memory' if shown.code == 22 else 'time'} while reading and grounding the problem"
    ]
