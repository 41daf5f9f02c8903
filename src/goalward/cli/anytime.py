"""``goalward plan --anytime``: every better plan in a file of its own, ``plan.1``, ``plan.2``, …, as LAMA does."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

from goalward.cli.console import say
from goalward.errors import UsageError
from goalward.measures import format_duration
from goalward.search.solving import Outcome
from goalward.task.plan_file import check_writable, write_text_atomically

DEFAULT_NAME = Path("plan")


class PlanSeries:
    """Writes plan after plan beside each other, and says so; ``quiet`` only writes.

    The first plan makes those of an earlier series of the same name go: who reads the last file reads the best plan of
    one run.
    """

    def __init__(self, name: Path, *, quiet: bool) -> None:
        self.name = name
        self.quiet = quiet
        self.plans: list[dict[str, Any]] = []
        if name.parent == Path("/dev") or (name.exists() and not name.is_file()):
            raise UsageError(f"{name}: with --anytime the output is the beginning of file names, such as {name.name}.1")
        check_writable(self.file(1))

    def file(self, number: int) -> Path:
        """Where the plan of this number goes."""
        return self.name.with_name(f"{self.name.name}.{number}")

    def write(self, outcome: Outcome) -> None:
        """The next plan."""
        number = len(self.plans) + 1
        write_text_atomically(self.file(number), outcome.plan_text)
        if number == 1:
            self._forget_earlier_series()
        self.plans.append(
            {
                "file": str(self.file(number)),
                "plan_length": outcome.length,
                "cost": outcome.cost,
                "seconds": round(outcome.found_after, 6),
            }
        )
        if not self.quiet:
            after = format_duration(outcome.found_after)
            say(f"{self.file(number)}: cost {outcome.cost}, {outcome.length} step(s), after {after}")

    @property
    def summary(self) -> str:
        """Where the plans are."""
        if len(self.plans) == 1:
            return f"Plan written to {self.file(1)}"
        return f"{len(self.plans)} plans written to {self.file(1)} to {self.file(len(self.plans))}, the best one last"

    def _forget_earlier_series(self) -> None:
        for number in count(2):
            if not self.file(number).is_file():
                return
            self.file(number).unlink()
