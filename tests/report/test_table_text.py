"""The coverage table as text: the same figures in three formats, each readable by its own readers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from goalward.errors import UsageError
from goalward.report.data import Experiment, gather
from goalward.report.table_text import Row, coverage_rows, writer_for
from report.examples import search, small

HEADINGS = ["n-rsl (mean of 2 seeds)", "n-rsl (best of 2 by validation)", "short", "ff"]


@pytest.fixture
def experiment() -> Experiment:
    return gather(small())


def test_rows_stand_as_in_the_paper(experiment: Experiment) -> None:
    assert [(row.kind, row.name) for row in coverage_rows(experiment)] == [
        ("heading", "Moderate tasks"),
        ("domain", "blocks"),
        ("average", "Average"),
        ("heading", "Hard tasks"),
        ("domain", "blocks"),
        ("domain", "rovers"),
        ("average", "Average"),
        ("seconds", "Training per instance"),
    ]


def test_the_best_that_learns_is_marked_and_equal_figures_equally(experiment: Experiment) -> None:
    blocks, rovers, average = coverage_rows(experiment)[4:7]
    assert blocks == Row("domain", "blocks", (50.0, 75.0, 25.0, 100.0), frozenset({1}))  # ff is better, and not learned
    assert rovers == Row("domain", "rovers", (50.0, 50.0, 50.0, 0.0))  # where all are equal, none stands out
    assert average.values == (50.0, 62.5, 37.5, 50.0)
    solved = {"n-rsl": True, "rsl": True, "tsl": False}
    rows = coverage_rows(gather([search("d/hard/p", name, "s0", ended, seed=0) for name, ended in solved.items()]))
    assert rows[1] == Row("domain", "d", (100.0, 100.0, 0.0), frozenset({0, 1}))


def test_nothing_is_best_where_nothing_was_solved() -> None:
    rows = coverage_rows(gather([search("d/hard/p", "n-rsl", "s0", solved=False, seed=0)]))
    assert rows[1] == Row("domain", "d", (0.0,))


def test_csv_is_read_back(experiment: Experiment) -> None:
    rows = list(csv.reader(io.StringIO(writer_for(Path("t.csv"))(experiment))))
    assert rows[0] == ["tasks", "domain", *HEADINGS]
    assert rows[1] == ["moderate", "blocks", "", "", "", "0.0"]
    assert rows[3] == ["hard", "blocks", "50.0", "75.0", "25.0", "100.0"]
    assert rows[-1] == ["hard", "Training seconds per instance", "10.5", "21.0", "4.0", ""]


def test_markdown_has_as_many_cells_in_every_line(experiment: Experiment) -> None:
    lines = writer_for(Path("t.MD"))(experiment).splitlines()
    assert {line.count("|") for line in lines} == {len(HEADINGS) + 2}
    assert "| blocks | 50.0 | **75.0** | 25.0 | 100.0 |" in lines
    assert "| Training per instance | 10.5 s | 21.0 s | 4.00 s | – |" in lines


def test_latex_escapes_what_it_must() -> None:
    text = writer_for(Path("t.tex"))(gather([search("two_words&50%/hard/p", "n-rsl", "s0", seed=0)]))
    assert r"two\_words\&50\% & \textbf{100.0} \\" in text
    assert text.startswith(r"\begin{tabular}{lr}")
    assert text.endswith("\\end{tabular}\n")


def test_another_format_is_refused() -> None:
    with pytest.raises(UsageError, match=r"t\.docx: the name of a table must end in \.md, \.tex or \.csv"):
        writer_for(Path("t.docx"))
