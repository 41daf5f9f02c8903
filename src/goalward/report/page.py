"""Computes the data of the page as one JSON structure of lists and numbers, which the page's scripts draw."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from goalward.experiments.cost_over_time import PENALTY, BreakEven
from goalward.experiments.store import Store
from goalward.report import coverage, not_solved, paper, plans, quality, side_by_side, training
from goalward.report.data import Experiment, Instance, instance_of
from goalward.report.provenance import provenance_sections
from goalward.report.queues import queue_use

MAX_FAILURES = 200
MAX_POINTS = 3000
"""Maximum number of points drawn in one plot; shares and averages are computed from all points."""


def make_page(experiment: Experiment, store: Store) -> dict[str, Any]:
    """All data of the page, by section."""
    columns = coverage.columns(experiment)
    return {
        "title": _title(experiment),
        "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "version": version("goalward"),
        "counts": experiment.counts,
        "domains": experiment.domains,
        "difficulties": experiment.difficulties,
        "methods": [
            {"label": label, "learned": label in experiment.learned, "imported": label in experiment.imported}
            for label in (dict.fromkeys(column.method for column in columns))
        ],
        "columns": [
            {"method": c.method, "kind": c.kind, "title": c.title, "learned": c.method in experiment.learned}
            for c in columns
        ],
        "coverage": _coverage(experiment, columns),
        "training": _training(experiment, columns),
        "paper": _paper(experiment, columns),
        **_runs(experiment),
        "rates": _rates(experiment),
        "window": side_by_side.WINDOW,
        "max_points": MAX_POINTS,
        "curves": _curves(experiment),
        "settings": _settings(experiment),
        "along": _heuristic_along_plans(experiment, store),
        "best_h": _best_h(experiment, store),
        "cost_curves": _cost_curves(experiment, store),
        **_quality(experiment, store),
        "outcomes": [[method, dict(found)] for method, found in side_by_side.outcomes(experiment).items()],
        "queues": _queues(experiment, store),
        "failures": _failures(experiment),
        "limit": _limit(experiment),
        "unsolved": _unsolved(experiment),
        "labels": _labels(experiment),
        "provenance": provenance_sections(experiment.meta),
    }


def _title(experiment: Experiment) -> str:
    config = experiment.meta.get("config")
    name = config.get("name") if isinstance(config, dict) else None
    return str(name or experiment.meta.get("name") or "Experiment")


def _coverage(experiment: Experiment, columns: list[coverage.Column]) -> list[list[Any]]:
    """[difficulty, domain, column, solved, states, planned, lowest seed, highest seed]."""
    return [
        [
            *_numbers(experiment, columns, place),
            cell.solved,
            cell.states,
            cell.planned,
            *(None if share is None else round(share, 2) for share in (cell.low, cell.high)),
        ]
        for place, cell in coverage.cells(experiment).items()
    ]


def _training(experiment: Experiment, columns: list[coverage.Column]) -> list[list[Any]]:
    """[difficulty, domain, column, seconds, instances]."""
    return [
        [*_numbers(experiment, columns, place), round(spent.seconds, 3), spent.instances]
        for place, spent in coverage.training_times(experiment).items()
    ]


def _numbers(experiment: Experiment, columns: list[coverage.Column], place: coverage.Place) -> tuple[int, int, int]:
    """The indices of difficulty, domain and column, by which the page identifies a cell."""
    difficulty, domain, column = place
    return experiment.difficulties.index(difficulty), experiment.domains.index(domain), columns.index(column)


def _paper(experiment: Experiment, columns: list[coverage.Column]) -> dict[str, Any]:
    """The paper's columns; ``beside`` is the index of the corresponding column of ours, or None."""
    found = []
    for column in paper.COLUMNS:
        ours = _ours(experiment, columns, column)
        values = [
            [d, k, value]
            for d, difficulty in enumerate(experiment.difficulties)
            for k, domain in enumerate(experiment.domains)
            if (value := paper.coverage(column, domain, difficulty)) is not None
        ]
        hours = dict(zip(("moderate", "hard"), column.hours or (), strict=False))
        found.append(
            {
                "method": column.method,
                "title": {"single": "", "mean": "mean of 10 seeds", "validated": "with validation"}[column.kind],
                "budget": column.budget,
                "learned": column.learned,
                "beside": ours,
                "values": values,
                "hours": [hours.get(difficulty) for difficulty in experiment.difficulties],
            }
        )
    return {
        "source": paper.SOURCE,
        "columns": found if any(column["values"] for column in found) else [],
        "settings": [
            {"values": s.values, "averages": {"moderate": s.moderate, "hard": s.hard}} for s in paper.SETTINGS
        ],
    }


def _ours(experiment: Experiment, columns: list[coverage.Column], theirs: paper.PaperColumn) -> int | None:
    """The index of our column that corresponds to a column of the paper; None if there is none."""
    names = ("fd-ff", "ff") if theirs.method == "ff" else (theirs.method,)  # the paper's h_FF is Fast Downward's
    kinds = ("validated",) if theirs.kind == "validated" else ("mean", "single")
    for wanted in (kinds, ("validated", "mean", "single")):
        for name in names:
            same = {label for label, system in experiment.method_names.items() if system == name}
            for place, column in enumerate(columns):
                # If a system has several settings, only the one labelled with its name corresponds to the paper's.
                if column.method in same and column.kind in wanted and (len(same) == 1 or column.method == name):
                    return place
    return None


def _runs(experiment: Experiment) -> dict[str, Any]:
    """Instances, states, and for each method the figures of the chosen seed's search from each state.

    Expansions, plan length, cost and seconds are null if the state was not solved. ``ended`` is 1 for solved, 0 for
    unsolved and null for a search that has not run.
    """
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    states: dict[tuple[Instance, str | None], int] = {}
    for unit, _ in experiment.representatives:
        states.setdefault((instance_of(unit), unit.state), len(states))
    names = ("ended", "seed", "expansions", "plan_length", "cost", "seconds")
    runs: dict[str, dict[str, list[Any]]] = {
        method: {name: [None] * len(states) for name in names} for method in experiment.methods
    }
    for unit, result in experiment.representatives:
        place, row = states[instance_of(unit), unit.state], runs[unit.method]
        row["ended"][place] = int(result.solved)
        row["seed"][place] = unit.seed
        if result.solved:
            row["expansions"][place] = result.expansions
            row["plan_length"][place] = result.plan_length
            row["cost"][place] = result.cost
            row["seconds"][place] = None if result.total_time is None else float(f"{result.total_time:.4g}")
    return {
        "instances": [
            [experiment.domains.index(d), experiment.difficulties.index(k), name, experiment.atoms.get((d, k, name))]
            for d, k, name in experiment.instances
        ],
        "states": [[instances[instance], state] for instance, state in states],
        "runs": runs,
    }


def _rates(experiment: Experiment) -> list[list[Any]]:
    """[method, [[instance, evaluations per second], …]]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    return [
        [method, [[instances[instance], round(rate, 1)] for instance, rate in points]]
        for method, points in side_by_side.rates(experiment).items()
    ]


def _curves(experiment: Experiment) -> dict[str, Any]:
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    found, total = training.curves(experiment)
    kept = [
        [curve.method, instances[curve.instance], curve.seed, int(curve.chosen), _columns_of(curve.points)]
        for curve in found
    ]
    return {"total": total, "kept": kept}


def _columns_of(points: Iterable[tuple[float | None, ...]]) -> list[list[float | None]]:
    rounded = [[None if value is None else float(f"{value:.4g}") for value in point] for point in points]
    return [list(column) for column in zip(*rounded, strict=True)]


def _settings(experiment: Experiment) -> dict[str, Any]:
    found = training.settings(experiment)
    return {
        "parameters": [[symbol, words] for symbol, _, words in training.PARAMETERS],
        "ours": [{"label": s.label, "values": s.values, "averages": s.averages} for s in found],
    }


def _heuristic_along_plans(experiment: Experiment, store: Store) -> list[list[Any]]:
    """Mean h by remaining steps: [method, instance, number of plans, [remaining steps], [h]]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    return [
        [one.method, instances[one.instance], one.n_plans, *_columns_of(one.points)]
        for one in training.heuristic_along_plans(experiment, store)
    ]


def _best_h(experiment: Experiment, store: Store) -> list[list[Any]]:
    """Minimum h over time: [method, instance, state, solved, [seconds], [minimum h so far]]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    return [
        [one.method, instances[one.instance], one.state, int(one.solved), *_columns_of(one.points)]
        for one in training.best_h_curves(experiment, store)
    ]


def _queues(experiment: Experiment, store: Store) -> list[list[Any]]:
    """Use of heuristics and queues: [method, [[heuristic, evaluations], …], [[queue, expansions, plans found], …]]."""
    return [
        [
            use.method,
            [list(pair) for pair in use.evaluations.items()],
            [[queue, expanded, use.led[queue]] for queue, expanded in use.expansions.items()],
        ]
        for use in queue_use(experiment, store)
    ]


def _limit(experiment: Experiment) -> float | None:
    """The time limit of a search in seconds; None if the config is unknown."""
    config = experiment.meta.get("config")
    budgets = config.get("budgets") if isinstance(config, dict) else None
    limit = budgets.get("search") if isinstance(budgets, dict) else None
    return float(limit) if isinstance(limit, int | float) and limit > 0 else None


def _unsolved(experiment: Experiment) -> dict[str, Any]:
    """[method, instance, status, number of states, names of the first states]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    found = not_solved.unsolved(experiment)
    rows = [
        [one.method, instances[one.instance], one.status, len(one.states), one.states[: not_solved.MAX_STATE_NAMES]]
        for one in found[: not_solved.MAX_ROWS]
    ]
    return {"total": len(found), "rows": rows}


def _labels(experiment: Experiment) -> list[list[Any]]:
    """[method, instance, sampler, beyond, [counts]]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    return [
        [one.method, instances[one.instance], one.sampler, one.beyond, one.counts]
        for one in not_solved.labels(experiment)
    ]


def _cost_curves(experiment: Experiment, store: Store) -> list[list[Any]]:
    """[method, instance, state, [seconds], [cost]]."""
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    return [
        [one.method, instances[one.instance], one.state, *_columns_of(one.points)]
        for one in plans.cost_curves(experiment, store)
    ]


def _quality(experiment: Experiment, store: Store) -> dict[str, Any]:
    """Cost ratios over time, and break-even points of training.

    ``ratios``: the penalty of a state without a plan, times, and [method, domain, states, [sums of logarithms]].
    ``break_even``: [method, baseline, instance, training time, states compared, as good, any plan]. Each of the last
    two is [seconds, baseline's seconds, states without such a plan of the baseline, states at the break-even point].
    """
    instances = {instance: number for number, instance in enumerate(experiment.instances)}
    found = quality.curves(experiment, store)
    times, sums = quality.ratios_over_time(found)

    def figures(one: BreakEven) -> list[float | None]:
        return [round(one.seconds, 4), round(one.baseline_seconds, 4), one.unmatched, one.states]

    return {
        "ratios": {
            "penalty": PENALTY,
            "times": [float(f"{seconds:.4g}") for seconds in times],
            "sums": [
                [one.method, experiment.domains.index(one.domain), one.states, [round(x, 4) for x in one.sums]]
                for one in sums
            ],
        },
        "break_even": [
            [
                one.method, one.as_good.baseline, instances[one.instance], round(one.as_good.training, 3),
                one.as_good.compared, figures(one.as_good), figures(one.any_plan),
            ]
            for one in quality.break_even_rows(experiment, found)
        ],
    }  # fmt: skip


def _failures(experiment: Experiment) -> dict[str, Any]:
    """``rows``, the most frequent first: [method, domain, kind of unit, reason, units, example]; and totals."""
    found = side_by_side.failures(experiment)
    rows = [[f.method, f.domain, f.what, f.reason[:500], f.count, f.example] for f in found[:MAX_FAILURES]]
    return {"total": sum(f.count for f in found), "kinds": len(found), "rows": rows}
