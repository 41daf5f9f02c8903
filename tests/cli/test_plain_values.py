"""Plain arguments are read as typer reads them; whatever is not plain, typer reads."""

from __future__ import annotations

import contextlib
import gc
import os
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.exceptions import TyperException

from goalward.cli.commands import COMMANDS, Command, Entry
from goalward.cli.imports import BLAS_THREADS, quick_imports
from goalward.cli.plain_values import read_plainly


def halves(text: str) -> float:
    """A parser as options have them; what it refuses is a ValueError."""
    return float(text) / 2


def everything(
    path: Annotated[Path, typer.Argument()],
    more: Annotated[list[Path] | None, typer.Argument()] = None,
    *,
    text: Annotated[str | None, typer.Option()] = None,
    texts: Annotated[list[str] | None, typer.Option()] = None,
    number: Annotated[int, typer.Option(min=1, max=9)] = 5,
    numbers: Annotated[list[int] | None, typer.Option(min=0)] = None,
    share: Annotated[float | None, typer.Option(min=0)] = None,
    half: Annotated[float, typer.Option(parser=halves)] = "3",  # type: ignore[assignment]
    kept: Annotated[Path | None, typer.Option(exists=True)] = None,
    flag: Annotated[bool, typer.Option("--flag")] = False,
) -> None:
    """A command with a parameter of every kind."""


def read(arguments: list[str], plainly: bool, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What the command would be given, or the sentence that refuses it."""
    with monkeypatch.context() as patch:
        patch.setattr("goalward.cli.commands.read_plainly", read_plainly if plainly else lambda _: None)
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command("everything", cls=Command)(everything)
        try:
            return typer.main.get_command(app).make_context("everything", list(arguments)).params
        except TyperException as error:
            return type(error), error.format_message()


WORDS = st.one_of(
    st.sampled_from(
        ["1", "9", "10", "-1", "+3", "1_000", " 4", "4 ", "٣", "1.0", "1e3", "nan", "inf", "1e999", "", "-", "x"]
    ),
    st.integers(-20, 20).map(str),
    st.floats().map(str),
    st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=6),
)
OPTIONS = st.sampled_from(["text", "texts", "number", "numbers", "share", "half", "kept"])


@settings(derandomize=True, database=None, deadline=None, max_examples=60)
@given(
    paths=st.lists(WORDS.filter(lambda word: not word.startswith("-")), max_size=3),
    options=st.lists(st.tuples(OPTIONS, WORDS), max_size=3),
)
def test_values_are_those_that_typer_reads(paths: list[str], options: list[tuple[str, str]]) -> None:
    arguments = [*(f"--{name}={value}" for name, value in options), "--", *paths]
    with pytest.MonkeyPatch.context() as patch:
        mine, theirs = read(arguments, True, patch), read(arguments, False, patch)
    assert repr(mine) == repr(theirs)  # NaN is not equal to itself


def test_files_that_are_there_must_be_readable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "secret"
    file.write_text("")
    monkeypatch.setattr("os.access", lambda *_: False)  # whoever runs the tests may be allowed everything
    mine = read([str(file)], True, monkeypatch)
    assert mine == read([str(file)], False, monkeypatch)
    assert "is not readable" in mine[1]


def test_solve_needs_nobody_to_read_its_arguments() -> None:
    """A parameter that only pydantic can read would make its command slow to start."""
    entry = COMMANDS["solve"]
    assert isinstance(entry, Entry)
    command = entry.load("solve")
    context = command.make_context("solve", ["model", "state"])
    readers = {p.name: type(p._runtime_param).__module__ for p in command.get_params(context)}  # type: ignore[attr-defined]
    assert set(readers.values()) == {"goalward.cli.plain_values"}


@pytest.mark.parametrize("chosen", [None, "7"])
def test_imports_leave_no_traces(chosen: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BLAS_THREADS, raising=False)
    if chosen is not None:
        monkeypatch.setenv(BLAS_THREADS, chosen)
    with contextlib.suppress(ImportError), quick_imports():
        assert not gc.isenabled()
        assert os.environ[BLAS_THREADS] == (chosen or "1")
        raise ImportError
    assert gc.isenabled()
    assert os.environ.get(BLAS_THREADS) == chosen
