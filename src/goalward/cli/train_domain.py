"""``goalward train-domain``: learn a heuristic for all problems of a domain from small problems."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from goalward.baselines.hgn_model import DomainModel, DomainOptions, save_domain_model
from goalward.cli.console import say
from goalward.cli.live import at_most_left, can_show_rows, describe_losses, live_rows, spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import DOMAIN, FORCE, MODEL_OUTPUT, argument, command, flags_of, given
from goalward.cli.signals import Interrupt
from goalward.declared import own_first
from goalward.errors import UsageError
from goalward.extras import require_torch
from goalward.measures import counted, format_duration
from goalward.outward import printable
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.baselines.hgn_data import OptimalPlanStates
    from goalward.baselines.hgn_training import DomainEpoch


@command(
    DOMAIN,
    argument("problems", "small PDDL problem files of the domain to learn from", nargs=-1, required=True),
    MODEL_OUTPUT,
    FORCE,
    *flags_of(own_first(DomainOptions), {}),
)
def train_domain(domain: Path, problems: tuple[Path, ...], output: Path, force: bool, **flags: str | None) -> None:
    """Learn a heuristic for a whole domain (STRIPS-HGN), for use with goalward plan --model.

    Ctrl-C while training keeps the best weights so far.
    """
    check_output(output, [domain, *problems], force=force)
    require_torch("goalward train-domain")
    options = DomainOptions.of("hgn", texts=given(flags))
    with spinner("grounding"):
        tasks = _ground_all(domain, problems)
    if not tasks:
        raise UsageError("none of the problems has a plan: use other problems")
    with spinner("loading PyTorch"):
        from goalward.baselines.hgn_training import train_domain  # noqa: PLC0415

    with Interrupt() as interrupt, domain_training_view([str(path) for path in tasks], options, interrupt) as view:
        model = train_domain(list(tasks.values()), options, view)
    save_domain_model(model, output)
    say(describe_training(model))
    say(f"Model written to {output}")


def _ground_all(domain: Path, problems: Iterable[Path]) -> dict[Path, Task]:
    """The tasks by file. All files are read before the first is grounded, so that errors are found early."""
    lifted = read_domain(domain)
    read = {path: read_problem(path, lifted) for path in problems}
    tasks = {}
    for path, problem in read.items():
        try:
            tasks[path] = ground(lifted, problem)
        except UnsolvableError as error:
            say(f"{error}; skipped", err=True)
    return tasks


def describe_training(model: DomainModel) -> str:
    """The result of training in a few lines."""
    info = model.info
    used = [problem for problem in info["problems"] if problem["states"]]
    loss = "" if info["validation_loss"] is None else f", validation loss {info['validation_loss']:.2f}"
    return "\n".join(
        [
            f"Data: {sum(problem['states'] for problem in used)} states of {counted(len(used), 'problem')}, "
            f"{len(info['problems']) - len(used)} skipped",
            f"Training: {len(info['curve'])} epochs ({info['end']}){loss}",
            f"Training time: {format_duration(info['seconds'])}",
        ]
    )


class DomainView:
    """Shows nothing; after Ctrl-C it ends training, which keeps the best weights so far."""

    def __init__(self, names: list[str], options: DomainOptions, interrupt: Interrupt) -> None:
        self.names = names
        self.options = options
        self.interrupt = interrupt
        self.started = time.monotonic()
        self.taught: list[dict[str, Any]] = []

    def say(self, text: str) -> None:
        """Print a line."""

    def go_on(self) -> bool:
        """False once a stop was requested."""
        return not self.interrupt.asked

    def lessons(self, lessons: OptimalPlanStates) -> None:
        """The data of one problem is ready, or no optimal plan was found for it."""
        name, facts = self.names[len(self.taught)], lessons.summary()
        self.taught.append(facts)
        if facts["states"]:
            kind = "steps" if self.options.unit_costs else "cost"
            self.say(
                f"{name}: {facts['states']} states along {facts['plans']} optimal plans, "
                f"{kind} up to {facts['longest']:g}, {format_duration(facts['seconds'])}"
            )
        else:
            self.say(f"{name}: skipped, no optimal plan ({facts['status']}), {format_duration(facts['seconds'])}")

    def epoch(self, epoch: DomainEpoch) -> bool:
        """An epoch is over; False ends training."""
        return self.go_on()


class _PlainView(DomainView):
    """One line per event, for streams."""

    def say(self, text: str) -> None:
        say(f"[{time.monotonic() - self.started:.1f}s] {text}", err=True)

    def epoch(self, epoch: DomainEpoch) -> bool:
        self.say(
            f"epoch {epoch.number}: training loss {epoch.train_loss:.3f}, validation loss {epoch.validation_loss:.3f}"
        )
        return self.go_on()


class _LiveView(DomainView):
    """A live table on a terminal or in a notebook."""

    def __init__(self, names: list[str], options: DomainOptions, interrupt: Interrupt) -> None:
        super().__init__(names, options, interrupt)
        self.curve: list[DomainEpoch] = []
        self.live = live_rows(self.rows)

    def say(self, text: str) -> None:
        self.live.console.print(printable(text))

    def epoch(self, epoch: DomainEpoch) -> bool:
        self.curve.append(epoch)
        return self.go_on()

    def rows(self) -> list[tuple[str, str]]:
        """Names and values of the table."""
        teaching = len(self.taught) < len(self.names)
        elapsed, limit = time.monotonic() - self.started, self.options.time_limit
        states = sum(facts["states"] for facts in self.taught)
        rows = [
            ("phase", f"teaching, problem {len(self.taught) + 1} of {len(self.names)}" if teaching else "training"),
            ("time", format_duration(elapsed) + ("" if limit is None else at_most_left(limit, elapsed))),
            ("data", f"{states:,} states"),
        ]
        if self.curve:
            rows.append(("epoch", f"{self.curve[-1].number}, at most {self.options.max_epochs}"))
            rows.append(("loss", describe_losses(self.curve)))
        return rows


@contextlib.contextmanager
def domain_training_view(
    names: list[str], options: DomainOptions, interrupt: Interrupt, shown: bool | None = True
) -> Iterator[DomainView]:
    """A live view on a terminal or in a notebook; otherwise a line per event, or nothing if ``shown`` is None."""
    if shown is False or not can_show_rows():
        yield (_PlainView if shown else DomainView)(names, options, interrupt)
        return
    view = _LiveView(names, options, interrupt)
    with view.live:
        yield view
