"""Parenthesised text: what is read, and which line is blamed for what cannot be."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fast_downward.translate.pddl_parser import lisp_parser
from hypothesis import example, given, settings
from hypothesis import strategies as st

from goalward.errors import PddlError, UsageError
from goalward.task import sexpr
from goalward.task.sexpr import MAX_DEPTH, Block, element_line, line_of, parse, read_text

steady = settings(derandomize=True, database=None, deadline=None, max_examples=60)

words = st.from_regex(r"[a-z0-9_@:=<>+-]{1,6}|\?[a-z0-9-]{0,4}", fullmatch=True)
trees = st.recursive(words, lambda parts: st.lists(parts, max_size=5), max_leaves=30).map(
    lambda tree: tree if isinstance(tree, list) else [tree]
)
loose_text = st.text(alphabet="()?;ab A\n\t-:\x1c", max_size=30)
gaps = st.sampled_from([" ", "\n", "\t", "  \n", " ; a ) comment (\n", "\n;; näher\n"])


def write(tree: str | list, data: st.DataObject) -> str:
    if isinstance(tree, str):
        return tree.upper() if data.draw(st.booleans()) else tree
    gap = data.draw(gaps)
    return "(" + gap.join(["", *(write(part, data) for part in tree), ""]) + ")"


@steady
@given(trees, st.data())
def test_a_written_tree_is_read_back(tree: list, data: st.DataObject) -> None:
    assert parse(write(tree, data), "x.pddl") == tree


@settings(steady, max_examples=400)
@given(loose_text | loose_text.map("({})".format))
@example("(a)b")
@example("(?x?y(?)a?b)")
@example("(a;)\n)")
@example("(a\x1cb)")
def test_any_text_is_read_as_the_translator_reads_it(text: str) -> None:
    try:
        expected = lisp_parser.parse_nested_list(text.split("\n"))
    except Exception:  # it has no one exception for bad input
        with pytest.raises(PddlError):
            parse(text, "x.pddl")
    else:
        assert parse(text, "x.pddl") == expected


@steady
@given(trees, st.data())
def test_every_element_knows_its_line(tree: list, data: st.DataObject) -> None:
    text = write(tree, data)
    tokens = [(m[0].lower(), line_of(text, m.start())) for m in re.finditer(r";[^\n]*|[()]|\??[^\s()?;]+|\?", text)]
    tokens = [token for token in tokens if token[0][0] not in ";)"]

    def check(block: Block) -> None:
        for index, element in enumerate(block):
            word, line = tokens.pop(0)
            assert element_line(text, block, index) == line
            if isinstance(element, Block):
                assert word == "("
                assert line_of(text, element.offset) == line
                check(element)
            else:
                assert word == element

    root = parse(text, "x.pddl")
    tokens.pop(0)
    check(root)
    assert not tokens


def test_an_element_that_is_not_there_is_blamed_on_its_block() -> None:
    text = "(a\n (b\n c)\n d)"
    inner = parse(text, "x")[1]
    assert isinstance(inner, Block)
    assert element_line(text, inner, 5) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.pddl: is empty"),
        (" \n; nothing but a comment\n", "x.pddl: is empty"),
        ("(define\n (a b)\n (c", "x.pddl:3: this '(' is never closed"),
        ("(define\n (a\n (b)", "x.pddl:2: this '(' is never closed"),
        (
            "(define (domain d)\n(:predicates (p)\n(:action a\n :effect (p))\n)",
            "x.pddl:2: this '(' is never closed before the section on line 3",
        ),
        (
            "(define (domain d)\n(:action a :effect\n(and (p) (q))\n(:action b :effect (p)))",
            "x.pddl:2: this '(' is never closed before the section on line 4",
        ),
        ("(define\n (a)))\n", "x.pddl:2: this ')' has no '(' to close"),
        (")", "x.pddl:1: this ')' has no '(' to close"),
        (
            "(define (a))\n\n(:action b))",
            "x.pddl:3: nothing may follow the ')' on line 1 that ends the definition; is there one ')' too many?",
        ),
        (
            "(define\n) word",
            "x.pddl:2: nothing may follow the ')' on line 2 that ends the definition; is there one ')' too many?",
        ),
        ("\ndefine (a)", "x.pddl:2: expected '(' but found 'define'"),
        ("(a)\x00", "x.pddl: is not a text file"),
        ("(a\n bä)", "x.pddl:2: non-ASCII characters are allowed in comments only"),
        ("\ufeff(a)", "x.pddl:1: starts with a byte-order mark; save it as plain text without one"),
        ("\xef\xbb\xbf(a)", "x.pddl:1: starts with a byte-order mark; save it as plain text without one"),
    ],
)
def test_text_that_is_not_one_expression_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(PddlError) as caught:
        parse(text, "x.pddl")
    assert str(caught.value) == message


def test_nesting_is_bounded_and_not_by_recursion() -> None:
    assert parse("(" * MAX_DEPTH + ")" * MAX_DEPTH, "x") is not None
    for deep in (MAX_DEPTH + 1, 100_000):
        with pytest.raises(PddlError, match=r"x:1: .* more than 200 deep"):
            parse("(" * deep + ")" * deep, "x")


@pytest.mark.parametrize(
    "text", ["(" + "a " * 300_000, "(a) " + "b\n" * 300_000, "(a" + " (:b)" * 200_000], ids=["open", "after", "many"]
)
def test_a_large_broken_file_is_refused(text: str) -> None:
    with pytest.raises(PddlError):
        parse(text, "x")


def test_a_file_may_have_any_line_ends_and_any_bytes_in_comments(tmp_path: Path) -> None:
    path = tmp_path / "x.pddl"
    path.write_bytes(b"(a ; \xff\xc3\xbc\r\n b\r c)\n")
    text = read_text(path)
    block = parse(text, "x")
    assert block == ["a", "b", "c"]
    assert [element_line(text, block, i) for i in range(3)] == [1, 2, 3]


def test_files_that_cannot_be_read_are_a_matter_of_usage(tmp_path: Path) -> None:
    missing = tmp_path / "domain.pddl"
    with pytest.raises(UsageError, match=r"domain\.pddl: no such file$"):
        read_text(missing)
    with pytest.raises(UsageError, match=r": is a directory, not a file$"):
        read_text(tmp_path)
    missing.write_text("(a)")
    with pytest.raises(UsageError, match=r"domain\.pddl/x: cannot be read \(Not a directory\)$"):
        read_text(missing / "x")
    with pytest.raises(UsageError, match="is not a file name"):
        read_text("a\0b")
    with pytest.raises(UsageError, match="cannot be read"):
        read_text("a" * 5000)


def test_a_forbidden_file_is_a_matter_of_usage(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(sexpr, "open", forbidden, raising=False)
    with pytest.raises(UsageError, match=r"domain\.pddl: no permission to read this file$"):
        read_text("domain.pddl")


def test_files_that_are_no_text_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "plan.bin"
    path.write_bytes(b"\x7fELF\x00\x01")
    with pytest.raises(PddlError, match=r"plan\.bin: is not a text file$"):
        read_text(path)
    with pytest.raises(PddlError, match=r"blocks4-v1\.goalward: is a goalward model, not a text file such as PDDL$"):
        read_text(Path(__file__).resolve().parents[1] / "data" / "blocks4-v1.goalward")
    monkeypatch.setattr(sexpr, "MAX_BYTES", 2**20)
    path.write_bytes(b" " * (2**20 + 1))
    with pytest.raises(PddlError, match=r"plan\.bin: is larger than 1 MB$"):
        read_text(path)
