"""The config of an experiment, read from TOML into declared options that check themselves.

A wrong key or value raises ``UsageError`` with the key and the most similar valid one. ``docs/experiments.md`` lists
all keys.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from goalward.declared import DURATION, SHARE, Kind, Options, option, split_setting
from goalward.errors import GoalwardError, UsageError, known_names
from goalward.experiments.method_configs import MethodConfig, read_methods, with_current_names
from goalward.experiments.tables import CHOICE, LABEL, SIZE, TABLE, TEXT, TEXTS, list_of_tables, read_table, toml_value
from goalward.search.solving import TIME_LIMIT
from goalward.task.domains import generate

Choice = int | tuple[str, ...] | None
"""A number n for the first n, names, or None for all."""

CLOCKS = ("wall", "cpu")
MAX_SEEDS = 10_000
DEFAULT_VALIDATION_STATES = 10
"""Default number of validation states if there are several seeds."""


def _read_seeds(value: Any) -> tuple[int, ...]:
    listed = range(value) if isinstance(value, int) and 0 < value <= MAX_SEEDS else value
    if isinstance(value, bool) or not isinstance(listed, (range, list, tuple)) or not listed:
        raise ValueError
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**32 for seed in listed)
    if not whole or len(set(listed)) < len(listed):
        raise ValueError
    return tuple(listed)


SEEDS = Kind(f"a number of seeds (at most {MAX_SEEDS}) or a list of different whole numbers", "N", _read_seeds, str)


@dataclass(frozen=True)
class Benchmark(Options):
    """A folder ``domain/difficulty/instance/{domain,problem,p1,…}.pddl``, and the choice of instances from it."""

    folder: str | None = option(None, "path of the benchmark; relative to the config", kind=TEXT)
    domains: Choice = option(None, "domains", kind=CHOICE)
    difficulties: Choice = option(None, "difficulties of each domain", kind=CHOICE)
    instances: Choice = option(None, "instances of each difficulty", kind=CHOICE)
    share: float | None = option(None, "share of these instances, evenly by size", 0.001, 1.0, kind=SHARE)


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
    """Time and memory limits of one unit of work. A unit is killed ``grace`` seconds after its time limit."""

    train: float = option(120.0, "time limit of a training, with grounding", kind=DURATION)
    search: float = option(TIME_LIMIT, "time limit of a search, with grounding or loading", kind=DURATION)
    memory: int = option(4 * 2**30, "memory limit of the process of a unit", kind=SIZE)
    grace: float = option(30.0, "time after the limit until a unit is killed", kind=DURATION)
    clock: str = option("wall", "what time limits count: wall-clock time or CPU time", choices=CLOCKS)


@dataclass(frozen=True)
class Validation(Options):
    """Validation of the models of several seeds, from which the best one is chosen; 0 states turn it off."""

    states: int = option(0, "number of validation states, the ends of random walks", 0, 10_000)
    search: float = option(2.0, "time limit of the search from each validation state", kind=DURATION)


@dataclass(frozen=True)
class Slurm(Options):
    """The resources of a Slurm job; one job is one worker with one core."""

    queue: str | None = option(None, "partition", kind=TEXT)
    account: str | None = option(None, "account", kind=TEXT)
    walltime: str = option("24:00:00", "time limit of a job", kind=TEXT)
    memory: str | None = option(None, "memory of a job", kind=TEXT)
    interface: str | None = option(None, "network interface", kind=TEXT)
    directives: tuple[str, ...] = option((), "further #SBATCH lines", kind=TEXTS)
    prologue: tuple[str, ...] = option((), "commands before the worker starts", kind=TEXTS)


@dataclass(frozen=True)
class _Top(Options):
    """The keys outside of all tables."""

    name: str | None = option(None, "name of the experiment", kind=LABEL)
    states: Choice = option(None, "states of each instance", kind=CHOICE)
    steps: int = option(200, "steps of the random walks from generated instances", 0, 1_000_000)
    seeds: tuple[int, ...] = option((0,), "seeds of training", kind=SEEDS)


@dataclass(frozen=True)
class _Instance(Options):
    """A table [[generate]]."""

    domain: str | None = option(None, "a bundled domain", kind=TEXT)
    difficulty: str = option("bundled", "difficulty under which the instance is listed", kind=LABEL)
    instance: str | None = option(None, "name of the instance", kind=LABEL)
    seed: int = option(0, "seed of the generator", 0, 2**32 - 1)
    size: int | None = option(None, "one number for all parameters", 1, 10**6)
    parameters: dict[str, Any] | None = option(None, "parameters of the domain", kind=TABLE)


TABLES = ("benchmark", "generate", "budgets", "validation", "methods", "slurm")


@dataclass(frozen=True)
class Config:
    """A complete experiment: instances, states, seeds, limits and methods."""

    name: str
    benchmark: Benchmark
    generate: tuple[Generated, ...]
    states: Choice
    steps: int
    seeds: tuple[int, ...]
    budgets: Budgets
    validation: Validation
    methods: tuple[MethodConfig, ...]
    slurm: Slurm = Slurm()
    missing: tuple[str, ...] = field(default=())  # optional methods that are not installed here

    def __post_init__(self) -> None:
        if not self.generate and self.benchmark.folder is None:
            raise UsageError(
                "the config has no instances: set benchmark.folder (or use --benchmark FOLDER), or add [[generate]]"
            )
        if self.generate and self.benchmark.folder is not None:
            raise UsageError("the config has both benchmark.folder and [[generate]]; choose one")

    def as_json(self) -> dict[str, Any]:
        """The config as it is stored with the results; defaults of searches are included, because they may change."""
        searches = [{"search": method.full_search} for method in self.methods]
        table = asdict(self)
        return table | {"methods": [one | full for one, full in zip(table["methods"], searches, strict=True)]}

    def conflict(self, stored: dict[str, Any]) -> str | None:
        """The key in which this config conflicts with a stored one; None if their results may be mixed.

        Domains, instances, states, seeds and methods may be added, but nothing may change that affects stored results.
        """
        ours = self.as_json()
        for key in ("budgets", "validation", "steps"):
            before = _as_json(stored.get(key))
            if key == "budgets" and isinstance(before, dict):
                before = {"clock": "wall", **before}  # early versions had no other clock
            if ours[key] != before:
                return key
        folder = stored.get("benchmark", {}).get("folder")  # imported results have none
        if folder is not None and ours["benchmark"]["folder"] != folder:
            return "benchmark.folder"
        theirs = {method["label"]: method for method in stored.get("methods", [])}
        learned = {method.label for method in self.methods if method.kind != "planner"}
        for method in ours["methods"]:
            label = method["label"]
            if label in theirs and _as_json(method) != _with_search(theirs[label], learned=label in learned):
                return f"the method {label}"
        generated = {(g["domain"], g["difficulty"], g["instance"]): g for g in stored.get("generate", [])}
        for one in ours["generate"]:
            place = one["domain"], one["difficulty"], one["instance"]
            if place in generated and generated[place] != one:
                return f"the generated instance {one['instance']}"
        return None


def _with_search(method: dict[str, Any], *, learned: bool) -> Any:
    """A stored method in the form of :meth:`Config.as_json`; None if its results cannot be trusted.

    Early versions stored methods without ``search``, and some of their options did not reach the learner; such results
    are trusted only if there were no options. Searches of learned methods stored without an algorithm were GBFS.
    """
    old = "search" not in method
    method = with_current_names(_as_json(method))
    if old and method.get("options"):
        return None
    search = ({"algorithm": "gbfs"} if learned else {}) | method.get("search", {})
    return {"train": None, "model_of": None, **method, "search": search}


def _as_json(value: Any) -> Any:
    """The value as it comes back from JSON: tuples become lists."""
    if isinstance(value, dict):
        return {key: _as_json(entry) for key, entry in value.items()}
    return [_as_json(entry) for entry in value] if isinstance(value, (list, tuple)) else value


def shipped_configs() -> dict[str, str]:
    """The configs that come with goalward, by name."""
    folder = files("goalward.experiments") / "configs"
    found = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {name: found[name].read_text(encoding="utf-8") for name in sorted(found)}


def load_config(source: str, settings: Sequence[str] = (), benchmark: Path | None = None) -> Config:
    """Read a config from a file or by the name of a shipped one; ``settings`` change keys, as ``key.key=value``."""
    shipped = shipped_configs()
    path = Path(source)
    if path.is_file():
        data = path.read_bytes()
    elif source in shipped:
        data, path = shipped[source].encode(), Path(f"{source}.toml")
    else:
        raise UsageError(f"{source}: no such file, and no shipped config of that name"
                         f"{known_names(path.stem, shipped)}")  # fmt: skip
    try:
        table = tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{source}: not TOML: {error}") from None
    for setting in settings:
        _change(table, setting)
    chosen = table.setdefault("benchmark", {})
    if benchmark is not None and isinstance(chosen, dict):  # anything but a table is refused below
        chosen["folder"] = str(benchmark.absolute())
    try:
        return read_config(table, default_name=path.stem, base=path.absolute().parent)
    except UsageError as error:
        raise UsageError(f"{source}: {error}") from None


def _change(table: dict[str, Any], setting: str) -> None:
    """Apply one ``--set`` argument to the table of a config."""
    name, text = split_setting(setting, "KEY=VALUE, for example budgets.train=60s")
    *outer, last = name.split(".")
    for key in outer:
        table = table.setdefault(key, {})
        if not isinstance(table, dict):
            raise UsageError(f"--set {setting}: {key} is not a table")
    table[last] = toml_value(text)


def read_config(table: dict[str, Any], default_name: str = "experiment", base: Path | None = None) -> Config:
    """A config from the table of a TOML file; a relative benchmark folder is relative to ``base``."""
    top = read_table(_Top, table, "", others=TABLES)
    benchmark = read_table(Benchmark, table.get("benchmark", {}), "benchmark")
    if benchmark.folder is not None:
        folder = (base or Path.cwd()) / Path(os.path.expandvars(benchmark.folder)).expanduser()
        benchmark = replace(benchmark, folder=os.path.normpath(folder))
    validation = table.get("validation", {})
    if isinstance(validation, dict) and len(top.seeds) > 1:
        validation = {"states": DEFAULT_VALIDATION_STATES, **validation}
    methods, missing = read_methods(list_of_tables(table, "methods"))
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
        raise UsageError(f"{where} has no domain; goalward generate lists the bundled domains")
    parameters = dict(one.parameters or {})
    if one.size is not None:
        parameters["size"] = one.size
    if not all(isinstance(value, int) for value in parameters.values()) or {"seed", "domain"} & parameters.keys():
        raise UsageError(f"{where}.parameters must be a table of whole numbers, but is {one.parameters!r}")
    try:
        name = generate(one.domain, seed=one.seed, **parameters).problem_name
    except GoalwardError as error:
        raise UsageError(f"{where}: {error}") from None
    return Generated(one.domain, one.difficulty, one.instance or name, one.seed, parameters)
