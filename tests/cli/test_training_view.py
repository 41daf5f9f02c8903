"""The table that is shown while a model is trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from goalward.cli.signals import Interrupt
from goalward.cli.training_view import TrainingLog, TrainingView
from goalward.learning.methods import train_with
from goalward.learning.rsl import PreimageOptions
from helpers import make_tiny

QUICK = PreimageOptions(
    samples=400, rollouts=3, length=8, max_epochs=6, width=12, validation_states=0, required_probes=0, trials=3, cores=2
)


class Seen(TrainingView):
    """Remembers the trials in the table at each epoch, and those that had ended before."""

    def __init__(self, options: PreimageOptions) -> None:
        super().__init__(options, Interrupt(), shown=False)
        self.ended: set[int] = set()
        self.tables: list[tuple[set[int], set[int]]] = []

    def epoch(self, trial: int, *words: Any) -> bool:
        answer = super().epoch(trial, *words)
        shown = {int(name.removeprefix("trial ")) for name, _ in self.rows() if name.startswith("trial ")}
        assert trial + 1 in shown
        self.tables.append((shown, set(self.ended)))
        return answer

    def rests(self, trial: int) -> None:
        super().rests(trial)
        self.ended.add(trial + 1)


@pytest.mark.parametrize("logged", [False, True])
def test_trials_that_have_ended_leave_the_table(logged: bool, tmp_path: Path) -> None:
    view = Seen(QUICK)
    if logged:
        with TrainingLog(tmp_path / "log", view) as log:
            train_with(make_tiny("blocks").task, "n-rsl", QUICK, log)
    else:
        train_with(make_tiny("blocks").task, "n-rsl", QUICK, view)
    assert view.ended == {1, 2, 3}
    assert all(1 <= len(shown) <= 2 and not shown & ended for shown, ended in view.tables)
    assert any(ended for _, ended in view.tables)  # somebody went on after that
    assert view.rows()[1:] == []  # nobody is at work any more
