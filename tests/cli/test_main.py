"""The program as a whole: help, version, wrong usage, and streams that do not take what is printed."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from goalward.cli import main

from .program import PROGRAM, Files, Outcome, environment, spawn

Goalward = Callable[..., Outcome]

COMMANDS = ("train", "train-domain", "solve", "plan", "validate", "walk", "inspect", "generate")


def test_the_version_is_that_of_the_package(goalward: Goalward) -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    declared = tomllib.loads(project.read_text())["project"]["version"]
    assert goalward("--version") == Outcome(0, f"goalward {declared}\n", "")


def test_the_package_can_be_run_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "goalward", "plan"], capture_output=True, text=True, check=False)
    outcome = Outcome(run.returncode, run.stdout, run.stderr)
    assert outcome.code == 36
    assert "domain" in outcome.error


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command(goalward: Goalward, arguments: tuple[str, ...]) -> None:
    outcome = goalward(*arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: goalward ")
    assert all(f"\n  {command} " in outcome.out for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(goalward: Goalward, command: str) -> None:
    outcome = goalward(command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: goalward {command} ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plann",), ["plann", "plan"]),
        (("--verbose",), ["--verbose"]),
        (("plan",), ["domain"]),
        (("plan", "a.pddl"), ["problem"]),
        (("plan", "a", "b", "c"), ["c"]),
        (("plan", "DOMAIN", "PROBLEM", "--heurstic", "ff"), ["--heurstic", "--heuristic"]),
        (("plan", "DOMAIN", "PROBLEM", "-H", "gaolcount"), ["gaolcount", "did you mean goalcount?"]),
        (("plan", "DOMAIN", "PROBLEM", "-H", ""), ["unknown heuristic ''", "ff, add"]),
        (("plan", "DOMAIN", "PROBLEM", "-s", "dfs"), ["unknown search 'dfs'", "gbfs, astar, wastar"]),
        (("plan", "DOMAIN", "PROBLEM", "--time-limit", "5x"), ["'5x' is not a duration"]),
        (("plan", "DOMAIN", "PROBLEM", "--time-limit", "0s"), ["'0s'"]),
        (("plan", "DOMAIN", "PROBLEM", "--time-limit"), ["--time-limit"]),
        (("plan", "DOMAIN", "PROBLEM", "--memory-limit", "lots"), ["'lots' is not a size"]),
        (("plan", "DOMAIN", "PROBLEM", "--memory-limit", "9" * 400), ["is not a size"]),
        (("plan", "DOMAIN", "PROBLEM", "--batch", "0"), ["batch", "0", "from 1 to"]),
        (("plan", "DOMAIN", "PROBLEM", "--batch", "x"), ["'x' is not a batch size"]),
        (("plan", "DOMAIN", "PROBLEM", "--weight", "-1"), ["weight is -1.0"]),
        (("plan", "DOMAIN", "PROBLEM", "--weight", "nan"), ["weight is nan"]),
        (("plan", "DOMAIN", "PROBLEM", "--costs", "euro"), ["--costs", "euro"]),
        (("validate", "DOMAIN", "PROBLEM"), ["plan"]),
    ],
)
def test_wrong_usage_is_one_line_that_says_what_is_wrong(
    goalward: Goalward, trains: Files, arguments: tuple[str, ...], words: list[str]
) -> None:
    places = {"DOMAIN": trains.domain, "PROBLEM": trains.problem}
    outcome = goalward(*(places.get(argument, argument) for argument in arguments))
    assert outcome.code == 36
    assert all(word in outcome.error for word in words), outcome.error


def test_a_name_with_a_line_break_stays_on_one_line(goalward: Goalward, trains: Files) -> None:
    outcome = goalward("plan", trains.domain, "no\nsuch\nfile")
    assert outcome.code == 36
    assert outcome.error == "no such file: no such file"


def test_names_that_are_not_text_can_be_printed(trains: Files, tmp_path: Path) -> None:
    odd = os.fsdecode(bytes(tmp_path) + b"/\xff")
    outcome = spawn("plan", *trains.names, "-o", odd)
    assert outcome.code == 0
    assert "Plan written to" in outcome.out
    assert os.path.exists(odd)
    assert spawn("plan", *trains.names[:1], odd + "none").code == 36


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-16"])
def test_no_encoding_of_the_terminal_is_in_the_way(trains: Files, encoding: str) -> None:
    run = subprocess.run(
        [PROGRAM, "plan", "--help"], capture_output=True, check=False, env=environment(PYTHONIOENCODING=encoding)
    )
    assert (run.returncode, run.stderr) == (0, b"")
    assert "Usage: goalward plan" in run.stdout.decode(encoding, "replace")


def test_a_full_disk_is_one_line(trains: Files) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("there is no /dev/full")
    with open("/dev/full", "w") as full:
        run = subprocess.run(
            [PROGRAM, "plan", *trains.names], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert run.returncode == 36
    assert run.stderr == "goalward: No space left on device\n"


def test_a_reader_who_has_gone_away_is_no_reason_to_complain(trains: Files) -> None:
    process = subprocess.Popen([PROGRAM, "plan", *trains.names], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=30) != 0


def test_closed_streams_are_no_reason_to_fail(trains: Files, tmp_path: Path) -> None:
    command = f'"{PROGRAM}" plan "$@" -o "{tmp_path / "plan"}" >&- 2>&-'
    run = subprocess.run(["sh", "-c", command, "sh", *trains.names], check=False)
    assert run.returncode == 0
    assert (tmp_path / "plan").is_file()


def test_registering_twice_changes_nothing(goalward: Goalward) -> None:
    before = goalward("--help").out
    main._register()
    assert goalward("--help").out == before
