"""Watchers: objects that are told of the progress of a training and can end it.

A watcher derives from :class:`Watcher` and overrides the methods that it needs. The command line's live view, log files
and experiments are watchers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from goalward.learning.probes import Probe
    from goalward.learning.results import Epoch


class Watcher:
    """Told of the progress of a training. By default it does nothing.

    ``trial`` is the number of the network, from 0, if several are trained.
    """

    def phase(self, name: str, trial: int) -> None:
        """A phase begins: "rollouts", "sampling", "training", "validation", or a phase of another method."""

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The first data of a trial are ready."""

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        """An epoch is over; False ends training. ``probe`` is set if short searches were made after it."""

    def go_on(self) -> bool:
        """Called many times a second. False ends training, which keeps what has been learned."""
        return True

    def rests(self, trial: int) -> None:
        """One of several trials has ended."""

    def message(self, text: str) -> None:
        """A line for the log."""


class Relay(Watcher):
    """Passes everything on to another watcher, if there is one. Derived classes change single methods.

    ``has_result`` says whether an epoch is over, so that there is something to keep.
    """

    has_result = False

    def __init__(self, watcher: Watcher | None = None) -> None:
        self.watcher = watcher or Watcher()

    def phase(self, name: str, trial: int) -> None:
        """A phase begins."""
        self.watcher.phase(name, trial)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The first data of a trial are ready."""
        self.watcher.data(trial, summary)

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        """An epoch is over; False ends training."""
        self.has_result = True
        return self.watcher.epoch(trial, epoch, probe)

    def go_on(self) -> bool:
        """False ends training."""
        return self.watcher.go_on()

    def rests(self, trial: int) -> None:
        """One of several trials has ended."""
        self.watcher.rests(trial)

    def message(self, text: str) -> None:
        """A line for the log."""
        self.watcher.message(text)
