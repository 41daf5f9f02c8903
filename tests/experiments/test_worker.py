"""One unit in a process of its own: limits hold, crashes have reasons, and nothing is left behind."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from goalward.baselines.fast_downward import PlannerResult, PlannerStatus
from goalward.baselines.hgn_model import DomainModel, DomainOptions, parameter_shapes, save_domain_model
from goalward.experiments import unit_process, unit_work
from goalward.experiments.benchmark import find_instances
from goalward.experiments.config import Budgets, read_config
from goalward.experiments.method_configs import MethodConfig
from goalward.experiments.store import Unit
from goalward.experiments.units import Job, Schedule
from goalward.experiments.worker import UnitOutcome, run_unit
from goalward.search.learned import load_model
from goalward.task.domains import generate
from goalward.task.plan_file import read_plan

from .crashes import CONFIG, TRAINING

BEHAVIOUR = "experiments.misbehaving"


@pytest.fixture
def misbehave(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., UnitOutcome]:
    """``misbehave("sleep")``: a unit whose process does that, with a second of time and 300 MB of memory."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))

    def run(behaviour: str, cancelled: Callable[[], bool] = lambda: False, **budgets: float) -> UnitOutcome:
        monkeypatch.setenv("MISBEHAVIOUR", behaviour)
        limits = {"train": 0.5, "search": 0.5, "memory": 300 * 2**20, "grace": 0.5} | budgets
        config = read_config(tomllib.loads(CONFIG.format(states=1, more="") + TRAINING))
        job = Job(
            Unit("train", "d", "e", "i", "m", 0), config.methods[-1], "domain", "problem", "problem", None,
            str(tmp_path / "scratch"), Budgets(**limits), config.validation,  # type: ignore[arg-type]
        )  # fmt: skip
        return run_unit(job, cancelled, BEHAVIOUR)

    return run


def test_a_unit_that_does_not_end_is_killed_at_the_limit_and_the_grace(misbehave: Callable[..., UnitOutcome]) -> None:
    result = misbehave("sleep").result
    assert result is not None
    assert (result.status, result.error) == ("out of time", "killed after 1 s, the time limit plus grace")


@pytest.mark.skipif(sys.platform != "linux", reason="CPU time of another process is read from /proc")
def test_a_search_that_is_timed_by_cpu_time_is_killed_by_it(
    misbehave: Callable[..., UnitOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "counts_cpu_time", True)
    monkeypatch.setattr(Job, "hard_limit", 600.0)
    result = misbehave("spin").result
    assert result is not None
    assert (result.status, result.error) == ("out of time", "killed after 1 s of CPU time, the time limit plus grace")


def test_a_unit_that_grows_is_killed_near_its_memory_limit(
    misbehave: Callable[..., UnitOutcome], tmp_path: Path
) -> None:
    result = misbehave("grow", train=60).result
    assert result is not None
    assert result.status == "out of memory"
    assert result.memory is not None
    assert 300 * 2**20 < result.memory < 900 * 2**20
    assert not (tmp_path / "scratch").exists()


def test_an_exception_is_a_failure_with_its_text(misbehave: Callable[..., UnitOutcome]) -> None:
    result = misbehave("raise", train=60).result
    assert result is not None
    assert (result.status, result.error) == ("failed", "crashed: ValueError: the moon is full")


def test_an_exit_without_a_result_is_a_failure_with_its_code(misbehave: Callable[..., UnitOutcome]) -> None:
    result = misbehave("exit", train=60).result
    assert result is not None
    assert (result.status, result.error) == ("failed", "crashed: exit code 7")


def test_a_signal_is_no_result_but_a_reason_to_try_again(misbehave: Callable[..., UnitOutcome]) -> None:
    outcome = misbehave("signal", train=60)
    assert outcome.result is None
    assert outcome.lost == "its process was ended by signal 11 (SIGSEGV)"


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.1, 0.2, 0.4])
def test_a_guard_that_is_killed_at_any_moment_is_no_result_but_a_reason_to_try_again(
    misbehave: Callable[..., UnitOutcome], monkeypatch: pytest.MonkeyPatch, delay: float
) -> None:
    class ShortLived(subprocess.Popen[bytes]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.killer = threading.Timer(delay, self.kill)
            self.killer.start()
            if not delay:
                self.killer.join()  # dead before it is told what to do

    monkeypatch.setattr(subprocess, "Popen", ShortLived)
    outcome = misbehave("sleep", train=60)
    assert outcome.result is None
    assert outcome.lost.startswith("its process was killed")


def test_long_results_arrive_whole_and_noise_is_no_part_of_them(misbehave: Callable[..., UnitOutcome]) -> None:
    result = misbehave("well", train=60).result
    assert result is not None
    assert result.status == "trained"
    assert result.extra["long"] == [0.5] * 200_000


def test_numerical_libraries_have_one_thread(
    misbehave: Callable[..., UnitOutcome], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    result = misbehave("well", train=60).result
    assert result is not None
    assert result.extra["threads"] == "1"


@pytest.mark.parametrize("behaviour", ["sleep", "signal", "well"])
def test_temporary_files_of_a_unit_go_with_it(
    misbehave: Callable[..., UnitOutcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, behaviour: str
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)  # look at the variable again
    misbehave(behaviour)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("stay", [False, True])
def test_what_a_unit_starts_ends_with_it(
    misbehave: Callable[..., UnitOutcome], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stay: bool
) -> None:
    note = tmp_path / "offspring"
    monkeypatch.setenv("OFFSPRING", str(note))
    if stay:
        monkeypatch.setenv("stay", "yes")
    outcome = misbehave("offspring", cancelled=lambda: stay and note.exists() and bool(note.read_text()), train=60)
    assert (outcome.result is None) == stay
    assert _gone(int(note.read_text()))


def _gone(pid: int) -> bool:
    """True if a process has ended or ends within a moment."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state in "ZX":
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(scope="module")
def schedule(tmp_path_factory: pytest.TempPathFactory) -> Schedule:
    """The tiny experiment of the crash test, with validation."""
    folder = tmp_path_factory.mktemp("worker")
    greedy = TRAINING + 'search = { algorithm = "gbfs" }\n'  # whose first h is the network's
    config = read_config(tomllib.loads(CONFIG.format(states=1, more="") + greedy + "[validation]\nstates = 2\n"))
    return Schedule(config, find_instances(config, folder), folder)


def test_a_training_leaves_a_model_and_says_how_it_went_and_its_search_a_checked_plan(schedule: Schedule) -> None:
    training = next(unit for unit in schedule.units if unit.kind == "train")
    model = schedule.model_file(training)
    model.parent.mkdir(parents=True)
    trained = run_unit(schedule.job(training, model)).result
    assert trained is not None, trained
    assert trained.status == "trained", trained.error
    assert load_model(model).task.n_atoms == trained.n_atoms
    assert [row[0] for row in trained.extra["curve"]] == [1, 2]
    assert trained.extra["validation_states"] == 2
    assert [sum(data["label histogram"]) == data["samples"] for data in trained.extra["data"]] == [True]

    unit = next(unit for unit in schedule.units if schedule.training_of(unit) == training)
    scratch = schedule.output / "scratch" / "plan"
    searched = run_unit(schedule.job(unit, scratch)).result
    assert searched is not None
    assert (searched.status, searched.solved) == ("solved", True)
    assert len(read_plan(scratch)) == searched.plan_length
    assert searched.plan_length is not None
    assert len(searched.extra["h_along"]) == searched.plan_length + 1
    assert searched.initial_h == pytest.approx(max(searched.extra["h_along"][0], 0), abs=1e-3)
    assert searched.n_atoms == trained.n_atoms
    (begun, first), *_, (ended, least) = searched.extra["best_h_over_time"]
    assert (begun, first) == (0, pytest.approx(searched.initial_h, abs=1e-3))
    assert ended == pytest.approx(searched.search_time, abs=1e-3)
    assert least <= first


WHAT_THE_CLOCK_COUNTS = """\
import sys, time
from goalward.experiments import unit_process
assert "torch" not in sys.modules
loaded = []
clock = time.monotonic
time.monotonic = lambda: loaded.append("torch" in sys.modules) or clock()
print(unit_process.main(sys.argv[1]))
assert loaded and all(loaded), "PyTorch was loaded after the clock had started"
"""


def test_a_model_of_a_domain_does_not_pay_for_loading_pytorch(schedule: Schedule, tmp_path: Path) -> None:
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    job = schedule.job(unit, tmp_path / "plan")
    text = Path(job.domain_file).read_text()
    options = DomainOptions(latent=2, n_steps=1)
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in parameter_shapes(2).items()}
    save_domain_model(DomainModel("blocks", text, weights, options), tmp_path / "hgn.goalward")
    method = MethodConfig("ff", "hgn", {"model": str(tmp_path / "hgn.goalward"), "batch": 1})
    job = dataclasses.replace(job, config=method, model=str(tmp_path / "hgn.goalward"))
    command = [sys.executable, "-c", WHAT_THE_CLOCK_COUNTS, job.to_json()]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout)["status"] == "solved"


def test_a_file_that_is_not_there_is_a_failure_that_names_it(schedule: Schedule) -> None:
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    job = schedule.job(unit, schedule.output / "x")
    result = run_unit(dataclasses.replace(job, domain_file="/nowhere/domain.pddl")).result
    assert result is not None
    assert result.status == "failed"
    assert "/nowhere/domain.pddl" in str(result.error)


def test_a_product_that_cannot_be_written_is_no_result(schedule: Schedule, tmp_path: Path) -> None:
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    job = dataclasses.replace(schedule.job(unit, tmp_path / "scratch"), scratch=str(tmp_path / "none" / "scratch"))
    told = json.loads(unit_process.main(job.to_json()))
    assert list(told) == ["blocked"]
    assert "cannot be written" in told["blocked"]


@pytest.mark.parametrize("number", [9, None])
def test_a_planner_that_somebody_kills_is_no_result(
    schedule: Schedule, monkeypatch: pytest.MonkeyPatch, number: int | None
) -> None:
    ended = PlannerResult("fd-ff", PlannerStatus.FAILED, 1.0, reason="it fell", signal=number)
    monkeypatch.setattr(unit_work, "run_planner", lambda *arguments, **limits: ended)
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    job = dataclasses.replace(schedule.job(unit, schedule.output / "x"), config=MethodConfig("ff", "fd-ff"))
    told = json.loads(unit_process.main(job.to_json()))
    assert told.get("lost") == ("it fell" if number else None)
    assert told.get("status") == (None if number else "failed")


def test_the_worker_is_not_changed_by_its_units() -> None:
    assert "MISBEHAVIOUR" not in os.environ


def cpu_job(schedule: Schedule, method: str, tmp_path: Path, seconds: float) -> Job:
    """A search from a state of 7×7 tiles, with so many seconds of CPU time."""
    instance = generate("tiles", rows=7, cols=7)
    for name, text in (("domain", instance.domain_text), ("problem", instance.problem_text)):
        (tmp_path / f"{name}.pddl").write_text(text)
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    problem = str(tmp_path / "problem.pddl")
    return dataclasses.replace(
        schedule.job(unit, tmp_path / "plan"),
        config=MethodConfig("x", method),
        domain_file=str(tmp_path / "domain.pddl"),
        problem_file=problem,
        state_file=problem,
        budgets=Budgets(search=seconds, clock="cpu"),
    )


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("method", ["blind", "fd-ff"])
def test_cpu_time_ends_a_search(schedule: Schedule, tmp_path: Path, method: str) -> None:
    result = unit_work.do_unit(cpu_job(schedule, method, tmp_path, 3.0))
    assert (result.status, result.solved) == ("out of time", False)
    assert result.total_time is not None
    assert result.total_time >= 2.0  # Fast Downward's limit is what is left of whole seconds


def test_time_that_others_use_does_not_end_a_search_by_cpu_time(
    schedule: Schedule, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = next(unit for unit in schedule.units if unit.method == "ff")
    job = dataclasses.replace(schedule.job(unit, tmp_path / "plan"), budgets=Budgets(search=60.0, clock="cpu"))
    wall, prepare, lost = time.monotonic, unit_work._prepare, [0.0]

    def after_others(job: Job) -> Any:
        lost[0] += 100.0
        return prepare(job)

    monkeypatch.setattr(time, "monotonic", lambda: wall() + lost[0])
    monkeypatch.setattr(unit_work, "_prepare", after_others)
    result = unit_work.do_unit(job)
    assert (result.status, result.solved) == ("solved", True)
    assert result.total_time is not None
    assert result.search_time is not None
    assert result.search_time <= result.total_time < 60.0
    late = unit_work.do_unit(dataclasses.replace(job, budgets=Budgets(search=60.0)))
    assert late.status == "out of time", "by the wall clock the time of others counts"


def test_a_model_of_a_domain_is_trained_and_searched_with(tmp_path: Path) -> None:
    text = (
        CONFIG.format(states=1, more="")
        + '[[methods]]\nmethod = "hgn"\ntrain = "60s"\n'
        + "options = { near_goal = 3, states_per_problem = 10, max_epochs = 1, n_steps = 2, latent = 4 }\n"
    )
    config = read_config(tomllib.loads(text))
    schedule = Schedule(config, find_instances(config, tmp_path), tmp_path)
    training = next(unit for unit in schedule.units if unit.kind == "train")
    model = schedule.model_file(training)
    model.parent.mkdir(parents=True)
    trained = run_unit(schedule.job(training, model)).result
    assert trained is not None
    assert trained.status == "trained", trained.error
    assert [problem["states"] > 0 for problem in trained.extra["notes"]["problems"]] == [True]
    search = next(unit for unit in schedule.units if schedule.training_of(unit) == training)
    job = dataclasses.replace(schedule.job(search, tmp_path / "plan"), config=MethodConfig("hgn", "hgn"))
    result = unit_work.do_unit(job)
    assert result.status == "solved", result.error
