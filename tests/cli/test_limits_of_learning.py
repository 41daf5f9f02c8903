"""Limits on everything that learns or searches with networks, and problems that leave nothing to learn."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goalward.errors import UsageError
from goalward.learning.methods import learned_methods, make_options, train_with
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, make_dataset
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.grounding import ground_files

from .program import Files, Goalward, spawn, spawn_talkative, write_files

NOTHING = "(define (domain d) (:predicates (p)) (:action a :parameters () :precondition (and) :effect (and)))"
EMPTY = "(define (problem e) (:domain d) (:init) (:goal (and)))"


def wide_network(n_atoms: int, width: int = 256) -> NetworkWeights:
    numbers = np.random.default_rng(0)
    floats = lambda *shape: numbers.normal(size=shape).astype(np.float32)  # noqa: E731
    return NetworkWeights(floats(n_atoms, width), floats(width), (Layer(floats(1, width), floats(1)),))


# --- problems without atoms ---


@pytest.fixture
def empty(tmp_path: Path) -> Files:
    return write_files(tmp_path / "empty", NOTHING, EMPTY)


@pytest.mark.parametrize("method", learned_methods())
def test_no_method_learns_where_there_is_nothing_to_learn(empty: Files, method: str) -> None:
    with pytest.raises(UsageError, match="e has nothing to learn"):
        train_with(ground_files(*empty.names), method)


def test_walks_in_a_problem_without_atoms_are_written(goalward: Goalward, empty: Files, tmp_path: Path) -> None:
    assert goalward("walk", *empty.names, "-o", tmp_path / "walks", "--states", "3").code == 0
    assert sorted(path.name for path in (tmp_path / "walks").iterdir()) == ["p1.pddl", "p2.pddl", "p3.pddl"]


# --- time ---


def test_rollouts_without_end_heed_the_time_limit(bundled: Any) -> None:
    files = bundled("blocks", n=6)
    endless = ["rollouts=100000", "length=1000000", "trials=1", "validation_states=0"]
    options = make_options("n-rsl", texts=dict(pair.split("=") for pair in endless))
    model = train_with(ground_files(*files.names), "n-rsl", replace(options, time_limit=1.0))
    assert model.info["trials"][0]["epochs"] >= 1, "without the limit it takes hours until the first"


def test_what_is_asked_to_stop_gives_what_it_has(bundled: Any) -> None:
    task = ground_files(*bundled("blocks", n=4).names)
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=20))
    asked = 0

    def go_on() -> bool:
        nonlocal asked
        asked += 1
        return False

    few = make_dataset(task, rollouts, SamplingOptions(n_samples=50_000), go_on=go_on)
    assert asked
    assert 0 < len(few) < 50_000
    assert len(few.states) == len(few.labels) == len(few.origin)
    assert (few.labels >= 0).all()
    truth = np.unpackbits(few.states.view(np.uint8), axis=1, bitorder="little")[:, : task.n_atoms].astype(bool)
    for row in range(0, len(few), 50):
        depths = [d for d, x in zip(rollouts.depth, rollouts.preimages, strict=True) if truth[row][x].all()]
        assert few.labels[row] == min(depths, default=rollouts.beyond)


def test_a_signal_reaches_what_samples(bundled: Any) -> None:
    task = ground_files(*bundled("blocks", n=4).names)
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=20))

    def strike(number: int, frame: object) -> None:
        raise KeyboardInterrupt

    previous = signal.signal(signal.SIGALRM, strike)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(KeyboardInterrupt):
            make_dataset(task, rollouts, SamplingOptions(n_samples=5_000_000))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def test_train_and_compare_end_grounding_at_their_limit(goalward: Goalward, large: Files, tmp_path: Path) -> None:
    for command in (
        ["train", *large.names, "-o", tmp_path / "m", "--time-limit", "0.2s"],
        ["compare", *large.names, large.problem, "--methods", "ff", "--train-limit", "0.2s", "--time-limit", "0.2s"],
    ):
        outcome = goalward(*command)
        assert outcome.code == 23, outcome
        assert outcome.error.startswith("out of time while reading and grounding the problem")


# --- memory ---

linux = pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")


@linux
def test_a_batch_of_any_size_needs_no_more_memory_than_its_states(hard: Files) -> None:
    """A million parents of 256 sums each would be a gigabyte."""
    script = f"""
import numpy as np
from goalward import _core
from goalward.search import SearchOptions, search
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.task.grounding import ground_files
task = ground_files(*{hard.names})
weights = NetworkWeights(
    np.random.default_rng(0).normal(size=(task.n_atoms, 256)).astype(np.float32), np.zeros(256, np.float32),
    (Layer(np.ones((1, 256), np.float32), np.zeros(1, np.float32)),),
)
bound, before = bind_network(task, weights), _core.peak_memory()
result = search(task, bound, SearchOptions(batch=1_000_000, expansion_limit=60_000, time_limit=60.0))
print(result.statistics.expanded, _core.peak_memory() - before, result.statistics.bytes)
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    expanded, growth, counted = map(int, run.stdout.split())
    assert expanded > 20_000
    assert growth < 2 * counted + 30 * 2**20


@linux
def test_searches_at_once_share_the_memory(hard: Files, tmp_path: Path) -> None:
    task = ground_files(*hard.names)
    Model(task, wide_network(task.n_atoms, 16), {}).save(tmp_path / "m.goalward")
    states = [str(hard.problem)] * 4
    run = spawn(
        "solve", tmp_path / "m.goalward", *states, "--jobs", "4", "-s", "gbfs", "--batch", "1000",
        "--memory-limit", "200M", "--time-limit", "60s", "--improve", "none", "--json", timeout=110,
    )  # fmt: skip
    assert run.code == 22, run
    found = json.loads(run.out)
    assert {row["status"] for row in found["states"]} == {"out of memory"}
    assert 150 * 2**20 < found["summary"]["peak_memory"] < 1.05 * 200 * 2**20


@linux
def test_train_ends_at_its_memory_limit(trains: Files, tmp_path: Path) -> None:
    run = spawn_talkative("train", *trains.names, "-o", tmp_path / "m", "--memory-limit", "30M", "--time-limit", "60s")
    assert run.code == 22
    assert run.last_error.startswith("out of memory while")
    assert not (tmp_path / "m").exists()
