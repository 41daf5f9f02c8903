"""How tests run goalward, what must be true of every run, and a small problem to run it on."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyte

COLUMNS = 200
PATIENCE = 300.0
"""Seconds until a process that hangs is given up."""
PROGRAM = Path(sysconfig.get_path("scripts")) / "goalward"

DOMAIN = """\
; Trains on tracks of different lengths.
(define (domain trains)
  (:requirements :strips :typing :action-costs)
  (:types train place - object city harbour - place)
  (:predicates (at ?t - train ?p - place) (track ?from ?to - place))
  (:functions (total-cost) - number (distance ?from ?to - place) - number)
  (:action drive
    :parameters (?t - train ?from ?to - place)
    :precondition (and (at ?t ?from) (track ?from ?to))
    :effect (and (at ?t ?to) (not (at ?t ?from)) (increase (total-cost) (distance ?from ?to)))
  )
)
"""

PROBLEM = """\
; One train, two tracks.
(define (problem two-tracks)
  (:domain trains)
  (:objects t1 - train a b - city c - harbour)
  (:init (at t1 a)
    (track a b) (= (distance a b) 5)
    (track b c) (= (distance b c) 7)
    (= (total-cost) 0)
  )
  (:goal (and (at t1 c)))
  (:metric minimize (total-cost))
)
"""

PLAN = """\
(drive t1 a b)
(drive t1 b c)
; cost = 12 (general cost)
"""

KEY_DOMAIN = """\
(define (domain keys)
  (:predicates (key ?k) (door ?d) (whole ?k) (open ?d))
  (:action unlock
    :parameters (?k ?d)
    :precondition (and (key ?k) (door ?d) (whole ?k))
    :effect (and (open ?d) (not (whole ?k)))
  )
)
"""

KEY_PROBLEM = """\
(define (problem two-keys-three-doors)
  (:domain keys)
  (:objects k1 k2 d1 d2 d3)
  (:init (key k1) (key k2) (whole k1) (whole k2) (door d1) (door d2) (door d3))
  (:goal (and (open d1) (open d2) (open d3)))
)
"""
"""A key breaks when it is used: any two doors can be opened but not three, which only search finds out.

There are 13 reachable states: none open (1), one open (6, by door and key), both keys broken (3 + 3 sets of doors)."""


@dataclass(frozen=True)
class Told:
    """How a run ended and what it printed; progress may go to stderr."""

    code: int
    out: str
    err: str

    def __post_init__(self) -> None:
        """What must be true of every run whose streams are no terminal."""
        assert "Traceback" not in self.out + self.err, self.err
        assert "\x1b" not in self.out + self.err, "an escape sequence without a terminal"

    @property
    def last_error(self) -> str:
        """The message on the last line of stderr."""
        return self.err.rstrip("\n").rpartition("\n")[2].removeprefix("goalward: ")


@dataclass(frozen=True)
class Outcome(Told):
    """A run without progress: at most one line on stderr."""

    def __post_init__(self) -> None:
        super().__post_init__()
        assert re.fullmatch(r"(goalward: [^\n]+\n)?", self.err), f"more than one line on stderr: {self.err!r}"

    @property
    def error(self) -> str:
        """The message of a run that failed without printing anything else."""
        assert self.code != 0
        assert self.out == ""
        return self.err.removeprefix("goalward: ").rstrip("\n")

    def number(self, pattern: str) -> float:
        """The number in the one line that looks like this, as Downward Lab would read it."""
        (found,) = re.findall(rf"^{pattern}$", self.out, flags=re.MULTILINE)
        return float(found)


@dataclass(frozen=True)
class Files:
    """A domain and a problem in files."""

    domain: Path
    problem: Path

    @property
    def names(self) -> tuple[str, str]:
        return str(self.domain), str(self.problem)


Goalward = Callable[..., Outcome]
"""The fixture ``goalward``: the command line in this process."""
Bundled = Callable[..., Files]
"""The fixture ``bundled``: files of a generated instance."""


def write_files(folder: Path, domain: str | bytes, problem: str | bytes) -> Files:
    folder.mkdir(parents=True, exist_ok=True)
    files = Files(folder / "domain.pddl", folder / "problem.pddl")
    for path, content in ((files.domain, domain), (files.problem, problem)):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return files


def replaced(text: str, old: str, new: str) -> str:
    """The text with one change, which must be possible in one place only."""
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in the text"
    return text.replace(old, new)


def environment(**changes: str) -> dict[str, str]:
    """The environment without what would make output coloured where there is no terminal."""
    kept = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "NO_COLOR", "COLUMNS"}}
    return {**kept, **changes}


def let_work(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Wait until the process has used so much processor time: on a busy machine that takes longer than a sleep."""
    watched = psutil.Process(process.pid)
    begun = watched.cpu_times().user
    while watched.cpu_times().user < begun + seconds:
        assert process.poll() is None, "it ended early"
        time.sleep(0.02)


def spawn(*arguments: str | Path, timeout: float = PATIENCE, **environ: str) -> Outcome:
    """Run the installed program in a process of its own."""
    told = spawn_talkative(*arguments, timeout=timeout, **environ)
    return Outcome(told.code, told.out, told.err)


def spawn_talkative(*arguments: str | Path, timeout: float = PATIENCE, **environ: str) -> Told:
    """The same for a command that says on stderr how it goes."""
    run = subprocess.run(
        [PROGRAM, *arguments], capture_output=True, text=True, check=False, timeout=timeout, env=environment(**environ)
    )
    return Told(run.returncode, run.stdout, run.stderr)


@dataclass(frozen=True)
class Shown:
    """How a run ended whose stderr is a terminal, what that got, and what stdout, a pipe, got."""

    code: int
    terminal: str
    out: str

    @property
    def text(self) -> str:
        """What the terminal got, without escape sequences."""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", self.terminal)

    @property
    def screen(self) -> list[str]:
        """The lines that a person has before them when the program has ended, by a terminal in software."""
        screen = pyte.Screen(COLUMNS, 200)
        pyte.Stream(screen).feed(self.terminal)
        return "\n".join(line.rstrip() for line in screen.display).rstrip().split("\n")

    @property
    def cursor_is_back(self) -> bool:
        """True if the cursor was hidden, and shown again in the end."""
        return 0 <= self.terminal.rfind("\x1b[?25l") < self.terminal.rfind("\x1b[?25h")


def on_terminal(*arguments: str | Path, whole: bool = False) -> Shown:
    """Run the installed program with stderr on a terminal; with ``whole``, stdout too."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [PROGRAM, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=theirs if whole else subprocess.PIPE,
        stderr=theirs,
        env=environment(PYTHONUNBUFFERED="1", TERM="xterm-256color", COLUMNS=str(COLUMNS)),
    ) as process:
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # the other end is closed
            while part := os.read(ours, 65536):
                shown += part
        os.close(ours)
        out = b"" if process.stdout is None else process.stdout.read()
    assert b"Traceback" not in shown + out
    assert b"leaked" not in shown, "native objects outlive the interpreter"
    return Shown(process.returncode, shown.decode(), out.decode())


def check_live_training(shown: Shown, epoch: str) -> None:
    """Check that a training shows a bar, epochs and errors, and leaves the terminal and stdout as they should be."""
    assert shown.code == 0
    epochs = [int(number) for number in re.findall(epoch, shown.text)]
    assert epochs == sorted(epochs)
    assert epochs[0] < epochs[-1]
    assert re.search(r"training +█*░+ \d+%, (at most )?[\dms ]+ left", shown.text)
    assert re.search(r"error +\d+\.\d steps on held-out states", shown.text)
    assert shown.cursor_is_back
    assert "\x1b" not in shown.out
