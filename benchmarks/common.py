"""Shared by the benchmark scripts: the public benchmark, Fast Downward, and memory of a running process."""

from __future__ import annotations

import contextlib
import json
import re
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import Any

DIFFICULTIES = ("moderate", "hard")
POLL_SECONDS = 0.01


# --- the public benchmark ---


@dataclass(frozen=True)
class Instance:
    """A folder with ``domain.pddl``, the instance in ``problem.pddl``, and initial states ``p1.pddl`` …"""

    domain: str
    difficulty: str
    name: str
    folder: Path

    @property
    def label(self) -> str:
        return f"{self.domain}/{self.difficulty}/{self.name}"

    @property
    def domain_file(self) -> Path:
        return self.folder / "domain.pddl"

    @property
    def problem_file(self) -> Path:
        return self.folder / "problem.pddl"

    def state_file(self, number: int) -> Path:
        return self.folder / f"p{number}.pddl"


def find_benchmark(folder: Path | None) -> Path:
    """The folder of the unpacked benchmark: the one given, or that of the archive beside the repository."""
    if folder is None:
        unpack = Path(__file__).resolve().parents[1].parent / "shared" / "bench" / "unpack"
        if not unpack.is_file():
            sys.exit(
                "The public benchmark is missing: no ../shared/bench/unpack beside the repository. Use --bench DIR."
            )
        folder = Path(subprocess.run([unpack], capture_output=True, text=True, check=True).stdout.strip())
    if not any(folder.glob("*/*/*/problem.pddl")):
        sys.exit(f"The public benchmark is missing: there is no DOMAIN/DIFFICULTY/INSTANCE/problem.pddl in {folder}.")
    return folder


def find_instances(bench: Path) -> list[Instance]:
    """All instances, sorted by domain, moderate before hard."""
    found = [
        Instance(*path.parent.relative_to(bench).parts, folder=path.parent) for path in bench.glob("*/*/*/problem.pddl")
    ]
    return sorted(found, key=lambda i: (i.domain, DIFFICULTIES.index(i.difficulty), i.name))


# Lists that decide about changes. They leave out the first, smallest instance of each domain.
MID = [
    "blocks/hard/probBLOCKS-25-2",
    "depot/hard/p14",
    "grid/hard/prob05-1",
    "npuzzle/hard/prob-n8-1",
    "pipesworld-notankage/hard/p38",
    "rovers/hard/p32",
    "scanalyzer-opt11-strips/hard/p19",
    "storage/hard/p25",
    "transport-opt14-strips/hard/p33",
    "visitall-opt14-strips/hard/p-1-18",
]
LARGE = [
    "blocks/hard/probBLOCKS-35-2",
    "depot/hard/p22",
    "grid/hard/prob05-3",
    "npuzzle/hard/prob-n9-1",
    "pipesworld-notankage/hard/p49",
    "rovers/hard/p40",
    "scanalyzer-opt11-strips/hard/p17",
    "storage/hard/p29",
    "transport-opt14-strips/hard/p35",
    "visitall-opt14-strips/moderate/p-1-16",
]


def chosen(instances: list[Instance], name: str) -> list[Instance]:
    """The instances of a list: "first" are the first of each domain and difficulty, "choose" these and the third ones,
    "report" all but "choose"."""
    if name == "all":
        return instances
    if name in {"mid", "large"}:
        prefixes = MID if name == "mid" else LARGE
        found = [next((i for i in instances if i.label.startswith(prefix)), None) for prefix in prefixes]
        missing = [prefix for prefix, instance in zip(prefixes, found, strict=True) if instance is None]
        if missing:
            sys.exit(f"The benchmark lacks {', '.join(missing)}.")
        return [instance for instance in found if instance is not None]
    groups = [list(group) for _, group in groupby(instances, lambda i: (i.domain, i.difficulty))]
    if name == "first":
        return [group[0] for group in groups]
    return [i for group in groups for n, i in enumerate(group) if (n in {0, 2}) == (name == "choose")]


LISTS = ("all", "first", "choose", "report", "mid", "large")


def part_of(instances: list[Instance], part: str) -> list[Instance]:
    """The K-th of N parts of a list; ``part`` is ``K/N``."""
    k, n = map(int, part.split("/"))
    return instances[k - 1 :: n]


# --- results ---


def read_lines(path: Path, former: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    """The results of an earlier run; ``former`` maps former names of keys to the current ones."""
    lines = map(json.loads, path.read_text().splitlines())
    return [{(former or {}).get(key, key): value for key, value in line.items()} for line in lines]


class Lines:
    """Results as lines of JSON, optionally in a file, so that an interrupted run can be continued."""

    def __init__(self, path: Path | None, former: Mapping[str, str] | None = None) -> None:
        self.path = path
        self.all = read_lines(path, former) if path is not None and path.exists() else []

    def has(self, **key: Any) -> bool:
        """True if there is a line with these values."""
        return any(key.items() <= line.items() for line in self.all)

    def add(self, line: dict[str, Any]) -> None:
        """Add a line, and write it to the file at once."""
        self.all.append(line)
        if self.path is not None:
            with self.path.open("a") as file:
                file.write(json.dumps(line) + "\n")


# --- Fast Downward ---


def find_fast_downward() -> Path:
    """The search binary of the package up-fast-downward."""
    spec = find_spec("up_fast_downward")
    binary = Path(spec.origin or "").parent / "downward/builds/release/bin/downward" if spec else None
    if binary is None or not binary.is_file():
        sys.exit("Fast Downward is absent: pip install up-fast-downward")
    return binary


def lama_first(limit: float) -> list[str]:
    """The search arguments of the alias lama-first, with a limit on CPU time."""
    words = alias("lama-first")
    words[-1] = re.sub(r"reopen_closed=false", f"reopen_closed=false,max_time={limit}", words[-1])
    return words


def alias(name: str) -> list[str]:
    """The arguments of the search binary for an alias of Fast Downward's driver."""
    sys.path.insert(0, str(find_fast_downward().parents[3]))
    return list(import_module("driver.aliases").ALIASES[name])


def lama_plans_until(limit: float, sas: Path) -> list[tuple[float, int]]:
    """Times and costs of the plans that full LAMA finds within ``limit`` CPU seconds of search."""
    whole = int(limit) + 1
    with sas.open() as task:
        run = subprocess.run(
            [find_fast_downward(), *alias("lama"), "--internal-plan-file", sas.with_suffix(".plan")],
            stdin=task, capture_output=True, text=True, check=False,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (whole, whole + 1)),
        )  # fmt: skip
    found = re.findall(r"^\[t=([\d.e+-]+)s[^\]]*\] Plan cost: (\d+)$", run.stdout, flags=re.MULTILINE)
    return [(float(seconds), int(cost)) for seconds, cost in found if float(seconds) <= limit]


def translate(domain: Path, problem: Path, sas: Path) -> None:
    """Run Fast Downward's translator."""
    command = [sys.executable, "-m", "fast_downward.translate", domain, problem, "--sas-file", sas]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        raise RuntimeError(f"the translator exits with {run.returncode}: {run.stderr.strip()}")


def fast_downward_log(binary: Path, sas: Path, search: str) -> str:
    """Run Fast Downward on a translated task and return its log; ending without a plan is not an error."""
    with sas.open() as task:
        run = subprocess.run(
            [binary, "--search", search, "--internal-plan-file", sas.with_suffix(".plan")],
            stdin=task,
            capture_output=True,
            text=True,
            check=False,
        )
    if run.returncode not in {0, 11, 12, 22, 23}:
        raise RuntimeError(f"Fast Downward exits with {run.returncode}: {run.stderr.strip()}")
    return run.stdout


def number_after(text: str, log: str) -> float:
    """The number after a text in a log."""
    found = re.search(re.escape(text) + r"\s*([-\d.]+)", log)
    if not found:
        raise RuntimeError(f"no {text!r} in the log:\n{log}")
    return float(found[1])


# --- memory ---


@dataclass(frozen=True)
class MeteredRun:
    """The output of a process, and its resident memory in bytes: at the mark, and its peak after the mark."""

    log: str
    before: int
    peak: int

    @property
    def growth(self) -> int:
        return self.peak - self.before


def run_metered(command: list[str | Path], mark: str, stdin: Path | None = None) -> MeteredRun:
    """Run a process and measure how far its resident memory grows after it has printed a line with ``mark``.

    Works from outside (``/proc``), so that planners in different languages are measured alike. Fast Downward's own log
    lines would not do: they give virtual memory.
    """
    with (stdin or Path("/dev/null")).open() as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.PIPE, text=True)
    lines: list[str] = []
    before: list[int] = []

    def follow() -> None:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if not before and mark in line:
                _forget_peak(process.pid)
                before.append(resident_memory(process.pid))

    peak = 0
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(follow)
        while process.poll() is None:
            if before:
                peak = max(peak, resident_memory(process.pid, highest=True))
            time.sleep(POLL_SECONDS)
    reader.result()
    if process.returncode not in {0, 11, 12, 22, 23}:
        raise RuntimeError(f"{command[0]} exits with {process.returncode}")
    start = before[0] if before else 0
    return MeteredRun("".join(lines), start, max(peak, start))


def resident_memory(pid: int, *, highest: bool = False) -> int:
    """The current or peak resident memory of a process in bytes; 0 if it has ended."""
    field = "VmHWM" if highest else "VmRSS"
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0
    found = re.search(rf"{field}:\s*(\d+) kB", status)
    return int(found[1]) * 1024 if found else 0


def _forget_peak(pid: int) -> None:
    """Reset the peak of a process's resident memory to its current value."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it has ended already
        Path(f"/proc/{pid}/clear_refs").write_text("5")
