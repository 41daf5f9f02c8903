"""``goalward train``: learn a heuristic for one problem."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from goalward.cli.console import errors
from goalward.cli.flags import with_flags
from goalward.cli.limits import Limits
from goalward.cli.live import at_most_left, describe_losses, live_rows, spinner
from goalward.cli.signals import Interrupt
from goalward.declared import declared, own_first, split_settings
from goalward.errors import UsageError
from goalward.learning.methods import learned_methods, make_options, methods_with, options_class, train_with
from goalward.learning.options import LearnOptions
from goalward.measures import format_duration
from goalward.search.model import Model, save_model, training_notes
from goalward.task.grounding import ground_files

if TYPE_CHECKING:
    from goalward.learning.looks import Look
    from goalward.learning.results import Epoch

DEFAULT_METHOD = "n-rsl"
_OTHERS = [option for name in learned_methods() for option in declared(options_class(name)).values()]


@with_flags(own_first(options_class(DEFAULT_METHOD)), hidden=_OTHERS)
def train(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="the model file, NAME.goalward", show_default=False)],
    method: Annotated[
        str, typer.Option(metavar="|".join(learned_methods()), help="how to learn; goalward methods explains them")
    ] = DEFAULT_METHOD,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="an option of the method; goalward methods METHOD lists them"),
    ] = None,
    **texts: str,
) -> None:
    """Learn a heuristic for a problem and write it to a model file.

    Ctrl-C ends training and keeps the best weights so far. The flags below are the options of n-rsl and rsl; those of
    another method (goalward methods METHOD) are flags too. --set NAME=VALUE is the same as --NAME VALUE.
    """
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: not a file in an existing folder")
    _refuse_options_of_others(method, texts)
    # What is wrong is refused now, not after grounding.
    options = make_options(method, texts=texts | split_settings(settings or ())).resolved()
    limits = Limits(None, None)
    with spinner("grounding"):
        task = ground_files(domain, problem)
    typer.echo(f"Task: {task.n_atoms} atoms, {task.n_operators} operators, grounded in {limits.elapsed:.2f}s", err=True)
    with spinner("loading PyTorch"):
        import goalward.learning.trainer  # noqa: F401, PLC0415

    with Interrupt() as interrupt, _training_view(options, interrupt) as view:
        model = train_with(task, method, options, view)
    save_model(model, output)
    typer.echo(describe_training(model))
    typer.echo(f"Model written to {output}")


def _refuse_options_of_others(method: str, texts: Iterable[str]) -> None:
    known = declared(options_class(method))
    for name in texts:
        if name not in known:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag} is an option of {', '.join(methods_with(name))}; {method} has none of that name "
                f"(goalward methods {method} lists its options)"
            )


def describe_training(model: Model) -> str:
    """What came out, in a few lines."""
    info = model.info
    lines = []
    for i, trial in enumerate(info["trials"]):
        solved = (
            ""
            if trial["solved"] is None
            else f", solves {trial['solved']} of {trial['validation_states']} validation states"
        )
        loss = "" if trial["validation_loss"] is None else f", validation loss {trial['validation_loss']:.2f}"
        mark = " (kept)" if len(info["trials"]) > 1 and i == info["chosen_trial"] else ""
        notes = "".join(f", {name.replace('_', ' ')} {value}" for name, value in training_notes(trial).items())
        lines.append(
            f"Trial {i + 1}: seed {trial['seed']}{notes}, {trial['epochs']} epochs ({trial['end']}){loss}{solved}{mark}"
        )
        lines += [f"  restarted, {reason}" for reason in trial["restarts"]]
    lines.append(f"Training time: {info['seconds']:.2f}s")
    if info["likely_to_help"] is False:
        lines.append(_warning(info))
    return "\n".join(lines)


def _warning(info: dict[str, Any]) -> str:
    """What to do about a model that solves next to nothing."""
    kept = info["trials"][info["chosen_trial"]]
    others = [name for name in learned_methods() if name != info["method"]]
    sampler = "another --sampler, " if "sampler" in info["options"] else ""
    return (
        f"This model is not likely to help: searches of {kept['search_seconds']:g} s with it solve {kept['solved']} of "
        f"{kept['validation_states']} validation states. Try a longer --time-limit, more --trials, {sampler}"
        f"or another --method ({', '.join(others[:3])}, …)."
    )


class _PlainView:
    """One line per event, for streams."""

    def __init__(self, trials: int, epochs: int | None, limit: float | None, interrupt: Interrupt) -> None:
        self.trials = trials
        self.epochs = epochs
        self.limit = limit
        self.interrupt = interrupt
        self.started = time.monotonic()

    def phase(self, name: str, trial: int) -> None:
        typer.echo(f"[{time.monotonic() - self.started:.1f}s] trial {trial + 1}/{self.trials}: {name}", err=True)

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        typer.echo(
            f"[{time.monotonic() - self.started:.1f}s] {summary['samples']} states by {summary['sampler']}: "
            f"{summary['true atoms per state']:.0f} true atoms each, {summary['share beyond']:.0%} beyond pre-images",
            err=True,
        )

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool:
        glimpse = "" if look is None else f", a short search solves {look} validation states"
        typer.echo(
            f"[{time.monotonic() - self.started:.1f}s] epoch {epoch.number}: training loss {epoch.train_loss:.3f}, "
            f"validation loss {epoch.validation_loss:.3f}{glimpse}",
            err=True,
        )
        return not self.interrupt.asked

    def message(self, text: str) -> None:
        typer.echo(text, err=True)


class _LiveView(_PlainView):
    """A calm table on a terminal."""

    def __init__(self, trials: int, epochs: int | None, limit: float | None, interrupt: Interrupt) -> None:
        super().__init__(trials, epochs, limit, interrupt)
        self.current, self.trial = "starting", 0
        self.summary: dict[str, Any] = {}
        self.curve: list[Epoch] = []
        self.look: Look | None = None
        self.live = live_rows(self.rows)

    def phase(self, name: str, trial: int) -> None:
        if trial != self.trial or name == "rollouts":
            self.summary, self.curve, self.look = {}, [], None
        self.current, self.trial = name, trial

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        self.summary = summary

    def epoch(self, trial: int, epoch: Epoch, look: Look | None) -> bool:
        self.curve.append(epoch)
        self.look = look or self.look
        return not self.interrupt.asked

    def message(self, text: str) -> None:
        self.live.console.print(text)

    def rows(self) -> list[tuple[str, str]]:
        """The state of affairs."""
        elapsed = time.monotonic() - self.started
        rows = [
            ("phase", f"{self.current}, trial {self.trial + 1} of {self.trials}"),
            ("time", format_duration(elapsed) + self._eta(elapsed)),
        ]
        if self.summary:
            rows.append(("data", f"{self.summary['samples']:,} states by {self.summary['sampler']}"))
        if self.curve:
            rows.append(("epoch", f"{self.curve[-1].number}"))
            rows.append(("loss", describe_losses(self.curve)))
        if self.look:
            rows.append(("short search", f"solves {self.look} validation states now"))
        return rows

    def _eta(self, elapsed: float) -> str:
        if self.limit is not None:
            return at_most_left(self.limit, elapsed)
        if not self.curve or self.epochs is None:
            return ""
        per_epoch = self.curve[-1].seconds / self.curve[-1].number
        left = per_epoch * max(self.epochs - self.curve[-1].number, 0)
        return f", at most {format_duration(left)} left in this trial"


@contextlib.contextmanager
def _training_view(options: LearnOptions, interrupt: Interrupt) -> Iterator[_PlainView]:
    """A live view on a terminal, a line per event elsewhere."""
    facts = options.n_trials, getattr(options, "max_epochs", None), options.time_limit, interrupt
    if not errors.is_terminal:
        yield _PlainView(*facts)
        return
    view = _LiveView(*facts)
    with view.live:
        yield view
