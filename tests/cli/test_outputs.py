"""Files that commands write: never one of their inputs, and files of other programs only with ``--force``."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from report.examples import small, store_of

from .program import PLAN, Files, Goalward

DATA = Path(__file__).resolve().parents[1] / "data"
IS_AN_INPUT = "is an input of this command; choose another name for the output"
IS_FOREIGN = "exists and was not written by goalward; choose another name, or replace it: --force"


@pytest.fixture
def folder(trains: Files) -> Path:
    """The input files of all commands, under the names that the tests below use."""
    place = trains.domain.parent
    (place / "plan").write_text(PLAN)
    shutil.copy(DATA / "blocks4-v1.goalward", place / "model")
    shutil.copy(DATA / "blocks4-v1" / "p1.pddl", place / "p1.pddl")
    shutil.copy(place / "p1.pddl", place / "p1.plan")
    shutil.copy(place / "model", place / "n-rsl.goalward")
    store_of(place, small()).close()
    os.link(trains.domain, place / "hard-link")
    os.symlink(trains.problem, place / "soft-link")
    return place


COMMANDS = [
    ("train domain.pddl problem.pddl -o", "domain.pddl"),
    ("train domain.pddl problem.pddl -o", "hard-link"),
    ("train domain.pddl problem.pddl p1.pddl -o", "p1.pddl"),
    ("train-domain domain.pddl problem.pddl -o", "problem.pddl"),
    ("plan domain.pddl problem.pddl -o", "problem.pddl"),
    ("plan domain.pddl problem.pddl -o", "soft-link"),
    ("plan domain.pddl problem.pddl --model model -o", "model"),
    ("improve domain.pddl problem.pddl plan -o", "plan"),
    ("inspect domain.pddl problem.pddl --save", "domain.pddl"),
    ("inspect model --save", "model"),
    ("experiment report . -o", "results.sqlite"),
    ("experiment report . --table page.md -o", "page.md"),
    ("experiment export . --csv", "results.sqlite"),
    ("experiment export . --lab out.csv --csv", "out.csv"),
]


@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=[f"{c} {o}" for c, o in COMMANDS])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["", "force"])
def test_an_output_that_is_an_input_is_refused(
    goalward: Goalward, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, output: str, force: list[str]
) -> None:
    monkeypatch.chdir(folder)
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    outcome = goalward(*command.split(), output, *force)
    assert (outcome.code, outcome.error) == (36, f"{output}: {IS_AN_INPUT}")
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def test_files_in_an_output_folder_that_are_inputs_are_refused(
    goalward: Goalward, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for command, output in (
        ("walk domain.pddl p1.pddl -o .", "p1.pddl"),
        ("solve model p1.plan --plans .", "p1.plan"),
        ("compare domain.pddl problem.pddl n-rsl.goalward --methods n-rsl --models .", "n-rsl.goalward"),
    ):
        outcome = goalward(*command.split())
        assert (outcome.code, outcome.error) == (36, f"{output}: {IS_AN_INPUT}")


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("plan domain.pddl problem.pddl -o out", "out"),
        ("plan domain.pddl problem.pddl --anytime -o out", "out.1"),
        ("improve domain.pddl problem.pddl plan -o out", "out"),
        ("inspect domain.pddl problem.pddl --save out", "out"),
        ("walk domain.pddl problem.pddl -o out --states 2", "out/p2.pddl"),
        ("solve model p1.pddl --plans out", "out/p1.plan"),
        ("generate blocks -o out", "out/problem.pddl"),
        ("experiment report . -o out.html", "out.html"),
        ("experiment export . --csv out", "out"),
        ("experiment export . --lab out", "out/properties"),
    ],
)
def test_a_file_of_another_program_is_replaced_only_with_force_and_goalwards_own_always(
    goalward: Goalward, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, output: str
) -> None:
    monkeypatch.chdir(folder)
    target = Path(output)
    target.parent.mkdir(exist_ok=True)
    target.write_text("mine\n")
    refused = goalward(*command.split())
    assert (refused.code, refused.error) == (36, f"{output}: {IS_FOREIGN}")
    assert target.read_text() == "mine\n"
    assert goalward(*command.split(), "--force").code == 0
    assert target.read_bytes() != b"mine\n"
    assert goalward(*command.split()).code == 0


@pytest.mark.parametrize(
    "command",
    [
        "plan BROKEN problem.pddl -o",
        "train BROKEN problem.pddl -o",
        "train-domain BROKEN problem.pddl -o",
        "improve BROKEN problem.pddl plan -o",
        "inspect domain.pddl problem.pddl --save",
        "experiment report . -o",
    ],
)
def test_a_place_where_no_file_can_be_written_is_noticed_before_any_work(
    goalward: Goalward, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(folder)
    Path("BROKEN").write_text("(")
    for output in (Path("missing", "file"), folder):
        outcome = goalward(*command.split(), output)
        assert (outcome.code, outcome.error.startswith(f"{output}: ")) == (36, True), outcome
    assert not Path("missing").exists()


@pytest.mark.parametrize(
    "command", ["solve model p1.pddl --plans", "walk domain.pddl problem.pddl -o", "generate blocks -o"]
)
def test_a_folder_that_cannot_be_made_is_named(
    goalward: Goalward, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.chdir(folder)
    for output in ("plan", "plan/below"):
        outcome = goalward(*command.split(), output)
        assert (outcome.code, outcome.error.startswith(f"{output}: ")) == (36, True), outcome
