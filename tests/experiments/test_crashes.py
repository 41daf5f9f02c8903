"""The real thing, through the command line: kills at random moments, Ctrl-C, a real scheduler with two workers."""

from __future__ import annotations

import contextlib
import json
import os
import random
import re
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from goalward.experiments.store import FILE_NAME, Store

from .crashes import CONFIG, MARK, TRAINING, outcome, processes, remaining, run_undisturbed, run_with_kills, start

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="finds processes in /proc")


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "tiny.toml"
    path.write_text(CONFIG.format(states=3, more=""))
    return path


@pytest.fixture(scope="module")
def calm(config: Path) -> Path:
    """The experiment, undisturbed."""
    output = config.parent / "calm"
    run_undisturbed(config, output)
    assert outcome(output)["results"]
    return output


def test_kills_at_random_moments_change_no_result(tmp_path: Path) -> None:
    path = tmp_path / "tiny.toml"
    path.write_text(CONFIG.format(states=1, more="") + TRAINING)
    run_undisturbed(path, tmp_path / "calm")
    victims = run_with_kills(path, tmp_path / "out", 4, random.Random(1))
    assert victims.killed.total() > 0
    assert outcome(tmp_path / "out") == outcome(tmp_path / "calm")


def test_ctrl_c_stops_cleanly_and_the_same_command_goes_on(config: Path, calm: Path, tmp_path: Path) -> None:
    token = secrets.token_hex(8)
    process = start(config, tmp_path / "out", token, "--jobs", "1")
    _wait_for_results(tmp_path / "out", process)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: all of the group hear it
    assert process.wait() == 130, (tmp_path / "out.log").read_text()
    assert not remaining(token)
    log = (tmp_path / "out.log").read_text()
    assert "Traceback" not in log
    assert re.search(r"\d of 6 units done", log)
    before = _attempts(tmp_path / "out")
    run_undisturbed(config, tmp_path / "out")
    assert outcome(tmp_path / "out") == outcome(calm)
    assert before.items() <= _attempts(tmp_path / "out").items(), "what was done was done again"


def _wait_for_results(output: Path, process: subprocess.Popen[bytes], least: int = 1) -> None:
    while True:
        time.sleep(0.1)
        assert process.poll() is None, output.with_suffix(".log").read_text()
        with contextlib.suppress(Exception), Store(output / FILE_NAME) as store:
            if store.counts()["done"] >= least:
                return


def _attempts(output: Path) -> dict[str, tuple[int, float]]:
    with Store(output / FILE_NAME) as store:
        return {unit.id: (result.attempts, result.finished) for unit, result in store.results()}


class ByHand:
    """A Dask scheduler and its workers in processes of their own, as users start them by hand."""

    def __init__(self, folder: Path, token: str) -> None:
        self.token, self.log, self.address_file = token, folder / "dask.log", folder / "scheduler.json"
        self._started: list[subprocess.Popen[bytes]] = []
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", "0")
        while not self.address_file.exists():
            time.sleep(0.05)
        time.sleep(0.2)
        self.address = json.loads(self.address_file.read_text())["address"]

    def worker(self) -> subprocess.Popen[bytes]:
        return self._start("worker", "--no-nanny", "--nthreads", "1", "--memory-limit", "0")

    def _start(self, kind: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *arguments, "--no-dashboard"]
        with open(self.log, "ab") as stream:
            process = subprocess.Popen(
                [*command, "--scheduler-file", str(self.address_file)],
                stdout=stream, stderr=stream, env=os.environ | {MARK: self.token}, start_new_session=True,
            )  # fmt: skip
        self._started.append(process)
        return process

    def end(self) -> None:
        for process in self._started:
            process.kill()
            process.wait()


@pytest.fixture
def by_hand(tmp_path: Path) -> Iterator[ByHand]:
    started = ByHand(tmp_path, secrets.token_hex(8))
    yield started
    started.end()


def test_a_scheduler_with_two_workers_does_the_work_though_one_worker_is_killed(
    config: Path, calm: Path, tmp_path: Path, by_hand: ByHand
) -> None:
    first, _ = by_hand.worker(), by_hand.worker()
    process = start(config, tmp_path / "out", by_hand.token, "--scheduler", by_hand.address)
    _wait_for_results(tmp_path / "out", process)
    first.kill()
    assert process.wait() == 0, (tmp_path / "out.log").read_text()
    assert outcome(tmp_path / "out") == outcome(calm)
    by_hand.end()
    assert not remaining(by_hand.token)


def test_when_the_scheduler_is_killed_the_run_ends_and_can_be_taken_up_again(
    config: Path, calm: Path, tmp_path: Path, by_hand: ByHand
) -> None:
    by_hand.worker()
    process = start(config, tmp_path / "out", by_hand.token, "--scheduler", by_hand.address)
    _wait_for_results(tmp_path / "out", process)
    by_hand.scheduler.kill()
    assert process.wait() == 35, (tmp_path / "out.log").read_text()
    assert "scheduler is gone" in (tmp_path / "out.log").read_text()
    by_hand.end()
    run_undisturbed(config, tmp_path / "out")
    assert outcome(tmp_path / "out") == outcome(calm)
    assert not remaining(by_hand.token)


def test_units_end_when_nobody_waits_for_them_any_more(tmp_path: Path, by_hand: ByHand) -> None:
    path = tmp_path / "long.toml"
    path.write_text(
        CONFIG.format(states=1, more="").replace('"blocks"', '"tiles"').replace("n = 5", "rows = 5, cols = 5")
    )
    worker = by_hand.worker()
    process = start(
        path, tmp_path / "out", by_hand.token, "--scheduler", by_hand.address, "--set", "budgets.search=10m"
    )
    while "guard" not in processes(by_hand.token).values():
        time.sleep(0.1)
        assert process.poll() is None, (tmp_path / "out.log").read_text()
    process.kill()
    process.wait()
    while "guard" in processes(by_hand.token).values():  # as long as the test may take
        time.sleep(0.1)
    assert worker.poll() is None, "the worker goes on, for others"
