"""Finds the instances of an experiment in a benchmark folder, or generates them from bundled domains."""

from __future__ import annotations

import math
import os
import re
import secrets
import shutil
from collections import deque
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

from goalward.errors import UsageError, known_names
from goalward.experiments.config import Benchmark, Choice, Config, Generated
from goalward.task.domains import generate
from goalward.task.plan_file import write_text_atomically
from goalward.task.states import format_problem, random_walk_states

GENERATED_STATES = 10
"""Default number of random walks from a generated instance."""
_STATE = re.compile(r"p\d+")


@dataclass(frozen=True)
class InstanceFolder:
    """One instance; ``folder`` has domain.pddl, problem.pddl and the files of the states."""

    domain: str
    difficulty: str
    name: str
    folder: Path
    states: tuple[str, ...]


def find_instances(config: Config, output: Path, *, write: bool = True) -> list[InstanceFolder]:
    """All instances of an experiment, in the order in which they are run.

    Those of a benchmark come in rounds (see :func:`_in_rounds`), those of bundled domains in the order of the config.
    With ``write``, generated instances are written to ``output``/instances.
    """
    if config.generate:
        return [make_instance(one, config, output / "instances", write) for one in config.generate]
    assert config.benchmark.folder is not None
    root = Path(config.benchmark.folder)
    if not root.is_dir():
        raise UsageError(f"benchmark.folder: {root} is not a folder")
    chosen = config.benchmark
    groups: list[list[list[InstanceFolder]]] = []
    for domain in _pick(_folders(root), chosen.domains, "benchmark.domains", root):
        groups.append([])
        for difficulty in _difficulties(root / domain, root, chosen):
            place = root / domain / difficulty
            names = _evenly_by_size(place, _names(_instances(place), chosen.instances), chosen.share)
            groups[-1].append([_instance(domain, difficulty, place / name, config.states) for name in names])
    found = _in_rounds(groups)
    if not found:
        raise UsageError(f"{root} has none of the chosen instances (domain/difficulty/instance/problem.pddl)")
    _refuse_unknown_instances(found, chosen)
    return found


def _instance(domain: str, difficulty: str, folder: Path, states: Choice) -> InstanceFolder:
    present = [path.stem for path in folder.glob("*.pddl") if path.stem != "domain"]
    walks = sorted(filter(_STATE.fullmatch, present), key=_natural)
    chosen = _pick(walks or ["problem"], states, "states", folder, extra=["problem"])
    return InstanceFolder(domain, difficulty, folder.name, folder, tuple(chosen))


def make_instance(one: Generated, config: Config, root: Path, write: bool) -> InstanceFolder:
    """A generated instance and random walks from it. Files are written atomically; existing ones are kept."""
    names = _state_names(config.states)
    folder = root / one.domain / one.difficulty / one.instance
    if write and not all((folder / f"{name}.pddl").exists() for name in names):
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = folder.with_name(f".{secrets.token_hex(8)}.tmp")
        scratch.mkdir()
        _write(one, config.steps, names, scratch)
        if folder.exists():  # it has fewer states than are wanted now; the common files are identical
            for path in scratch.iterdir():
                os.replace(path, folder / path.name)
            shutil.rmtree(scratch)
        else:
            os.replace(scratch, folder)
    return InstanceFolder(one.domain, one.difficulty, one.instance, folder, tuple(names))


def _state_names(choice: Choice) -> list[str]:
    if choice is None or isinstance(choice, int):
        return [f"p{number}" for number in range(1, (choice or GENERATED_STATES) + 1)]
    for name in choice:
        if name != "problem" and not (_STATE.fullmatch(name) and len(name) < 7):
            raise UsageError(f"states: a generated instance has the states problem, p1, p2, …, p99999, not {name}")
    return list(choice)


def _write(one: Generated, steps: int, names: list[str], folder: Path) -> None:
    from goalward.task.grounding import ground_files  # noqa: PLC0415 - loads the translator

    instance = generate(one.domain, seed=one.seed, **one.parameters)
    write_text_atomically(folder / "domain.pddl", instance.domain_text)
    write_text_atomically(folder / "problem.pddl", instance.problem_text)
    numbers = [int(name[1:]) for name in names if name != "problem"]
    if not numbers:
        return
    task = ground_files(folder / "domain.pddl", folder / "problem.pddl")
    walks = random_walk_states(task, max(numbers), steps, one.seed)
    for number in numbers:
        text = format_problem(task, walks[number - 1], f"{task.problem_name}-walk-{number}")
        write_text_atomically(folder / f"p{number}.pddl", text)


def _pick(present: list[str], choice: Choice, key: str, where: Path, extra: list[str] | None = None) -> list[str]:
    """The chosen names among those present; UsageError for a chosen name that is not present."""
    if choice is None or isinstance(choice, int):
        return present[:choice]
    known = [*present, *(extra or [])]
    for name in choice:
        if name not in known:
            raise UsageError(f"{key}: there is no {name} in {where}{known_names(name, known)}")
    return list(choice)


def _names(present: list[str], choice: Choice) -> list[str]:
    """The chosen names among those present; names that are not present are ignored."""
    if choice is None or isinstance(choice, int):
        return present[:choice]
    return [name for name in present if name in choice]


def _evenly_by_size(place: Path, names: list[str], share: float | None) -> list[str]:
    """A share of the instances, at least one, spread evenly over their sizes.

    Instances are sorted by the size of problem.pddl, which is known without grounding, and divided into equal parts.
    The middle of each part is chosen.
    """
    if share is None or not names:
        return names
    n = max(1, math.floor(len(names) * share + 0.5))
    by_size = sorted(names, key=lambda name: _size(place / name))
    chosen = {by_size[(2 * i + 1) * len(names) // (2 * n)] for i in range(n)}
    return [name for name in names if name in chosen]


def _size(folder: Path) -> int:
    return (folder / "problem.pddl").stat().st_size


def _in_rounds(groups: list[list[list[InstanceFolder]]]) -> list[InstanceFolder]:
    """The instances of each domain and difficulty in an order in which every beginning covers as much as possible.

    A round has one instance of each domain and difficulty: first one of each domain, with the difficulties in turn,
    then those of the next difficulty. The first round has the instances of middle size, later ones halve the gaps
    between sizes. So an experiment that is stopped early has compared all methods on all domains.
    """
    n_difficulties = max(map(len, groups), default=0)
    columns = [
        _middle_first(sorted(domain[(i + shift) % n_difficulties], key=lambda one: _size(one.folder)))
        for shift in range(n_difficulties)
        for i, domain in enumerate(groups)
        if (i + shift) % n_difficulties < len(domain)
    ]
    return [one for round_ in zip_longest(*columns) for one in round_ if one is not None]


def _middle_first(ordered: list[InstanceFolder]) -> list[InstanceFolder]:
    """The middle element, then the middles of both halves, and so on."""
    found, parts = [], deque([ordered])
    while parts:
        part = parts.popleft()
        if part:
            middle = len(part) // 2
            found.append(part[middle])
            parts += [part[:middle], part[middle + 1 :]]
    return found


def _difficulties(folder: Path, root: Path, chosen: Benchmark) -> list[str]:
    wanted = chosen.difficulties
    if isinstance(wanted, tuple):
        known = sorted({name for domain in _folders(root) for name in _folders(root / domain)}, key=_natural)
        _pick(known, wanted, "benchmark.difficulties", root)
        return [name for name in wanted if (folder / name).is_dir()]
    return _names(_folders(folder), wanted)


def _refuse_unknown_instances(found: list[InstanceFolder], chosen: Benchmark) -> None:
    if isinstance(chosen.instances, tuple):
        present = {instance.name for instance in found}
        for name in chosen.instances:
            if name not in present:
                known = {path.name for instance in found for path in instance.folder.parent.iterdir()}
                raise UsageError(f"benchmark.instances: there is no {name}{known_names(name, sorted(known))}")


def _folders(path: Path) -> list[str]:
    return sorted((entry.name for entry in path.iterdir() if entry.is_dir() and entry.name[0] != "."), key=_natural)


def _instances(path: Path) -> list[str]:
    return [name for name in _folders(path) if (path / name / "problem.pddl").is_file()]


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort key that puts p2 before p10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]
