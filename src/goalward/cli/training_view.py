"""Views of training: a live table, a line per event, or nothing."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from goalward.cli.console import say
from goalward.cli.live import at_most_left, can_show_rows, describe_losses, live_rows
from goalward.cli.signals import Interrupt
from goalward.learning.options import LearnOptions
from goalward.learning.side_by_side import trials_at_once
from goalward.learning.watchers import Watcher
from goalward.measures import format_duration
from goalward.outward import printable

if TYPE_CHECKING:
    from goalward.learning.probes import Probe
    from goalward.learning.results import Epoch


class TrainingView(Watcher):
    """Shows nothing; after Ctrl-C it ends training, which keeps the best weights so far."""

    def __init__(self, options: LearnOptions, interrupt: Interrupt) -> None:
        self.trials = options.trials
        self.epochs: int | None = getattr(options, "max_epochs", None)
        self.limit = options.time_limit
        self.interrupt = interrupt
        self.started = time.monotonic()

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool:
        """An epoch is over; False ends training."""
        return self.go_on()

    def go_on(self) -> bool:
        """False once a stop was requested."""
        return not self.interrupt.asked


class _PlainView(TrainingView):
    """One line per event, for streams."""

    def phase(self, name: str, trial: int) -> None:
        say(f"[{time.monotonic() - self.started:.1f}s] trial {trial + 1}/{self.trials}: {name}", err=True)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        say(
            f"[{time.monotonic() - self.started:.1f}s] {summary['samples']} states by {summary['sampler']}: "
            f"{summary['true atoms per state']:.0f} true atoms each, {summary['share beyond']:.0%} beyond pre-images",
            err=True,
        )

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool:
        glimpse = "" if probe is None else f", a short search solves {probe} validation states"
        say(
            f"[{time.monotonic() - self.started:.1f}s] epoch {epoch.number}: training loss {epoch.train_loss:.3f}, "
            f"validation loss {epoch.validation_loss:.3f}{glimpse}",
            err=True,
        )
        return super().epoch(trial, epoch, probe)

    def message(self, text: str) -> None:
        say(text, err=True)


class _Trial:
    """The progress of one trial."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.phase = "starting"
        self.summary: dict[str, Any] = {}
        self.curve: list[Epoch] = []
        self.probe: Probe | None = None
        self.at_work = True

    def rows(self) -> list[tuple[str, str]]:
        """Names and values of the table."""
        rows = []
        if self.summary:
            rows.append(("data", f"{self.summary['samples']:,} states by {self.summary['sampler']}"))
        if self.curve:
            rows.append(("epoch", f"{self.curve[-1].number}"))
            rows.append(("loss", describe_losses(self.curve)))
        if self.probe:
            rows.append(("short search", f"solves {self.probe} validation states now"))
        return rows

    def row(self) -> tuple[str, str]:
        """The same in one line, for several trials at a time."""
        parts = [self.phase]
        if self.curve:
            parts.append(f"epoch {self.curve[-1].number}, loss {self.curve[-1].validation_loss:.3g}")
        if self.probe:
            parts.append(f"solves {self.probe} validation states")
        return (f"trial {self.number + 1}", ", ".join(parts))


class _LiveView(TrainingView):
    """A live table on a terminal or in a notebook."""

    def __init__(self, options: LearnOptions, interrupt: Interrupt) -> None:
        super().__init__(options, interrupt)
        self.side_by_side = trials_at_once(options)
        self.seen: dict[int, _Trial] = {}
        self.current = _Trial(0)
        self.live = live_rows(self.rows)

    def phase(self, name: str, trial: int) -> None:
        if name == "rollouts":
            self.seen[trial] = _Trial(trial)
        self._heard_of(trial).phase = name

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        self._heard_of(trial).summary = summary

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool:
        known = self._heard_of(trial)
        known.curve.append(epoch)
        known.probe = probe or known.probe
        return super().epoch(trial, epoch, probe)

    def _heard_of(self, trial: int) -> _Trial:
        self.current = self.seen.setdefault(trial, _Trial(trial))
        self.current.at_work = True
        return self.current

    def rests(self, trial: int) -> None:
        self._heard_of(trial).at_work = False

    def message(self, text: str) -> None:
        self.live.console.print(printable(text))

    def rows(self) -> list[tuple[str, str]]:
        """Names and values of the table."""
        elapsed = time.monotonic() - self.started
        spent = ("time", format_duration(elapsed) + self._eta(elapsed))
        if self.side_by_side > 1:
            shown = sorted(number for number, trial in list(self.seen.items()) if trial.at_work)
            return [spent, *(self.seen[number].row() for number in shown)]
        phase = ("phase", f"{self.current.phase}, trial {self.current.number + 1} of {self.trials}")
        return [phase, spent, *self.current.rows()]

    def _eta(self, elapsed: float) -> str:
        if self.limit is not None:
            return at_most_left(self.limit, elapsed)
        curve = self.current.curve
        if not curve or self.epochs is None:
            return ""
        left = curve[-1].seconds / curve[-1].number * max(self.epochs - curve[-1].number, 0)
        return f", at most {format_duration(left)} left in this trial"


@contextlib.contextmanager
def training_view(options: LearnOptions, interrupt: Interrupt, shown: bool | None = True) -> Iterator[TrainingView]:
    """A live view on a terminal or in a notebook; otherwise a line per event, or nothing if ``shown`` is None."""
    if shown is False or not can_show_rows():
        yield (_PlainView if shown else TrainingView)(options, interrupt)
        return
    view = _LiveView(options, interrupt)
    with view.live:
        yield view
