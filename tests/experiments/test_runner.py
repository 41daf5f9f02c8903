"""The loop that hands out units and keeps results: each once, retried when lost, failed with a reason."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from goalward.errors import GoalwardError, UsageError
from goalward.experiments import runner
from goalward.experiments import store as store_module
from goalward.experiments.benchmark import find_instances
from goalward.experiments.clusters import Workers
from goalward.experiments.config import Config, read_config
from goalward.experiments.runner import experiment_lock, is_running, open_store, prepare, run_experiment
from goalward.experiments.store import Result, Store, Unit
from goalward.experiments.units import Job, Schedule
from goalward.experiments.worker import UnitOutcome

from .crashes import CONFIG, TRAINING

Work = Callable[[Job], Any]


def good(job: Job) -> UnitOutcome:
    """A unit that leaves its file and succeeds."""
    Path(job.scratch).parent.mkdir(exist_ok=True)
    Path(job.scratch).write_text(job.unit.id)
    training = job.unit.kind == "train"
    return UnitOutcome(job.unit.id, Result(job.unit.id, "trained" if training else "solved", solved=not training))


class FakeFuture:
    """A future of work that is done at once; an exception in place of an outcome is one of Dask's."""

    def __init__(self, key: str, ended: Any) -> None:
        self.key, self.ended = key, ended
        failed = isinstance(ended, BaseException)
        self.status = "cancelled" if ended is None else "error" if failed else "finished"

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        callback(self)

    def result(self) -> Any:
        return self.ended

    exception = result

    def cancel(self) -> None:
        pass


class FakeClient:
    """Does what it is given, one after the other."""

    def __init__(self, work: Work) -> None:
        self.work = work
        self.done: list[str] = []

    def nthreads(self) -> dict[str, int]:
        return {"worker": 2}

    def submit(self, function: Any, job: Job, key: str, pure: bool) -> FakeFuture:
        self.done.append(job.unit.id)
        return FakeFuture(key, self.work(job))


class Watcher:
    """Remembers what it was told, and stops after so many results."""

    def __init__(self, most: int = 10**9) -> None:
        self.most = most
        self.kept: list[Result] = []
        self.reasons: list[str] = []

    def started(self, unit: Unit) -> None:
        pass

    def finished(self, unit: Unit, result: Result) -> None:
        self.kept.append(result)

    def lost(self, unit: Unit, reason: str) -> None:
        self.reasons.append(reason)

    def tick(self) -> None:
        pass

    def stopped(self) -> bool:
        return len(self.kept) >= self.most


@pytest.fixture
def config() -> Config:
    return read_config(tomllib.loads(CONFIG.format(states=2, more="") + TRAINING))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(tmp_path) as opened:
        yield opened


def run(config: Config, store: Store, work: Work, watcher: Watcher) -> list[str]:
    """Run what is left with a fake cluster; the units that were handed out."""
    client: Any = FakeClient(work)

    @contextlib.contextmanager
    def cluster() -> Iterator[Workers]:
        yield Workers(client)

    schedule = prepare(config, store.path.parent, store)
    assert run_experiment(schedule, store, cluster, watcher) == (not watcher.stopped())
    return client.done  # type: ignore[no-any-return]


def test_every_unit_has_one_result_and_its_file_is_in_its_place(config: Config, store: Store) -> None:
    done = run(config, store, good, Watcher())
    assert sorted(done) == sorted(unit.id for unit in store.units())
    assert store.counts() == {"units": 7, "done": 7, "solved": 6, "failed": 0}
    folder = store.path.parent
    assert (
        folder / "models/blocks/bundled/blocks5/tiny/0.goalward"
    ).read_text() == "train/blocks/bundled/blocks5/tiny/0"
    assert len(list((folder / "plans").rglob("*.plan"))) == 6


def test_what_is_done_is_not_done_again(config: Config, store: Store) -> None:
    first = run(config, store, good, Watcher(most=3))
    second = run(config, store, good, Watcher())
    kept = {unit.id for unit, _ in store.results()}
    assert len(kept) == 7
    assert len(first) < 7
    assert not set(second) & set(first[:3])
    assert run(config, store, good, Watcher()) == []


def test_results_without_models_are_continued_and_only_needed_models_are_trained_again(
    config: Config, store: Store
) -> None:
    training, searches = "train/blocks/bundled/blocks5/tiny/0", ["search/blocks/bundled/blocks5/tiny/0/p1"]
    run(config, store, good, Watcher())
    model = store.path.parent / "models/blocks/bundled/blocks5/tiny/0.goalward"
    model.unlink()
    assert run(config, store, good, Watcher()) == [], "no search needs the model"
    kept = {unit.id: (unit, result) for unit, result in store.results() if unit.id not in searches}
    (store.path.parent / "elsewhere").mkdir()
    with open_store(store.path.parent / "elsewhere") as other:
        other.import_results(kept.values(), {})
        assert run(config, other, good, Watcher()) == [training, *searches]
        assert {unit.id for unit, _ in other.results()} == {*kept, *searches}


def test_a_search_is_handed_out_after_its_training(config: Config, store: Store) -> None:
    done = run(config, store, good, Watcher())
    assert done.index("train/blocks/bundled/blocks5/tiny/0") < done.index("search/blocks/bundled/blocks5/tiny/0/p1")


def test_searches_with_the_model_of_a_domain_are_run_with_their_instance(store: Store) -> None:
    larger = '[[generate]]\ndomain = "blocks"\ninstance = "blocks6"\nparameters = { n = 6 }\n'
    domain = '[[methods]]\nmethod = "hgn"\ntrain = "9s"\n'
    config = read_config(tomllib.loads(CONFIG.format(states=1, more=larger) + domain))
    done = run(config, store, good, Watcher())
    assert done[0] == "train/blocks/all/all/hgn/0"
    assert [unit.split("/")[3] for unit in done[1:]] == ["blocks5"] * 3 + ["blocks6"] * 3


def test_searches_without_a_model_fail_and_say_so(config: Config, store: Store) -> None:
    def work(job: Job) -> UnitOutcome:
        if job.unit.kind == "train":
            return UnitOutcome(job.unit.id, Result(job.unit.id, "out of time"))
        return good(job)

    done = run(config, store, work, Watcher())
    failed = {unit.id: result.error for unit, result in store.results() if result.status == "failed"}
    assert failed == dict.fromkeys(
        [f"search/blocks/bundled/blocks5/tiny/0/p{n}" for n in (1, 2)],
        "no model: its training ended without one",
    )
    assert not set(failed) & set(done)
    assert store.failures() == [("no model: its training ended without one", 2)]


def test_a_lost_unit_is_tried_again_and_its_attempts_are_counted(config: Config, store: Store) -> None:
    tries: Counter[str] = Counter()

    def work(job: Job) -> UnitOutcome:
        tries[job.unit.id] += 1
        return good(job) if tries[job.unit.id] == 3 else UnitOutcome(job.unit.id, lost="its process was killed")

    watcher = Watcher()
    run(config, store, work, watcher)
    assert store.counts()["failed"] == 0
    assert watcher.reasons == ["its process was killed"] * 14
    assert {result.attempts for _, result in store.results()} == {3}


def test_a_unit_that_kills_its_worker_three_times_has_failed(config: Config, store: Store) -> None:
    from distributed import KilledWorker  # noqa: PLC0415

    bad = "search/blocks/bundled/blocks5/ff/-/p1"

    def work(job: Job) -> Any:
        return KilledWorker(job.unit.id, None, 0) if job.unit.id == bad else good(job)

    done = run(config, store, work, Watcher())
    assert done.count(bad) == 3
    (result,) = [result for unit, result in store.results() if unit.id == bad]
    assert (result.status, result.error, result.attempts) == ("failed", "its worker died (3 times)", 3)
    assert store.counts() == {"units": 7, "done": 7, "solved": 5, "failed": 1}


def test_a_worker_that_stumbles_says_nothing_about_the_unit(config: Config, store: Store) -> None:
    tries: Counter[str] = Counter()

    def work(job: Job) -> Any:
        tries[job.unit.id] += 1
        return OSError("no process can be started") if tries[job.unit.id] == 1 else good(job)

    watcher = Watcher()
    run(config, store, work, watcher)
    assert store.counts()["failed"] == 0
    assert set(watcher.reasons) == {"its worker could not run it: OSError: no process can be started"}


def test_failures_can_be_forgotten_and_only_those(config: Config, store: Store) -> None:
    def work(job: Job) -> UnitOutcome:
        failed = UnitOutcome(job.unit.id, Result(job.unit.id, "failed", error="the disk is full"))
        return failed if job.unit.method == "ff" else good(job)

    run(config, store, work, Watcher())
    imported = Unit("search", "d", "hard", "p", "theirs", None, "p1")
    store.add_units([imported])
    store.add(Result(imported.id, "failed"))
    store.forget((unit.id for unit in store.units() if unit.method != "theirs"), "failed")
    assert all("/ff/" in unit for unit in run(config, store, good, Watcher()))
    assert store.counts() == {"units": 8, "done": 8, "solved": 6, "failed": 1}


def test_deaths_of_earlier_runs_are_not_held_against_a_unit(config: Config, store: Store) -> None:
    for _ in range(5):  # runners that were killed while it was on its way
        with contextlib.suppress(KeyboardInterrupt):
            run(config, store, _killed, Watcher())
    run(config, store, good, Watcher())
    assert store.counts()["failed"] == 0


def _killed(job: Job) -> UnitOutcome:
    raise KeyboardInterrupt


def run_until_line(config: Config, output: Path, last: float) -> int:
    """Run in a process of its own that kills itself at the so-manieth line of the runner and the store; -1 if it did.

    Otherwise how many lines there were.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        lines = 0

        def trace(frame: FrameType, event: str, _: Any) -> Any:
            nonlocal lines
            if frame.f_code.co_filename not in (runner.__file__, store_module.__file__):
                return None
            lines += event == "line"
            if lines > last:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        with open_store(output) as store:
            sys.settrace(trace)
            run(config, store, good, Watcher())
        sys.settrace(None)
        os.write(writing, str(lines).encode())
        os._exit(0)
    os.close(writing)
    with open(reading, "rb") as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or told
    return int(told or -1)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_at_any_line_loses_nothing_and_doubles_nothing(config: Config, tmp_path: Path) -> None:
    n_lines = run_until_line(config, tmp_path / "whole", math.inf)
    assert n_lines > 500
    for last in range(3, n_lines - 3, n_lines // 50):
        output = tmp_path / str(last)
        assert run_until_line(config, output, last) == -1
        with open_store(output) as store:
            before = {unit.id: result for unit, result in store.results()}
            done = run(config, store, good, Watcher())
            after = {unit.id: result for unit, result in store.results()}
            assert len(after) == store.counts()["units"] == 7
            assert sorted([*before, *done]) == sorted(after), f"killed at line {last}"
            assert before.items() <= after.items()
            schedule = Schedule(config, find_instances(config, output), output)
            assert all(schedule.product_file(unit).read_text() == unit.id for unit in store.units())


def test_a_scheduler_that_goes_away_is_an_error_that_says_what_to_do(config: Config, store: Store) -> None:
    with pytest.raises(GoalwardError, match="scheduler is gone; results so far are kept, run the same command again"):
        run(config, store, lambda job: None, Watcher())


def test_a_file_of_a_run_that_was_given_up_does_not_stand_in_for_the_real_one(config: Config, store: Store) -> None:
    late: list[Job] = []

    def work(job: Job) -> UnitOutcome:
        late.append(job)
        return good(job)

    run(config, store, work, Watcher())
    before = {path: path.read_text() for path in (store.path.parent / "models").rglob("*.goalward")}
    for job in late:  # a worker that nobody waits for ends its units again
        Path(job.scratch).write_text("another model")
    assert {path: path.read_text() for path in before} == before


def test_another_config_in_the_same_folder_is_refused(config: Config, store: Store) -> None:
    run(config, store, good, Watcher())
    other = read_config(tomllib.loads(CONFIG.format(states=2, more="").replace('search = "60s"', 'search = "1s"')))
    with pytest.raises(UsageError, match=r"holds results of another config \(budgets differs\)"):
        prepare(other, store.path.parent, store)


def test_one_runner_at_a_time(tmp_path: Path) -> None:
    assert not is_running(tmp_path)
    with experiment_lock(tmp_path):
        assert is_running(tmp_path)
        with pytest.raises(UsageError, match="another process is running this experiment"), experiment_lock(tmp_path):
            pass
    assert not is_running(tmp_path)


def test_how_it_was_run_is_kept(config: Config, store: Store) -> None:
    run(config, store, good, Watcher())
    meta = store.meta()
    assert meta["config"]["methods"][0]["label"] == "ff"
    assert {"python", "goalward", "torch"} <= meta["versions"].keys()
    assert {"host", "processor", "cores"} <= meta["machine"].keys()


def test_thousands_of_results_are_counted_and_resumed(tmp_path: Path, store: Store) -> None:
    text = CONFIG.format(states=2, more="").replace("states = 2", "states = 300")
    big = read_config(tomllib.loads(text))
    schedule = prepare(big, tmp_path, store)
    for unit in schedule.units[:-3]:
        store.add(Result(unit.id, "solved", solved=True, total_time=0.1))
    assert len(run(big, store, good, Watcher())) == 3
    assert [(row["done"], row["units"]) for row in store.progress()] == [(300, 300)] * 2


@pytest.mark.parametrize(
    "trouble",
    [lambda job: UnitOutcome(job.unit.id, blocked="the disk is full"), lambda job: OSError(28, "the disk is full")],
    ids=["unit", "worker"],
)
def test_a_full_disk_ends_the_run_and_fails_nothing(config: Config, store: Store, trouble: Work) -> None:
    met: list[str] = []

    def work(job: Job) -> Any:
        met.append(job.unit.id)
        return good(job) if len(met) < 3 else trouble(job)

    with pytest.raises(GoalwardError, match=r"the disk is full; results so far are kept, run the same command again"):
        run(config, store, work, Watcher())
    counts = store.counts()
    assert counts["failed"] == 0
    assert 0 < counts["done"] < counts["units"]
    run(config, store, good, Watcher())
    assert store.counts()["done"] == counts["units"]
