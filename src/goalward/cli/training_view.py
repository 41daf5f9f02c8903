"""Shows the progress of training: live on a terminal or in a notebook, otherwise as a line every few seconds."""

from __future__ import annotations

import csv
import math
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from goalward.cli.live import LiveFigures, NotebookFigures, in_notebook
from goalward.cli.signals import Interrupt
from goalward.learning.options import ENDLESS, LearnOptions
from goalward.learning.side_by_side import trials_at_once
from goalward.learning.watchers import Relay, Watcher
from goalward.measures import counted, format_duration

if TYPE_CHECKING:
    from goalward.baselines.hgn_data import OptimalPlanStates
    from goalward.baselines.hgn_model import DomainOptions
    from goalward.baselines.hgn_training import DomainEpoch
    from goalward.learning.probes import Probe
    from goalward.learning.results import Epoch

BAR = 24
"""Characters of the progress bar."""
LINE_SECONDS = 5.0
"""Seconds between two lines about the progress, if there is neither a terminal nor a notebook."""

Row = tuple[str, str]


class _View:
    """Shows the rows of a training while a block runs; after Ctrl-C the training ends and keeps its best weights.

    ``shown`` False shows nothing, None figures if there is a terminal or a notebook, and True otherwise lines.
    ``spent`` seconds of the time limit were used before.
    """

    def __init__(self, limit: float | None, interrupt: Interrupt, shown: bool | None, spent: float = 0.0) -> None:
        self.limit = limit
        self.interrupt = interrupt
        self.started = time.monotonic() - spent
        notebook = shown is not False and in_notebook()
        self.figures = NotebookFigures(self.rows) if notebook else LiveFigures(self.rows, enabled=shown is not False)
        self.prints = shown is True or self.figures.shown
        self.printed_at = self.elapsed

    def __enter__(self) -> Self:
        self.figures.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self.figures.__exit__(*error)

    def go_on(self) -> bool:
        """False once a stop was requested."""
        self.tick()
        return not self.interrupt.asked

    def rows(self) -> list[Row]:
        """Names and values."""
        raise NotImplementedError

    def message(self, text: str) -> None:
        """Print a line that stays."""
        if self.prints:
            self.figures.say(text if self.figures.shown else f"[{self.elapsed:.1f}s] {text}")

    def tick(self, *, now: bool = False) -> None:
        """Print all figures as one line, if it is time for one."""
        if self.prints and not self.figures.shown and (now or self.elapsed - self.printed_at >= LINE_SECONDS):
            self.printed_at = self.elapsed
            self.message("; ".join(f"{name} {value.lstrip(FULL + EMPTY + ' ')}" for name, value in self.rows()))

    @property
    def elapsed(self) -> float:
        """Seconds since the training started."""
        return time.monotonic() - self.started

    def progress(self, done: float | None) -> str:
        """A bar with the time left, by the time limit, or else by the share of the epochs that are done."""
        elapsed, at_most = self.elapsed, ""
        if self.limit is not None:
            done, left = min(elapsed / self.limit, 1.0), max(self.limit - elapsed, 0.0)
        elif done:
            left, at_most = elapsed / done * (1 - done), "at most "
        else:
            return format_duration(elapsed)
        filled = round(BAR * done)
        remaining = f"{math.ceil(left)} s" if left < 60 else format_duration(left)
        return f"{FULL * filled}{EMPTY * (BAR - filled)} {done:.0%}, {at_most}{remaining} left"


FULL, EMPTY = "█", "░"


@dataclass
class _Trial:
    """The progress of one trial."""

    number: int
    phase: str = "starting"
    last: Epoch | None = None
    probe: Probe | None = None
    at_work: bool = True

    def rows(self, unit: str) -> list[Row]:
        """Names and values, the most important first; ``unit`` is that of errors."""
        rows, probe, last = [], self.probe, self.last
        if probe is not None:
            rows.append(("short searches", f"solve {probe.solved} of {counted(probe.states, 'validation state')}"))
            if probe.cost_ratio is not None and probe.expansions_per_step is not None:
                rows.append(("plan cost", f"{probe.cost_ratio:.2f} of the best known plans"))
                rows.append(("expansions", f"{probe.expansions_per_step:.1f} per step"))
        if last is not None:
            if last.mean_error is not None:
                rows.append(("mean error", f"{last.mean_error:.1f} {unit} on held-out states"))
            rows.append(("epoch", str(last.number)))
        return rows


class TrainingView(_View, Watcher):
    """The view of a training for one problem; ``uses_costs`` says that its actions have costs."""

    def __init__(
        self,
        options: LearnOptions,
        interrupt: Interrupt,
        shown: bool | None = True,
        *,
        uses_costs: bool = False,
        spent: float = 0.0,
    ) -> None:
        options = options.resolved()
        self.unit = "cost" if uses_costs and getattr(options, "costs", "unit") == "pddl" else "steps"
        self.trials = options.trials
        self.side_by_side = trials_at_once(options)
        epochs: int = getattr(options, "max_epochs", ENDLESS)
        self.epochs = epochs if epochs < ENDLESS else None
        self.seen: dict[int, _Trial] = {}
        self.current = _Trial(0)
        super().__init__(options.time_limit, interrupt, shown, spent)

    def phase(self, name: str, trial: int) -> None:
        """A phase has started."""
        if name == "rollouts":
            self.seen[trial] = _Trial(trial)
        self._heard_of(trial).phase = name
        self.tick(now=True)

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool:
        """An epoch has ended. Returns False to stop training."""
        known = self._heard_of(trial)
        known.last = epoch
        known.probe = probe or known.probe
        return self.go_on()

    def rests(self, trial: int) -> None:
        """One of several trials has ended."""
        self._heard_of(trial).at_work = False

    def rows(self) -> list[Row]:
        """Names and values."""
        name, bar = self.current.phase, self.progress(self._done())
        if self.side_by_side > 1:
            shown = [trial for _, trial in sorted(self.seen.items()) if trial.at_work]
            return [("training", bar), *((f"trial {trial.number + 1}", self._in_one_line(trial)) for trial in shown)]
        trial = [] if self.trials == 1 else [("trial", f"{self.current.number + 1} of {self.trials}")]
        return [(name, bar), *trial, *self.current.rows(self.unit)]

    def _in_one_line(self, trial: _Trial) -> str:
        return "; ".join([trial.phase, *(f"{name} {value}" for name, value in trial.rows(self.unit))])

    def _heard_of(self, trial: int) -> _Trial:
        self.current = self.seen.setdefault(trial, _Trial(trial))
        self.current.at_work = True
        return self.current

    def _done(self) -> float | None:
        if self.epochs is None:
            return None
        done = [0 if trial.last is None else trial.last.number for trial in list(self.seen.values())]
        return min(sum(done) / (self.epochs * self.trials), 1.0)


class DomainView(_View):
    """The view of a training for a domain."""

    def __init__(
        self, names: list[str], options: DomainOptions, interrupt: Interrupt, shown: bool | None = True
    ) -> None:
        self.names = names
        self.epochs = options.max_epochs
        self.unit = "steps" if options.unit_costs else "cost"
        self.taught: list[dict[str, Any]] = []
        self.last: DomainEpoch | None = None
        super().__init__(options.time_limit, interrupt, shown)

    def lessons(self, lessons: OptimalPlanStates) -> None:
        """The data of one problem is ready, or no optimal plan was found for it."""
        name, facts = self.names[len(self.taught)], lessons.summary()
        self.taught.append(facts)
        seconds = format_duration(facts["seconds"])
        if facts["states"]:
            self.message(
                f"{name}: {counted(facts['states'], 'state')} along {counted(facts['plans'], 'optimal plan')}, "
                f"{self.unit} up to {facts['longest']:g}, {seconds}"
            )
        else:
            self.message(f"{name}: skipped, no optimal plan ({facts['status']}), {seconds}")
        self.tick(now=len(self.taught) == len(self.names))

    def epoch(self, epoch: DomainEpoch) -> bool:
        """An epoch has ended. Returns False to stop training."""
        self.last = epoch
        return self.go_on()

    def rows(self) -> list[Row]:
        """Names and values."""
        if len(self.taught) < len(self.names):
            return [("solving", f"problem {len(self.taught) + 1} of {len(self.names)}")]
        states = ("data", counted(sum(facts["states"] for facts in self.taught), "state"))
        if self.last is None:
            return [("training", self.progress(None)), states]
        error = math.sqrt(self.last.validation_loss)
        return [
            ("training", self.progress(self.last.number / self.epochs)),
            states,
            ("error", f"{error:.1f} {self.unit} on held-out states"),
            ("epoch", str(self.last.number)),
        ]


LOG_FILE = "training.csv"
COLUMNS = (
    "trial", "epoch", "seconds", "training_loss", "validation_loss", "learning_rate", "solved", "validation_states",
    "plan_cost_ratio", "expansions_per_step", "mean_error",
)  # fmt: skip


class TrainingLog(Relay):
    """Writes a row at the end of each epoch, and for TensorBoard if it is installed; another watcher hears of it, too.

    ``solved`` of ``validation_states``, ``plan_cost_ratio`` and ``expansions_per_step`` are those of short searches;
    they are empty after epochs without any.
    """

    def __init__(self, folder: Path, watcher: Watcher) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(watcher)
        self._file = (folder / LOG_FILE).open("w", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file)
        self._rows.writerow(COLUMNS)
        self._folder = folder
        self._boards: dict[int, Any] = {}
        self.has_board = find_spec("tensorboard") is not None

    def __enter__(self) -> TrainingLog:
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()
        for board in self._boards.values():
            board.close()

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        """An epoch has ended."""
        searches = (probe.solved, probe.states, probe.cost_ratio, probe.expansions_per_step) if probe else [None] * 4
        figures = (epoch.train_loss, epoch.validation_loss, epoch.learning_rate)
        self._rows.writerow([trial + 1, epoch.number, f"{epoch.seconds:.3f}", *figures, *searches, epoch.mean_error])
        self._file.flush()
        if self.has_board:
            self._plot(self._board(trial), epoch, probe)
        return super().epoch(trial, epoch, probe)

    @staticmethod
    def _plot(board: Any, epoch: Epoch, probe: Probe | None) -> None:
        figures = {
            "loss/training": epoch.train_loss,
            "loss/validation": epoch.validation_loss,
            "learning rate": epoch.learning_rate,
            "mean error": epoch.mean_error,
        }
        if probe:
            figures["validation states solved"] = probe.solved / probe.states
            figures["plan cost over the best known"] = probe.cost_ratio
            figures["expansions per step"] = probe.expansions_per_step
        for name, figure in figures.items():
            if figure is not None:
                board.add_scalar(name, figure, epoch.number)

    def _board(self, trial: int) -> Any:
        """The writer of TensorBoard events of one trial, which TensorBoard shows as a separate run."""
        if trial not in self._boards:
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - slow to load

            self._boards[trial] = SummaryWriter(str(self._folder / f"trial-{trial + 1}"))
        return self._boards[trial]

    def describe(self) -> str:
        """The file that was written."""
        more = f"; tensorboard --logdir {self._folder} shows it" if self.has_board else ""
        return f"Training curve written to {self._folder / LOG_FILE}{more}"
