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
    FORCE,
    MEMORY_LIMIT,
    MODEL_OUTPUT,
    OPTIONS,
    TASK,
    Flag,
    argument,
    command,
    flag,
    flags_of,
    given,
    path_flag,
)
from goalward.cli.searching import describe_grounding
from goalward.cli.signals import Interrupt
from goalward.cli.training_view import LOG_FILE, TrainingLog, TrainingView
from goalward.declared import NAME, Option, declared, flag_for, split_settings
from goalward.errors import UsageError
from goalward.extras import require_torch
from goalward.learning.methods import learned_methods, make_options, methods_with, options_class, train_with
from goalward.learning.options import PRESETS, REMOVED
from goalward.learning.watchers import Relay
from goalward.measures import counted, format_duration
from goalward.search.model import Model, save_model
from goalward.search.portfolio import LEADS
from goalward.search.strategy import NetworkUse, describe_cost_ratio, network_use
from goalward.task.grounding import ground_files

DEFAULT_METHOD = "n-rsl"
MIN_SECONDS = 20.0
"""A time limit in which PyTorch is loaded on most machines, and a first epoch is done."""
WRITING_SECONDS, WEIGHTS_PER_SECOND = 0.2, 25e6
"""Time for writing a model: a constant, and more if its table of weights is large."""
METHOD = "Method"
"""The section of the help page for flags that say how to learn."""
_OPTIONS = {option.name: option for name in learned_methods() for option in declared(options_class(name)).values()}
_OPTIONS |= declared(options_class(DEFAULT_METHOD))
_FORMER = [Option(name, NAME, None, text, None, None, (), False, flag_for(name)) for name, text in REMOVED.items()]


def _flags(*names: str, section: str = OPTIONS) -> list[Flag]:
    return flags_of([_OPTIONS.pop(name) for name in names], PRESETS, section)


@command(
    *TASK,
    argument("starts", "problem files with further initial states", metavar="[STATES]...", nargs=-1),
    MODEL_OUTPUT,
    FORCE,
    *_flags("time_limit"),
    MEMORY_LIMIT,
    *_flags("seed", "cores", "device"),
    path_flag("--log", metavar="DIR", help="folder for the training curve: CSV, and TensorBoard if it is installed"),
    flag(
        "--method", help="the learning method; goalward methods explains each", default=DEFAULT_METHOD,
        metavar="|".join(learned_methods()), section=METHOD,
    ),
    *_flags("preset", "trials", section=METHOD),
    flag(
        "--set", "settings", help="any option of the method; goalward methods METHOD lists them", metavar="NAME=VALUE",
        multiple=True, section=METHOD,
    ),
    # All options are flags, as they were before --set.
    *flags_of([*_OPTIONS.values(), *_FORMER], PRESETS, hidden=True),
)  # fmt: skip
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

    Ctrl-C ends training and keeps the best weights so far.
    """
    texts = given(flags)
    inputs = [domain, problem, *starts]
    check_output(output, inputs, force=force)
    if log is not None and log.exists() and not log.is_dir():
        raise UsageError(f"--log {log}: is a file; give a folder")
    if log is not None and log.is_dir():
        check_output(log / LOG_FILE, [*inputs, output], force=force)
    require_torch("goalward train")
    _refuse_options_of_others(method, texts)
    # Wrong options are refused now, not after grounding.
    options = make_options(method, texts=texts, settings=split_settings(settings)).resolved()
    limits = Limits.of_command(options.time_limit, memory_limit)
    loaded = limits.elapsed
    advice = "" if options.time_limit is None else _advice(options.time_limit)
    with spinner("grounding"), limits.enforce("reading and grounding the problem", advice=advice):
        task = ground_files(domain, problem, starts)
    say(describe_grounding(task, limits.elapsed - loaded), err=True)
    with spinner("loading PyTorch"), limits.enforce("loading PyTorch", advice=advice):
        import goalward.learning.trainer  # noqa: F401, PLC0415

    learned = Relay()
    with (
        limits.enforce("training", unless=lambda: learned.has_result, advice=advice),
        Interrupt() as interrupt,
        TrainingView(options, interrupt, uses_costs=task.uses_costs, spent=limits.elapsed) as view,
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
    enough = max(MIN_SECONDS, 2 * limit)
    return (
        f": --time-limit includes grounding and loading PyTorch, which takes some seconds; give it at least {enough:g}s"
    )


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
    trials, lines = info["trials"], []
    for i, trial in enumerate(trials):
        name, seconds, result = "Training", f" in {format_duration(info['seconds'])}", ""
        if len(trials) > 1:
            name, seconds = f"Trial {i + 1} (seed {trial['seed']})", ""
            if trial["solved"] is not None:
                result = f", {trial['solved']} of {counted(trial['validation_states'], 'validation state')} solved"
            result += ", kept" if i == info["chosen_trial"] else ""
        lines.append(f"{name}: {counted(trial['epochs'], 'epoch')}{seconds} ({trial['end']}){result}")
    if len(trials) > 1:
        lines.append(f"Training time: {format_duration(info['seconds'])}")
    if info.get("solved_without") is not None:
        lines.append(
            f"Of {counted(info['validation_states'], 'validation state')}, short searches with the network solve "
            f"{info['solved']}, the network alone {info['solved_alone']}, and searches without it "
            f"{info['solved_without']}."
        )
        lines.append(_verdict(info))
    elif info["end"] == "time limit":
        lines.append("There was no time to measure whether this model helps: try a longer --time-limit.")
    return "\n".join(lines)


def _verdict(info: dict[str, Any]) -> str:
    """Text on how goalward solve will use the network, with advice if it will not."""
    use, ratio = network_use(info), describe_cost_ratio(info)
    cheaper = "" if ratio is None else f" On validation states, {ratio}."
    if use is NetworkUse.SEARCH:
        return f"goalward solve begins with {LEADS[info['lead']]}, which did best on them.{cheaper}"
    if use is NetworkUse.IMPROVEMENT:
        return f"goalward solve finds plans without the network and improves them with it.{cheaper}"
    if use is NetworkUse.UNKNOWN:
        return (
            "There was too little time to tell whether this model helps, so goalward solve will search without it. "
            "Try a longer --time-limit or a longer --set validation_seconds=…, or see how it does: goalward compare."
        )
    others = [name for name in learned_methods() if name != info["method"]]
    sampler = "another --set sampler=…, " if "sampler" in info["options"] else ""
    return (
        "This model is not likely to help: goalward solve will search without it, unless --search says otherwise. "
        f"Try a longer --time-limit, more --trials, {sampler}or another --method ({', '.join(others[:3])}, …)."
    )
