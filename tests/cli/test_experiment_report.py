"""``report``, ``export`` and ``import`` through the command line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from goalward.cli import commands
from goalward.errors import GoalwardError
from report.examples import small, store_of


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Run a command of ``goalward experiment``; errors come as they are."""

    def call(*arguments: object) -> str:
        assert commands.call(["experiment", *map(str, arguments)]) == 0
        return capsys.readouterr().out

    return call


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    store_of(tmp_path, small()).close()
    return tmp_path


def test_a_report_is_one_file(run: Callable[..., str], folder: Path) -> None:
    assert "MiB" in run("report", folder, "-o", folder / "page.html")
    assert (folder / "page.html").read_text().startswith("<!doctype html>")


def test_results_go_out_and_come_back(run: Callable[..., str], folder: Path) -> None:
    assert "25 runs" in run("export", folder, "--lab", folder / "eval", "--csv", folder / "all.csv")
    assert run("import", folder / "new", folder / "eval") == "25 runs read, 25 of them new\n"
    assert run("import", folder / "new", folder / "eval" / "properties") == "25 runs read, 0 of them new\n"
    assert "MiB" in run("report", folder / "new", "-o", folder / "theirs.html")


def test_results_are_kept_in_a_small_file_and_come_back_complete(run: Callable[..., str], folder: Path) -> None:
    assert "31 results" in run("export", folder, "--results", folder / "kept.json")
    assert run("import", folder / "new", folder / "kept.json") == "31 runs read, 31 of them new\n"
    for _ in range(2):  # such a file may be replaced
        run("export", folder / "new", "--results", folder / "again.json")
    before, after = ((folder / name).read_text().split('"results"')[1] for name in ("kept.json", "again.json"))
    assert before == after


def test_the_table_stands_beside_the_page_where_it_is_asked_for(run: Callable[..., str], folder: Path) -> None:
    said = run("report", folder, "-o", folder / "page.html", "--table", folder / "table.md")
    assert "table.md" in said
    assert "| blocks |" in (folder / "table.md").read_text()


@pytest.mark.parametrize("text", ["no JSON", '{"a": {"domain": "d"}}'])
def test_a_file_that_cannot_be_read_leaves_no_experiment_behind(
    run: Callable[..., str], tmp_path: Path, text: str
) -> None:
    (tmp_path / "properties").write_text(text)
    with pytest.raises(GoalwardError, match="properties"):
        run("import", tmp_path / "new", tmp_path / "properties")
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["report", ".", "--table", "t.docx"], r"t.docx: the name of a table must end in .md, .tex or .csv"),
        (["report", "nowhere"], "nowhere: no experiment here"),
        (["export", "nowhere", "--csv", "x"], "nowhere: no experiment here"),
        (["export", "."], "choose what to write: --lab OUT, --parquet OUT, --csv OUT or --results OUT"),
        (["import", ".", "nothing"], "nothing: no such file"),
    ],
)
def test_errors_are_one_sentence(
    run: Callable[..., str], folder: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], sentence: str
) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(GoalwardError, match=sentence):
        run(*arguments)
