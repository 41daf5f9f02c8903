"""Results go out to Downward Lab, Parquet and CSV, and other people's come in."""

from __future__ import annotations

import csv
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.experiments.exchange import _place, export_csv, export_lab, export_parquet, import_lab
from goalward.experiments.store import FILE_NAME, Store
from report.examples import Entry, search, small, store_of


def empty(folder: Path) -> Store:
    folder.mkdir(exist_ok=True)
    return Store(folder / FILE_NAME, create=True)


def write(path: Path, runs: Any) -> Path:
    path.write_text(json.dumps(runs))
    return path


def one_run(**more: Any) -> dict[str, Any]:
    return {"domain": "blocks", "problem": "hard/p35/p1.pddl", "algorithm": "their-ff", "coverage": 1, **more}


def imported(folder: Path, *runs: dict[str, Any], known: tuple[Entry, ...] = ()) -> list[Entry]:
    path = write(folder / "properties", {str(number): run for number, run in enumerate(runs)})
    with empty(folder) as store:
        store.add_units(unit for unit, _ in known)
        import_lab(store, path)
        return list(store.results())


def test_lab_makes_its_reports_of_our_results(tmp_path: Path) -> None:
    pytest.importorskip("lab", reason="Downward Lab is not installed (pip install lab)")
    from downward.reports.absolute import AbsoluteReport  # noqa: PLC0415
    from downward.reports.scatter import ScatterPlotReport  # noqa: PLC0415

    complete = [entry for entry in small() if entry[0].difficulty == "hard"]
    with store_of(tmp_path, complete) as store:
        assert export_lab(store, tmp_path / "eval") == 6 * 4
    attributes = ["coverage", "expansions", "plan_length", "total_time", "error"]
    AbsoluteReport(attributes=attributes)(str(tmp_path / "eval"), str(tmp_path / "absolute.html"))
    page = (tmp_path / "absolute.html").read_text()
    assert "n-rsl@1" in page
    assert "error-search-out-of-time" in page
    scatter = ScatterPlotReport(attributes=["expansions"], filter_algorithm=["n-rsl@1", "ff"])
    scatter(str(tmp_path / "eval"), str(tmp_path / "scatter.png"))
    assert (tmp_path / "scatter.png").read_bytes().startswith(b"\x89PNG")


def test_lab_counts_what_we_count(tmp_path: Path) -> None:
    tools = pytest.importorskip("lab.tools", reason="Downward Lab is not installed (pip install lab)")
    with store_of(tmp_path, small()) as store:
        export_lab(store, tmp_path / "eval")
    runs = tools.Properties(str(tmp_path / "eval" / "properties"))
    assert sum(run["coverage"] for run in runs.values() if run["algorithm"] == "ff") == 4
    broken = [run for run in runs.values() if tools.has_unexplained_error(run)]
    assert [run["unexplained_errors"] for run in broken] == [["the worker\nwas lost"]]


@pytest.mark.parametrize("name", ["eval", "properties", "file.json", "properties.xz"])
def test_what_was_exported_is_imported_unchanged(tmp_path: Path, name: str) -> None:
    entries = [entry for entry in small() if entry[0].kind == "search"]
    entries.append(search("rovers/hard/p1", "ff", "s9", memory=5 * 2**20, cost=7, generated=3, initial_h=4.0))
    with store_of(tmp_path, entries) as store:
        export_lab(store, tmp_path / name)
    source = tmp_path / name / "properties" if name == "eval" else tmp_path / name
    with empty(tmp_path / "copy") as copy:
        assert import_lab(copy, source) == (len(entries), len(entries))
        assert import_lab(copy, source) == (len(entries), 0)
        found = dict(copy.results())
        notes = copy.meta()["imported"]
    assert [note["new"] for note in notes] == [len(entries), 0]
    assert notes[0]["methods"] == ["ff", "n-rsl", "short"]
    compared = ("status", "solved", "total_time", "expansions", "plan_length", "cost", "memory", "initial_h", "n_atoms")
    for unit, result in entries:
        assert [getattr(found[unit], name) for name in compared] == [getattr(result, name) for name in compared]
        assert found[unit].extra["imported"] == source.name


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (one_run(), ("blocks", "hard", "p35", "p1")),
        (one_run(problem="p35/p1.pddl"), ("blocks", "other", "p35", "p1")),
        (one_run(problem="p35.pddl"), ("blocks", "other", "p35", "problem")),
        (one_run(domain="blocks/moderate", problem="p35/p1"), ("blocks", "moderate", "p35", "p1")),
        (one_run(problem="deep/hard/p35/p1"), ("blocks", "hard", "p35", "p1")),
    ],
)
def test_names_say_where_a_run_belongs(tmp_path: Path, run: dict[str, Any], expected: tuple[str, ...]) -> None:
    ((unit, _),) = imported(tmp_path, run)
    assert (unit.domain, unit.difficulty, unit.instance, unit.state) == expected
    assert (unit.method, unit.seed) == ("their-ff", None)


def test_a_missing_difficulty_is_that_of_the_same_instance_here(tmp_path: Path) -> None:
    ((unit, _),) = imported(tmp_path, one_run(problem="p35/p1"), known=(search("blocks/moderate/p35", "ff", "p1"),))
    assert unit.difficulty == "moderate"


def test_a_result_that_is_there_already_stays(tmp_path: Path) -> None:
    entries = [search("blocks/hard/p35", "their-ff", "p1", expansions=5)]
    with store_of(tmp_path, entries) as store:
        assert import_lab(store, write(tmp_path / "theirs", {"a": one_run(expansions=9)})) == (1, 0)
        assert [result.expansions for _, result in store.results()] == [5]


@pytest.mark.parametrize(
    ("run", "status", "error"),
    [
        (one_run(error="success"), "solved", None),
        (one_run(coverage=0, error="search-out-of-memory"), "out of memory", None),
        (one_run(coverage=0, error="translate-out-of-time"), "out of time", None),
        (one_run(coverage=0, error="success"), "failed", "success"),
        (one_run(coverage=0, unexplained_errors=["exit 137"], error="sigkill"), "failed", "exit 137"),
        (one_run(coverage=0), "failed", "no reason given"),
        (one_run(coverage=None, error="search-out-of-time"), "out of time", None),
    ],
)
def test_how_a_run_ended(tmp_path: Path, run: dict[str, Any], status: str, error: str | None) -> None:
    ((_, result),) = imported(tmp_path, run)
    assert (result.status, result.error, result.solved) == (status, error, status == "solved")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", "not a properties file of Downward Lab"),
        ("[1]", "it is not a table of runs"),
        ('{"a": 1}', "it is not a table of runs"),
        ('{"a": {"domain": "d", "problem": "p"}}', "the run 'a' cannot be read: 'algorithm' is missing"),
        ('{"a": {"domain": 3, "problem": "p", "algorithm": "x"}}', "its domain must be a name, but is 3"),
        (json.dumps({"a": one_run(expansions="many")}), "its expansions must be a number, but is 'many'"),
    ],
)
def test_a_file_that_is_no_properties_file_is_refused_whole(tmp_path: Path, content: str, expected: str) -> None:
    (tmp_path / "properties").write_text(content)
    with empty(tmp_path) as store:
        with pytest.raises(UsageError, match=expected.replace("'", ".")):
            import_lab(store, tmp_path / "properties")
        assert store.units() == []
        assert "imported" not in store.meta()


def test_a_missing_or_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "properties.xz").write_bytes(b"no xz")
    with empty(tmp_path) as store:
        with pytest.raises(UsageError, match="nowhere: no such file"):
            import_lab(store, tmp_path / "nowhere")
        with pytest.raises(UsageError, match="not a properties file"):
            import_lab(store, tmp_path / "properties.xz")


def test_lab_reads_and_writes_xz(tmp_path: Path) -> None:
    with store_of(tmp_path, small()) as store:
        export_lab(store, tmp_path / "properties.xz")
    assert len(json.loads(lzma.decompress((tmp_path / "properties.xz").read_bytes()))) == 25


@given(st.text(min_size=1, alphabet="abc/."), st.text(min_size=1, alphabet="ab/"))
def test_every_pair_of_names_has_a_place(problem: str, domain: str) -> None:
    unit = _place({"domain": domain, "problem": problem, "algorithm": "x"}, {})
    assert all([unit.domain, unit.difficulty, unit.instance, unit.state])


def test_csv_has_a_line_per_result(tmp_path: Path) -> None:
    with store_of(tmp_path, small()) as store:
        assert export_csv(store, tmp_path / "all.csv") == len(small())
    with (tmp_path / "all.csv").open(newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(small())
    row = next(row for row in rows if row["unit"] == "search/blocks/hard/p1/n-rsl/1/s0")
    assert (row["solved"], row["expansions"], row["seed"]) == ("True", "10", "1")
    assert json.loads(row["extra"]) == {"h_along": [4.0, 2.5, 0.0]}


def test_parquet_keeps_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed (pip install pyarrow)")
    with store_of(tmp_path, small()) as store:
        assert export_parquet(store, tmp_path / "all.parquet") == len(small())
    rows = parquet.read_table(tmp_path / "all.parquet").to_pylist()
    row = next(row for row in rows if row["unit"] == "search/blocks/hard/p1/ff/-/s0")
    assert (row["solved"], row["expansions"], row["seed"], row["total_time"]) == (True, 20, None, 0.5)


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with (
        store_of(tmp_path, small()) as store,
        pytest.raises(UsageError, match=r"pip install 'goalward\[experiments\]'"),
    ):
        export_parquet(store, tmp_path / "all.parquet")


def test_an_infinite_value_does_not_become_invalid_json(tmp_path: Path) -> None:
    entry = search("d/hard/p", "ff", "s", False, initial_h=float("inf"))
    with store_of(tmp_path, [entry]) as store:
        export_lab(store, tmp_path / "eval")
    (run,) = json.loads((tmp_path / "eval" / "properties").read_text(), parse_constant=pytest.fail).values()
    assert "initial_h_value" not in run
