"""A tiny experiment, a way to kill parts of it at any moment, and what must be the same however often that is done."""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from goalward.experiments.store import FILE_NAME, Store

MARK = "GOALWARD_TEST_RUN"
ROLES = ("runner", "worker", "guard", "planner")

CONFIG = """\
states = {states}
[budgets]
train = "60s"
search = "60s"
memory = "2G"
[[generate]]
domain = "blocks"
instance = "blocks5"
parameters = {{ n = 5 }}
{more}[[methods]]
method = "ff"
[[methods]]
method = "blind"
"""
# The preset `paper` lowers its learning rate by nothing, least of all by the clock: the same training every time.
TRAINING = """\
[[methods]]
label = "tiny"
method = "n-rsl"
options = { preset = "paper", samples = 500, rollouts = 1, length = 20, max_epochs = 2, trials = 1 }
"""
MORE_INSTANCES = """\
[[generate]]
domain = "tiles"
instance = "tiles6"
parameters = { rows = 2, cols = 3 }
"""
PLANNER = """\
[[methods]]
method = "fd-ff"
"""


@dataclass
class Victims:
    """How often each kind of process was killed, and how often the experiment was started."""

    killed: Counter[str] = field(default_factory=Counter)
    starts: int = 0


def processes(token: str) -> dict[int, str]:
    """The living processes of an experiment, by the mark in their environment, with their role."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                if f"{MARK}={token}".encode() not in (entry / "environ").read_bytes().split(b"\0"):
                    continue
                if (entry / "stat").read_text().rpartition(")")[2].split()[0] in "ZX":
                    continue
                found[int(entry.name)] = _role((entry / "cmdline").read_text().replace("\0", " "))
    return found


def _role(command: str) -> str:
    if "goalward.experiments.guard" in command:
        return "guard"  # or the process that works, which looks the same
    if "downward" in command:
        return "planner"
    if "spawn_main" in command:
        return "worker"
    return "runner" if " experiment run " in command else "other"


def start(config: Path, output: Path, token: str, *arguments: str) -> subprocess.Popen[bytes]:
    """The experiment in a process of its own, marked."""
    command = [sys.executable, "-m", "goalward", "experiment", "run", str(config), "-o", str(output), *arguments]
    with open(output.with_suffix(".log"), "ab") as log:
        return subprocess.Popen(command, stdout=log, stderr=log, env=os.environ | {MARK: token}, start_new_session=True)


def run_undisturbed(config: Path, output: Path) -> None:
    process = start(config, output, secrets.token_hex(8), "--jobs", "2")
    assert process.wait() == 0, output.with_suffix(".log").read_text()


def run_with_kills(config: Path, output: Path, kills: int, rng: random.Random, pause: float = 2.0) -> Victims:
    """Run to the end, killing something ``kills`` times; after a killed runner nothing of it may be left."""
    token = secrets.token_hex(8)
    victims = Victims()
    while True:
        process = start(config, output, token, "--jobs", "2")
        victims.starts += 1
        lost_here: Counter[str] = Counter()
        try:
            while process.poll() is None and victims.killed.total() < kills:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(rng.uniform(0.1, pause))
                # Three deaths of a unit are its failure, so no run has more than two of those.
                allowed = ROLES if lost_here.total() < 2 else ("runner",)
                victim = _find_victim(token, allowed, victims, rng, process)
                if victim is not None and process.poll() is None:
                    pid, role = victim
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                        victims.killed[role] += 1
                        lost_here[role] += role != "runner"
            code = process.wait()
        finally:
            process.kill()
            process.wait()
        assert not remaining(token), f"still there after the runner: {remaining(token)}"
        if code == 0:
            return victims
        assert code == -signal.SIGKILL, output.with_suffix(".log").read_text()


def _find_victim(
    token: str, allowed: tuple[str, ...], victims: Victims, rng: random.Random, process: subprocess.Popen[bytes]
) -> tuple[int, str] | None:
    """Any process, or now and then one of the kind that was killed least; some kinds live for moments only."""
    rare = min(allowed, key=lambda role: victims.killed[role])
    deadline = time.monotonic() + (3.0 if rng.random() < 0.5 else 0.0)
    while True:
        alive = {pid: role for pid, role in processes(token).items() if role in allowed}
        if rare in alive.values() or time.monotonic() >= deadline or process.poll() is not None:
            break
        time.sleep(0.01)
    if not alive:
        return None
    role = rare if rare in alive.values() else rng.choice(sorted(set(alive.values())))
    return rng.choice([pid for pid in alive if alive[pid] == role]), role


def remaining(token: str, seconds: float = 300.0) -> dict[int, str]:
    """What is left of an experiment, after a time for it to go."""
    deadline = time.monotonic() + seconds
    while (left := processes(token)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def outcome(output: Path) -> dict[str, Any]:
    """Everything about an experiment's results that does not depend on the clock, with its files."""
    with Store(output / FILE_NAME) as store:
        results = {unit.id: result for unit, result in store.results()}
        assert len(results) == len(store.units()) == store.counts()["done"]
    told = {}
    for unit, result in results.items():
        curve = [row[:3] for row in result.extra.get("curve", ())]
        told[unit] = [
            result.status, result.solved, result.expansions, result.evaluations, result.generated, result.plan_length,
            result.cost, result.initial_h, result.n_atoms, result.error, curve, result.extra.get("h_along"),
        ]  # fmt: skip
    plans = {str(path.relative_to(output)): path.read_text() for path in (output / "plans").rglob("*.plan")}
    models = sorted(str(path.relative_to(output)) for path in (output / "models").rglob("*.goalward"))
    return {"results": json.loads(json.dumps(told)), "plans": plans, "models": models}
