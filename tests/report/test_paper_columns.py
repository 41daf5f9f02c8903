"""Which of our columns the paper's stand beside."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalward.report import load
from goalward.report.page import make_page
from report.examples import search, store_of


def beside(folder: Path, labels: dict[str, str], theirs: str) -> str | None:
    """The label that the paper's first column of a system stands beside, in an experiment with these methods."""
    entries = [search("blocks/hard/p", label, "s0") for label in labels]
    methods = [{"label": label, "method": method} for label, method in labels.items()]
    with store_of(folder, entries, {"config": {"name": "x", "methods": methods}}) as store:
        page = make_page(load(store), store)
    place = next(column["beside"] for column in page["paper"]["columns"] if column["method"] == theirs)
    return None if place is None else str(page["columns"][place]["method"])


@pytest.mark.parametrize(
    ("labels", "theirs", "expected"),
    [
        ({"n-rsl": "n-rsl", "rsl": "rsl"}, "rsl", "rsl"),
        ({"mine": "rsl"}, "rsl", "mine"),
        ({"rsl,length=50": "rsl", "rsl,length=500": "rsl"}, "rsl", None),
        ({"rsl,length=50": "rsl", "rsl": "rsl"}, "rsl", "rsl"),
        ({"ff": "ff", "fd-ff": "fd-ff"}, "ff", "fd-ff"),
        ({"ff": "ff"}, "ff", "ff"),
        ({"ff": "ff"}, "lama", None),
    ],
)
def test_the_papers_figures_stand_beside_the_same_system(
    tmp_path: Path, labels: dict[str, str], theirs: str, expected: str | None
) -> None:
    assert beside(tmp_path, labels, theirs) == expected
