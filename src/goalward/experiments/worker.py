"""The function that a Dask worker runs for one unit: it runs the unit in a separate process under hard limits."""

from __future__ import annotations

import contextlib
import json
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goalward.experiments.guard import Ending, run_guarded
from goalward.experiments.store import Result
from goalward.experiments.units import Job
from goalward.search import Status

UNIT_PROCESS = "goalward.experiments.unit_process"


@dataclass(frozen=True)
class UnitOutcome:
    """The result of a unit, or the reason why there is none.

    ``lost`` means that the unit should be tried again, ``blocked`` that other units would fail for the same reason.
    """

    unit: str
    result: Result | None = None
    lost: str = ""
    blocked: str = ""


def run_unit(job: Job, cancelled: Callable[[], bool] = lambda: False, module: str = UNIT_PROCESS) -> UnitOutcome:
    """Run one unit in a separate process; return an outcome even if the process crashes or is killed."""
    unit = job.unit.id
    Path(job.scratch).parent.mkdir(parents=True, exist_ok=True)
    # Files that a killed process leaves behind, such as those of Fast Downward, are removed with the folder.
    with tempfile.TemporaryDirectory(prefix="goalward-", ignore_cleanup_errors=True) as folder:
        ending, out, err = run_guarded(
            module, job.to_json(), job.hard_limit, job.budgets.memory, cancelled, folder, job.hard_cpu_limit
        )
    if ending is None:
        return UnitOutcome(unit, lost="its process was killed" + (f": {_last_line(err)}" if err.strip() else ""))
    if ending.cut is None and ending.code == 0:
        reply = json.loads(out)
        return UnitOutcome(unit, **reply) if reply.keys() <= {"lost", "blocked"} else UnitOutcome(unit, Result(**reply))
    with contextlib.suppress(FileNotFoundError):  # the process may have ended between writing its file and its result
        Path(job.scratch).unlink()
    if ending.cut is not None:
        return UnitOutcome(unit, _cut(unit, ending, job))
    if ending.code < 0:
        return UnitOutcome(unit, lost=f"its process was ended by {_signal(-ending.code)}")
    reason = _last_line(err) or f"exit code {ending.code}"
    return UnitOutcome(
        unit, Result(unit, "failed", total_time=ending.seconds, memory=ending.memory, error=f"crashed: {reason}")
    )


def run_on_dask(job: Job) -> UnitOutcome:
    """Run :func:`run_unit` in a Dask worker; the unit is cancelled if its Dask task is."""
    from distributed import get_worker  # noqa: PLC0415 - only where Dask runs

    worker = get_worker()
    key = worker.get_current_task()

    def cancelled() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return run_unit(job, cancelled)


def _cut(unit: str, ending: Ending, job: Job) -> Result:
    limit = f"{job.hard_cpu_limit:g} s of CPU time" if job.counts_cpu_time else f"{job.hard_limit:g} s"
    status, what = Status.OUT_OF_TIME, f"killed after {limit}, the time limit plus grace"
    if ending.cut == "memory":
        status, what = Status.OUT_OF_MEMORY, f"killed with {ending.memory / 2**20:.0f} MiB, above the limit"
    return Result(unit, status.value, total_time=ending.seconds, memory=ending.memory, error=what)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:300] if lines else ""


def _signal(number: int) -> str:
    try:
        return f"signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"signal {number}"
