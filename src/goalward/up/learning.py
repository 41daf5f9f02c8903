"""Learning for a Replanner: before its first answer, or in a thread beside its answers."""

from __future__ import annotations

import threading
import warnings
from importlib.util import find_spec

from goalward.errors import UsageError, of_these
from goalward.extras import require_torch
from goalward.learning.methods import make_options, train_with
from goalward.learning.watchers import Watcher
from goalward.search.model import Model
from goalward.task.strips import Task

WAYS = ("up front", "background", "never")


class _Stoppable(Watcher):
    """Ends a training when asked to."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def go_on(self) -> bool:
        """False ends training."""
        return not self.stopped.is_set()


class Learning:
    """One model for one task, when it is ready."""

    def __init__(self, how: str | None, time_limit: float | str, method: str, seed: int) -> None:
        if how is None:
            how = "background" if find_spec("torch") is not None else "never"
        if how not in WAYS:
            raise UsageError(f"learn is {how!r}{of_these(how, WAYS)}")
        self._how = how
        if self.wanted:
            require_torch("learning")
        self._method = method
        self._options = make_options(method, {"time_limit": time_limit, "seed": seed})
        self._watcher = _Stoppable()
        self._thread: threading.Thread | None = None
        self._error: BaseException | None = None
        self._model: Model | None = None

    @property
    def wanted(self) -> bool:
        """Is anything to be learned at all?"""
        return self._how != "never"

    def start(self, task: Task) -> None:
        """Learn for a task: now, or beside what comes next."""
        self.stop()
        self._model = self._error = None
        self._watcher = watcher = _Stoppable()
        if self._how == "up front":
            self._model = train_with(task, self._method, self._options, watcher)
            return

        def work() -> None:
            try:
                model = train_with(task, self._method, self._options, watcher)
            except BaseException as error:  # told to whoever asks for the model
                self._error = error
            else:
                if not watcher.stopped.is_set():
                    self._model = model

        self._thread = threading.Thread(target=work, name="goalward-learning", daemon=True)
        self._thread.start()

    @property
    def model(self) -> Model | None:
        """The model, if it is ready; if learning failed, a warning says why, once."""
        if self._error is not None:
            error, self._error = self._error, None
            warnings.warn(f"learning failed, so answers are found without a model: {error}", stacklevel=4)
        return self._model

    def wait(self) -> None:
        """Until learning in the background is over."""
        if self._thread is not None:
            self._thread.join()

    def stop(self) -> None:
        """End learning; nothing runs when this returns."""
        self._watcher.stopped.set()
        self.wait()
        self._thread = None
        self._model = None
