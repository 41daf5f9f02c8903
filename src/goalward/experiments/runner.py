"""Runs what an experiment lacks: hands units to Dask, and is the one process that writes results.

Exactly once: a unit's result is one transaction of this process. Its file (model or plan) is written elsewhere first
and moved into place right before, so a result is never without its file, and a file that has lost its result is
replaced when the unit is done again.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import platform
import queue
import secrets
import shutil
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from goalward.errors import GoalwardError, UsageError, is_the_machines
from goalward.experiments.benchmark import find_instances
from goalward.experiments.clusters import SchedulerLostError, Workers
from goalward.experiments.config import Config
from goalward.experiments.store import FILE_NAME, Result, Store, Unit
from goalward.experiments.units import Schedule
from goalward.experiments.worker import Outcome, run_on_dask

if TYPE_CHECKING:
    from distributed import Future

MOST_DEATHS = 3
"""A unit whose process or worker dies so often has failed."""
LOOK_SECONDS = 0.25
SLOTS_SECONDS = 2.0


class Observer(Protocol):
    """Told what happens; ``stopped`` is asked several times a second."""

    def started(self, unit: Unit) -> None:
        """A unit is on its way."""

    def finished(self, unit: Unit, result: Result) -> None:
        """It has a result."""

    def lost(self, unit: Unit, reason: str) -> None:
        """It was lost and will be tried again."""

    def tick(self) -> None:
        """Time goes by."""

    def stopped(self) -> bool:
        """Does the user want an end?"""


@contextlib.contextmanager
def experiment_lock(output: Path) -> Iterator[None]:
    """One runner at a time; the system lets go of the lock however the runner ends."""
    with open(output / "run.lock", "a+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise UsageError(f"{output}: another run is at work here") from None
        yield


def is_running(output: Path) -> bool:
    """Is a runner at work in this folder?"""
    try:
        with experiment_lock(output):
            return False
    except UsageError:
        return True
    except OSError:  # a folder that nobody may write to
        return False


def prepare(config: Config, output: Path, store: Store) -> Schedule:
    """Make the experiment known to its store; a folder that holds another experiment is refused."""
    stored = store.meta().get("config")
    if stored is not None and (reason := config.conflict(stored)):
        raise UsageError(f"{output} holds results of another config ({reason} differs); use another folder")
    schedule = Schedule(config, find_instances(config, output), output)
    store.add_units(schedule.units)
    facts = {"versions": _versions(), "machine": _machine()}
    runs = [*store.meta().get("runs", []), {"started": time.time(), **facts}]
    store.set_meta(name=config.name, config=config.as_json(), runs=runs, **facts)
    shutil.rmtree(output / "scratch", ignore_errors=True)  # files whose results were never kept
    return schedule


def open_store(output: Path) -> Store:
    """The store of a folder that is made if need be."""
    output.mkdir(parents=True, exist_ok=True)
    return Store(output / FILE_NAME, create=True)


class Runner:
    """Hands out units until each of them has a result."""

    def __init__(self, schedule: Schedule, store: Store, workers: Workers, observer: Observer) -> None:
        self.schedule, self.store, self.workers, self.observer = schedule, store, workers, observer
        self._trained = store.trained()
        finished = store.finished()
        self._untrained = {unit.id for unit in schedule.units if unit.kind == "train" and unit.id in finished}
        self._untrained -= self._trained
        self._ready: deque[Unit] = deque()
        self._waiting: dict[str, list[Unit]] = {}
        for unit in schedule.units:
            if unit.id not in finished:
                self._enqueue(unit)
        self._running: dict[str, tuple[Unit, Future, int]] = {}
        self._deaths: Counter[str] = Counter()
        self._events: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._retries_by_dask = workers.failures_allowed()
        self._slots, self._look_again = 0, time.monotonic()
        self._mend_again = time.monotonic() + workers.mend_seconds

    def _enqueue(self, unit: Unit) -> None:
        training = self.schedule.training_of(unit)
        if training is None or training.id in self._trained or training.id in self._untrained:
            self._ready.append(unit)
        else:
            self._waiting.setdefault(training.id, []).append(unit)

    def run(self) -> bool:
        """Work until nothing is left (True) or the observer wants an end (False)."""
        try:
            while self._ready or self._running:
                if self.observer.stopped():
                    return False
                self._submit()
                self._take()
                self.observer.tick()
        finally:
            for _, future, _ in self._running.values():
                with contextlib.suppress(Exception):  # the scheduler may be gone
                    future.cancel()
        return True

    def _free_slots(self) -> int:
        """How many units may be handed out: one a thread, so that what is running really runs."""
        now = time.monotonic()
        if now >= self._look_again:
            self._slots = self.workers.threads()
            lacking = self._slots < (self.workers.wanted or 1)
            self._look_again = now + (LOOK_SECONDS if lacking else SLOTS_SECONDS)
            if lacking and now >= self._mend_again:
                self._mend_again = now + self.workers.mend_seconds
                self.workers.mend()
        return self._slots - len(self._running)

    def _submit(self) -> None:
        while self._ready and self._free_slots() > 0:
            unit = self._ready.popleft()
            training = self.schedule.training_of(unit)
            if training is not None and training.id in self._untrained:
                self._keep(
                    unit, Result(unit.id, "failed", error="there is no model: its training did not end with one")
                )
                continue
            attempt = self.store.begin(unit.id)
            token = secrets.token_hex(8)
            scratch = self.schedule.output / "scratch" / token
            key = f"{unit.id}#{token}"
            job = self.schedule.job(unit, scratch)
            future: Future = self.workers.client.submit(run_on_dask, job, key=key, pure=False)
            self._running[key] = unit, future, attempt
            future.add_done_callback(lambda done: self._events.put(done.key))
            self.observer.started(unit)

    def _take(self) -> None:
        """Wait a little for something to end, and take in all that has."""
        try:
            key = self._events.get(timeout=LOOK_SECONDS)
            while True:
                self._end(key)
                key = self._events.get_nowait()
        except queue.Empty:
            pass

    def _end(self, key: str) -> None:
        unit, future, attempt = self._running.pop(key)
        outcome = self._outcome(unit, future)
        if outcome.blocked:
            raise GoalwardError(
                f"{unit.id}: {outcome.blocked}; what is done is kept, run the same command again to go on"
            )
        if outcome.result is not None:
            self._move_file(unit, outcome.result, key)
            self._keep(unit, replace(outcome.result, attempts=attempt))
            return
        self._deaths[unit.id] += 1
        if self._deaths[unit.id] >= MOST_DEATHS:
            reason = f"{outcome.lost} ({self._deaths[unit.id]} times)"
            self._keep(unit, Result(unit.id, "failed", error=reason, attempts=attempt))
            return
        self.observer.lost(unit, outcome.lost)
        self._ready.appendleft(unit)

    def _outcome(self, unit: Unit, future: Future) -> Outcome:
        from distributed import KilledWorker  # noqa: PLC0415 - Dask is loaded where it is used

        if future.status == "finished":
            outcome: Outcome = future.result()
            return outcome
        if future.status == "error":
            error: Any = future.exception()
            if isinstance(error, KilledWorker):
                for _ in range(self._retries_by_dask):  # attempts that Dask made by itself and told nobody of
                    self._deaths[unit.id] += 1
                    self.store.begin(unit.id)
                return Outcome(unit.id, lost="its worker died")
            if is_the_machines(error):
                return Outcome(unit.id, blocked=f"its worker could not run it: {error}")
            # The worker itself stumbled (no memory left to start a process, say), which says nothing about the unit.
            return Outcome(unit.id, lost=f"its worker could not run it: {type(error).__name__}: {error}")
        raise SchedulerLostError

    def _move_file(self, unit: Unit, result: Result, key: str) -> None:
        """Put a model or a plan in its place; whoever else may still be at work on the unit writes elsewhere."""
        if result.solved or result.status == "trained":
            target = self.schedule.product_file(unit)
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.schedule.output / "scratch" / key.rpartition("#")[2], target)

    def _keep(self, unit: Unit, result: Result) -> None:
        if not self.store.add(result):
            return
        if unit.kind == "train":
            (self._trained if result.status == "trained" else self._untrained).add(unit.id)
            self._ready.extendleft(reversed(self._waiting.pop(unit.id, [])))  # one instance after the other
        self.observer.finished(unit, result)


def run_experiment(
    schedule: Schedule,
    store: Store,
    cluster: Callable[[], contextlib.AbstractContextManager[Workers]],
    observer: Observer,
) -> bool:
    """Run all units that lack a result; False if the observer wanted an end before."""
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
    return found


def _machine() -> dict[str, Any]:
    return {"host": platform.node(), "system": platform.platform(), "processor": _processor(), "cores": os.cpu_count()}


def _processor() -> str:
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as file:
        for line in file:
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()
