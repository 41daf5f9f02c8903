"""Trials that are trained at the same time, each in a thread: native code and PyTorch leave the interpreter free."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

from goalward.learning.options import LearnOptions

if TYPE_CHECKING:
    from goalward.learning.looks import Look
    from goalward.learning.results import Epoch
    from goalward.learning.trials import Watcher

Result = TypeVar("Result")


def trials_at_once(options: LearnOptions) -> int:
    """How many trials are trained at the same time: on as many cores as were asked for, or as this process may use."""
    return min(options.cores or _cores(), options.n_trials)


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # only Linux has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1


class SharedWatcher:
    """Passes on what trials in several threads have to say, one at a time; once it is stopped, all of them end."""

    def __init__(self, watcher: Watcher | None) -> None:
        self._watcher = watcher
        self._lock = threading.RLock()
        self._stopped = False

    def stop(self) -> None:
        """Trials end as soon as they ask."""
        self._stopped = True

    def go_on(self) -> bool:
        """Should trials go on?"""
        wanted = getattr(self._watcher, "go_on", None)
        return not self._stopped and (wanted is None or wanted() is not False)

    def phase(self, name: str, trial: int) -> None:
        """Something begins."""
        self._pass_on("phase", name, trial)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        """The data set of a trial is ready."""
        self._pass_on("data", trial, summary)

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool | None:
        """An epoch is over; False ends the trial."""
        answer: bool | None = self._pass_on("epoch", trial, epoch, look)
        return False if self._stopped else answer

    def message(self, text: str) -> None:
        """Something worth a line in the log."""
        self._pass_on("message", text)

    def rests(self, trial: int) -> None:
        """A trial has nothing to do; a watcher need not hear of it."""
        if hasattr(self._watcher, "rests"):
            self._pass_on("rests", trial)

    def _pass_on(self, name: str, *words: Any) -> Any:
        if self._watcher is None:
            return None
        with self._lock:
            return getattr(self._watcher, name)(*words)


def run_together(jobs: Sequence[Callable[[], Result]], watcher: SharedWatcher, threads: int) -> list[Result]:
    """The results of all jobs, in their order, with so many threads of PyTorch for each.

    Whatever ends one of them or the wait for them (Ctrl-C, a limit) ends all; KeyboardInterrupt leaves what they have
    learned, as it does where there is one.
    """
    import torch  # noqa: PLC0415 - slow to load, and the table of options is read without it

    before = torch.get_num_threads()
    torch.set_num_threads(threads)  # for all of them: the number is one for the whole process
    try:
        with ThreadPoolExecutor(len(jobs)) as pool:
            waiting = [pool.submit(job) for job in jobs]
            try:
                return [job.result() for job in waiting]
            except KeyboardInterrupt:
                watcher.stop()
                return [job.result() for job in waiting]
            except BaseException:
                watcher.stop()
                raise
    finally:
        torch.set_num_threads(before)
