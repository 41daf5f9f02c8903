"""The coverage table: shares, averages, seeds and training times, against small cases worked out by hand."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.report import load, paper
from goalward.report.coverage import Column, average, cells, columns, training_times
from goalward.report.data import gather
from report.examples import CONFIG, search, small, store_of, training

MEAN, VALIDATED = Column("n-rsl", "mean", 2), Column("n-rsl", "validated", 2)
FF, SHORT = Column("ff", "single"), Column("short", "single")


def test_a_method_with_competing_seeds_has_two_columns_and_learned_ones_come_first() -> None:
    assert columns(gather(small())) == [MEAN, VALIDATED, SHORT, FF]


def test_coverage_is_the_share_of_states_solved() -> None:
    found = cells(gather(small()))
    assert found["hard", "blocks", FF].percent == 100
    assert found["hard", "rovers", FF].percent == 0
    assert found["hard", "blocks", SHORT].percent == 25


def test_the_mean_is_over_all_seeds_and_knows_the_worst_and_the_best() -> None:
    cell = cells(gather(small()))["hard", "blocks", MEAN]
    assert (cell.solved, cell.states, cell.low, cell.high) == (1 + 3, 8, 25.0, 75.0)


def test_validation_decides_which_seed_counts() -> None:
    cell = cells(gather(small()))["hard", "blocks", VALIDATED]
    assert (cell.solved, cell.states, cell.planned) == (3, 4, 4)


def test_a_domain_counts_once_in_the_average_however_many_states_it_has() -> None:
    found = cells(gather(small()))
    assert average(found, "hard", FF) == 50  # not 4 of 6
    assert average(found, "hard", SHORT) == fmean([25, 50])
    assert average(found, "moderate", SHORT) is None


def test_validation_costs_the_training_of_all_seeds() -> None:
    found = training_times(gather(small()))
    assert found["hard", "blocks", MEAN].seconds == 10.5
    assert found["hard", "blocks", VALIDATED].seconds == 21
    assert ("hard", "blocks", FF) not in found


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([(3, 50), (5, 90)], 1),  # more states solved
        ([(5, 50), (5, 90)], 0),  # fewer evaluations
        ([(5, 50), (5, 50)], 0),  # the lower seed
        ([(None, 0), (0, 10)], 1),  # one that was validated at all
    ],
)
def test_which_seed_is_chosen(scores: list[tuple[int | None, int]], expected: int) -> None:
    entries = [
        training("d/hard/p", "n-rsl", seed, 1.0, solved, validation_evaluations=evaluations)
        for seed, (solved, evaluations) in enumerate(scores)
    ]
    assert gather(entries).chosen == {(("d", "hard", "p"), "n-rsl"): expected}


def test_units_without_a_result_are_still_to_come(tmp_path: Path) -> None:
    entries = small()
    with store_of(tmp_path, entries) as store:
        store.add_units([search("rovers/hard/p1", "ff", "later")[0]])
        cell = cells(load(store))["hard", "rovers", FF]
    assert (cell.states, cell.planned) == (2, 3)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["x", "y"]), st.booleans()), min_size=1))
def test_solved_states_add_up(runs: list[tuple[str, str, bool]]) -> None:
    entries = [search(f"{d}/hard/p", m, f"s{i}", solved) for i, (d, m, solved) in enumerate(runs)]
    found = cells(gather(entries))
    assert sum(cell.solved for cell in found.values()) == sum(solved for *_, solved in runs)
    assert sum(cell.states for cell in found.values()) == len(runs)
    for column in columns(gather(entries)):
        share = average(found, "hard", column)
        shares = [cell.percent for (_, _, c), cell in found.items() if c == column]
        assert share is not None
        assert min(shares) - 1e-9 <= share <= max(shares) + 1e-9


def test_the_papers_columns_average_to_what_it_prints() -> None:
    printed = {
        ("n-rsl", "validated"): (74.1, 39.2), ("n-rsl", "mean"): (58.8, 29.1), ("tsl", "validated"): (58.8, 20.6),
        ("boot", "validated"): (59.0, 18.1), ("hgn", "validated"): (32.8, 15.0), ("ff", "single"): (82.7, 25.4),
        ("lama", "single"): (93.0, 71.5), ("sing", "single"): (5.6, 0.2),
    }  # fmt: skip
    found = {(c.method, c.kind): (fmean(c.moderate), fmean(c.hard)) for c in paper.COLUMNS}
    for key, values in printed.items():
        assert found[key] == pytest.approx(values, abs=0.06)
    assert all(len(c.moderate) == len(c.hard) == len(paper.DOMAINS) for c in paper.COLUMNS)


def test_the_papers_domains_are_found_under_the_benchmarks_names() -> None:
    lama = next(column for column in paper.COLUMNS if column.method == "lama")
    folders = [
        "blocks", "depot", "grid", "npuzzle", "pipesworld-notankage", "rovers", "scanalyzer-opt11-strips", "storage",
        "transport-opt14-strips", "visitall-opt14-strips",
    ]  # fmt: skip
    assert tuple(paper.coverage(lama, folder, "hard") for folder in folders) == lama.hard
    assert paper.coverage(lama, "pipesworld-tankage", "hard") is None
    assert paper.coverage(lama, "delivery", "hard") is None
    assert paper.coverage(lama, "blocks", "bundled") is None


def test_the_best_setting_of_the_papers_grid_is_the_one_it_chose() -> None:
    best = max(paper.SETTINGS, key=lambda setting: setting.hard)
    assert best.values == {"N_t": 100_000, "P_r": 0.5, "N_r": 5, "L": 500}
    assert len(paper.SETTINGS) == 16


def test_what_learns_is_known_from_seeds_and_from_the_table_of_methods() -> None:
    entries = [search("d/hard/p", "net", "s", seed=3), search("d/hard/p", "tsl", "s"), search("d/hard/p", "ff", "s")]
    assert gather(entries, {"config": CONFIG}).learned == {"net", "tsl"}
