"""Trials that are trained at the same time, each in a thread: native code and PyTorch leave the interpreter free."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from goalward.learning.options import LearnOptions
from goalward.learning.trials import Together

Result = TypeVar("Result")


def trials_at_once(options: LearnOptions) -> int:
    """How many trials are trained at the same time: on as many cores as were asked for, or as this process may use."""
    return min(options.cores or _cores(), options.trials)


def _cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)  # only Linux has it
    return len(affinity(0)) if affinity else os.cpu_count() or 1


def run_together(jobs: Sequence[Callable[[], Result]], together: Together, threads: int) -> list[Result]:
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
                together.stopped = True
                return [job.result() for job in waiting]
            except BaseException:
                together.stopped = True
                raise
    finally:
        torch.set_num_threads(before)
