"""The tables of an experiment beside the paper's figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from goalward.report import beside_paper, load
from goalward.report.beside_paper import _rank_correlation
from goalward.report.data import Experiment
from report.examples import Entry, search, store_of, training

REPOSITORY = Path(__file__).parents[2]
SYSTEMS = ("n-rsl", "boot", "ff", "lama")


def entries() -> list[Entry]:
    """Two instances of blocks and one of rovers; lama has not searched from the last state of blocks."""
    found: list[Entry] = []
    for where, n_states in (("blocks/hard/p1", 2), ("blocks/hard/p2", 1), ("rovers/hard/p1", 1)):
        found.append(training(where, "n-rsl", 0, 90.0))
        for state in range(n_states):
            for place, method in enumerate(SYSTEMS):
                solved = place + state >= 2 or (method == "n-rsl" and where == "blocks/hard/p1")
                seed = 0 if method in ("n-rsl", "boot") else None
                figures = {"expansions": 9 if method == "n-rsl" else 99, "plan_length": 10, "n_atoms": 700}
                if (where, method) != ("blocks/hard/p2", "lama"):
                    speed = {"evaluations": 3000, "search_time": 1.5, "total_time": 2.0}
                    found.append(search(where, method, f"s{state}", solved, seed, **figures, **speed))
    return found


@pytest.fixture
def experiment(tmp_path: Path) -> Experiment:
    with store_of(tmp_path, entries(), {"config": {"methods": [{"label": m, "method": m} for m in SYSTEMS]}}) as store:
        return load(store)


def test_all_rows_rest_on_the_states_that_all_systems_have_searched_from(experiment: Experiment) -> None:
    common = beside_paper.on_common_states(experiment, SYSTEMS)
    assert {(unit.instance, unit.state) for unit, _ in common.searches if unit.domain == "blocks"} == {
        ("p1", "s0"),
        ("p1", "s1"),
    }
    assert [unit.domain for unit, _ in common.trainings] == ["blocks", "rovers"]
    without = beside_paper.on_common_states(experiment, SYSTEMS[:3])
    assert len(without.searches) == 3 * 4
    assert beside_paper.on_common_states(experiment, []).searches == []


def test_coverage_stands_beside_the_papers(experiment: Experiment) -> None:
    common = beside_paper.on_common_states(experiment, SYSTEMS)
    lines = beside_paper.coverage_table(common, "hard").splitlines()
    assert lines[0] == "| system | blocks | rovers | average |"
    assert "| n-rsl | 100 (45) | 0 (0) | **50.0** (23) |" in lines  # the mean of single trainings, not validated
    assert "| boot | 50 (0) | 0 (3) | **25.0** (1) |" in lines
    assert "| lama | 100 (96) | 100 (100) | **100.0** (98) |" in lines
    assert "| ff | 100 | 100 | **100.0** |" in lines  # the paper's is that of Fast Downward
    assert beside_paper.coverage_table(common, "moderate") == beside_paper.NOTHING
    assert lines[-1] == "| instances (states) | 1 (2) | 1 (1) | 2 (3) |"


@pytest.mark.parametrize(
    ("ours", "published", "value"),
    [
        ({"a": 1, "b": 2, "c": 3}, {"a": 10, "b": 20, "c": 40}, 1.0),
        ({"a": 3, "b": 2, "c": 1}, {"a": 10, "b": 20, "c": 40}, -1.0),
        ({"a": 1, "b": 1, "c": 2}, {"a": 10, "b": 20, "c": 40, "d": 0}, 0.866),
        ({"a": 1, "b": 1, "c": 1}, {"a": 10, "b": 20, "c": 40}, None),
        ({"a": 1, "b": 2}, {"a": 10, "b": 20}, None),
    ],
)
def test_rank_correlation_is_spearmans(
    ours: dict[str, float], published: dict[str, float], value: float | None
) -> None:
    assert _rank_correlation(ours, published) == (None if value is None else pytest.approx(value, abs=1e-3))


def test_pairs_are_compared_on_the_states_that_both_solved(experiment: Experiment) -> None:
    lines = beside_paper.pairs_table(experiment, "n-rsl").splitlines()
    assert "| lama | 2 | 0.10 | 100 % / 0 % | 1.00 | 0 % / 0 % |" in lines
    assert not any(line.startswith("| n-rsl") for line in lines)


def test_times_speeds_and_instances_have_tables(experiment: Experiment) -> None:
    assert "| n-rsl | – | 0.38 h | 1 m 30 s | 0.69 h |" in beside_paper.training_table(experiment)
    assert "| lama | – | 2,000 (2) | – |" in beside_paper.speed_table(experiment)
    assert "| blocks | p1, p2 |" in beside_paper.instances_table(experiment)
    assert "18 of 18 units are done (3 trainings and 15 searches); 0 failed" in beside_paper.effort(experiment)


def test_the_page_of_results_has_the_tables_of_the_stored_results() -> None:
    script = REPOSITORY / "docs/results/make_page.py"
    assert subprocess.run([sys.executable, script, "--check"], check=False).returncode == 0, f"run {script}"
