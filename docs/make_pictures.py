"""Writes the pictures of the README: the live view of a training as SVG, and the report as PNG.

python docs/make_pictures.py         # needs goalward[train], pyte and playwright, and Chromium; takes half a minute
"""

from __future__ import annotations

import fcntl
import html
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

import pyte

from goalward.experiments.results_file import import_results
from goalward.experiments.store import FILE_NAME, Store
from goalward.report import write_report

DOCS = Path(__file__).resolve().parent
PICTURES = DOCS / "pictures"
ROWS, COLUMNS = 40, 92
CELL = 8.4, 19.0


def run_on_terminal(*command: str | Path, folder: Path) -> str:
    """Run a program on a terminal in software; the screen as it was before the last lines of its live view went."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    screen, fullest = pyte.Screen(COLUMNS, ROWS), ""
    stream = pyte.ByteStream(screen)
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder) as process:
        os.close(theirs)
        while True:
            try:
                data = os.read(ours, 4096)
            except OSError:
                break
            if not data:
                break
            stream.feed(data)
            now = "\n".join(line.rstrip() for line in screen.display).rstrip()
            if "expansions" in now and re.search(r"training +█", now):
                fullest = now
    os.close(ours)
    if process.returncode:
        sys.exit(f"{command[0]} ended with {process.returncode}")
    return fullest


def as_svg(text: str, title: str) -> str:
    """A terminal window with these lines."""
    lines = text.split("\n")
    width, height = COLUMNS * CELL[0] + 32, len(lines) * CELL[1] + 58
    drawn = "".join(
        f'<text x="16" y="{52 + i * CELL[1]:.0f}" xml:space="preserve">{html.escape(line)}</text>\n'
        for i, line in enumerate(lines)
    )
    dots = "".join(
        f'<circle cx="{20 + 18 * i}" cy="17" r="5.5" fill="{c}"/>'
        for i, c in enumerate(("#e0685f", "#e6b23f", "#66b25a"))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'role="img" aria-label="{html.escape(title)}">\n'
        "<style>text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #dfe4ea; }</style>\n"
        f'<rect width="{width:.0f}" height="{height:.0f}" rx="10" fill="#1d232b"/>{dots}\n{drawn}</svg>\n'
    )


def live_view() -> None:
    """Train on a bundled problem, and draw what a terminal shows meanwhile."""
    program = Path(sys.executable).parent / "goalward"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = ["generate", "blocks", "--set", "n=8", "--seed", "1", "-o", "blocks"]
        subprocess.run([program, *made], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        train = ["train", "blocks/domain.pddl", "blocks/problem.pddl", "-o", "blocks.goalward", "--time-limit", "1m"]
        shown = run_on_terminal(program, *train, folder=folder)
    text = f"$ goalward {' '.join(train)}\n{shown}"
    (PICTURES / "live-view.svg").write_text(as_svg(text, "The live view of goalward train"), encoding="utf-8")


def report() -> None:
    """The top of the report on the results in docs/results, as a browser shows it."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415

    program = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with (
        tempfile.TemporaryDirectory() as folder,
        Store(Path(folder) / FILE_NAME, create=True) as store,
        sync_playwright() as playwright,
    ):
        import_results(store, DOCS / "results" / "paper-table.json")
        path = Path(folder) / "report.html"
        write_report(store, path)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1180, "height": 860}, color_scheme="light")
        page.goto(path.as_uri())
        page.wait_for_selector("html[data-ready=yes]", timeout=120_000)
        page.screenshot(path=PICTURES / "report.png")
        browser.close()


if __name__ == "__main__":
    live_view()
    report()
