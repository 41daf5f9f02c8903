"""Fast Downward as a baseline: real runs on small problems, and how it is to be called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from goalward.baselines import fast_downward as module
from goalward.baselines.fast_downward import PLANNERS, PlannerStatus, find_driver
from goalward.errors import PddlError, UnsupportedError, UsageError
from goalward.search import Status
from goalward.task.domains import generate
from goalward.task.validate import validate_plan
from helpers import FastDownward, Tiny
from oracle import cheapest_cost

from .drivers import DOMAIN, PROBLEM, Fake, Files, WriteFiles, run

pytestmark = pytest.mark.usefixtures("scratch")


# --- real runs ---


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("name", PLANNERS)
def test_finds_plans_that_cost_what_our_own_task_says(name: str, tiny: Tiny, write: WriteFiles) -> None:
    result = run(write(tiny.instance.domain_text, tiny.instance.problem_text), name=name)
    assert (result.status, result.reason, result.planner) == (PlannerStatus.SOLVED, "", name)
    assert result.length == len(result.steps)
    assert validate_plan(tiny.domain, tiny.problem, [tuple(step[1:-1].split()) for step in result.steps]).valid
    costs = dict(zip(tiny.task.operators, tiny.task.costs.tolist(), strict=True))
    assert result.cost == sum(costs[step] for step in result.steps)
    assert result.uses_costs == tiny.task.uses_costs
    assert result.cost >= cheapest_cost(tiny.task, unit_costs=False)


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("name", PLANNERS)
def test_tells_what_the_search_did(name: str, lamp: Files) -> None:
    result = run(lamp, name=name, memory_limit=2**30)
    assert (result.steps, result.length, result.cost) == (("(press)",), 1, 3)
    for number in (result.expanded, result.evaluated, result.generated):
        assert number is not None
        assert number >= 1
    assert result.search_time is not None
    assert 0 <= result.search_time < result.total_time
    assert result.peak_memory is not None
    assert 2**20 < result.peak_memory < 2**30


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("name", PLANNERS)
def test_searches_count_steps_until_they_look_for_better_plans(name: str, write: WriteFiles) -> None:
    steps = [("start", "a", 0), ("a", "b", 0), ("b", "end", 0), ("start", "c", 0), ("c", "end", 10)]
    actions = "".join(
        f"(:action {old}-{new} :parameters () :precondition ({old})"
        f" :effect (and ({new}) (not ({old})) (increase (total-cost) {cost})))"
        for old, new, cost in steps
    )
    domain = f"(define (domain d) (:predicates (start) (a) (b) (c) (end)) (:functions (total-cost) - number) {actions})"
    problem = "(define (problem p) (:domain d) (:init (start)) (:goal (end)) (:metric minimize (total-cost)))"
    result = run(write(domain, problem), name=name)
    if PLANNERS[name].anytime:
        assert [(plan.length, plan.cost) for plan in result.plans] == [(2, 10), (3, 0)]
        assert (result.length, result.cost) == (3, 0)
    else:
        assert (result.steps, result.cost, result.plans) == (("(start-c)", "(c-end)"), 10, ())


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("name", ["fd-ff", "lama"])  # all of LAMA looks for ever for what is cheaper than nothing
def test_an_empty_plan_is_a_plan(name: str, write: WriteFiles) -> None:
    result = run(write(DOMAIN, PROBLEM.format("(off)")), name=name)
    assert (result.solved, result.length, result.cost) == (True, 0, 0)


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("name", PLANNERS)
def test_says_when_there_is_no_plan(name: str, write: WriteFiles) -> None:
    result = run(write(DOMAIN, PROBLEM.format("(and (on) (broken))")), name=name)
    assert result.status is PlannerStatus.UNSOLVABLE
    assert (result.steps, result.length, result.cost) == ((), None, None)


@pytest.fixture
def hard(write: WriteFiles) -> Files:
    instance = generate("tiles", rows=7, cols=7)
    return write(instance.domain_text, instance.problem_text)


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.parametrize("seconds", [0.01, 0.5])
def test_a_real_run_ends_at_its_time_limit(hard: Files, seconds: float) -> None:
    result = run(hard, name="fd-ff", time_limit=seconds)
    assert result.status is PlannerStatus.OUT_OF_TIME
    assert result.total_time >= seconds


@pytest.mark.usefixtures("fast_downward")
@pytest.mark.skipif(sys.platform == "darwin", reason="macOS enforces no memory limits")
@pytest.mark.parametrize("megabytes", [0.001, 1, 12, 24, 40])
def test_a_real_run_ends_at_its_memory_limit(hard: Files, megabytes: float) -> None:
    result = run(hard, name="fd-ff", memory_limit=int(megabytes * 2**20))
    assert (result.status, result.reason) == (PlannerStatus.OUT_OF_MEMORY, "")


@pytest.mark.usefixtures("fast_downward")
def test_a_real_run_can_be_cancelled(hard: Files) -> None:
    asked = iter([False, False, True])
    assert run(hard, name="fd-ff", cancelled=lambda: next(asked)).status is PlannerStatus.CANCELLED


# --- a planner that goes on for better plans ---

BETTER_PLANS = """
for number, step in enumerate(({steps}), start=1):
    print(f"[t={{number}}.5s, 9 KB] Plan length: 1 step(s).")
    print(f"[t={{number}}.5s, 9 KB] Plan cost: {{9 - number}}")
    open(f"sas_plan.{{number}}", "w").write(f"{{step}}\\n; cost = {{9 - number}} (general cost)\\n")
open("sas_plan.{cut}", "w").write("(pre")
sys.stdout.flush()
"""


@pytest.mark.parametrize("code", [0, 1, 2, 3, 12, 22, 23, -9])
def test_the_last_whole_plan_is_kept_whatever_ended_the_search(code: int, lamp: Files, fake: Fake) -> None:
    script = BETTER_PLANS.format(steps='"(smash)", "(press)"', cut=3)
    result = run(lamp, fake(f"{script}\nsys.exit({code})"), name="lama-full")
    assert (result.status, result.reason, result.signal) == (PlannerStatus.SOLVED, "", None)
    assert (result.steps, result.cost) == (("(press)",), 3), "the plan is checked, and its cost is that of the PDDL"
    assert [(plan.seconds, plan.length, plan.cost) for plan in result.plans] == [(1.5, 1, 8), (2.5, 1, 7)]


def test_a_log_too_long_to_be_kept_costs_only_the_times_in_its_beginning(lamp: Files, fake: Fake) -> None:
    flood = BETTER_PLANS.format(steps='"(press)",', cut=2) + "print('solution found - keep searching\\n' * 600_000)\n"
    late = 'open("sas_plan.2", "w").write("(press)\\n; cost = 3 (general cost)\\n")\nprint("[t=9s, 9 KB] Plan cost: 3")'
    result = run(lamp, fake(flood + late), name="lama-full")
    assert (result.status, result.steps) == (PlannerStatus.SOLVED, ("(press)",))
    assert [(plan.seconds, plan.cost) for plan in result.plans] == [(None, 8), (9.0, 3)]


def test_a_last_plan_that_is_none_is_a_failure(lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake(BETTER_PLANS.format(steps='"(press)", "(smash)"', cut=3)), name="lama-full")
    assert result.status is PlannerStatus.FAILED
    assert result.reason.startswith("Fast Downward's plan is not valid: ")


def test_without_any_whole_plan_the_end_is_taken_at_its_word(lamp: Files, fake: Fake) -> None:
    script = BETTER_PLANS.format(steps="", cut=1)
    result = run(lamp, fake(f"{script}\nsys.exit(23)"), name="lama-full")
    assert (result.status, result.steps, result.plans) == (PlannerStatus.OUT_OF_TIME, (), ())


# --- wrong usage ---


@pytest.mark.parametrize("name", PLANNERS)
def test_without_the_extra_it_says_what_to_install(name: str, lamp: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    assert find_driver() is None
    with pytest.raises(UsageError, match=rf"^{name} needs Fast Downward: pip install 'goalward\[baselines\]'$"):
        run(lamp, name=name)


def test_finding_fast_downward_imports_nothing_of_its_package(fast_downward: FastDownward) -> None:
    script = (
        "import sys; from goalward.baselines.fast_downward import find_driver; print(find_driver());"
        "print([name for name in ('up_fast_downward', 'unified_planning', 'torch') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [str(fast_downward.driver), "[]"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"name": "lame"}, r"unknown planner 'lame' \(known: fd-ff, lama, lama-full\)"),
        ({"time_limit": 0}, "time_limit must be above 0 s, but is 0"),
        ({"time_limit": float("nan")}, "time_limit must be above 0 s, but is nan"),
        ({"memory_limit": -1}, "memory_limit must be above 0 bytes, but is -1"),
    ],
)
def test_wrong_arguments_are_refused(options: dict[str, object], sentence: str, lamp: Files, fake: Fake) -> None:
    with pytest.raises(UsageError, match=sentence):
        run(lamp, fake("sys.exit(11)"), **options)  # type: ignore[arg-type]


def test_a_memory_limit_that_the_system_does_not_hold_is_refused(
    lamp: Files, fake: Fake, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(UsageError, match="macOS does not enforce memory limits: run lama without one"):
        run(lamp, fake("sys.exit(11)"), memory_limit=2**30)


def test_files_are_read_before_anything_runs(tmp_path: Path, fake: Fake, write: WriteFiles) -> None:
    driver = fake(f"open({str(tmp_path / 'ran')!r}, 'w')")
    derived = DOMAIN.replace("  (:action press", "  (:derived (broken) (on))\n  (:action press", 1).replace(
        "(broken) (not", "(not"
    )
    with pytest.raises(UsageError, match="no such file"):
        run((tmp_path / "none.pddl", tmp_path / "none.pddl"), driver)
    with pytest.raises(PddlError):
        run(write(DOMAIN, PROBLEM.format("(on")), driver)
    with pytest.raises(UnsupportedError, match="broken"):
        run(write(derived, PROBLEM.format("(on)")), driver)
    assert not (tmp_path / "ran").exists()


def test_every_end_of_our_own_search_is_an_end_of_a_planner() -> None:
    ours = {
        status.value for status in Status if status is not Status.OUT_OF_EXPANSIONS
    }  # no limit here is of that kind
    assert {status.value for status in PlannerStatus} == ours | {"failed"}
