"""From a config to units of work in the order in which they are started, and what a worker needs to know of each."""

from __future__ import annotations

import json
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

    @property
    def hard_limit(self) -> float:
        """Seconds of wall-clock time after which the process is killed."""
        budgets = self.budgets
        if self.unit.kind == "search":
            return budgets.search + budgets.grace
        return budgets.train + self.validation.states * self.validation.search + budgets.grace

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
        self.units = [unit for instance in instances for unit in _units_of(instance, config)]

    def training_of(self, unit: Unit) -> Unit | None:
        """The training that a search waits for; None where nothing is learned."""
        if unit.kind == "train" or not self._contestants[unit.method].learns:
            return None
        return replace(unit, kind="train", state=None)

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
        elif contestant.kind == "domain":
            model = str(Path(contestant.options["model"].replace("{domain}", unit.domain)).absolute())
        folder = self._folders[unit.domain, unit.difficulty, unit.instance].absolute()
        return Job(
            unit,
            contestant,
            domain_file=str(folder / "domain.pddl"),
            problem_file=str(folder / "problem.pddl"),
            state_file=str(folder / f"{unit.state or 'problem'}.pddl"),
            model=model,
            scratch=str(scratch),
            budgets=self.config.budgets,
            validation=self.config.validation,
        )


def _units_of(instance: InstanceFolder, config: Config) -> Iterator[Unit]:
    """Trainings first: all cores have work while the searches of the first model go on."""
    place = instance.domain, instance.difficulty, instance.name
    pairs = [(one, seed) for one in config.methods for seed in (config.seeds if one.learns else (None,))]
    yield from (Unit("train", *place, one.label, seed) for one, seed in pairs if one.learns)
    yield from (
        Unit("search", *place, one.label, seed, state) for one, seed in pairs for state in instance.states
    )  # fmt: skip
