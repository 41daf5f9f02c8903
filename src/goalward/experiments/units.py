"""From a config to units of work in the order in which they are started, and what a worker needs to know of each."""

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
from goalward.experiments.contestants import Contestant
from goalward.experiments.store import Unit

MOST_UNITS = 10_000_000
STRETCH = 10.0
"""How many times its CPU time a search may take by the wall clock, on a machine that does other work too."""
WHOLE_DOMAIN = "all"
"""Stands for difficulty and instance in a training for a whole domain."""
DOMAIN_INSTANCES = 2
"""A model of a domain is trained on so many instances of the experiment, the smallest ones."""


@dataclass(frozen=True)
class Job:
    """One unit with all that is needed to do it anywhere that sees the same files."""

    unit: Unit
    contestant: Contestant
    domain_file: str
    problem_file: str
    """The instance; models are trained on it."""
    state_file: str
    """The state of a search; a training needs none, and has the instance's own."""
    model: str | None
    scratch: str
    budgets: Budgets
    validation: Validation
    domain_instances: tuple[str, ...] = ()
    """Folders of the instances that a model of a domain is trained on."""

    @property
    def counts_cpu_time(self) -> bool:
        """Is the time of this unit the CPU time that it uses?"""
        return self.unit.kind == "search" and self.budgets.clock == "cpu"

    @property
    def search_wall_limit(self) -> float:
        """Seconds of wall-clock time for a search: more than its budget if that is CPU time."""
        return self.budgets.search * (STRETCH if self.counts_cpu_time else 1.0)

    @property
    def hard_limit(self) -> float:
        """Seconds of wall-clock time after which the process is killed."""
        budgets = self.budgets
        if self.unit.kind == "search":
            return self.search_wall_limit + budgets.grace
        return budgets.train + self.validation.states * self.validation.search + budgets.grace

    @property
    def hard_cpu_limit(self) -> float:
        """Seconds of CPU time after which it is killed; infinity if the wall clock counts."""
        return self.budgets.search + self.budgets.grace if self.counts_cpu_time else math.inf

    def to_json(self) -> str:
        """One line of text."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Job:
        """The inverse of :meth:`to_json`."""
        values: dict[str, Any] = json.loads(text)
        values["unit"] = Unit(**values["unit"])
        values["contestant"] = Contestant(**values["contestant"])
        values["budgets"] = Budgets(**values["budgets"])
        values["validation"] = Validation(**values["validation"])
        values["domain_instances"] = tuple(values["domain_instances"])
        return cls(**values)


class Schedule:
    """All units of an experiment in the order in which they are started, and the files that they leave."""

    def __init__(self, config: Config, instances: list[InstanceFolder], output: Path) -> None:
        self.config = config
        self.output = output.absolute()
        self._contestants = {contestant.label: contestant for contestant in config.methods}
        self._folders = {(i.domain, i.difficulty, i.name): i.folder for i in instances}
        pairs = sum(len(config.seeds) if one.learns else 1 for one in config.methods)
        if pairs * sum(len(instance.states) + 1 for instance in instances) > MOST_UNITS:
            raise UsageError(f"the config asks for more than {MOST_UNITS} units; choose fewer seeds, states or methods")
        self.units: list[Unit] = []
        self._of_domain: dict[str, list[InstanceFolder]] = {}
        for instance in instances:
            if instance.domain not in self._of_domain:
                self.units += _domain_trainings(instance.domain, config)
            self._of_domain.setdefault(instance.domain, []).append(instance)
            self.units += _units_of(instance, config)

    def budgets_of(self, unit: Unit) -> Budgets:
        """Those of the config, with the time that the method itself has for training."""
        own = self._contestants[unit.method].train
        return self.config.budgets if own is None else replace(self.config.budgets, train=own)

    def seconds_at_most(self) -> float:
        """What all units take on one core if each uses all of its time."""
        validating = self.config.validation.states * self.config.validation.search
        return sum(
            self.budgets_of(unit).train + (validating if self._contestants[unit.method].kind == "instance" else 0.0)
            if unit.kind == "train"
            else self.config.budgets.search
            for unit in self.units
        )

    def training_of(self, unit: Unit) -> Unit | None:
        """The training that a search waits for; None where nothing is learned."""
        one = self._contestants[unit.method]
        if unit.kind == "train" or not one.learns:
            return None
        training = replace(unit, kind="train", method=one.model_of or one.label, state=None)
        if one.kind == "domain":
            training = replace(training, difficulty=WHOLE_DOMAIN, instance=WHOLE_DOMAIN)
        return training

    def model_file(self, training: Unit) -> Path:
        """Where a training's model lies."""
        return self.output / "models" / f"{training.id.partition('/')[2]}.goalward"

    def plan_file(self, search: Unit) -> Path:
        """Where a search's plan lies."""
        return self.output / "plans" / f"{search.id.partition('/')[2]}.plan"

    def product_file(self, unit: Unit) -> Path:
        """The file that a unit leaves behind."""
        return self.model_file(unit) if unit.kind == "train" else self.plan_file(unit)

    def job(self, unit: Unit, scratch: Path) -> Job:
        """What a worker is given; it leaves its model or plan at ``scratch``."""
        contestant = self._contestants[unit.method]
        model: str | None = None
        training = self.training_of(unit)
        if training is not None:
            model = str(self.model_file(training))
        elif contestant.kind == "domain" and not contestant.learns:
            model = str(Path(contestant.options["model"].replace("{domain}", unit.domain)).absolute())
        learned_on: tuple[str, ...] = ()
        if unit.kind == "train" and contestant.kind == "domain":
            learned_on = self._smallest(unit.domain)
            folder = Path(learned_on[0])
        else:
            folder = self._folders[unit.domain, unit.difficulty, unit.instance].absolute()
        return Job(
            unit,
            contestant,
            domain_file=str(folder / "domain.pddl"),
            problem_file=str(folder / "problem.pddl"),
            state_file=str(folder / f"{unit.state or 'problem'}.pddl"),
            model=model,
            scratch=str(scratch),
            budgets=self.budgets_of(unit),
            validation=self.config.validation,
            domain_instances=learned_on,
        )

    def _smallest(self, domain: str) -> tuple[str, ...]:
        """Folders of the smallest instances of a domain."""
        folders = [instance.folder.absolute() for instance in self._of_domain[domain]]
        by_size = sorted(folders, key=lambda folder: (folder / "problem.pddl").stat().st_size)
        return tuple(str(folder) for folder in by_size[:DOMAIN_INSTANCES])


def _domain_trainings(domain: str, config: Config) -> Iterator[Unit]:
    """Models that hold for all instances of a domain."""
    for one in config.methods:
        if one.trains and one.kind == "domain":
            for seed in config.seeds:
                yield Unit("train", domain, WHOLE_DOMAIN, WHOLE_DOMAIN, one.label, seed)


def _units_of(instance: InstanceFolder, config: Config) -> Iterator[Unit]:
    """Trainings first: all cores have work while the searches of the first model go on."""
    place = instance.domain, instance.difficulty, instance.name
    pairs = [(one, seed) for one in config.methods for seed in (config.seeds if one.learns else (None,))]
    yield from (Unit("train", *place, one.label, seed) for one, seed in pairs if one.trains and one.kind == "instance")
    yield from (
        Unit("search", *place, one.label, seed, state) for one, seed in pairs for state in instance.states
    )  # fmt: skip
