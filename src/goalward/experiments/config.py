"""What an experiment is, read from TOML into frozen dataclasses that check themselves.

A wrong key or value is a ``UsageError`` that names the key and the nearest valid one; ``docs/experiments.md`` lists
the keys.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from goalward.errors import GoalwardError, UsageError, of_these
from goalward.experiments.contestants import Contestant, read_contestants
from goalward.experiments.tables import Reader
from goalward.search.solving import TIME_LIMIT
from goalward.task.domains import generate

Choice = int | tuple[str, ...] | None
"""The first so many, those of these names, or all."""

MOST_SEEDS = 10_000
KEYS = ("name", "benchmark", "generate", "states", "steps", "seeds", "budgets", "validation", "methods", "slurm")


@dataclass(frozen=True)
class Benchmark:
    """A folder ``domain/difficulty/instance/{domain,problem,p1,…}.pddl``, and what is chosen from it."""

    folder: str | None = None
    domains: Choice = None
    difficulties: Choice = None
    instances: Choice = None


@dataclass(frozen=True)
class Generated:
    """An instance of a bundled domain."""

    domain: str
    difficulty: str
    instance: str
    seed: int
    parameters: dict[str, int]


@dataclass(frozen=True)
class Budgets:
    """Seconds and bytes for one unit of work; a unit that does not end by itself is killed ``grace`` later."""

    train: float = 120.0
    search: float = TIME_LIMIT
    memory: int = 4 * 2**30
    grace: float = 30.0


@dataclass(frozen=True)
class Validation:
    """How seeds compete: states that each model is tried on, and seconds for each; no states, no competition."""

    states: int = 0
    search: float = 2.0


@dataclass(frozen=True)
class Slurm:
    """What a job of a Slurm cluster asks for; one job is one worker with one core."""

    queue: str | None = None
    account: str | None = None
    walltime: str = "24:00:00"
    memory: str | None = None
    interface: str | None = None
    directives: tuple[str, ...] = ()
    prologue: tuple[str, ...] = ()


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
        """For the results' meta data."""
        return asdict(self)

    def conflict(self, stored: dict[str, Any]) -> str | None:
        """Why results of this config cannot stand beside those of a stored one; None if they can.

        More domains, instances, states, seeds and methods may be added; what made a result may not change.
        """
        ours = self.as_json()
        for key in ("budgets", "validation", "steps"):
            if ours[key] != _plain(stored.get(key)):
                return key
        if ours["benchmark"]["folder"] != stored.get("benchmark", {}).get("folder"):
            return "benchmark.folder"
        theirs = {method["label"]: method for method in stored.get("methods", [])}
        for method in ours["methods"]:
            if method["label"] in theirs and _plain(method) != _with_search(theirs[method["label"]]):
                return f"the method {method['label']}"
        made = {(g["domain"], g["difficulty"], g["instance"]): g for g in stored.get("generate", [])}
        for one in ours["generate"]:
            place = one["domain"], one["difficulty"], one["instance"]
            if place in made and made[place] != one:
                return f"the generated instance {one['instance']}"
        return None


def _with_search(method: dict[str, Any]) -> Any:
    """A stored method; where an older goalward stored it, options may not have reached the learner: only none do."""
    old = "search" not in method
    return None if old and method.get("options") else {**_plain(method), "search": _plain(method.get("search", {}))}


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
    top = Reader(table, "", KEYS)
    seeds = _seeds(top)
    methods, missing = read_contestants(top.tables("methods"))
    states = top.choice("states")
    return Config(
        name=top.label("name", default_name),
        benchmark=_benchmark(top, base or Path.cwd()),
        generate=tuple(_generated(entry, number) for number, entry in enumerate(top.tables("generate"), start=1)),
        states=states,
        steps=top.whole("steps", 200, 0, 1_000_000),
        seeds=seeds,
        budgets=_budgets(top),
        validation=_validation(top, len(seeds)),
        methods=tuple(methods),
        slurm=_slurm(top),
        missing=tuple(missing),
    )


def _seeds(top: Reader) -> tuple[int, ...]:
    expected = "how many (0, 1, …) or a list of different whole numbers"
    value = top.read("seeds", (int, list), 1, expected)
    if isinstance(value, int) and value > MOST_SEEDS:
        raise top.wrong("seeds", f"{MOST_SEEDS} at most")
    seeds = tuple(range(value)) if isinstance(value, int) else tuple(value)
    whole = all(isinstance(seed, int) and not isinstance(seed, bool) and 0 <= seed < 2**32 for seed in seeds)
    if not seeds or not whole or len(set(seeds)) < len(seeds):
        raise top.wrong("seeds", expected)
    return seeds


def _benchmark(top: Reader, base: Path) -> Benchmark:
    keys = ("folder", "domains", "difficulties", "instances")
    reader = Reader(top.table.get("benchmark", {}), "benchmark", keys)
    folder = reader.text("folder")
    if folder is not None:
        folder = os.path.normpath(base / Path(os.path.expandvars(folder)).expanduser())
    return Benchmark(folder, reader.choice("domains"), reader.choice("difficulties"), reader.choice("instances"))


def _generated(table: dict[str, Any], number: int) -> Generated:
    reader = Reader(table, f"generate[{number}]", ("domain", "difficulty", "instance", "seed", "size", "parameters"))
    domain = reader.text("domain")
    if domain is None:
        raise UsageError(f"{reader.where} has no domain; goalward generate lists them")
    parameters = dict(reader.read("parameters", dict, {}, "a table of whole numbers"))
    if "size" in reader:
        parameters["size"] = reader.whole("size", 1, 1, 10**6)
    if not all(isinstance(value, int) for value in parameters.values()) or {"seed", "domain"} & parameters.keys():
        raise reader.wrong("parameters", "a table of whole numbers")
    seed = reader.whole("seed", 0, 0, 2**32 - 1)
    try:
        name = generate(domain, seed=seed, **parameters).problem_name
    except GoalwardError as error:
        raise UsageError(f"{reader.where}: {error}") from None
    return Generated(domain, reader.label("difficulty", "bundled"), reader.label("instance", name), seed, parameters)


def _budgets(top: Reader) -> Budgets:
    reader = Reader(top.table.get("budgets", {}), "budgets", ("train", "search", "memory", "grace"))
    default = Budgets()
    return Budgets(
        reader.duration("train", default.train),
        reader.duration("search", default.search),
        reader.size("memory", default.memory),
        reader.duration("grace", default.grace),
    )


def _validation(top: Reader, n_seeds: int) -> Validation:
    reader = Reader(top.table.get("validation", {}), "validation", ("states", "search"))
    states = reader.whole("states", 10 if n_seeds > 1 else 0, 0, 10_000)
    return Validation(states, reader.duration("search", Validation.search))


def _slurm(top: Reader) -> Slurm:
    keys = ("queue", "account", "walltime", "memory", "interface", "directives", "prologue")
    reader = Reader(top.table.get("slurm", {}), "slurm", keys)
    lists: dict[str, tuple[str, ...]] = {}
    for key in ("directives", "prologue"):
        lines: list[Any] = reader.read(key, (list,), [], "a list of texts")
        if not all(isinstance(line, str) for line in lines):
            raise reader.wrong(key, "a list of texts")
        lists[key] = tuple(lines)
    return Slurm(
        reader.text("queue"),
        reader.text("account"),
        reader.text("walltime") or Slurm.walltime,
        reader.text("memory"),
        reader.text("interface"),
        **lists,
    )
