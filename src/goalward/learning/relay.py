"""Watchers of trainings that pass on what they are told; others are made from them by changing one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalward.learning.looks import Look
    from goalward.learning.results import Epoch
    from goalward.learning.trials import Watcher


class Relay:
    """Passes everything on to another watcher, or to nobody."""

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher

    def phase(self, name: str, trial: int) -> None:
        """Something begins."""
        if self.watcher:
            self.watcher.phase(name, trial)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The data set of a trial is ready."""
        if self.watcher:
            self.watcher.data(trial, summary)

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool | None:
        """An epoch is over; False ends training."""
        return self.watcher.epoch(trial, epoch, look) if self.watcher else None

    def go_on(self) -> bool:
        """False shortens what comes before training; a watcher need not have an opinion."""
        wanted = getattr(self.watcher, "go_on", None)
        return wanted is None or bool(wanted())

    def rests(self, trial: int) -> None:
        """A trial that is trained beside others has nothing to do; a watcher need not hear of it."""
        told = getattr(self.watcher, "rests", None)
        if told is not None:
            told(trial)

    def message(self, text: str) -> None:
        """Something worth a line."""
        if self.watcher:
            self.watcher.message(text)


class Learned(Relay):
    """Also knows whether anything has been learned yet that is worth keeping."""

    yet = False

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool | None:
        """The first one makes the difference."""
        self.yet = True
        return super().epoch(trial, epoch, look)
