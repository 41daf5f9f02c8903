"""Training for a Replanner: before its first answer, or in a background thread."""

from __future__ import annotations

import threading
import warnings
from importlib.util import find_spec

from goalward.errors import UsageError, did_you_mean
from goalward.extras import require_torch
from goalward.learning.methods import make_options, train_with
from goalward.learning.watchers import Watcher
from goalward.search.model import Model
from goalward.task.strips import Task

MODES = ("up front", "background", "never")


class _StopWatcher(Watcher):
    """Stops training when ``stopped`` is set."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def go_on(self) -> bool:
        """False once a stop was requested."""
        return not self.stopped.is_set()


class Learning:
    """Trains one model for one task, and holds it once it is ready.

    ``mode`` is one of :data:`MODES`; None is "background" if PyTorch is installed, "never" otherwise.
    """

    def __init__(self, mode: str | None, time_limit: float | str, method: str, seed: int) -> None:
        if mode is None:
            mode = "background" if find_spec("torch") is not None else "never"
        if mode not in MODES:
            raise UsageError(f"learn must be one of {', '.join(MODES)}, but is {mode!r}{did_you_mean(mode, MODES)}")
        self._mode = mode
        if self.wanted:
            require_torch("learning")
        self._method = method
        self._options = make_options(method, {"time_limit": time_limit, "seed": seed})
        self._watcher = _StopWatcher()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._model: Model | None = None

    @property
    def wanted(self) -> bool:
        """False if nothing is to be learned."""
        return self._mode != "never"

    def start(self, task: Task) -> None:
        """Stop any earlier training and train for a task: up front, or in a background thread."""
        self.stop()
        self._model = self._error = None
        self._watcher = watcher = _StopWatcher()
        if self._mode == "up front":
            self._model = train_with(task, self._method, self._options, watcher)
            return

        def work() -> None:
            try:
                model = train_with(task, self._method, self._options, watcher)
            except BaseException as error:  # reported by ``model``
                self._error = error
            else:
                if not watcher.stopped.is_set():
                    self._model = model

        self._thread = threading.Thread(target=work, name="goalward-learning", daemon=True)
        self._thread.start()

    @property
    def model(self) -> Model | None:
        """The model, or None until it is ready; if learning failed, a warning gives the reason once."""
        if self._error is not None:
            error, self._error = self._error, None
            warnings.warn(f"learning failed, so searches run without a model: {error}", stacklevel=4)
        return self._model

    def wait(self) -> None:
        """Wait until learning in the background has ended."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """Stop learning, wait for its thread, and drop the model."""
        self._watcher.stopped.set()
        self.wait()
        self._thread = None
        self._model = None
