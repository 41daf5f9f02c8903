"""What the pages show is run: programs as they stand, commands as a shell takes them, with budgets of seconds."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[1]
PAGES = ["docs/unified-planning.md"]
BLOCK = re.compile(r"^```(sh|python)\n(.*?)^```$", flags=re.DOTALL | re.MULTILINE)
LONG = re.compile(r"(?<![\w.])(\d+m|[1-9]\ds|\d+h)(?!\w)")
"""Durations on the pages are what users want; here two seconds do."""


def as_script(text: str) -> str:
    """All blocks of a page, in order, as one program."""
    lines = ["import subprocess"]
    for language, block in BLOCK.findall(text):
        short = LONG.sub("2s", block)
        lines.append(short if language == "python" else f"subprocess.run({short!r}, shell=True, check=True)")
    return "\n".join(lines)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_works(page: str, tmp_path: Path) -> None:
    script = as_script((REPOSITORY / page).read_text())
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    command = [sys.executable, "-c", script]
    run = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=tmp_path, env=os.environ | {"PATH": path}
    )
    assert run.returncode == 0, run.stderr[-3000:]
