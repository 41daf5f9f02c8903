"""``goalward plan``: find a plan for one problem."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any, cast

from goalward import _core
from goalward.cli.console import complain, print_json, say
from goalward.cli.limits import Limits
from goalward.cli.live import LiveFigures, spinner
from goalward.cli.outputs import check_output
from goalward.cli.parameters import (
    FORCE,
    JSON,
    MEMORY_LIMIT,
    PLAN_OUTPUT,
    TASK,
    command,
    flag,
    path_flag,
    switch,
    time_limit,
)  # fmt: skip
from goalward.cli.searching import (
    CORES,
    ENDS_OF_IMPROVEMENT,
    EXIT_CODES,
    IMPROVE,
    describe_grounding,
    parse_improvement,
    search_flag,
)
from goalward.cli.signals import Interrupt
from goalward.declared import BATCHES, WHOLE
from goalward.errors import ExitCode, LimitError, UsageError
from goalward.measures import counted, format_batches, format_duration
from goalward.search import HEURISTICS, TURNS, Algorithm, Status, bind_heuristic, prepare
from goalward.search.heuristics import check_heuristic
from goalward.search.learned import load_model
from goalward.search.planning import LearnedModel
from goalward.search.solving import UNLIMITED_IMPROVEMENT, Outcome, solve
from goalward.search.starts import initial_state
from goalward.search.strategy import default_search, strategy_for
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted import Domain
from goalward.task.lifted_reader import read_domain, read_problem
from goalward.task.plan_file import write_text_atomically
from goalward.task.states import missing_facts

DEFAULT_SERIES = Path("plan")
"""Plans of --anytime are called plan.1, plan.2, … unless --output gives another name."""


@command(
    *TASK,
    flag(
        "--heuristic",
        "-H",
        help="; ".join(f"{h.name}: {h.summary}" for h in HEURISTICS.values()),
        note="default: ff",
        metavar="|".join(HEURISTICS),
    ),
    path_flag(
        "--model",
        help="use this learned model as the heuristic; the problem must be a state of its task, or any problem of the "
        "domain if goalward train-domain made it",
    ),
    flag(
        "--message-steps", help="message-passing steps of a model of a domain", kind=WHOLE, note="default: as trained"
    ),
    search_flag("default: portfolio; gbfs with --heuristic, hybrid with --model"),
    flag("--weight", help="w of weighted A*", default=5.0),
    flag(
        "--costs",
        help="what search counts: steps, or the costs in the PDDL",
        choices=("unit", "pddl"),
        note="default: pddl for astar and wastar, otherwise unit",
    ),
    time_limit("time limit for the whole command: 90s, 5m, 1h30m"),
    MEMORY_LIMIT,
    flag(
        "--batch",
        help="expand this many of the best states at once, 1 is plain search; several: greedy searches take turns",
        kind=BATCHES,
        note=f"default: {format_batches(TURNS)} with a model, otherwise 1",
    ),
    IMPROVE,
    CORES,
    switch(
        "--anytime",
        help="look for better plans until the time limit or Ctrl-C, and write each to a file of its own: OUTPUT.1, "
        f"OUTPUT.2, …; {DEFAULT_SERIES}.1, … without --output",
    ),
    PLAN_OUTPUT,
    FORCE,
    JSON,
)
def plan(
    domain: Path,
    problem: Path,
    heuristic: str | None,
    model: Path | None,
    message_steps: int | None,
    algorithm: str | None,
    weight: float,
    costs: str | None,
    time_limit: float | None,
    memory_limit: int | None,
    batch: tuple[int, ...] | None,
    improve: str | None,
    cores: int,
    anytime: bool,
    output: Path | None,
    force: bool,
    as_json: bool,
) -> int:
    """Find a plan and check it before reporting it."""
    limits = Limits.of_command(time_limit, memory_limit)
    if model is not None and heuristic is not None:
        raise UsageError("a model is a heuristic itself: give --model or --heuristic, not both")
    if message_steps is not None and model is None:
        raise UsageError("--message-steps goes with --model and a model made by goalward train-domain")
    name = check_heuristic("ff" if heuristic is None else heuristic)
    if anytime and improve is not None:
        raise UsageError("--anytime improves plans until the time limit: give it or --improve, not both")
    inputs = [domain, problem, model]
    series = PlanSeries(output or DEFAULT_SERIES, inputs, force=force, quiet=as_json) if anytime else None
    if output is not None and not anytime:
        check_output(output, inputs, force=force)
    improvement = UNLIMITED_IMPROVEMENT if anytime else parse_improvement(improve)
    if algorithm is None and heuristic is not None:
        algorithm = "gbfs"
    default_search(learned=model is not None, algorithm=cast(Algorithm | None, algorithm), batch=batch)  # checks them
    loaded = limits.elapsed
    try:
        with spinner("grounding", not as_json), limits.enforce("reading and grounding the problem"):
            lifted_domain = read_domain(domain)
            lifted_problem = read_problem(problem, lifted_domain)
            trained = None if model is None else _load_model(model, lifted_domain, message_steps)
            strategy = strategy_for(trained, algorithm=cast(Algorithm | None, algorithm), batch=batch)
            unit_costs = None if costs is None else costs == "unit"
            options = replace(strategy.options, weight=weight, unit_costs=unit_costs, cores=cores)
            if trained is None:
                start = initial_state(ground(lifted_domain, lifted_problem))
                bound = bind_heuristic(start.task, name, unit_costs=options.counts_steps)
            else:
                start = trained.start(lifted_problem.text, lifted_problem.source)
                bound = strategy.bind(start.task)
            prepare(bound, options, start.atoms)  # built here, where the time limit can interrupt it
    except (UnsolvableError, LimitError) as error:
        if as_json:
            print_json(early_end_as_json(error, limits))
            return error.exit_code
        raise
    task = start.task
    if not as_json:
        say(describe_grounding(task, limits.elapsed - loaded))
    options = replace(options, time_limit=limits.remaining, memory_limit=memory_limit)

    with Interrupt() as interrupt, LiveFigures(enabled=not as_json, interrupt=interrupt) as live:
        outcome = solve(
            start, bound, options, improve=improvement, progress=live.searching, improving=live.improving,
            on_plan=series.write if series else None,
        )  # fmt: skip
    written = ""
    if outcome.solved:
        if series is not None:
            end = [] if outcome.improved is None else [ENDS_OF_IMPROVEMENT[outcome.improved.status]]
            written = "\n".join([*end, series.summary])
        elif output is not None:
            write_text_atomically(output, outcome.plan_text)
            written = f"Plan written to {output}"
        elif not as_json:
            say(outcome.plan_text, nl=False)
    if trained is not None and not outcome.solved and (warning := missing_facts(task, start.atoms, start.source)):
        complain(warning)
    if as_json:
        plans = {} if series is None else {"plans": series.plans}
        print_json(plan_as_json(outcome, limits) | plans)
    else:
        report(outcome, limits, written)
    return EXIT_CODES[outcome.status]


def _load_model(path: Path, domain: Domain, message_steps: int | None) -> LearnedModel:
    """The model, which must be for this domain."""
    model = load_model(path)
    if message_steps is not None:
        model = model.with_settings(message_steps=message_steps)
    model.check_domain(domain.text, domain.source)
    return model


class PlanSeries:
    """The plans of ``--anytime``: ``plan.1``, ``plan.2``, …, each better than the one before, as LAMA writes them.

    The first plan of a series removes the plans of an earlier series with the same name, so that the last file is the
    best plan of one run. ``quiet`` prints nothing.
    """

    def __init__(self, name: Path, inputs: list[Path | None], *, force: bool, quiet: bool) -> None:
        self.name = name
        self.quiet = quiet
        self.plans: list[dict[str, Any]] = []
        if name.parent == Path("/dev") or (name.exists() and not name.is_file()):
            raise UsageError(f"{name}: with --anytime the output is the beginning of file names, such as {name.name}.1")
        check_output(self.file(1), inputs, force=force)
        for path in self._earlier_series():
            check_output(path, inputs, force=force)

    def file(self, number: int) -> Path:
        """The file of the plan with this number."""
        return self.name.with_name(f"{self.name.name}.{number}")

    def write(self, outcome: Outcome) -> None:
        """Write the next plan."""
        number = len(self.plans) + 1
        path = self.file(number)
        write_text_atomically(path, outcome.plan_text)
        if number == 1:
            for earlier in self._earlier_series():
                earlier.unlink()
        seconds = outcome.found_after
        self.plans.append(
            {"file": str(path), "plan_length": outcome.length, "cost": outcome.cost, "seconds": round(seconds, 6)}
        )
        if not self.quiet:
            steps = counted(outcome.length or 0, "step")
            say(f"{path}: cost {outcome.cost}, {steps}, after {format_duration(seconds)}")

    @property
    def summary(self) -> str:
        """A line that names the plan files."""
        if len(self.plans) == 1:
            return f"Plan written to {self.file(1)}"
        return f"{len(self.plans)} plans written to {self.file(1)} to {self.file(len(self.plans))}, the best one last"

    def _earlier_series(self) -> list[Path]:
        found = []
        for number in count(2):
            if not self.file(number).is_file():
                break
            found.append(self.file(number))
        return found


# --- output: lines that Downward Lab's parsers read, or JSON ---

EARLY_ENDS = {
    ExitCode.TRANSLATE_UNSOLVABLE: Status.UNSOLVABLE,
    ExitCode.OUT_OF_TIME: Status.OUT_OF_TIME,
    ExitCode.OUT_OF_MEMORY: Status.OUT_OF_MEMORY,
}

SENTENCES = {
    Status.SOLVED: "Solution found.",
    Status.UNSOLVABLE: "No plan exists: all reachable states have been searched.",
    Status.EXHAUSTED: "Search ended without a plan and without proof that there is none.",
    Status.OUT_OF_TIME: "Time limit reached.",
    Status.OUT_OF_MEMORY: "Memory limit reached.",
    Status.CANCELLED: "Interrupted.",
    Status.OUT_OF_EXPANSIONS: "Limit of expansions reached.",
}


def report(outcome: Outcome, limits: Limits, written: str = "") -> None:
    """Print the lines about a search; ``written`` names the files of plans, if there are any."""
    s = outcome.statistics
    evaluated = outcome.solved or s.expanded or s.dead_ends  # the time limit may have ended the search before
    lines = [f"Initial heuristic value for {outcome.measured_by}: {_format_h(s.initial_h)}"] if evaluated else []
    lines.append(SENTENCES[outcome.status])
    if outcome.solved:
        lines += [f"Plan length: {outcome.length} step(s).", f"Plan cost: {outcome.cost}", "Plan valid."]
        if outcome.improved is not None:
            lines.append(f"Cost before improvement: {outcome.found.cost} ({outcome.found.length} step(s))")
        if written:
            lines.append(written)
    lines += [
        f"Expanded {s.expanded} state(s).",
        f"Reopened {s.reopened} state(s).",
        f"Evaluated {s.evaluated} state(s).",
        f"Evaluations: {sum(n for _, n in s.evaluations_by_heuristic) or s.evaluated}",
        f"Generated {s.generated} state(s).",
        f"Dead ends: {s.dead_ends} state(s).",
        f"Number of registered states: {s.stored}",
        *(f"Evaluations by {name}: {count}" for name, count in s.evaluations_by_heuristic),
        *(f"Expansions by {name}: {count}" for name, count in s.expansions_by_queue if count),
        *([f"Led to the goal by {s.led_by}."] if s.led_by else []),
        *([f"Ended to free memory for other parts: {', '.join(s.evicted)}."] if s.evicted else []),
        f"Search time: {outcome.search_time:.6f}s",
        f"Improvement time: {outcome.improve_time:.6f}s",
        f"Total time: {limits.elapsed:.6f}s",
        f"Peak memory: {_core.peak_memory() // 1024} KB",
    ]
    say("\n".join(lines))


def _format_h(h: float) -> str:
    """h without an exponent if it is a whole number, and ``infinity`` for dead ends, as Fast Downward writes it."""
    if math.isinf(h):
        return "infinity"
    return f"{h:.0f}" if h.is_integer() else f"{h:g}"


def early_end_as_json(error: UnsolvableError | LimitError, limits: Limits) -> dict[str, Any]:
    """The JSON object for a problem that was not searched."""
    nothing = dict.fromkeys(("plan", "plan_length", "cost", "valid"))
    figures = {"total_time": limits.elapsed, "peak_memory": _core.peak_memory()}
    return {"status": EARLY_ENDS[error.exit_code].value, "reason": str(error), **nothing, **figures}


def plan_as_json(outcome: Outcome, limits: Limits) -> dict[str, Any]:
    """The JSON object for a search."""
    return {
        **outcome.record(),
        "plan": outcome.steps,
        "better_plans": outcome.better_plans,
        "end_of_improvement": None if outcome.improved is None else outcome.improved.status.value,
        "valid": True if outcome.solved else None,
        "heuristic": outcome.heuristic,
        "atoms": outcome.start.task.n_atoms,
        "operators": outcome.start.task.n_operators,
        "seconds": outcome.search_time,
        "total_time": limits.elapsed,
        "peak_memory": _core.peak_memory(),
    }
