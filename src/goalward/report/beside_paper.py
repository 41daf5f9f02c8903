"""An experiment beside the paper's figures, as Markdown tables for a page of results.

All rows of a coverage table rest on the same states: those from which every system has searched. So an experiment that
is not complete yet can be compared, too.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import fmean

from goalward.measures import format_duration
from goalward.report import paper
from goalward.report.coverage import training_times
from goalward.report.data import Entry, Experiment, Instance, instance_of
from goalward.report.paper import PaperColumn
from goalward.report.side_by_side import pairwise, rates

SIZES = ((0, 500, "below 500 atoms"), (500, 2000, "500 to 1,999"), (2000, math.inf, "2,000 and more"))
"""Ranges of the number of atoms by which speeds are shown."""

NOTHING = "Nothing has been measured yet.\n"

State = tuple[Instance, str | None]


def on_common_states(experiment: Experiment, methods: Sequence[str]) -> Experiment:
    """The experiment with these methods only, and only the states from which all of them have searched."""
    states: dict[str, set[State]] = {method: set() for method in methods}
    for unit, _ in experiment.searches:
        if unit.method in states:
            states[unit.method].add((instance_of(unit), unit.state))
    common = set.intersection(*states.values()) if states else set()
    instances = {instance for instance, _ in common}

    def belongs(entry: Entry) -> bool:
        unit = entry[0]
        return unit.method in states and (
            (instance_of(unit), unit.state) in common if unit.kind == "search" else instance_of(unit) in instances
        )

    return replace(
        experiment,
        searches=list(filter(belongs, experiment.searches)),
        trainings=list(filter(belongs, experiment.trainings)),
    )


def theirs(experiment: Experiment, method: str) -> PaperColumn | None:
    """The column of the paper for a method: that of single trainings if there is one, else the validated one.

    The paper's h_FF is that of Fast Downward. A method with options of its own has a column only if it is labelled with
    the name of its system.
    """
    system = experiment.method_names.get(method, method)
    name = "ff" if system == "fd-ff" else system
    if method != system or system == "ff":
        return None
    found = [column for column in paper.COLUMNS if column.method == name]
    return min(found, key=lambda column: column.kind == "validated", default=None)


def coverage_table(experiment: Experiment, difficulty: str) -> str:
    """Coverage in percent by system and domain, with the paper's in parentheses.

    The last column has the average over domains; the paper's is over the same domains. The last row has the rank
    correlation of the systems' coverage with the paper's.
    """
    ours = {
        (method, domain): share
        for method in experiment.methods
        for domain in experiment.domains
        if (share := _share(experiment, method, domain, difficulty)) is not None
    }
    domains = [domain for domain in experiment.domains if any(place[1] == domain for place in ours)]
    if not domains:
        return NOTHING
    columns = {method: theirs(experiment, method) for method in experiment.methods}
    published = {
        (method, domain): value
        for method, column in columns.items()
        for domain in domains
        if column is not None and (value := paper.coverage(column, domain, difficulty)) is not None
    }

    def averages(values: dict[tuple[str, str], float]) -> dict[str, float]:
        rows = {method: [values[method, d] for d in domains if (method, d) in values] for method in experiment.methods}
        return {method: fmean(row) for method, row in rows.items() if row and len(row) == len(domains)}

    our_average, their_average = averages(ours), averages(published)
    order = sorted(our_average, key=lambda method: -our_average[method])
    lines = []
    for method in order:
        cells = [_cell(ours.get((method, d)), published.get((method, d))) for d in domains]
        lines.append([method, *cells, f"**{our_average[method]:.1f}**" + _beside(their_average.get(method))])
    correlations = [_rank_correlation(_of_domain(ours, d), _of_domain(published, d)) for d in domains]
    correlations.append(_rank_correlation(our_average, their_average))
    lines.append(["rank correlation", *("–" if value is None else f"{value:.2f}" for value in correlations)])
    counts = {domain: _counts(experiment, domain, difficulty) for domain in domains}
    lines.append(["instances (states)", *(counts[d] for d in domains), _counts(experiment, None, difficulty)])
    return markdown(["system", *map(_short_name, domains), "average"], lines)


def _share(experiment: Experiment, method: str, domain: str, difficulty: str) -> float | None:
    """Mean coverage over all seeds in percent; None if there are no searches."""
    place = method, domain, difficulty
    solved = [r.solved for u, r in experiment.searches if (u.method, u.domain, u.difficulty) == place]
    return 100 * fmean(solved) if solved else None


def _of_domain(shares: dict[tuple[str, str], float], domain: str) -> dict[str, float]:
    return {method: share for (method, of), share in shares.items() if of == domain}


def _cell(ours: float | None, published: float | None) -> str:
    return ("–" if ours is None else f"{ours:.0f}") + _beside(published)


def _beside(published: float | None) -> str:
    return "" if published is None else f" ({published:.0f})"


def _counts(experiment: Experiment, domain: str | None, difficulty: str) -> str:
    states = {
        (instance_of(unit), unit.state)
        for unit, _ in experiment.searches
        if unit.difficulty == difficulty and domain in (None, unit.domain)
    }
    return f"{len({instance for instance, _ in states})} ({len(states)})"


def _short_name(domain: str) -> str:
    """The name of a domain in the paper's tables."""
    return next((name for name in paper.DOMAINS if domain.startswith(name)), domain)


def _rank_correlation(first: dict[str, float], second: dict[str, float]) -> float | None:
    """Spearman's rank correlation over the common keys; None if it is undefined."""
    keys = sorted(first.keys() & second.keys())
    a, b = (_ranks([values[key] for key in keys]) for values in (first, second))
    if len(keys) < 3 or len(set(a)) == 1 or len(set(b)) == 1:
        return None
    mean = (len(keys) + 1) / 2
    covariance = sum((x - mean) * (y - mean) for x, y in zip(a, b, strict=True))
    return covariance / math.sqrt(sum((x - mean) ** 2 for x in a) * sum((y - mean) ** 2 for y in b))


def _ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1; equal values share their mean rank."""
    ordered = sorted(values)
    return [ordered.index(value) + (ordered.count(value) + 1) / 2 for value in values]


def training_table(experiment: Experiment) -> str:
    """Mean training time per instance beside the paper's, for systems that learn."""
    times = training_times(experiment)
    lines = []
    for method in experiment.methods:
        column = theirs(experiment, method)
        row = [method]
        for number, difficulty in enumerate(("moderate", "hard")):
            spent = [t for (d, _, c), t in times.items() if d == difficulty and c.method == method]
            ours = sum(t.seconds for t in spent) / sum(t.instances for t in spent) if spent else None
            hours = column.hours[number] if column and column.hours else None
            row.append("–" if ours is None else format_duration(ours))
            row.append("–" if hours is None else f"{hours:g} h")
        if method in experiment.learned:
            lines.append(row)
    return markdown(["system", "moderate", "paper", "hard", "paper"], lines)


def pairs_table(experiment: Experiment, first: str) -> str:
    """One system against each other one, on the states that both solved: ratios of expansions and of plan lengths."""
    lines = []
    for second in experiment.methods:
        expansions, lengths = (pairwise(experiment, first, second, m) for m in ("expansions", "plan_length"))
        if second == first or not lengths.points:
            continue
        line = [second, str(len(lengths.points))]
        for pair in (expansions, lengths):
            better, worse, _ = pair.shares
            ratio = _geometric_mean((a + 1) / (b + 1) for a, b in pair.points)
            line += [f"{ratio:.2f}", f"{better:.0f} % / {worse:.0f} %"]
        lines.append(line)
    if not lines:
        return NOTHING
    headings = ["other system", "states", "expansions", "fewer / more", "plan length", "shorter / longer"]
    return markdown(headings, lines)


def _geometric_mean(values: Iterable[float]) -> float:
    logs = [math.log(value) for value in values]
    return math.exp(fmean(logs)) if logs else math.nan


def speed_table(experiment: Experiment) -> str:
    """Evaluated states per second, the median over instances, by the number of atoms."""
    found: dict[str, list[list[float]]] = defaultdict(lambda: [[] for _ in SIZES])
    for method, points in rates(experiment).items():
        for instance, rate in points:
            for place, (low, high, _) in enumerate(SIZES):
                if low <= experiment.atoms[instance] < high:
                    found[method][place].append(rate)
    lines = [
        [method, *(f"{sorted(part)[len(part) // 2]:,.0f} ({len(part)})" if part else "–" for part in found[method])]
        for method in experiment.methods
        if method in found
    ]
    return markdown(["system", *(name for _, _, name in SIZES)], lines)


def instances_table(experiment: Experiment) -> str:
    """The instances by domain and difficulty."""
    difficulties = experiment.difficulties
    lines = [
        [_short_name(domain)]
        + [
            ", ".join(name for d, k, name in experiment.instances if (d, k) == (domain, difficulty)) or "–"
            for difficulty in difficulties
        ]
        for domain in experiment.domains
    ]
    return markdown(["domain", *difficulties], lines)


def effort(experiment: Experiment) -> str:
    """A sentence with the number of units and the core-hours that they took."""
    results = [result for _, result in [*experiment.trainings, *experiment.searches]]
    hours = sum(result.total_time or 0.0 for result in results) / 3600
    again = sum(result.attempts > 1 for result in results)
    counts = experiment.counts
    planned = max(int(experiment.meta.get("units", 0)), counts["units"])
    return (
        f"{counts['done']:,} of {planned:,} units are done ({len(experiment.trainings)} trainings and "
        f"{len(experiment.searches)} searches); {counts['failed']} failed, {again} were started more than once. "
        f"They took {hours:.1f} core-hours."
    )


def markdown(headings: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A Markdown table; all columns but the first are aligned to the right."""
    rows = [headings, ["---", *["---:"] * (len(headings) - 1)], *lines]
    return "".join("| " + " | ".join(cell.replace("|", r"\|") for cell in row) + " |\n" for row in rows)
