"""``goalward.train``: every method in one call, with a live view on a terminal and in a notebook."""

from __future__ import annotations

import os
import signal
import sys
import threading
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import goalward
from goalward import display
from goalward.errors import UsageError
from goalward.learning.methods import train_with
from goalward.learning.rsl import PreimageOptions
from goalward.task.strips import Task
from helpers import BRIEF, make_tiny


def task() -> Task:
    return make_tiny("blocks").task


def test_the_model_is_that_of_train_with(capfd: pytest.CaptureFixture[str]) -> None:
    little = {"samples": 200, "rollouts": 1, "length": 10, "max_epochs": 2, "width": 8, "validation_states": 0}
    mine = goalward.train(task(), **little)
    theirs = train_with(task(), "n-rsl", PreimageOptions(**little))  # type: ignore[arg-type]
    assert np.array_equal(mine.weights.table, theirs.weights.table)
    assert capfd.readouterr() == ("", ""), "there is no terminal, so nothing is shown"


def test_settings_go_before_options() -> None:
    options = PreimageOptions(samples=200, rollouts=1, length=10, max_epochs=1, width=8, validation_states=0, seed=3)
    kept = goalward.train(task(), options=options, max_epochs=2).info["options"]
    assert (kept["seed"], kept["max_epochs"], kept["width"]) == (3, 2, 8)


def test_durations_are_as_people_write_them() -> None:
    model = goalward.train(task(), time_limit="1m", validation_states=0, width=8, **BRIEF["rsl"])
    assert model.info["options"]["time_limit"] == 60


def test_lines_on_request(capfd: pytest.CaptureFixture[str]) -> None:
    goalward.train(task(), progress=True, validation_states=0, width=8, **BRIEF["rsl"])
    said = capfd.readouterr()
    assert said.out == ""
    assert "s] training" in said.err


def test_a_model_of_a_domain(capfd: pytest.CaptureFixture[str]) -> None:
    tasks = [make_tiny("gripper", seed=seed).task for seed in (0, 1)]
    model = goalward.train(tasks, "hgn", latent=4, n_steps=1, max_epochs=2, teacher_limit="5s", states_per_problem=5)
    assert model.options.teacher_limit == 5
    assert len(model.info["curve"]) == 2
    assert capfd.readouterr().err == ""
    assert repr(model).startswith("<DomainModel for ")


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (("nrsl",), {}, "unknown method 'nrsl'; did you mean n-rsl"),
        (("ff",), {}, "ff is not learned per instance"),
        (("n-rsl",), {"sampels": 3}, "n-rsl has no option 'sampels'; did you mean samples"),
        (("rsl",), {"time_limit": "soon"}, "time_limit must be a duration .*, but is 'soon'"),
        (("hgn",), {"walks": 3}, "hgn has no option 'walks'"),
        (("hgn",), {"time_limit": "soon"}, "time_limit must be a duration .*, but is 'soon'"),
    ],
)
def test_what_is_wrong_is_refused_at_once(arguments: tuple[str], settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        goalward.train(task(), *arguments, **settings)


def test_one_task_for_methods_that_learn_for_one() -> None:
    with pytest.raises(UsageError, match="n-rsl takes one task"):
        goalward.train([task(), task()], "n-rsl")  # type: ignore[call-overload]


def test_ctrl_c_keeps_the_best_weights_so_far() -> None:
    """Without a terminal too; the handler of whoever called is back afterwards."""
    before = signal.getsignal(signal.SIGINT)
    over = threading.Event()

    def interrupt_as_soon_as_that_means_a_wish() -> None:
        while signal.getsignal(signal.SIGINT) is before:
            if over.wait(0.01):
                return
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt_as_soon_as_that_means_a_wish)
    thread.start()
    try:
        model = goalward.train(task(), max_epochs=10**9, patience=10**9, validation_states=0, samples=1000, length=10)
    finally:
        over.set()
        thread.join()
    assert model.info["end"] == "interrupted"
    assert model.solve().solved
    assert signal.getsignal(signal.SIGINT) is before


class Shown:
    """What IPython's ``display`` gives back: an output that can be replaced."""

    def __init__(self) -> None:
        self.drawn: list[str] = []

    def update(self, html: str) -> None:
        self.drawn.append(html)


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Shown:
    """As much of IPython as the view needs, in a process that says that it serves a notebook."""
    shown = Shown()

    def show(html: str, display_id: bool) -> Shown:
        assert display_id
        shown.update(html)
        return shown

    shell = type("Shell", (), {"kernel": object()})()
    ipython, showing = ModuleType("IPython"), ModuleType("IPython.display")
    ipython.get_ipython = lambda: shell  # type: ignore[attr-defined]
    showing.display, showing.HTML = show, str  # type: ignore[attr-defined]
    ipython.display = showing  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", showing)
    return shown


def test_a_notebook_shows_one_table_that_changes(notebook: Shown) -> None:
    goalward.train(task(), trials=1, validation_states=0, width=8, **BRIEF["rsl"])
    assert "starting" in notebook.drawn[0]
    assert "training" in notebook.drawn[-1]
    assert "steps on held-out states" in notebook.drawn[-1]
    assert all(html.startswith(display.html_table("", [])[:12]) for html in notebook.drawn)


def test_a_notebook_is_silent_on_request(notebook: Shown) -> None:
    goalward.train(task(), progress=False, validation_states=0, width=8, **BRIEF["rsl"])
    assert notebook.drawn == []
