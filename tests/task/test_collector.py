"""Grounding leaves Python's garbage collector out, which would hold up signals and limits."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import pytest

from goalward.errors import GoalwardError
from goalward.task import grounding
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted import Domain, Problem
from helpers import read_texts


@pytest.fixture
def passes() -> Iterator[list[str]]:
    """What the collector does; it is as busy as it can be."""
    thresholds, noted = gc.get_threshold(), []

    def note(phase: str, info: dict[str, Any]) -> None:
        noted.append(phase)

    gc.unfreeze()  # what an earlier command line has left out
    gc.callbacks.append(note)
    gc.set_threshold(50, 2, 2)
    try:
        yield noted
    finally:
        gc.set_threshold(*thresholds)
        gc.callbacks.remove(note)
        gc.enable()


@pytest.fixture
def blocks() -> tuple[Domain, Problem]:
    instance = generate("blocks", n=6)
    return read_texts(instance.domain_text, instance.problem_text)


def test_it_does_not_run_while_a_problem_is_grounded(passes: list[str], blocks: tuple[Domain, Problem]) -> None:
    before = len(passes)
    ground(*blocks)
    assert len(passes) - before < 20, "it runs a thousand times when it is on"
    assert gc.isenabled()


@pytest.mark.parametrize("frozen", [False, True])
def test_it_does_not_begin_with_what_an_exception_has_left(
    passes: list[str], blocks: tuple[Domain, Problem], monkeypatch: pytest.MonkeyPatch, frozen: bool
) -> None:
    def ended(*arguments: Any) -> Any:
        left = [[i] for i in range(10_000)]
        del passes[:]
        raise GoalwardError(f"out of time with {len(left)} objects")

    monkeypatch.setattr(grounding, "translate", ended)
    gc.set_threshold(9000, 10, 10)
    if frozen:  # other objects are left out already
        gc.freeze()
    try:
        with pytest.raises(GoalwardError):
            ground(*blocks)
        assert passes == []
        assert gc.isenabled()
        assert bool(gc.get_freeze_count()) == frozen, "they are left out still"
    finally:
        gc.unfreeze()


def test_a_limit_that_strikes_at_the_very_end_leaves_it_on(
    blocks: tuple[Domain, Problem], monkeypatch: pytest.MonkeyPatch
) -> None:
    def strike() -> None:
        raise GoalwardError("out of time")

    monkeypatch.setattr(gc, "freeze", strike)
    monkeypatch.setattr(gc, "get_freeze_count", lambda: 0)
    with pytest.raises(GoalwardError):
        ground(*blocks)
    assert gc.isenabled()


def test_who_has_turned_it_off_finds_it_off(blocks: tuple[Domain, Problem]) -> None:
    gc.disable()
    try:
        ground(*blocks)
        assert not gc.isenabled()
    finally:
        gc.enable()
