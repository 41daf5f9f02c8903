"""Makes units of work from a config, in the order in which they start, and the job that a worker gets for each."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from goalward.errors import UsageError
from goalward.experiments.benchmark import InstanceFolder
from goalward.experiments.config import Budgets, Config, Validation
from goalward.experiments.method_configs import MethodConfig
from goalward.experiments.store import Unit

MAX_UNITS = 10_000_000
WALL_TIME_FACTOR = 1000.0
"""If CPU time counts, the wall-clock limit of a unit is this many times its CPU limit.

It ends only units that hang. On a busy machine, a unit with a low priority gets a percent of a core."""
WHOLE_DOMAIN = "all"
"""Difficulty and instance of a training for a whole domain."""
DOMAIN_INSTANCES = 2
"""Number of instances, the smallest ones, that a domain model is trained on."""


@dataclass(frozen=True)
class Job:
    """One unit, with everything that a worker with the same file system needs to run it."""

    unit: Unit
    config: MethodConfig
    domain_file: str
    problem_file: str
    """The problem file of the instance, which models are trained on."""
    state_file: str
    """The problem file of the state to search from; unused in training."""
    model: str | None
    scratch: str
    budgets: Budgets
    validation: Validation
    domain_instances: tuple[str, ...] = ()
    """Folders of the instances that a domain model is trained on."""

    @property
    def counts_cpu_time(self) -> bool:
        """True if the time of this unit is measured as CPU time."""
        return self.budgets.clock == "cpu"

    @property
    def time_limit(self) -> float:
        """Time limit of the unit in seconds; a training is followed by searches from validation states."""
        if self.unit.kind == "search":
            return self.budgets.search
        return self.budgets.train + self.validation.states * self.validation.search

    @property
    def wall_limit(self) -> float:
        """Wall-clock limit of the unit in seconds; higher than its time limit if CPU time counts."""
        return self.time_limit * (WALL_TIME_FACTOR if self.counts_cpu_time else 1.0)

    @property
    def hard_limit(self) -> float:
        """Seconds of wall-clock time after which the unit's process is killed."""
        return self.wall_limit + self.budgets.grace

    @property
    def hard_cpu_limit(self) -> float:
        """Seconds of CPU time after which the unit's process is killed; infinity if wall-clock time counts."""
        return self.time_limit + self.budgets.grace if self.counts_cpu_time else math.inf

    def to_json(self) -> str:
        """The job as one line of JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The inverse of :meth:`to_json`."""
        values: dict[str, Any] = json.loads(text)
        values["unit"] = Unit(**values["unit"])
        values["config"] = MethodConfig(**values["config"])
        values["budgets"] = Budgets(**values["budgets"])
        values["validation"] = Validation(**values["validation"])
        values["domain_instances"] = tuple(values["domain_instances"])
        return cls(**values)


class Schedule:
    """All units of an experiment, in the order in which they are started, with the paths of their files."""

    def __init__(self, config: Config, instances: list[InstanceFolder], output: Path) -> None:
        self.config = config
        self.output = output.absolute()
        self._methods = {method.label: method for method in config.methods}
        self._folders = {(i.domain, i.difficulty, i.name): i.folder for i in instances}
        pairs = sum(len(config.seeds) if one.learns else 1 for one in config.methods)
        if pairs * sum(len(instance.states) + 1 for instance in instances) > MAX_UNITS:
            raise UsageError(f"the config has more than {MAX_UNITS} units: choose fewer seeds, states or methods")
        self.units: list[Unit] = []
        self._of_domain: dict[str, list[InstanceFolder]] = {}
        for instance in instances:
            if instance.domain not in self._of_domain:
                self.units += _domain_trainings(instance.domain, config)
            self._of_domain.setdefault(instance.domain, []).append(instance)
            self.units += _units_of(instance, config)

    def budgets_of(self, unit: Unit) -> Budgets:
        """The limits of a unit: those of the config, with the method's own time limit of training."""
        own = self._methods[unit.method].train
        return self.config.budgets if own is None else replace(self.config.budgets, train=own)

    def max_seconds(self) -> float:
        """Seconds that all units take on one core if each uses all of its time."""
        validating = self.config.validation.states * self.config.validation.search
        return sum(
            self.budgets_of(unit).train + (validating if self._methods[unit.method].kind == "instance" else 0.0)
            if unit.kind == "train"
            else self.config.budgets.search
            for unit in self.units
        )

    def training_of(self, unit: Unit) -> Unit | None:
        """The training that a search waits for; None if there is none."""
        one = self._methods[unit.method]
        if unit.kind == "train" or not one.learns:
            return None
        training = replace(unit, kind="train", method=one.model_of or one.label, state=None)
        if one.kind == "domain":
            training = replace(training, difficulty=WHOLE_DOMAIN, instance=WHOLE_DOMAIN)
        return training

    def model_file(self, training: Unit) -> Path:
        """The path of a training's model."""
        return self.output / "models" / f"{training.id.partition('/')[2]}.goalward"

    def plan_file(self, search: Unit) -> Path:
        """The path of a search's plan."""
        return self.output / "plans" / f"{search.id.partition('/')[2]}.plan"

    def product_file(self, unit: Unit) -> Path:
        """The path of the file that a unit produces: a model or a plan."""
        return self.model_file(unit) if unit.kind == "train" else self.plan_file(unit)

    def job(self, unit: Unit, scratch: Path) -> Job:
        """The job that a worker gets for a unit; the worker writes the model or plan to ``scratch``."""
        config = self._methods[unit.method]
        model: str | None = None
        training = self.training_of(unit)
        if training is not None:
            model = str(self.model_file(training))
        elif config.kind == "domain" and not config.learns:
            model = str(Path(config.options["model"].replace("{domain}", unit.domain)).absolute())
        domain_instances: tuple[str, ...] = ()
        if unit.kind == "train" and config.kind == "domain":
            domain_instances = self._smallest(unit.domain)
            folder = Path(domain_instances[0])
        else:
            folder = self._folders[unit.domain, unit.difficulty, unit.instance].absolute()
        return Job(
            unit,
            config,
            domain_file=str(folder / "domain.pddl"),
            problem_file=str(folder / "problem.pddl"),
            state_file=str(folder / f"{unit.state or 'problem'}.pddl"),
            model=model,
            scratch=str(scratch),
            budgets=self.budgets_of(unit),
            validation=self.config.validation,
            domain_instances=domain_instances,
        )

    def _smallest(self, domain: str) -> tuple[str, ...]:
        """Folders of the smallest instances of a domain, by the size of problem.pddl."""
        folders = [instance.folder.absolute() for instance in self._of_domain[domain]]
        by_size = sorted(folders, key=lambda folder: (folder / "problem.pddl").stat().st_size)
        return tuple(str(folder) for folder in by_size[:DOMAIN_INSTANCES])


def _domain_trainings(domain: str, config: Config) -> Iterator[Unit]:
    """The trainings of models for a whole domain."""
    for one in config.methods:
        if one.trains and one.kind == "domain":
            for seed in config.seeds:
                yield Unit("train", domain, WHOLE_DOMAIN, WHOLE_DOMAIN, one.label, seed)


def _units_of(instance: InstanceFolder, config: Config) -> Iterator[Unit]:
    """The units of one instance. Trainings come first, so that all cores have work during the first searches."""
    place = instance.domain, instance.difficulty, instance.name
    pairs = [(one, seed) for one in config.methods for seed in (config.seeds if one.learns else (None,))]
    yield from (Unit("train", *place, one.label, seed) for one, seed in pairs if one.trains and one.kind == "instance")
    yield from (
        Unit("search", *place, one.label, seed, state) for one, seed in pairs for state in instance.states
    )  # fmt: skip
