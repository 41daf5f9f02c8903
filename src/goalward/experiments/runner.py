"""Runs the units of an experiment that have no result: hands them to Dask, and writes the results.

Each unit gets exactly one result. Only this process writes results, each in one transaction. The file of a unit (model
or plan) is written elsewhere, and moved into place right before the transaction. So a result always has its file, and a
file without a result is replaced when the unit runs again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import queue
import secrets
import shutil
import subprocess
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from goalward.errors import GoalwardError, UsageError, is_machine_error
from goalward.experiments.benchmark import find_instances
from goalward.experiments.clusters import SchedulerLostError, Workers
from goalward.experiments.config import Config
from goalward.experiments.store import FILE_NAME, Result, Store, Unit
from goalward.experiments.units import WHOLE_DOMAIN, Schedule
from goalward.experiments.worker import UnitOutcome, run_on_dask

if TYPE_CHECKING:
    from distributed import Future

MAX_LOSSES = 3
"""A unit that is lost this many times, with its process or worker, has failed."""
POLL_SECONDS = 0.25
SLOT_POLL_SECONDS = 2.0
"""Interval at which the number of workers is checked while none are missing."""


class RunObserver(Protocol):
    """Follows a run; ``tick`` and ``stopped`` are called several times per second."""

    def started(self, unit: Unit) -> None:
        """Called when a unit was handed to a worker."""

    def finished(self, unit: Unit, result: Result) -> None:
        """Called when a result was stored."""

    def lost(self, unit: Unit, reason: str) -> None:
        """Called when a unit was lost and will be tried again."""

    def tick(self) -> None:
        """Called regularly, for example to update a display."""

    def stopped(self) -> bool:
        """True once a stop was requested."""


@contextlib.contextmanager
def experiment_lock(output: Path) -> Iterator[None]:
    """Allow only one runner per folder. The system releases the lock when the runner ends, for whatever reason."""
    with open(output / "run.lock", "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{output}: another process is running this experiment") from None
        yield


def is_running(output: Path) -> bool:
    """True if a process runs the experiment in this folder."""
    try:
        with experiment_lock(output):
            return False
    except UsageError:
        return True
    except OSError:  # the folder is read-only
        return False


def prepare(config: Config, output: Path, store: Store) -> Schedule:
    """Write config and units to the store; UsageError if the store has the results of a conflicting config.

    Trainings whose model is not there any more run again if a search needs it: results may be kept without models.
    """
    stored = store.meta().get("config")
    if stored is not None and (reason := config.conflict(stored)):
        raise UsageError(f"{output} holds results of another config ({reason} differs); use another folder")
    schedule = Schedule(config, find_instances(config, output), output)
    store.add_units(schedule.units)
    store.forget(_without_model(schedule, store), "trained")
    facts = {"versions": _versions(), "machine": _machine()}
    runs = [*store.meta().get("runs", []), {"started": time.time(), **facts}]
    store.set_meta(name=config.name, config=config.as_json(), runs=runs, **facts)
    shutil.rmtree(output / "scratch", ignore_errors=True)  # files of units without a result
    return schedule


def _without_model(schedule: Schedule, store: Store) -> set[str]:
    """The trainings of searches without a result whose model is missing."""
    finished = store.finished()
    waiting = {schedule.training_of(unit) for unit in schedule.units if unit.id not in finished}
    return {one.id for one in waiting if one is not None and not schedule.model_file(one).exists()}


def open_store(output: Path) -> Store:
    """Open the store in a folder; create both if they do not exist."""
    output.mkdir(parents=True, exist_ok=True)
    return Store(output / FILE_NAME, create=True)


class Runner:
    """Hands units to workers until all of them have a result."""

    def __init__(self, schedule: Schedule, store: Store, workers: Workers, observer: RunObserver) -> None:
        self.schedule, self.store, self.workers, self.observer = schedule, store, workers, observer
        self._trained = store.trained()
        finished = store.finished()
        self._untrained = {unit.id for unit in schedule.units if unit.kind == "train" and unit.id in finished}
        self._untrained -= self._trained
        self._ready: deque[Unit] = deque()
        self._waiting: dict[str, list[Unit]] = {}
        self._place = {unit.id: place for place, unit in enumerate(schedule.units)}
        for unit in schedule.units:
            if unit.id not in finished:
                self._enqueue(unit)
        self._running: dict[str, tuple[Unit, Future, int]] = {}
        self._losses: Counter[str] = Counter()
        self._events: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._retries_by_dask = workers.failures_allowed()
        self._slots, self._next_check = 0, time.monotonic()
        self._next_restart = time.monotonic() + workers.restart_seconds

    def _enqueue(self, unit: Unit) -> None:
        training = self.schedule.training_of(unit)
        if training is None or training.id in self._trained or training.id in self._untrained:
            self._ready.append(unit)
        else:
            self._waiting.setdefault(training.id, []).append(unit)

    def run(self) -> bool:
        """Run until all units have a result (True), or until a stop is requested (False)."""
        try:
            while self._ready or self._running:
                if self.observer.stopped():
                    return False
                self._submit()
                self._collect()
                self.observer.tick()
        finally:
            for _, future, _ in self._running.values():
                with contextlib.suppress(Exception):  # the scheduler may be gone
                    future.cancel()
        return True

    def _free_slots(self) -> int:
        """Number of units that can be submitted: one per thread of the workers, so that no unit waits in a queue."""
        now = time.monotonic()
        if now >= self._next_check:
            self._slots = self.workers.threads()
            missing = self._slots < (self.workers.wanted or 1)
            self._next_check = now + (POLL_SECONDS if missing else SLOT_POLL_SECONDS)
            if missing and now >= self._next_restart:
                self._next_restart = now + self.workers.restart_seconds
                self.workers.restart_lost()
        return self._slots - len(self._running)

    def _submit(self) -> None:
        while self._ready and self._free_slots() > 0:
            unit = self._ready.popleft()
            training = self.schedule.training_of(unit)
            if training is not None and training.id in self._untrained:
                self._store(unit, Result(unit.id, "failed", error="no model: its training ended without one"))
                continue
            attempt = self.store.begin_attempt(unit.id)
            token = secrets.token_hex(8)
            scratch = self.schedule.output / "scratch" / token
            key = f"{unit.id}#{token}"
            job = self.schedule.job(unit, scratch)
            future: Future = self.workers.client.submit(run_on_dask, job, key=key, pure=False)
            self._running[key] = unit, future, attempt
            future.add_done_callback(lambda done: self._events.put(done.key))
            self.observer.started(unit)

    def _collect(self) -> None:
        """Wait up to ``POLL_SECONDS`` for a unit to end, and handle all units that have ended."""
        try:
            key = self._events.get(timeout=POLL_SECONDS)
            while True:
                self._handle_end(key)
                key = self._events.get_nowait()
        except queue.Empty:
            pass

    def _handle_end(self, key: str) -> None:
        """Store the result of a unit, or queue the unit again if it was lost."""
        unit, future, attempt = self._running.pop(key)
        outcome = self._outcome(unit, future)
        if outcome.blocked:
            raise GoalwardError(
                f"{unit.id}: {outcome.blocked}; results so far are kept, run the same command again to resume"
            )
        if outcome.result is not None:
            self._move_file(unit, outcome.result, key)
            self._store(unit, replace(outcome.result, attempts=attempt))
            return
        self._losses[unit.id] += 1
        if self._losses[unit.id] >= MAX_LOSSES:
            reason = f"{outcome.lost} ({self._losses[unit.id]} times)"
            self._store(unit, Result(unit.id, "failed", error=reason, attempts=attempt))
            return
        self.observer.lost(unit, outcome.lost)
        self._ready.appendleft(unit)

    def _outcome(self, unit: Unit, future: Future) -> UnitOutcome:
        from distributed import KilledWorker  # noqa: PLC0415 - Dask is loaded where it is used

        if future.status == "finished":
            outcome: UnitOutcome = future.result()
            return outcome
        if future.status == "error":
            error: Any = future.exception()
            if isinstance(error, KilledWorker):
                for _ in range(self._retries_by_dask):  # attempts that Dask made without telling the runner
                    self._losses[unit.id] += 1
                    self.store.begin_attempt(unit.id)
                return UnitOutcome(unit.id, lost="its worker died")
            if is_machine_error(error):
                return UnitOutcome(unit.id, blocked=f"its worker could not run it: {error}")
            # The worker failed, for example because it lacked the memory to start a process; the unit may be fine.
            return UnitOutcome(unit.id, lost=f"its worker could not run it: {type(error).__name__}: {error}")
        raise SchedulerLostError

    def _move_file(self, unit: Unit, result: Result, key: str) -> None:
        """Move the model or plan of a unit into place. Another attempt at the unit writes to another scratch file."""
        if result.solved or result.status == "trained":
            target = self.schedule.product_file(unit)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.schedule.output / "scratch" / key.rpartition("#")[2], target)

    def _store(self, unit: Unit, result: Result) -> None:
        """Write a result, and queue the searches that waited for a training."""
        if not self.store.add(result):
            return
        if unit.kind == "train":
            (self._trained if result.status == "trained" else self._untrained).add(unit.id)
            waiting = self._waiting.pop(unit.id, [])
            if unit.instance == WHOLE_DOMAIN:  # each of these is run together with the others of its instance
                self._ready = deque(sorted([*self._ready, *waiting], key=lambda one: self._place[one.id]))
            else:
                self._ready.extendleft(reversed(waiting))  # first, to finish this instance
        self.observer.finished(unit, result)


def run_experiment(
    schedule: Schedule,
    store: Store,
    cluster: Callable[[], contextlib.AbstractContextManager[Workers]],
    observer: RunObserver,
) -> bool:
    """Run all units that have no result; return False if a stop was requested before the end."""
    finished = store.finished()
    if all(unit.id in finished for unit in schedule.units):
        return True
    with cluster() as workers:
        return Runner(schedule, store, workers, observer).run()


def _versions() -> dict[str, str]:
    names = ("goalward", "torch", "numpy", "distributed", "up_fast_downward", "fast-downward.translate")
    found = {"python": platform.python_version()}
    for name in names:
        with contextlib.suppress(PackageNotFoundError):
            found[name] = version(name)
    return found | _commit()


def _commit() -> dict[str, str]:
    """The commit of the clone that goalward runs from; empty if it was installed from a wheel."""
    root = Path(__file__).parents[3]
    if not (root / ".git").exists():
        return {}
    command = ["git", "-C", str(root), "rev-parse", "--short=10", "HEAD"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return {}
    return {"commit": found.stdout.strip()}


def _machine() -> dict[str, Any]:
    return {"host": platform.node(), "system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
