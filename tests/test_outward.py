"""What others wrote is shown and not obeyed."""

from __future__ import annotations

import csv
import io
import json

import pytest

from goalward.outward import cell, csv_text, finite, printable, wrapped


def test_control_characters_are_spelt_out() -> None:
    assert printable("a\x1b[2Jb\x07\r\x7f\x9b1m") == "a\\x1b[2Jb\\x07\\r\\x7f\\x9b1m"
    assert printable("\u202eabc") == "\\u202eabc", "the direction of writing is turned"


def test_texts_that_people_write_stay_as_they_are() -> None:
    text = "Zwölf Züge → 3×\tein Tab\nund eine Zeile – кириллица 🙂"
    assert printable(text) == text


def test_numbers_that_are_none_become_null() -> None:
    nested = {"a": [float("inf"), -float("inf"), (float("nan"), 1.5)], "b": {"c": 2, "d": "inf", "e": -(10**400)}}
    assert json.loads(json.dumps(finite(nested), allow_nan=False)) == {
        "a": [None, None, [None, 1.5]],
        "b": {"c": 2, "d": "inf", "e": None},
    }


def test_half_characters_become_question_marks() -> None:
    assert finite({"a\ud800": ["b\udfff", "ü🙂"]}) == {"a?": ["b?", "ü🙂"]}


@pytest.mark.parametrize("text", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_a_formula_is_a_text_in_a_spreadsheet(text: str) -> None:
    assert cell(text).startswith("'")


def test_numbers_and_names_stay_as_they_are() -> None:
    assert [cell(value) for value in (-3, -1.5, None, "n-rsl", "-", "")] == [-3, -1.5, None, "n-rsl", "-", ""]


def test_rows_are_read_back_by_column() -> None:
    text = csv_text(["a", "b"], [{"b": 'say "x"', "a": 1}, [2, "y,z"]])
    assert list(csv.reader(io.StringIO(text))) == [["a", "b"], ["1", 'say "x"'], ["2", "y,z"]]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_prose_is_wrapped_between_words_on_a_terminal_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    text = "one two three four five six\nseven eight-and-a-half"
    assert wrapped(text, io.StringIO()) == text
    assert wrapped(text, Terminal()) == "one two three four\nfive six\nseven\neight-and-a-half"
    assert wrapped("one two three four five six", Terminal(), indent=4) == "one two three four\n    five six"
    assert wrapped("training takes 27.6 s now", Terminal()) == "training takes\n27.6 s now"
    assert wrapped("try another --set sampler=…", Terminal()) == "try another\n--set sampler=…"
