"""Trials that are trained at the same time, each in a thread: native code and PyTorch leave the interpreter free."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from goalward.learning.options import LearnOptions

Result = TypeVar("Result")


def trials_at_once(options: LearnOptions) -> int:
    """The number of trials that are trained at the same time, from ``cores`` or the cores that this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # only Linux has it
    return min(options.cores or (len(affinity(0)) if affinity else os.cpu_count() or 1), options.trials)


class Together:
    """Shared by the trials of several threads: they call the watcher one at a time, and end together."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.stopped = False

    def run(self, jobs: Sequence[Callable[[], Result]], threads: int) -> list[Result]:
        """Run all jobs and return their results in order; PyTorch uses ``threads`` threads for each job.

        If a job fails or the wait is interrupted (Ctrl-C, a limit), all jobs end. After KeyboardInterrupt they keep
        what they have learned.
        """
        import torch  # noqa: PLC0415 - slow to load, and the table of options is read without it

        before = torch.get_num_threads()
        torch.set_num_threads(threads)  # for all of them: the number is one for the whole process
        try:
            with ThreadPoolExecutor(len(jobs)) as pool:
                waiting = [pool.submit(job) for job in jobs]
                try:
                    return [job.result() for job in waiting]
                except BaseException as end:
                    self.stopped = True
                    if not isinstance(end, KeyboardInterrupt):
                        raise
                    return [job.result() for job in waiting]
        finally:
            torch.set_num_threads(before)
