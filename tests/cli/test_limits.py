"""Limits on time and memory: how a run ends that does not end by itself."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from goalward.cli import startup
from goalward.cli.limits import Limits
from goalward.cli.main import run
from goalward.cli.plan import plan_as_json, report
from goalward.cli.solve import StateTable
from goalward.errors import LimitError
from goalward.search import heuristics
from goalward.search.solving import solve
from goalward.search.starts import initial_state
from goalward.search.strategy import default_search
from goalward.task.packing import native_problem
from helpers import make_tiny

from .program import Files, Goalward, spawn, write_files

# --- time; how near a limit a run ends is measured in benchmarks/limits.py ---


def test_what_a_command_loads_counts_from_its_start(
    goalward: Goalward, trains: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Any] = []
    monkeypatch.setattr(startup, "started", lambda: time.monotonic() - 100)
    monkeypatch.setattr("goalward.cli.plan.read_domain", begun.append)
    for limit, code in (("99s", 23), ("1h", 30)):
        assert goalward("plan", *trains.names, "--time-limit", limit).code == code
        assert len(begun) == (code == 30), "grounding does not even begin after the limit"


def test_every_command_starts_the_clock(goalward: Goalward) -> None:
    startup.start_clock(ago=1000)
    goalward("generate", "--help")
    assert time.monotonic() - startup.started() < 1000
    limits = Limits.of_command(2000, None)
    assert limits.started == startup.started()
    assert limits.remaining is not None
    assert 1000 < limits.remaining < 2000


END = """
import atexit, sys, threading, time
from goalward.cli import main
class Object:
    def __del__(self):
        print("taken apart")
held = [Object()]
held.append(held)
atexit.register(print, "at exit")
if {waits}:
    threading.Thread(target=lambda: (time.sleep(0.5), print("thread"))).start()
main._call = lambda arguments: print("work") or 7
main.main()
"""


@pytest.mark.parametrize(("waits", "told"), [(False, []), (True, ["thread"])])
def test_a_process_ends_without_taking_its_memory_apart(waits: bool, told: list[str]) -> None:
    """What was registered for its end is done, and other threads come to theirs."""
    run = subprocess.run([sys.executable, "-c", END.format(waits=waits)], check=False, capture_output=True, text=True)
    assert run.returncode == 7, run.stderr
    said = run.stdout.split("\n")
    assert said[: 2 + waits] == ["work", *told, "at exit"]
    assert ("taken apart" in said) == waits


def test_what_ended_a_command_is_held_until_the_process_is_gone(trains: Files) -> None:
    held: list[BaseException] = []
    assert run(["plan", *map(str, trains.names), "--time-limit", "1ms"], held) == 23
    assert [type(error) for error in held] == [LimitError]
    assert held[0].__traceback__ is not None


TWELVE = " ".join(f"?x{i}" for i in range(12))
EXPLOSIONS = {
    "parameters": f"(:action a :parameters ({TWELVE}) :precondition (p ?x1) :effect (q ?x0))",
    "forall": f"(:action a :parameters (?z) :precondition (forall ({TWELVE}) (not (q ?x3))) :effect (q ?z))",
    "or": f"(:action a :parameters ({TWELVE}) :precondition (and "
    + " ".join(f"(or (p ?x{i}) (q ?x{i}) (p ?x{11 - i}))" for i in range(12))
    + ") :effect (q ?x0))",
}


@pytest.mark.parametrize("action", EXPLOSIONS.values(), ids=EXPLOSIONS)
def test_a_short_text_that_grounds_to_no_end_is_stopped(goalward: Goalward, tmp_path: Path, action: str) -> None:
    objects = " ".join(f"o{i}" for i in range(20))
    files = write_files(
        tmp_path,
        f"(define (domain d) (:requirements :adl) (:predicates (p ?x) (q ?x)) {action})",
        f"(define (problem e) (:domain d) (:objects {objects}) (:init (p o1) (p o2)) (:goal (q o3)))",
    )
    assert goalward("plan", *files.names, "--time-limit", "0.3s").code == 23


def test_what_is_prepared_for_search_counts_as_well(
    goalward: Goalward, trains: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*arguments: Any, **named: Any) -> Any:
        time.sleep(60)
        return native_problem(*arguments, **named)

    monkeypatch.setattr(heuristics, "native_problem", slowly)
    outcome = goalward("plan", *trains.names, "--time-limit", "1s")
    assert outcome.code == 23
    assert outcome.error == "out of time while reading and grounding the problem"


def test_an_alarm_that_was_set_before_still_rings(goalward: Goalward, trains: Files) -> None:
    rung = []
    handler = signal.signal(signal.SIGALRM, lambda number, frame: rung.append(number))
    timer = signal.setitimer(signal.ITIMER_REAL, 30)
    try:
        assert goalward("plan", *trains.names, "--time-limit", "10s").code == 0
        assert 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= 30
        assert signal.getsignal(signal.SIGALRM) not in (signal.SIG_DFL, handler)
        signal.raise_signal(signal.SIGALRM)
        assert rung == [signal.SIGALRM]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, *timer)


def test_a_limit_that_is_not_reached_changes_nothing(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", *trains.names, "--time-limit", "1h", "--memory-limit", "100G")
    assert outcome.code == 0
    assert outcome.number(r"Plan cost: (\d+)") == 12


# --- memory ---


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_search_ends_at_its_memory_limit(hard: Files) -> None:
    megabytes = 110
    outcome = spawn("plan", *hard.names, "-H", "blind", "--memory-limit", f"{megabytes}M", "--time-limit", "50s")
    assert outcome.code == 22
    assert "Memory limit reached.\n" in outcome.out
    assert outcome.number(r"Expanded (\d+) state\(s\)\.") > 10_000
    peak = outcome.number(r"Peak memory: (\d+) KB") / 1024
    assert 0.95 * megabytes < peak < 1.05 * megabytes


def test_parts_that_were_ended_for_lack_of_memory_are_named(capfd: pytest.CaptureFixture[str]) -> None:
    solved = solve(initial_state(make_tiny("blocks").task), "ff", default_search(learned=False))
    evicted = replace(solved.statistics, evicted=["novelty", "agenda"])
    outcome = replace(solved, found=replace(solved.found, statistics=evicted))
    limits = Limits(None, None)
    report(outcome, limits)
    assert "\nEnded to free memory for other parts: novelty, agenda.\n" in capfd.readouterr().out
    report(solved, limits)
    assert "free memory" not in capfd.readouterr().out
    assert plan_as_json(outcome, limits)["evicted"] == ["novelty", "agenda"]
    shown = StateTable([Path("p1")], costs=False).row
    row = {"state": "p1", "total_time": 0.1, **outcome.record()}
    assert shown(row).endswith("s  without novelty, agenda for lack of memory")
    assert "memory" not in shown({"state": "p1", "total_time": 0.1, **solved.record()})


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
@pytest.mark.parametrize("limit", ["1M", "100M"])
def test_grounding_ends_at_the_memory_limit(large: Files, limit: str) -> None:
    outcome = spawn("plan", *large.names, "--memory-limit", limit, "--time-limit", "50s")
    assert outcome.code == 22
    assert outcome.error == "out of memory while reading and grounding the problem"


def test_memory_that_the_system_refuses_is_a_limit_too(
    goalward: Goalward, trains: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*arguments: Any) -> None:
        sys.stderr = sys.stdout  # as if someone had died before putting it back
        raise MemoryError

    before = sys.stderr
    monkeypatch.setattr("goalward.cli.plan.ground", refuse)
    outcome = goalward("plan", *trains.names)
    assert outcome.code == 22
    assert outcome.error == "out of memory while reading and grounding the problem"
    assert sys.stderr is before
