"""``goalward train --log DIR``: the training curve as CSV, and for TensorBoard if it is installed."""

from __future__ import annotations

import csv
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from goalward.learning.watchers import Relay

if TYPE_CHECKING:
    from goalward.learning.probes import Probe
    from goalward.learning.results import Epoch
    from goalward.learning.watchers import Watcher

FILE_NAME = "training.csv"
COLUMNS = (
    "trial", "epoch", "seconds", "training_loss", "validation_loss", "learning_rate", "solved", "validation_states",
)  # fmt: skip


class TrainingLog(Relay):
    """Writes a row at the end of each epoch, and passes everything on to another watcher.

    ``solved`` of ``validation_states`` were solved by a short search; both are empty after epochs without one.
    """

    def __init__(self, folder: Path, watcher: Watcher) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        super().__init__(watcher)
        self._file = (folder / FILE_NAME).open("w", newline="", encoding="utf-8")
        self._rows = csv.writer(self._file)
        self._rows.writerow(COLUMNS)
        self._folder = folder
        self._boards: dict[int, Any] = {}
        self.has_board = find_spec("tensorboard") is not None

    def __enter__(self) -> TrainingLog:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        for board in self._boards.values():
            board.close()

    def epoch(self, trial: int, epoch: Epoch, probe: Probe | None) -> bool | None:
        """An epoch is over."""
        solved = (probe.solved, probe.states) if probe else ("", "")
        losses = (epoch.train_loss, epoch.validation_loss)
        self._rows.writerow([trial + 1, epoch.number, f"{epoch.seconds:.3f}", *losses, epoch.learning_rate, *solved])
        self._file.flush()
        if self.has_board:
            board = self._board(trial)
            board.add_scalar("loss/training", epoch.train_loss, epoch.number)
            board.add_scalar("loss/validation", epoch.validation_loss, epoch.number)
            board.add_scalar("learning rate", epoch.learning_rate, epoch.number)
            if probe:
                board.add_scalar("validation states solved", probe.solved / probe.states, epoch.number)
        return super().epoch(trial, epoch, probe)

    def _board(self, trial: int) -> Any:
        """The writer of TensorBoard events of one trial, which TensorBoard shows as a separate run."""
        if trial not in self._boards:
            from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415 - slow to load

            self._boards[trial] = SummaryWriter(str(self._folder / f"trial-{trial + 1}"))
        return self._boards[trial]

    def describe(self) -> str:
        """The file that was written."""
        more = f"; tensorboard --logdir {self._folder} shows it" if self.has_board else ""
        return f"Training curve written to {self._folder / FILE_NAME}{more}"
