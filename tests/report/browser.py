"""Chromium for the tests of the page: Debian's package, driven by Playwright."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 100_000
"""Milliseconds; the machine may be busy."""


@dataclass
class Watched:
    """A page, what it said on its console, and what it asked the network for."""

    page: Any
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def drawn_after(self, action: Any) -> None:
        """Do something that redraws the plots, and wait until they are."""
        before = self.page.evaluate("document.documentElement.dataset.drawn")
        action()
        self.page.wait_for_function("before => document.documentElement.dataset.drawn !== before", arg=before)

    def settled(self) -> None:
        """Wait for what is being drawn."""
        self.page.evaluate("drawing")


def find_chromium() -> str:
    """The program; skips where it is absent."""
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("Chromium is not installed (apt-get install chromium); the page is not tested")
    return found


@contextmanager
def chromium() -> Iterator[Any]:
    """A headless browser."""
    program = find_chromium()
    api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed (pip install playwright)")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"], timeout=PATIENCE)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Any, path: Path, width: int = 1280, scheme: str = "light") -> Iterator[Watched]:
    """A page that has drawn everything."""
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(PATIENCE)
    watched = Watched(context.new_page())
    watched.page.on("console", lambda message: watched.complaints.append(f"{message.type}: {message.text}"))
    watched.page.on("pageerror", lambda error: watched.complaints.append(f"error: {error}"))
    watched.page.on("request", lambda request: watched.requests.append(request.url))
    watched.page.goto(path.as_uri())
    watched.page.wait_for_selector("html[data-ready]", state="attached")
    assert watched.page.get_attribute("html", "data-ready") == "yes", watched.complaints
    yield watched
    context.close()
