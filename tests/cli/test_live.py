"""The live view: figures on a terminal while search runs, nothing of it anywhere else."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import pytest

from .program import PROGRAM, Files, environment


def on_terminal(*arguments: str) -> tuple[int, str, str]:
    """Run goalward with stderr on a terminal: exit code, what the terminal got, what stdout got."""
    terminal, end = pty.openpty()
    try:
        process = subprocess.Popen(
            [PROGRAM, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=end,
            env=environment(TERM="xterm-256color", COLUMNS="120"),
        )
        os.close(end)
        seen = b""
        while True:
            try:
                piece = os.read(terminal, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            seen += piece
        out, _ = process.communicate(timeout=30)
    finally:
        os.close(terminal)
    assert b"Traceback" not in seen + out
    return process.returncode, seen.decode(), out.decode()


def test_a_terminal_shows_the_figures_of_a_search(hard: Files) -> None:
    code, seen, out = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1.5s")
    assert code == 23
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", seen)
    assert "grounding" in text
    for label in ("time", "expanded", "evaluations/s", "best h", "memory"):
        assert f"{label} " in text
    counts = re.findall(r"expanded ([\d.]+)(k|M|) ", text)
    values = [float(count) * {"": 1, "k": 1e3, "M": 1e6}[unit] for count, unit in counts]
    assert len(values) >= 5
    assert values == sorted(values)
    assert values[0] < values[-1]
    assert "\x1b" not in out
    assert "Expanded " in out


def test_the_view_disappears_and_gives_the_cursor_back(hard: Files) -> None:
    _, seen, _ = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1s")
    hidden, shown = seen.rfind("\x1b[?25l"), seen.rfind("\x1b[?25h")
    assert 0 <= hidden < shown
    assert "expanded" not in seen[seen.rfind("\x1b[2K") :]


def test_with_json_a_terminal_shows_nothing(hard: Files) -> None:
    code, seen, out = on_terminal("plan", *hard.names, "-H", "blind", "--time-limit", "1s", "--json")
    assert (code, seen) == (23, "")
    assert out.startswith("{")


@pytest.mark.parametrize("limit", ["--memory-limit=1M", "--time-limit=50ms"])
def test_a_limit_reached_while_grounding_is_one_line_on_a_terminal(large: Files, limit: str) -> None:
    code, seen, out = on_terminal("plan", *large.names, limit)
    assert code in (22, 23)
    assert out == ""
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", seen)
    assert re.findall(r"goalward: .*", text) == [
        f"goalward: out of {'memory' if code == 22 else 'time'} while reading and grounding the problem"
    ]
