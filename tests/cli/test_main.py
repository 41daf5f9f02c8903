"""The program as a whole: help, version, wrong usage, and streams that do not take what is printed."""

from __future__ import annotations

import contextlib
import gc
import os
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from goalward.cli.main import BLAS_THREADS, quick_imports

from .program import PATIENCE, PROGRAM, Files, Goalward, Outcome, environment, spawn

COMMANDS = [
    "train", "solve", "plan", "improve", "compare", "methods", "train-domain", "validate", "walk", "inspect",
    "generate", "experiment", *(f"experiment {name}" for name in ("run", "status", "report", "export", "import")),
]  # fmt: skip


def test_the_version_is_that_of_the_package(goalward: Goalward) -> None:
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    declared = tomllib.loads(project.read_text())["project"]["version"]
    assert goalward("--version") == Outcome(0, f"goalward {declared}\n", "")


def test_the_package_can_be_run_as_a_module() -> None:
    run = subprocess.run([sys.executable, "-m", "goalward", "plan"], capture_output=True, text=True, check=False)
    outcome = Outcome(run.returncode, run.stdout, run.stderr)
    assert outcome.code == 36
    assert "DOMAIN" in outcome.error


def sections(page: str) -> dict[str, dict[str, str]]:
    """The lists of a help page by title, each a dictionary of names and unwrapped texts."""
    found: dict[str, dict[str, str]] = {}
    for block in re.split(r"\n\n(?=\w[\w ]*:\n)", page)[1:]:
        title, _, lines = block.partition(":\n")
        entries = re.findall(r"^  (\S.*?)(?:  +|\n {4,})(\S.*(?:\n {4,}.*)*)", lines, flags=re.MULTILINE)
        found[title] = {name: " ".join(text.split()) for name, text in entries}
    return found


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command_and_cuts_no_summary(goalward: Goalward, arguments: tuple[str, ...]) -> None:
    outcome = goalward(*arguments)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("Usage: goalward ")
    listed = sections(outcome.out)["Commands"]
    assert set(listed) == {command for command in COMMANDS if " " not in command}
    assert all(summary.endswith(".") and not summary.endswith("..") for summary in listed.values()), listed


def test_a_group_of_commands_without_one_of_them_shows_its_help(goalward: Goalward) -> None:
    outcome = goalward("experiment")
    assert (outcome.code, outcome.err) == (0, "")
    assert {f"experiment {name}" for name in sections(outcome.out)["Commands"]} <= set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_in_words_of_the_user(goalward: Goalward, command: str) -> None:
    outcome = goalward(*command.split(), "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: goalward {command} [OPTIONS]")
    assert not re.search(r"list\[|Path|Optional|None|\{", outcome.out)
    assert all(name.isupper() for name in sections(outcome.out).get("Positional arguments", {}))


def test_help_of_train_has_sections(goalward: Goalward) -> None:
    page = sections(goalward("train", "-h").out)
    assert {"Positional arguments", "Options", "Method"} <= set(page)
    assert {"--seed N", "--time-limit DURATION"} <= set(page["Options"])
    assert {"--preset fast|paper", "--set NAME=VALUE"} <= set(page["Method"])
    assert sum(map(len, page.values())) <= 20, "other options are for --set"


def test_arguments_are_named_in_the_order_in_which_they_are_given(goalward: Goalward) -> None:
    assert goalward("compare", "-h").out.startswith("Usage: goalward compare [OPTIONS] DOMAIN PROBLEM STATES...\n")
    assert goalward("generate", "-h").out.startswith("Usage: goalward generate [OPTIONS] [DOMAIN]\n")


def loaded_by(arguments: tuple[str, ...], environ: dict[str, str]) -> set[str]:
    """The modules that a run has loaded when it ends."""
    code = (
        "import atexit, sys\n"
        "sys.argv[1:] = sys.argv[2:]\n"
        "atexit.register(lambda: print('loaded', *sorted(sys.modules), file=sys.stderr))\n"
        "from goalward.cli.startup import main\n"
        "main()\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, "-", *arguments], capture_output=True, text=True, check=True, env=environ
    )
    assert run.stdout
    return set(run.stderr.split())


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("complete", "goalward so")])
def test_what_is_asked_often_loads_no_command(arguments: tuple[str, ...]) -> None:
    """Whatever takes time to load (arrays, tables, PyTorch, the commands themselves) waits until it is needed."""
    environ = environment()
    if arguments[0] == "complete":
        environ |= {"_GOALWARD_COMPLETE": "bash_complete", "COMP_WORDS": arguments[1], "COMP_CWORD": "1"}
        arguments = ()
    modules = loaded_by(arguments, environ)
    assert "goalward.cli.main" in modules
    allowed = {"commands", "main", "parameters", "signals", "startup"}
    assert {m.split(".")[2] for m in modules if m.startswith("goalward.cli.")} <= allowed
    slow = {"numpy", "torch", "rich", "pydantic", "fast_downward", "distributed"}
    assert not {m.split(".")[0] for m in modules} & slow
    assert ("click" in modules) == (arguments != ("--version",))


def test_solving_an_easy_state_loads_what_it_needs() -> None:
    """A state is solved in milliseconds; loading what draws, translates or reads unusual arguments takes longer."""
    data = Path(__file__).resolve().parents[1] / "data"
    arguments = ("solve", str(data / "blocks4-v1.goalward"), str(data / "blocks4-v1" / "p1.pddl"), "--jobs", "1")
    modules = loaded_by(arguments, environment())
    assert "goalward.cli.solve" in modules
    slow = {"torch", "rich", "pydantic", "pydantic_core", "fast_downward", "asyncio", "multiprocessing"}
    assert not {m.split(".")[0] for m in modules} & slow
    assert not modules & {"numpy.ma", "numpy.testing", "numpy.random", "goalward.learning", "goalward.cli.live"}


@pytest.mark.parametrize("chosen", [None, "7"])
def test_quick_imports_leave_no_traces(chosen: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(BLAS_THREADS, raising=False)
    if chosen is not None:
        monkeypatch.setenv(BLAS_THREADS, chosen)
    with contextlib.suppress(ImportError), quick_imports():
        assert not gc.isenabled()
        assert os.environ[BLAS_THREADS] == (chosen or "1")
        raise ImportError
    assert gc.isenabled()
    assert os.environ.get(BLAS_THREADS) == chosen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("plann",), ["there is no command 'plann'; did you mean plan? (see goalward --help)"]),
        (("--verbose",), ["--verbose"]),
        (("plan",), ["DOMAIN", "see goalward plan --help"]),
        (("plan", "a.pddl"), ["PROBLEM"]),
        (("plan", "a", "b", "c"), ["c"]),
        (("experiment", "runs"), ["there is no command 'runs'", "did you mean run?", "see goalward experiment --help"]),
        (("experiment", "run"), ["CONFIG", "see goalward experiment run --help"]),
        (("plan", "DOMAIN", "PROBLEM", "--heurstic", "ff"), ["--heurstic", "--heuristic"]),
        (("plan", "DOMAIN", "PROBLEM", "-H", "gaolcount"), ["gaolcount", "did you mean goalcount?"]),
        (("plan", "DOMAIN", "PROBLEM", "-H", ""), ["unknown heuristic ''", "ff, add"]),
        (("plan", "DOMAIN", "PROBLEM", "-s", "dfs"), ["unknown search 'dfs'", "gbfs, astar, wastar"]),
        (
            ("plan", "DOMAIN", "PROBLEM", "--time-limit", "5x"),
            ["--time-limit must be a duration such as 90s, 5m or 1h30m, but is '5x'"],
        ),
        (("plan", "DOMAIN", "PROBLEM", "--time-limit", "0s"), ["'0s'"]),
        (("plan", "DOMAIN", "PROBLEM", "--time-limit"), ["--time-limit"]),
        (("plan", "DOMAIN", "PROBLEM", "--memory-limit", "lots"), ["--memory-limit must be a size", "'lots'"]),
        (("plan", "DOMAIN", "PROBLEM", "--memory-limit", "9" * 400), ["--memory-limit must be a size"]),
        (("plan", "DOMAIN", "PROBLEM", "--batch", "0"), ["batch must be between 1 and", "but is 0"]),
        (("plan", "DOMAIN", "PROBLEM", "--batch", "x"), ["--batch must be a batch size such as 32", "'x'"]),
        (("plan", "DOMAIN", "PROBLEM", "--weight", "-1"), ["weight must be", "but is -1.0"]),
        (("plan", "DOMAIN", "PROBLEM", "--weight", "nan"), ["--weight must be a number, but is nan"]),
        (("plan", "DOMAIN", "PROBLEM", "--costs", "euro"), ["--costs", "euro"]),
        (("solve", "MODEL", "STATE", "--json", "--csv"), ["choose one of --json and --csv"]),
        (("validate", "DOMAIN", "PROBLEM"), ["PLAN"]),
        (("train", "DOMAIN", "PROBLEM", "-o", "x", "--time-limit", "five"), ["--time-limit must be a duration such"]),
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


@pytest.mark.parametrize("command", ["plan DOMAIN PROBLEM", "methods", "--help", "--version"])
def test_a_reader_who_has_gone_away_ends_the_program_without_a_word(trains: Files, command: str) -> None:
    arguments = command.replace("DOMAIN", trains.names[0]).replace("PROBLEM", trains.names[1]).split()
    process = subprocess.Popen([PROGRAM, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=PATIENCE) == 128 + signal.SIGPIPE
