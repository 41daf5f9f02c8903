"""The table that is shown while a model is trained."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalward.cli.signals import Interrupt
from goalward.cli.training_log import TrainingLog
from goalward.cli.training_view import _LiveView
from goalward.learning import PreimageOptions, train_with
from helpers import make_tiny

RACE = PreimageOptions(
    samples=400, rollouts=3, length=8, max_epochs=6, width=12, validation_states=0, enough_looks=0, threads=1, race=True
)


class Seen(_LiveView):
    """Remembers the trials in the table at each epoch, and those that were dropped before."""

    def __init__(self, options: PreimageOptions) -> None:
        super().__init__(options, Interrupt())
        self.dropped: set[int] = set()
        self.tables: list[tuple[set[int], set[int]]] = []

    def epoch(self, trial: int, *words: Any) -> bool:
        answer = super().epoch(trial, *words)
        shown = {int(name.removeprefix("trial ")) for name, _ in self.rows() if name.startswith("trial ")}
        assert trial + 1 in shown
        self.tables.append((shown, set(self.dropped)))
        return answer

    def message(self, text: str) -> None:
        if out := re.match(r"Trial (\d+) is dropped", text):
            self.dropped.add(int(out[1]))


@pytest.mark.parametrize("logged", [False, True])
def test_trials_that_were_dropped_leave_the_table(logged: bool, tmp_path: Path) -> None:
    options = replace(RACE, trials=3, cores=2)
    view = Seen(options)
    if logged:
        with TrainingLog(tmp_path / "log", view) as log:
            train_with(make_tiny("blocks").task, "n-rsl", options, log)
    else:
        train_with(make_tiny("blocks").task, "n-rsl", options, view)
    assert len(view.dropped) == 2
    assert all(1 <= len(shown) <= 2 and not shown & dropped for shown, dropped in view.tables)
    assert any(dropped for _, dropped in view.tables)  # somebody went on after that
    assert view.rows()[1:] == []  # nobody is at work any more
