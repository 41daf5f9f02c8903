"""Trials side by side: the same networks as one after the other, and an end for all of them at once."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import Any

import pytest
import torch

from goalward.learning.methods import train_with
from goalward.learning.rsl import PreimageOptions
from goalward.learning.side_by_side import Together, trials_at_once
from goalward.learning.watchers import Watcher
from helpers import make_tiny

QUICK = PreimageOptions(
    samples=400,
    rollouts=3,
    length=8,
    max_epochs=3,
    width=12,
    trials=3,
    validation_states=0,
    required_probes=0,
    threads=1,
)


def test_trials_side_by_side_learn_what_they_learn_one_after_the_other() -> None:
    task = make_tiny("blocks").task

    def trials(cores: int) -> list[Any]:
        model = train_with(task, "n-rsl", replace(QUICK, cores=cores))
        seen = [(t["seed"], t["validation_loss"], t["epochs"]) for t in model.info["trials"]]
        return [model.weights.table.tobytes(), seen]

    one_after_the_other = trials(1)
    assert trials(2) == one_after_the_other
    assert trials(3) == one_after_the_other


def test_there_are_never_more_side_by_side_than_trials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda _: range(2))
    assert trials_at_once(replace(QUICK, cores=0)) == 2
    assert trials_at_once(replace(QUICK, cores=8)) == 3
    assert trials_at_once(replace(QUICK, cores=8, trials=1)) == 1


class Impatient(Watcher):
    """Asks for an end as soon as an epoch is over; remembers who was heard."""

    def __init__(self) -> None:
        self.heard: set[int] = set()
        self.at_once = 0
        self.most_at_once = 0

    def phase(self, name: str, trial: int) -> None:
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        self.heard.add(trial)
        self.at_once -= 1

    def epoch(self, trial: int, *_: Any) -> bool:
        return False


def test_an_end_that_is_asked_for_ends_all_trials_and_keeps_what_they_learned() -> None:
    watcher = Impatient()
    model = train_with(make_tiny("blocks").task, "n-rsl", replace(QUICK, cores=3), watcher)
    assert watcher.heard == {0, 1, 2}
    assert watcher.most_at_once == 1, "one at a time is listened to"
    assert {trial["end"] for trial in model.info["trials"]} == {"interrupted"}
    assert {trial["epochs"] for trial in model.info["trials"]} == {1}


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_what_ends_one_ends_all(error: type[BaseException]) -> None:
    together = Together()
    stopped = threading.Event()

    def fails() -> str:
        raise error

    def goes_on() -> str:
        while not together.stopped:
            stopped.wait(0.01)
        stopped.set()
        return "ended"

    threads = torch.get_num_threads()
    with pytest.raises(error):
        together.run([fails, goes_on], 1)
    assert stopped.is_set()
    assert torch.get_num_threads() == threads
