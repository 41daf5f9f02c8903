"""Ctrl-C and SIGTERM: a command ends, keeps what it has, and says so; the exit code tells the two apart."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from goalward.cli.signals import ended_at_once
from goalward.errors import StoppedError
from goalward.search.solving import Outcome as Solved
from goalward.search.solving import solve

from .program import PROGRAM, Files, Goalward, environment

BOTH = pytest.mark.parametrize(("ending", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["INT", "TERM"])


@pytest.fixture(autouse=True)
def _no_signal_ends_the_tests() -> Iterator[None]:
    """One that comes too late, after its command, must not end the process of the tests."""
    previous = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in previous.items():
        signal.signal(number, handler)


def raise_soon(ending: signal.Signals, seconds: float = 0.3) -> threading.Timer:
    timer = threading.Timer(seconds, os.kill, (os.getpid(), ending))
    timer.start()
    return timer


@BOTH
def test_a_search_reports_what_it_did(
    goalward: Goalward, hard: Files, monkeypatch: pytest.MonkeyPatch, ending: signal.Signals, code: int
) -> None:
    def interrupted(*arguments: Any, **named: Any) -> Solved:
        raise_soon(ending)
        return solve(*arguments, **named)

    monkeypatch.setattr("goalward.cli.plan.solve", interrupted)
    outcome = goalward("plan", *hard.names, "-H", "blind", "--time-limit", "30s")
    assert (outcome.code, outcome.err) == (code, "")
    assert "Interrupted.\n" in outcome.out
    assert outcome.number(r"Evaluations: (\d+)") > 0
    outcome = goalward("plan", *hard.names, "-H", "blind", "--json", "--time-limit", "30s")
    assert (outcome.code, outcome.err) == (code, "")
    found = json.loads(outcome.out)
    assert (found["status"], found["plan"]) == ("cancelled", None)
    assert found["expanded"] > 0


@BOTH
@pytest.mark.parametrize("command", ["plan", "train", "train-domain", "walk", "inspect", "compare"])
def test_grounding_ends_at_once_and_is_named(
    goalward: Goalward,
    large: Files,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    ending: signal.Signals,
    code: int,
    command: str,
) -> None:
    def interrupted(activity: str) -> contextlib.AbstractContextManager[None]:
        raise_soon(ending)
        return ended_at_once(activity)

    monkeypatch.setattr("goalward.cli.live.ended_at_once", interrupted)
    more = {"compare": [large.problem], "plan": [], "inspect": []}.get(command, ["-o", tmp_path / "out"])
    outcome = goalward(command, *large.names, *more)
    assert outcome.code == code
    assert outcome.error == "interrupted while grounding"
    assert not (tmp_path / "out").exists()


class StruckInItsFinaliser:
    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


def test_a_signal_that_is_lost_in_a_finaliser_strikes_again() -> None:
    hook, handler = sys.unraisablehook, signal.getsignal(signal.SIGVTALRM)
    to_its_end = False

    def work() -> None:
        nonlocal to_its_end
        with ended_at_once("working"):
            StruckInItsFinaliser()
            end = time.process_time() + 30
            while time.process_time() < end:
                pass
            to_its_end = True

    with pytest.raises(StoppedError, match="interrupted while working"):
        work()
    assert not to_its_end
    assert (sys.unraisablehook, signal.getsignal(signal.SIGVTALRM)) == (hook, handler)


def test_a_signal_before_anything_has_begun(goalward: Goalward, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(arguments: list[str]) -> int:
        signal.raise_signal(signal.SIGTERM)
        return 0

    monkeypatch.setattr("goalward.cli.commands.call", interrupted)
    outcome = goalward("plan", "a", "b")
    assert outcome.code == 143
    assert outcome.error == "interrupted"


@pytest.mark.parametrize("module", ["goalward.cli.main", "contextlib"])
def test_ctrl_c_while_a_module_is_being_imported_is_one_line(module: str) -> None:
    code = (
        "import importlib.machinery, signal, sys\n"
        "from goalward.cli import startup\n"
        "class Interrupting(importlib.machinery.SourceFileLoader):\n"
        "    def exec_module(self, module):\n"
        "        signal.raise_signal(signal.SIGINT)\n"
        "class Finder:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == {module!r}:\n"
        "            return importlib.machinery.ModuleSpec(name, Interrupting(name, __file__))\n"
        "__file__ = startup.__file__\n"
        f"sys.modules.pop({module!r}, None)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "startup.main()\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment())
    assert (run.returncode, run.stdout, run.stderr) == (130, "", "goalward: interrupted\n")


def test_afterwards_signals_do_what_they_did_before(goalward: Goalward, trains: Files) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    assert goalward("plan", *trains.names).code == 0
    assert {number: signal.getsignal(number) for number in before} == before


def test_a_process_that_was_told_to_ignore_them_does_so(hard: Files) -> None:
    command = (
        f'trap "" INT; "{PROGRAM}" plan "$@" -H blind --time-limit 5s & kill -INT $!; sleep 1; kill -INT $!; wait $!'
    )
    run = subprocess.run(
        ["sh", "-c", command, "sh", *hard.names], capture_output=True, text=True, check=False, env=environment()
    )
    assert run.returncode == 23
    assert "Time limit reached." in run.stdout
