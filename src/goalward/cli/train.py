"""``goalward train``: learn a heuristic for one problem."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from goalward.cli.console import say, say_wrapped
from goalward.cli.limits import Limits
from goalward.cli.live import spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import (
    DOMAIN,
    FORCE,
    MEMORY_LIMIT,
    MODEL_OUTPUT,
    OPTIONS,
    PROBLEM,
    argument,
    command,
    flag,
    flags_of,
    given,
    path_flag,
)
from goalward.cli.signals import Interrupt
from goalward.cli.training_log import FILE_NAME as LOG_NAME
from goalward.cli.training_log import TrainingLog
from goalward.cli.training_view import training_view
from goalward.declared import NAME, Option, declared, flag_for, own_first, split_settings
from goalward.errors import UsageError
from goalward.extras import require_torch
from goalward.learning.methods import learned_methods, make_options, methods_with, options_class, train_with
from goalward.learning.options import PRESETS, REMOVED
from goalward.learning.watchers import FirstEpoch
from goalward.measures import counted, format_duration
from goalward.search.model import Model, save_model, training_notes
from goalward.search.portfolio import LEADS
from goalward.search.strategy import NetworkUse, network_use
from goalward.task.grounding import ground_files

DEFAULT_METHOD = "n-rsl"
MIN_SECONDS = 20.0
"""A time limit in which PyTorch is loaded on most machines, and a first epoch is done."""
WRITING_SECONDS, WEIGHTS_PER_SECOND = 0.2, 25e6
"""Time for writing a model: a constant, and more if its table of weights is large."""
_SHOWN = own_first(options_class(DEFAULT_METHOD))
_OTHERS = {option.name: option for name in learned_methods() for option in declared(options_class(name)).values()}
_OTHERS |= {name: Option(name, NAME, None, REMOVED[name], None, None, (), False, flag_for(name)) for name in REMOVED}
_HIDDEN = [option for name, option in _OTHERS.items() if name not in {shown.name for shown in _SHOWN}]
SECTIONS = {
    OPTIONS: ("preset", "time_limit", "seed", "cores", "threads", "device"),
    "Network": ("width", "plain_layers", "residual_blocks"),
    "Fitting the network": (
        "batch_size", "learning_rate", "schedule", "normalise", "max_epochs", "patience", "validation_share",
    ),
    "Choosing the best network": ("trials", "required_probes", "validation_states", "validation_seconds"),
}  # fmt: skip
"""Sections of the help page and the options in them."""
DATA = "Training data"
"""The section for all other options, which differ from method to method."""


def _section(option: Option) -> str:
    return next((title for title, names in SECTIONS.items() if option.name in names), DATA)


def _place(option: Option) -> int:
    """On the help page: in the order of SECTIONS, and the options of a method in the order of their class."""
    names = [name for section in SECTIONS.values() for name in section]
    return names.index(option.name) if option.name in names else len(names)


@command(
    DOMAIN,
    PROBLEM,
    argument("starts", "problems with other initial states that the model should know", metavar="STATES", nargs=-1),
    MODEL_OUTPUT,
    FORCE,
    flag(
        "--method",
        help="how to learn; goalward methods explains them",
        default=DEFAULT_METHOD,
        metavar="|".join(learned_methods()),
    ),
    flag(
        "--set",
        "settings",
        help="an option of the method; goalward methods METHOD lists them",
        metavar="NAME=VALUE",
        multiple=True,
    ),
    path_flag("--log", metavar="DIR", help="folder for the training curve: CSV, and TensorBoard if it is installed"),
    MEMORY_LIMIT,
    *flags_of(sorted(_SHOWN, key=_place), PRESETS, _section),
    *flags_of(_HIDDEN, PRESETS, hidden=True),
)
def train(
    domain: Path,
    problem: Path,
    starts: tuple[Path, ...],
    output: Path,
    force: bool,
    method: str,
    settings: tuple[str, ...],
    log: Path | None,
    memory_limit: int | None,
    **flags: str | None,
) -> None:
    """Learn a heuristic for a problem and write it to a model file.

    STATES are further problem files with the same objects and goal. The model then covers everything that is
    reachable from any of these initial states.

    Ctrl-C ends training and keeps the best weights so far. The flags below are the options of n-rsl and rsl. Options
    of other methods (goalward methods METHOD) are flags too. --set NAME=VALUE is the same as --NAME VALUE.
    """
    texts = given(flags)
    inputs = [domain, problem, *starts]
    check_output(output, inputs, force=force)
    if log is not None and log.exists() and not log.is_dir():
        raise UsageError(f"--log {log}: is a file; give a folder")
    if log is not None and log.is_dir():
        check_output(log / LOG_NAME, [*inputs, output], force=force)
    require_torch("goalward train")
    _refuse_options_of_others(method, texts)
    # Wrong options are refused now, not after grounding.
    options = make_options(method, texts=texts | split_settings(settings)).resolved()
    limits = Limits.of_command(options.time_limit, memory_limit)
    loaded = limits.elapsed
    advice = "" if options.time_limit is None else _advice(options.time_limit)
    with spinner("grounding"), limits.enforce("reading and grounding the problem", advice=advice):
        task = ground_files(domain, problem, starts)
    several = f" from {len(task.inits)} initial states" if starts else ""
    seconds = format_duration(limits.elapsed - loaded)
    say(f"Task: {task.n_atoms} atoms, {task.n_operators} operators, grounded{several} in {seconds}", err=True)
    with spinner("loading PyTorch"), limits.enforce("loading PyTorch", advice=advice):
        import goalward.learning.trainer  # noqa: F401, PLC0415

    learned = FirstEpoch()
    with (
        limits.enforce("training", unless=lambda: learned.done, advice=advice),
        Interrupt() as interrupt,
        training_view(options, interrupt) as view,
        TrainingLog(log, view) if log else contextlib.nullcontext(view) as watcher,
    ):
        learned.watcher = watcher
        writing = WRITING_SECONDS + task.n_atoms * options.width / WEIGHTS_PER_SECOND
        model = train_with(task, method, options, learned, spent=limits.elapsed + writing)
    if starts:
        model = replace(model, info=model.info | {"starts": [str(path) for path in [problem, *starts]]})
    save_model(model, output)
    say_wrapped(describe_training(model))
    say(f"Model written to {output}")
    if isinstance(watcher, TrainingLog):
        say(watcher.describe())


def _advice(limit: float) -> str:
    enough = format_duration(max(MIN_SECONDS, 2 * limit))
    return f": --time-limit includes grounding and loading PyTorch, which takes some seconds; give it at least {enough}"


def _refuse_options_of_others(method: str, texts: Iterable[str]) -> None:
    known = declared(options_class(method))
    for name in texts:
        if name not in known and name not in REMOVED:
            flag = "--" + name.replace("_", "-")
            raise UsageError(
                f"{flag} is an option of {', '.join(methods_with(name))}; {method} has none of that name "
                f"(goalward methods {method} lists its options)"
            )


def describe_training(model: Model) -> str:
    """The result of training in a few lines."""
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
    lines.append(f"Training time: {format_duration(info['seconds'])}")
    if info.get("solved_without") is not None:
        lines.append(_verdict(info))
    elif info["end"] == "time limit":
        lines.append("There was no time to measure whether this model helps: try a longer --time-limit.")
    return "\n".join(lines)


def _verdict(info: dict[str, Any]) -> str:
    """What the model is good for, and what to try if it is not."""
    solved = (
        f"Of {counted(info['validation_states'], 'validation state')}, short searches with the network solve "
        f"{info['solved']}, the network alone {info['solved_alone']}, and searches without it {info['solved_without']}."
    )
    use = network_use(info)
    cheaper = f"plans cost {info['cost_ratio']:.2f} of those found without the network"
    if use is NetworkUse.SEARCH:
        quality = f" With improvement, {cheaper}." if info["quality_states"] else ""
        return f"{solved}\ngoalward solve begins with {LEADS[info['lead']]}, which did best on them.{quality}"
    if use is NetworkUse.IMPROVEMENT:
        return f"{solved}\ngoalward solve improves plans with the network: {cheaper} in the same time."
    if use is NetworkUse.UNKNOWN:
        return (
            f"{solved}\nThey were too short to tell whether this model helps, so goalward solve will search without "
            "it, unless --search says otherwise. Try a longer --time-limit or longer --validation-seconds, or see how "
            "it does: goalward compare."
        )
    others = [name for name in learned_methods() if name != info["method"]]
    sampler = "another --sampler, " if "sampler" in info["options"] else ""
    return (
        f"{solved}\nThis model is not likely to help: goalward solve will search without it, unless --search "
        f"says otherwise. Try a longer --time-limit, more --trials, {sampler}or another --method "
        f"({', '.join(others[:3])}, …)."
    )
