"""What is made of Fast Downward when it fails, lies or does not end: stand-ins for its driver do each."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from goalward.baselines.fast_downward import PlannerStatus

from .drivers import Fake, Files, Stubborn, run

pytestmark = pytest.mark.usefixtures("scratch")


# --- ends that are no answers ---


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (10, PlannerStatus.UNSOLVABLE),
        (11, PlannerStatus.UNSOLVABLE),
        (12, PlannerStatus.EXHAUSTED),
        (20, PlannerStatus.OUT_OF_MEMORY),
        (21, PlannerStatus.OUT_OF_TIME),
        (22, PlannerStatus.OUT_OF_MEMORY),
        (23, PlannerStatus.OUT_OF_TIME),
    ],
)
def test_exit_codes_are_taken_at_their_word(code: int, status: PlannerStatus, lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake(f"open('sas_plan', 'w').write('(press)'); sys.exit({code})"))
    assert (result.status, result.reason, result.steps, result.cost) == (status, "", (), None)


@pytest.mark.parametrize("crash", ["os.kill(os.getpid(), signal.SIGSEGV)", "sys.exit(-signal.SIGSEGV)"])
def test_a_crash_is_a_failure(crash: str, lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake(f"open('sas_plan', 'w').write('(press)'); {crash}"))
    assert result.status is PlannerStatus.FAILED
    assert result.reason == "Fast Downward was ended by signal 11 (SIGSEGV)"
    assert result.signal == signal.SIGSEGV


def test_a_kill_from_outside_is_a_failure_that_names_the_likely_cause(lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake("sys.exit(-9)"))
    assert result.status is PlannerStatus.FAILED
    assert "SIGKILL, perhaps by the system for lack of memory" in result.reason


def test_the_systems_limit_on_cpu_time_is_a_time_limit(lamp: Files, fake: Fake) -> None:
    assert run(lamp, fake("sys.exit(-signal.SIGXCPU)")).status is PlannerStatus.OUT_OF_TIME


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("print('INFO     Running'); print('Error: no such search'); sys.exit(33)", "33: Error: no such search"),
        ("print('[t=0s, 1 KB] up'); print('Got: zz'); print('translate exit code: 31'); sys.exit(31)", "31: Got: zz"),
        ("assert False, 'a bug'", "1: AssertionError: a bug"),
        (
            r"print(b'Traceback\n  raise ValueError\nValueError: x\n', file=sys.stderr); sys.exit(30)",
            "30: ValueError: x",
        ),
        ("sys.exit(36)", "36"),
        (
            "os.write(1, bytes(range(256)) * 100_000); os.write(2, b'error \\x1b\\xff'); sys.exit(7)",
            "7: error \N{REPLACEMENT CHARACTER}",
        ),
    ],
)
def test_a_failure_gives_the_line_that_says_why(code: str, reason: str, lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake(code))
    assert result.status is PlannerStatus.FAILED
    assert result.reason == f"Fast Downward failed with exit code {reason}"


def test_running_out_of_memory_is_recognised_in_a_traceback(lamp: Files, fake: Fake) -> None:
    assert run(lamp, fake("raise MemoryError")).status is PlannerStatus.OUT_OF_MEMORY


# --- plans that are none ---


@pytest.mark.parametrize(
    ("plan", "reason"),
    [
        (
            "(smash)\n; cost = 1 (general cost)\n",
            "plan is not valid: the goal does not hold after the last step: (on) is false",
        ),
        ("(press)\n(press)\n", "plan is not valid: step 2 (press): (off) is false"),
        ("(fly)\n", "plan is not valid: step 1: there is no action (fly)"),
        ("", "plan is not valid: the goal does not hold"),
        ("Solution found!\n", "plan cannot be read: "),
    ],
)
def test_a_plan_that_our_checker_rejects_is_a_failure(plan: str, reason: str, lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake(f"open('sas_plan', 'w').write({plan!r}); print('Solution found.')"))
    assert (result.status, result.steps, result.cost) == (PlannerStatus.FAILED, (), None)
    assert result.reason.startswith(f"Fast Downward's {reason}")


def test_a_claim_without_a_plan_is_a_failure(lamp: Files, fake: Fake) -> None:
    result = run(lamp, fake("print('Solution found!'); print('Plan length: 1 step(s).')"))
    assert result.status is PlannerStatus.FAILED
    assert result.reason == "Fast Downward reported a plan, but wrote none"


def test_costs_are_ours_and_statistics_are_the_last_ones_printed(lamp: Files, fake: Fake) -> None:
    log = [
        *("Expanded 1 state(s).", "[t=1.5s, 9 KB] Expanded 7 state(s).", "Evaluated x state(s).", "Plan cost: 99"),
        *("Generated 9 state(s). Not a report", "[t=1.5s, 9 KB] Search time: 2.5e-05s", "Peak memory: 9 KB"),
    ]
    result = run(lamp, fake(f"open('sas_plan', 'w').write('(PRESS)'); print({chr(10).join(log)!r})"))
    assert (result.status, result.steps, result.cost) == (PlannerStatus.SOLVED, ("(press)",), 3)
    assert (result.expanded, result.evaluated, result.generated) == (7, None, None)
    assert (result.search_time, result.peak_memory) == (2.5e-05, 9 * 1024)


# --- nothing is left running ---


def test_the_whole_group_is_ended_at_the_time_limit(tmp_path: Path, lamp: Files, fake: Fake) -> None:
    stubborn = Stubborn(tmp_path, fake)
    for seconds in (1.0, 4.0, 16.0):  # a busy machine may need more than one to start two processes
        result = run(lamp, stubborn.driver, time_limit=seconds)
        assert result.status is PlannerStatus.OUT_OF_TIME
        assert result.total_time >= seconds
        if stubborn.ready.exists():
            break
    assert stubborn.is_gone()


def test_the_whole_group_is_ended_when_cancelled(tmp_path: Path, lamp: Files, fake: Fake) -> None:
    stubborn = Stubborn(tmp_path, fake)
    assert run(lamp, stubborn.driver, cancelled=stubborn.ready.exists).status is PlannerStatus.CANCELLED
    assert stubborn.is_gone()


def test_the_whole_group_is_ended_by_ctrl_c(tmp_path: Path, lamp: Files, fake: Fake) -> None:
    stubborn = Stubborn(tmp_path, fake)

    def press() -> None:
        while not stubborn.ready.exists():
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGINT)

    user = threading.Thread(target=press)
    user.start()
    with pytest.raises(KeyboardInterrupt):
        run(lamp, stubborn.driver)
    user.join()
    assert stubborn.is_gone()


@pytest.mark.parametrize("outputs", ["", "os.close(1); os.close(2)"])
def test_what_a_driver_leaves_behind_is_ended(tmp_path: Path, lamp: Files, fake: Fake, outputs: str) -> None:
    wait = f"{outputs}\nwhile not os.path.exists({str(tmp_path / 'ready')!r}): time.sleep(0.01)\nos._exit(11)"
    stubborn = Stubborn(tmp_path, fake, wait)
    result = run(lamp, stubborn.driver)
    assert result.status is PlannerStatus.UNSOLVABLE
    assert stubborn.is_gone()


def test_the_last_words_of_a_planner_that_is_ended_are_heard(tmp_path: Path, lamp: Files, fake: Fake) -> None:
    ready = tmp_path / "ready"
    driver = fake(
        "def end(*_): print('Peak memory: 5 KB', flush=True); os._exit(0)\n"
        "signal.signal(signal.SIGTERM, end)\n"
        f"open({str(ready)!r}, 'w')\n"
        "while True: time.sleep(1)"
    )
    result = run(lamp, driver, cancelled=ready.exists)
    assert (result.status, result.peak_memory) == (PlannerStatus.CANCELLED, 5 * 1024)


def test_the_system_holds_a_time_limit_too_in_case_we_are_killed(tmp_path: Path, lamp: Files, fake: Fake) -> None:
    driver = fake(f"open({str(tmp_path / 'arguments')!r}, 'w').write(' '.join(sys.argv)); sys.exit(12)")
    run(lamp, driver, time_limit=7.5)
    assert "--overall-time-limit 10s" in (tmp_path / "arguments").read_text()
    run(lamp, driver, time_limit=None)
    assert "limit" not in (tmp_path / "arguments").read_text()
