"""One browser for all pages: to start it takes longer than to open a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from report.browser import chromium


@pytest.fixture(scope="package")  # not for longer: while Playwright is open, nothing else can start an event loop here
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found
