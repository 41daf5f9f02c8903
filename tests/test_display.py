"""What objects show of themselves: one short line, and in a notebook a well-formed table."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from goalward import display
from goalward.sampling import Dataset
from goalward.search import SearchOptions, search
from goalward.search.model import Model
from goalward.search.planning import plan
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Task
from helpers import make_tiny, whole_number_network

NASTY = "<b>&amp;</b>"


def task() -> Task:
    """A task whose name would be markup if it were not escaped."""
    return replace(make_tiny("blocks").task, problem_name=NASTY)


def dataset(n: int = 30) -> Dataset:
    base = task()
    states = to_bits(random_walk_states(base, n, 8, seed=0), base.n_atoms)
    return Dataset.of_labelled(base, states, np.arange(n, dtype=np.int32), "uniform")


def model() -> Model:
    base = task()
    curve = [[i, 10.0 / i, 12.0 / i if i != 3 else None, 0.1] for i in range(1, 8)]
    return Model(base, whole_number_network(base), {"method": "n-rsl", "seed": 3, "curve": curve})


SHOWN: dict[str, tuple[Callable[[], object], str]] = {
    "task": (task, rf"<Task {NASTY} of blocks: 25 atoms, 32 operators, \d in the goal>"),
    "dataset": (dataset, f"<Dataset of 30 states of {NASTY} by uniform, labels from 0 to 29>"),
    "model": (model, f"<Model for {NASTY} by n-rsl: 25 → 12 → 12 → 12 \\+ skip → 1>"),
    "result": (lambda: search(task(), "ff"), r"<solved: \d+ steps, \d+ expansions, 0\.\d+ s>"),
    "no plan": (
        lambda: search(task(), "blind", SearchOptions(expansion_limit=1)),
        r"<out of expansions: 1 expansions, 0\.\d+ s>",
    ),
    "outcome": (lambda: plan(make_tiny("blocks").task), r"<solved blocks-\S+: \d+ steps, \d+ expansions, 0\.\d+ s>"),
}


@pytest.mark.parametrize("name", SHOWN)
def test_one_short_line(name: str) -> None:
    make, expected = SHOWN[name]
    assert re.fullmatch(expected, repr(make()))


@pytest.mark.parametrize("name", SHOWN)
def test_html_is_well_formed_and_names_are_escaped(name: str) -> None:
    html = SHOWN[name][0]()._repr_html_()  # type: ignore[attr-defined]
    tree = ElementTree.fromstring(html)
    assert {part.tag for part in tree.iter()} <= {
        *("div", "table", "caption", "tbody", "tr", "th", "td", "ol", "li", "code", "p"),
        *("figure", "svg", "g", "rect", "polyline", "figcaption"),
    }
    if name != "outcome":
        assert NASTY in "".join(tree.itertext())


def test_a_result_lists_its_steps() -> None:
    found = search(task(), "ff")
    tree = ElementTree.fromstring(found._repr_html_())
    assert [step.text for step in tree.iter("code")] == found.steps
    failed = search(task(), "blind", SearchOptions(expansion_limit=1))
    assert not list(ElementTree.fromstring(failed._repr_html_()).iter("ol"))


def test_long_plans_are_cut_and_say_so() -> None:
    tree = ElementTree.fromstring(f"<div>{display.html_list([f'(s{i})' for i in range(45)])}</div>")
    assert len(list(tree.iter("li"))) == 30
    assert "and 15 more" in "".join(tree.itertext())


def test_a_bar_is_as_high_as_its_share_of_the_highest() -> None:
    tree = ElementTree.fromstring(display.bars([1, 4, 0, 2], "caption"))
    heights = [float(bar.get("height", "nan")) for bar in tree.iter("rect")]
    assert [height / heights[1] for height in heights] == [0.25, 1, 0, 0.5]


def test_the_line_falls_on_a_logarithmic_scale_and_leaves_out_what_is_no_number() -> None:
    drawn = display.falling_line([100.0, 10.0, float("inf"), 1.0], "caption")
    (line,) = ElementTree.fromstring(drawn).iter("polyline")
    points = [tuple(map(float, point.split(","))) for point in line.get("points", "").split()]
    assert [round(x) for x, _ in points] == [0, 107, 320]
    assert [y for _, y in points] == [0, 30, 60]
    assert display.falling_line([1.0], "caption") == ""


def test_an_empty_data_set_has_a_repr_too() -> None:
    empty = replace(dataset(), states=dataset().states[:0], labels=dataset().labels[:0], origin=dataset().origin[:0])
    assert repr(empty) == f"<Dataset of 0 states of {NASTY} by uniform>"
    assert ElementTree.fromstring(empty._repr_html_()) is not None


def test_tensors_of_a_data_set_are_what_learning_sees() -> None:
    """In lights, one atom always holds and one is nothing to the goal."""
    base = make_tiny("lights").task
    states = random_walk_states(base, 20, 6, seed=0)
    made = Dataset.of_labelled(base, to_bits(states, base.n_atoms), np.arange(20, dtype=np.int32), "walks")
    tensors, labels = made.to_torch().tensors
    assert labels.tolist() == list(range(20))
    always = [atom for atom in base.init if atom not in base.delete.values]
    assert len(always) == 1
    assert (tensors[:, always] == 1).all()
    differing = {
        int(atom)
        for row, state in zip(tensors.numpy(), states, strict=True)
        for atom in np.flatnonzero(row != np.isin(np.arange(base.n_atoms), state))
    }
    assert len(differing) == 1
    assert not tensors[:, list(differing)].any()
