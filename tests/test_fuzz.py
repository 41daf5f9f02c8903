"""Damaged PDDL and plans: whatever the text, the command line ends by itself, with a known exit code and one sentence.

``GOALWARD_FUZZ_EXAMPLES=3000 pytest tests/test_fuzz.py`` looks further and at other examples each time.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goalward.cli.main import run
from goalward.task.domains import DOMAINS, generate

LONG_RUN = "GOALWARD_FUZZ_EXAMPLES" in os.environ
EXAMPLES = int(os.environ.get("GOALWARD_FUZZ_EXAMPLES", "100"))
TIME_LIMIT = 2.0

KEYWORD_LINES = """
    ( ) - ? ; : = and or not imply forall exists when increase assign either object number define domain problem
    :requirements :types :constants :predicates :functions :action :derived :parameters :precondition :effect :objects
    :init :goal :metric :domain :strips :adl :durative-action minimize total-cost (total-cost) 0 -1 1.5 99999999999 ?x
    ()
"""
KEYWORDS = KEYWORD_LINES.split()
WRAPPINGS = [
    "(not {block})", "(and {block} {own})", "(or {block} {own})", "(imply {own} {block})", "(when {own} {block})",
    "(forall (?x) {block})", "(exists (?x ?y - object) {block})", "(and {block} (forall (?x) (not {own})))",
    "(:action new :parameters () :precondition {block} :effect {own}) {block}", "({block})", "{block} ; {own}",
    "(and {block} (increase (total-cost) 2))",
]  # fmt: skip

fuzz = settings(
    derandomize=not LONG_RUN,
    database=None,
    deadline=None,
    max_examples=EXAMPLES,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
patient = pytest.mark.timeout(600 if not LONG_RUN else 600 + int(EXAMPLES * (TIME_LIMIT + 1)))


@cache
def texts(name: str) -> tuple[str, str]:
    instance = generate(name, size=1)
    return instance.domain_text, instance.problem_text


def tokens(text: str) -> list[str]:
    """The text in pieces that give it back when joined."""
    return re.findall(r"[()]|;[^\n]*|\s+|[^\s();]+", text)


def blocks(text: str) -> list[tuple[int, int]]:
    """Where each expression in parentheses starts and ends."""
    found, opened = [], []
    for token in re.finditer(r"[()]|;[^\n]*", text):
        if token[0] == "(":
            opened.append(token.start())
        elif token[0] == ")" and opened:
            found.append((opened.pop(), token.end()))
    return sorted(found)


@st.composite
def damage_to_words(draw: st.DrawFn, text: str, other: str) -> str:
    """One thing done to the words, parentheses or characters, without regard for what they mean."""
    pieces = tokens(text)
    words = [i for i, piece in enumerate(pieces) if not piece.isspace()]
    kind = draw(
        st.sampled_from(["delete", "duplicate", "swap", "replace", "insert", "parenthesis", "character", "cut"])
    )
    if kind == "cut" or not words:
        at = draw(st.integers(0, len(text)))
        if draw(st.booleans()):
            return text[:at]
        return text[:at] + other[draw(st.integers(0, len(other))) :]
    if kind == "character":
        at = draw(st.integers(0, len(text) - 1))
        new = draw(st.sampled_from(["", "\0", "\n", "\t", "ä", "\x1b", "'", '"', "(", ")", "?", text[at] * 2]))
        return text[:at] + new + text[at + 1 :]
    if kind == "parenthesis":
        words = [i for i in words if pieces[i] in "()"] or words
    i = draw(st.sampled_from(words))
    if kind in ("delete", "parenthesis"):
        length = draw(st.integers(1, 8)) if kind == "delete" else 1
        pieces[i : i + length] = [" "]
    elif kind == "duplicate":
        length = draw(st.integers(1, 20))
        pieces[i:i] = [*pieces[i : i + length], " "]
    elif kind == "swap":
        j = draw(st.sampled_from(words))
        pieces[i], pieces[j] = pieces[j], pieces[i]
    else:
        foreign = [piece for piece in tokens(other) if not piece.isspace()] or ["x"]
        new = draw(st.sampled_from(KEYWORDS) | st.sampled_from(foreign) | st.sampled_from([pieces[k] for k in words]))
        pieces[i] = new if kind == "replace" else f"{new} {pieces[i]}"
    return "".join(pieces)


@st.composite
def damage_to_blocks(draw: st.DrawFn, text: str, other: str) -> str:
    """One thing done to whole expressions, so that much of what comes out is PDDL with another meaning."""
    here, there = blocks(text), blocks(other)
    if not here:
        return text
    inner = [span for span in here if re.match(r"\((?!define|domain|problem|:|\?)", text[slice(*span)])]
    if inner and draw(st.integers(0, 3)):
        here = inner  # formulas and facts: leave the frame of the file as it is
    start, end = draw(st.sampled_from(here))
    block = text[start:end]
    own_start, own_end = draw(st.sampled_from(here))
    own = text[own_start:own_end]
    kind = draw(st.sampled_from(["delete", "duplicate", "replace", "graft", "wrap", "rename"]))
    if kind == "delete":
        new = ""
    elif kind == "duplicate":
        new = f"{block} {own}"
    elif kind == "replace":
        new = own
    elif kind == "graft" and there:
        new = other[slice(*draw(st.sampled_from(there)))]
    elif kind == "rename":  # a word of this block becomes a word of another one, from the same place
        old_words, new_words = re.findall(r"[^\s()]+", block), re.findall(r"[^\s()]+", own)
        places = range(min(len(old_words), len(new_words)))
        if not places:
            return text
        i = draw(st.sampled_from(places))
        new = re.sub(rf"(?<![^\s()]){re.escape(old_words[i])}(?![^\s()])", lambda _: new_words[i], block)
    else:
        new = draw(st.sampled_from(WRAPPINGS)).format(block=block, own=own)
    return text[:start] + new + text[end:]


@st.composite
def damaged(draw: st.DrawFn, text: str, other: str, most: int = 3) -> str:
    for _ in range(draw(st.integers(0, most))):
        damage = draw(st.sampled_from([damage_to_words, damage_to_blocks, damage_to_blocks]))
        text = draw(damage(text, other))
    return text


@st.composite
def damaged_pairs(draw: st.DrawFn) -> tuple[str, str]:
    """A domain and a problem, each with up to two things done to it."""
    domain, problem = texts(draw(st.sampled_from(list(DOMAINS))))
    foreign = draw(st.sampled_from(list(DOMAINS)))
    other = draw(st.sampled_from([domain, problem, *texts(foreign)]))
    return draw(damaged(domain, other, 2)), draw(damaged(problem, other, 2))


def outcome(*arguments: str) -> tuple[int, str, str]:
    """Run the command line; whatever the text, it must end, with at most one sentence."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(list(arguments))
    assert "Traceback" not in out.getvalue() + err.getvalue()
    assert re.fullmatch(r"(goalward: [^\n]+\n)?", err.getvalue()), err.getvalue()
    assert len(err.getvalue()) < 2000, "the message repeats its input"
    return code, out.getvalue(), err.getvalue()


@patient
@fuzz
@given(damaged_pairs(), st.sampled_from(["ff", "add", "hmax", "goalcount", "blind"]))
def test_plan_survives_damaged_pddl(pair: tuple[str, str], heuristic: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        domain, problem, plan = (str(Path(folder) / name) for name in ("domain.pddl", "problem.pddl", "plan"))
        for path, text in zip((domain, problem), pair, strict=True):
            Path(path).write_text(text, encoding="utf-8")
        limit = f"{TIME_LIMIT}s"
        code, out, err = outcome("plan", domain, problem, "-H", heuristic, "--time-limit", limit, "-o", plan)
        # 12 and 35 would be goalward's own doing, 22 and 36 cannot come from what is in the files
        assert code in {0, 10, 11, 23, 31, 34}, (code, err)
        assert Path(plan).exists() == (code == 0)
        assert set(os.listdir(folder)) <= {"domain.pddl", "problem.pddl", "plan"}
        if code == 0:
            assert outcome("validate", domain, problem, plan)[0] == 0
        elif code in {31, 34}:
            assert out == ""
            assert folder in err or code == 34, "the message names no file"


@cache
def solved(name: str) -> tuple[str, str, str]:
    domain, problem = texts(name)
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / part) for part in ("domain.pddl", "problem.pddl", "plan")]
        Path(paths[0]).write_text(domain)
        Path(paths[1]).write_text(problem)
        assert outcome("plan", *paths[:2], "-o", paths[2])[0] == 0
        return domain, problem, Path(paths[2]).read_text()


@st.composite
def damaged_plans(draw: st.DrawFn) -> tuple[str, str, str]:
    domain, problem, plan = solved(draw(st.sampled_from(list(DOMAINS))))
    return domain, problem, draw(damaged(plan, draw(st.sampled_from([plan, problem, domain]))))


@patient
@fuzz
@given(damaged_plans())
def test_validate_survives_damaged_plans(files: tuple[str, str, str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("domain.pddl", "problem.pddl", "plan")]
        for path, text in zip(paths, files, strict=True):
            Path(path).write_text(text, encoding="utf-8")
        code, out, err = outcome("validate", *paths)
        assert code in {0, 1, 31}, (code, err)
        assert (code == 0) == out.startswith("Plan valid.\n")
        assert code == 0 or paths[2] in err
