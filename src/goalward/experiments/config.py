"""What an experiment is, read from TOML into declared options that check themselves.

A wrong key or value is a ``UsageError`` that names the key and the nearest valid one; ``docs/experiments.md`` lists
the keys.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from goalward.declared import DURATION, SHARE, Kind, Options, option
from goalward.errors import GoalwardError, UsageError, of_these
from goalward.experiments.contestants import Contestant, read_contestants, with_current_names
from goalward.experiments.tables import CHOICE, LABEL, SIZE, TABLE, TEXT, TEXTS, list_of_tables, read_table
from goalward.search.solving import TIME_LIMIT
from goalward.task.domains import generate

Choice = int | tuple[str, ...] | None
"""The first so many, those of these names, or all."""

CLOCKS = ("wall", "cpu")
MOST_SEEDS = 10_000
COMPETING_STATES = 10
"""Validation states where several seeds compete and nobody says how many."""


def _read_seeds(value: Any) -> tuple[int, ...]:
    listed = range(value) if isinstance(value, int) and 0 < value <= MOST_SEEDS else value
    if isinstance(value, bool) or not isinstance(listed, (range, list, tuple)) or not listed:
        raise ValueError
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**32 for seed in listed)
    if not whole or len(set(listed)) < len(listed):
        raise ValueError
    return tuple(listed)


SEEDS = Kind(f"a number of seeds (at most {MOST_SEEDS}) or a list of different whole numbers", "N", _read_seeds, str)


@dataclass(frozen=True)
class Benchmark(Options):
    """A folder ``domain/difficulty/instance/{domain,problem,p1,…}.pddl``, and what is chosen from it."""

    folder: str | None = option(None, "where the benchmark is; relative to the config", kind=TEXT)
    domains: Choice = option(None, "domains of it", kind=CHOICE)
    difficulties: Choice = option(None, "difficulties of each domain", kind=CHOICE)
    instances: Choice = option(None, "instances of each difficulty", kind=CHOICE)
    share: float | None = option(None, "share of these, evenly by size", 0.001, 1.0, kind=SHARE)


@dataclass(frozen=True)
class Generated:
    """An instance of a bundled domain."""

    domain: str
    difficulty: str
    instance: str
    seed: int
    parameters: dict[str, int]


@dataclass(frozen=True)
class Budgets(Options):
    """Seconds and bytes for one unit of work; a unit that does not end by itself is killed ``grace`` later."""

    train: float = option(120.0, "for one training, grounding included", kind=DURATION)
    search: float = option(TIME_LIMIT, "for one search, grounding or loading included", kind=DURATION)
    memory: int = option(4 * 2**30, "of the process that does a unit", kind=SIZE)
    grace: float = option(30.0, "that a unit has to end by itself after its time is over", kind=DURATION)
    clock: str = option("wall", "what searches are timed by: the wall clock, or the CPU time they use", choices=CLOCKS)


@dataclass(frozen=True)
class Validation(Options):
    """How seeds compete: states that each model is tried on, and seconds for each; no states, no competition."""

    states: int = option(0, "random walks that each model is tried on", 0, 10_000)
    search: float = option(2.0, "time for each of them", kind=DURATION)


@dataclass(frozen=True)
class Slurm(Options):
    """What a job of a Slurm cluster asks for; one job is one worker with one core."""

    queue: str | None = option(None, "partition", kind=TEXT)
    account: str | None = option(None, "account", kind=TEXT)
    walltime: str = option("24:00:00", "how long a job may run", kind=TEXT)
    memory: str | None = option(None, "memory of a job", kind=TEXT)
    interface: str | None = option(None, "network interface", kind=TEXT)
    directives: tuple[str, ...] = option((), "further lines #SBATCH", kind=TEXTS)
    prologue: tuple[str, ...] = option((), "commands before the worker starts", kind=TEXTS)


@dataclass(frozen=True)
class _Top(Options):
    """What stands outside of all tables."""

    name: str | None = option(None, "of the experiment", kind=LABEL)
    states: Choice = option(None, "of each instance", kind=CHOICE)
    steps: int = option(200, "of the random walks from generated instances", 0, 1_000_000)
    seeds: tuple[int, ...] = option((0,), "that learned methods train with", kind=SEEDS)


@dataclass(frozen=True)
class _Instance(Options):
    """A table [[generate]]."""

    domain: str | None = option(None, "a bundled domain", kind=TEXT)
    difficulty: str = option("bundled", "under which the instance is listed", kind=LABEL)
    instance: str | None = option(None, "its name", kind=LABEL)
    seed: int = option(0, "of the generator", 0, 2**32 - 1)
    size: int | None = option(None, "one number for all parameters", 1, 10**6)
    parameters: dict[str, Any] | None = option(None, "parameters of the domain", kind=TABLE)


TABLES = ("benchmark", "generate", "budgets", "validation", "methods", "slurm")


@dataclass(frozen=True)
class Config:
    """An experiment."""

    name: str
    benchmark: Benchmark
    generate: tuple[Generated, ...]
    states: Choice
    steps: int
    seeds: tuple[int, ...]
    budgets: Budgets
    validation: Validation
    methods: tuple[Contestant, ...]
    slurm: Slurm = Slurm()
    missing: tuple[str, ...] = field(default=())  # optional methods that are not installed here

    def __post_init__(self) -> None:
        if not self.generate and self.benchmark.folder is None:
            raise UsageError(
                "the config names no instances: set benchmark.folder (or give --benchmark FOLDER), or add [[generate]]"
            )
        if self.generate and self.benchmark.folder is not None:
            raise UsageError("choose one of benchmark.folder and [[generate]]")

    def as_json(self) -> dict[str, Any]:
        """For the results' meta data; defaults of searches are written out, because they may change."""
        searches = [{"search": method.full_search} for method in self.methods]
        table = asdict(self)
        return table | {"methods": [one | full for one, full in zip(table["methods"], searches, strict=True)]}

    def conflict(self, stored: dict[str, Any]) -> str | None:
        """Why results of this config cannot stand beside those of a stored one; None if they can.

        More domains, instances, states, seeds and methods may be added; what made a result may not change.
        """
        ours = self.as_json()
        for key in ("budgets", "validation", "steps"):
            theirs_now = _plain(stored.get(key))
            if key == "budgets" and isinstance(theirs_now, dict):
                theirs_now = {"clock": "wall", **theirs_now}  # there was no other clock once
            if ours[key] != theirs_now:
                return key
        if ours["benchmark"]["folder"] != stored.get("benchmark", {}).get("folder"):
            return "benchmark.folder"
        theirs = {method["label"]: method for method in stored.get("methods", [])}
        learned = {method.label for method in self.methods if method.kind != "planner"}
        for method in ours["methods"]:
            label = method["label"]
            if label in theirs and _plain(method) != _with_search(theirs[label], learned=label in learned):
                return f"the method {label}"
        made = {(g["domain"], g["difficulty"], g["instance"]): g for g in stored.get("generate", [])}
        for one in ours["generate"]:
            place = one["domain"], one["difficulty"], one["instance"]
            if place in made and made[place] != one:
                return f"the generated instance {one['instance']}"
        return None


def _with_search(method: dict[str, Any], *, learned: bool) -> Any:
    """A stored method, to be compared with one of a config; None where its results cannot be trusted.

    Methods were once stored without ``search``, and some of their options never reached the learner. Their results
    count where no options were given. Searches of learned methods that were stored without their algorithm were GBFS.
    """
    old = "search" not in method
    method = with_current_names(_plain(method))
    if old and method.get("options"):
        return None
    search = ({"algorithm": "gbfs"} if learned else {}) | method.get("search", {})
    return {"train": None, "model_of": None, **method, "search": search}


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    if isinstance(value, dict):
        return {key: _plain(entry) for key, entry in value.items()}
    return [_plain(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def shipped_configs() -> dict[str, str]:
    """The configs that come with goalward, by name."""
    folder = files("goalward.experiments") / "configs"
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


def load_config(source: str, settings: Sequence[str] = (), benchmark: Path | None = None) -> Config:
    """A config from a file or by the name of a shipped one; ``settings`` are changes to it as ``key.key=value``."""
    shipped = shipped_configs()
    path = Path(source)
    if path.is_file():
        data = path.read_bytes()
    elif source in shipped:
        data, path = shipped[source].encode(), Path(f"{source}.toml")
    else:
        raise UsageError(f"{source}: no such file, and no config of that name comes with goalward"
                         f"{of_these(path.stem, shipped)}")  # fmt: skip
    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: not TOML: {error}") from None
    for setting in settings:
        _change(table, setting)
    chosen = table.setdefault("benchmark", {})
    if benchmark is not None and isinstance(chosen, dict):  # what is no table is refused below
        chosen["folder"] = str(benchmark.absolute())
    try:
        return read_config(table, default_name=path.stem, base=path.absolute().parent)
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None


def _change(table: dict[str, Any], setting: str) -> None:
    name, equals, text = setting.partition("=")
    if not equals:
        raise UsageError(f"--set {setting}: write it as key=value, for example budgets.train=60s")
    try:
        value: Any = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    *outer, last = name.strip().split(".")
    for key in outer:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"--set {setting}: {key} is not a table")
    table[last] = value


def read_config(table: dict[str, Any], default_name: str = "experiment", base: Path | None = None) -> Config:
    """A config from the table that a TOML file holds; a relative folder is relative to ``base``."""
    top = read_table(_Top, table, "", others=TABLES)
    benchmark = read_table(Benchmark, table.get("benchmark", {}), "benchmark")
    if benchmark.folder is not None:
        folder = (base or Path.cwd()) / Path(os.path.expandvars(benchmark.folder)).expanduser()
        benchmark = replace(benchmark, folder=os.path.normpath(folder))
    validation = table.get("validation", {})
    if isinstance(validation, dict) and len(top.seeds) > 1:
        validation = {"states": COMPETING_STATES, **validation}
    methods, missing = read_contestants(list_of_tables(table, "methods"))
    generated = list_of_tables(table, "generate")
    return Config(
        name=top.name or default_name,
        benchmark=benchmark,
        generate=tuple(_generated(entry, f"generate[{number}]") for number, entry in enumerate(generated, start=1)),
        states=top.states,
        steps=top.steps,
        seeds=top.seeds,
        budgets=read_table(Budgets, table.get("budgets", {}), "budgets"),
        validation=read_table(Validation, validation, "validation"),
        methods=tuple(methods),
        slurm=read_table(Slurm, table.get("slurm", {}), "slurm"),
        missing=tuple(missing),
    )


def _generated(table: dict[str, Any], where: str) -> Generated:
    one = read_table(_Instance, table, where)
    if one.domain is None:
        raise UsageError(f"{where} has no domain; goalward generate lists them")
    parameters = dict(one.parameters or {})
    if one.size is not None:
        parameters["size"] = one.size
    if not all(isinstance(value, int) for value in parameters.values()) or {"seed", "domain"} & parameters.keys():
        raise UsageError(f"{where}.parameters is {one.parameters!r}; it is a table of whole numbers")
    try:
        name = generate(one.domain, seed=one.seed, **parameters).problem_name
    except GoalwardError as error:
        raise UsageError(f"{where}: {error}") from None
    return Generated(one.domain, one.difficulty, one.instance or name, one.seed, parameters)
