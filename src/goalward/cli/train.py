"""``goalward train``: learn a heuristic for one problem."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from goalward.baselines.methods import METHODS, Method, find_method, train_with, with_time_limit
from goalward.cli.limits import Interrupt, Limits
from goalward.cli.live import at_most_left, describe_losses, errors, live_rows, spinner
from goalward.errors import UsageError
from goalward.learning.options import PRESETS, LearnOptions
from goalward.measures import format_duration, parse_duration, parse_share
from goalward.sampling.samplers import SAMPLERS
from goalward.search.model import Model, save_model, training_notes
from goalward.task.grounding import ground_files

if TYPE_CHECKING:
    from goalward.learning.trainer import Epoch
    from goalward.learning.validation import Score

INSTANCE_METHODS = [name for name, method in METHODS.items() if method.kind == "instance"]


def train(
    domain: Annotated[Path, typer.Argument(help="PDDL domain file", show_default=False)],
    problem: Annotated[Path, typer.Argument(help="PDDL problem file", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", help="the model file, NAME.goalward", show_default=False)],
    method: Annotated[
        str, typer.Option(metavar="|".join(INSTANCE_METHODS), help="how to learn; goalward methods explains them")
    ] = "n-rsl",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="an option of the method; goalward methods METHOD lists them"),
    ] = None,
    preset: Annotated[
        str, typer.Option(metavar="|".join(PRESETS), help="fast, or the paper's network and training to the letter")
    ] = "fast",
    seed: Annotated[int, typer.Option(help="same seed, same machine, same model", min=0)] = 0,
    samples: Annotated[int, typer.Option(help="N_t, training states")] = 100_000,
    random_share: Annotated[
        float, typer.Option(parser=parse_share, metavar="SHARE", help="P_r, random ones among them: 50% or 0.5")
    ] = "50%",  # type: ignore[assignment]
    rollouts: Annotated[int, typer.Option(help="N_r, regressions from the goal")] = 5,
    length: Annotated[int, typer.Option(help="L, steps of each regression")] = 500,
    sampler: Annotated[
        str | None,
        typer.Option(
            metavar="|".join(SAMPLERS),
            help="; ".join(f"{s.name}: {s.summary}" for s in SAMPLERS.values()) + "; default: the preset's, in turn",
            show_default=False,
        ),
    ] = None,
    trials: Annotated[
        int | None,
        typer.Option(help="train this many and keep the one that solves most validation states", show_default=False),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            parser=parse_duration, metavar="DURATION", help="for everything but grounding, shared by the trials"
        ),
    ] = None,
    device: Annotated[Literal["cpu", "cuda"], typer.Option(help="where PyTorch trains")] = "cpu",
    threads: Annotated[int, typer.Option(help="threads for PyTorch", min=1)] = 1,
    context: typer.Context = None,  # type: ignore[assignment]
) -> None:
    """Learn a heuristic for a problem and write it to a model file.

    Ctrl-C ends training and keeps the best weights so far.
    """
    if output.is_dir() or not output.absolute().parent.is_dir():
        raise UsageError(f"{output}: not a file in an existing folder")
    chosen = find_method(method, "instance")
    _refuse_options_of_others(chosen, context)
    own_options = chosen.options.parse(settings or (), method)  # refuses now what it does not know, not after grounding
    options = LearnOptions(
        method=method,
        preset=preset,
        seed=seed,
        n_samples=samples,
        random_share=random_share,
        n_rollouts=rollouts,
        length=length,
        samplers=(sampler,) if sampler else None,
        trials=trials,
        time_limit=time_limit,
        device=device,
        threads=threads,
    )
    options = with_time_limit(chosen, options, own_options)  # the live view shows it
    limits = Limits(None, None)
    with spinner("grounding"):
        task = ground_files(domain, problem)
    typer.echo(f"Task: {task.n_atoms} atoms, {task.n_operators} operators, grounded in {limits.elapsed:.2f}s", err=True)
    with spinner("loading PyTorch"):
        import goalward.learning.trials  # noqa: F401, PLC0415

    with Interrupt() as interrupt, _training_view(options, interrupt) as view:
        model = train_with(task, options, settings or (), view)
    save_model(model, output)
    typer.echo(describe_training(model))
    typer.echo(f"Model written to {output}")


# Options of the command that only RSL and N-RSL know, by the name of the parameter.
RSL_ONLY = {
    "samples": "--samples",
    "random_share": "--random-share",
    "rollouts": "--rollouts",
    "length": "--length",
    "sampler": "--sampler",
}


def _refuse_options_of_others(method: Method, context: typer.Context) -> None:
    if method.home is None:
        return
    for name, option in RSL_ONLY.items():
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(
                f"{option} is an option of rsl and n-rsl; those of {method.name} are given with --set "
                f"(goalward methods {method.name} lists them)"
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
    return "\n".join(lines)


class _PlainView:
    """One line per event, for streams."""

    def __init__(self, trials: int, epochs: int, limit: float | None, interrupt: Interrupt) -> None:
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

    def epoch(self, trial: int, epoch: Epoch, solved: Score | None) -> bool:
        glimpse = "" if solved is None else f", a short search solves {solved} validation states"
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

    def __init__(self, trials: int, epochs: int, limit: float | None, interrupt: Interrupt) -> None:
        super().__init__(trials, epochs, limit, interrupt)
        self.current, self.trial = "starting", 0
        self.summary: dict[str, Any] = {}
        self.curve: list[Epoch] = []
        self.solved: Score | None = None
        self.live = live_rows(self.rows)

    def phase(self, name: str, trial: int) -> None:
        if trial != self.trial or name == "rollouts":
            self.summary, self.curve, self.solved = {}, [], None
        self.current, self.trial = name, trial

    def data(self, trial: int, summary: dict[str, Any]) -> None:
        self.summary = summary

    def epoch(self, trial: int, epoch: Epoch, solved: Score | None) -> bool:
        self.curve.append(epoch)
        self.solved = solved or self.solved
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
        if self.solved:
            rows.append(("short search", f"solves {self.solved} validation states now"))
        return rows

    def _eta(self, elapsed: float) -> str:
        if self.limit is not None:
            return at_most_left(self.limit, elapsed)
        if not self.curve:
            return ""
        per_epoch = self.curve[-1].seconds / self.curve[-1].number
        left = per_epoch * max(self.epochs - self.curve[-1].number, 0)
        return f", at most {format_duration(left)} left in this trial"


@contextlib.contextmanager
def _training_view(options: LearnOptions, interrupt: Interrupt) -> Iterator[_PlainView]:
    """A live view on a terminal, a line per event elsewhere."""
    facts = options.n_trials, options.max_epochs or PRESETS[options.preset].max_epochs, options.time_limit, interrupt
    if not errors.is_terminal:
        yield _PlainView(*facts)
        return
    view = _LiveView(*facts)
    with view.live:
        yield view
