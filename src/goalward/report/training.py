"""Figures about training: curves, effects of hyper-parameters, h along plans, and minimum h over time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from goalward.experiments.store import Store
from goalward.learning.rsl import PreimageOptions
from goalward.report.coverage import average, cells, columns
from goalward.report.data import Entry, Experiment, Instance, instance_of, method_tables

T = TypeVar("T")

# The paper's symbol, the option's name in a config, and its description.
PARAMETERS = (
    ("N_t", "samples", "training states"),
    ("P_r", "random_share", "share of random states"),
    ("N_r", "rollouts", "rollouts from the goal"),
    ("L", "length", "steps of a rollout"),
)

MAX_PLANS_PER_INSTANCE = 12
MAX_POINTS_PER_INSTANCE = 240
MAX_CURVES = 1000
MAX_POINTS_PER_CURVE = 80


def thin(items: Sequence[T], limit: int) -> list[T]:
    """At most ``limit`` items, evenly spaced, including the first and the last."""
    if len(items) <= limit:
        return list(items)
    if limit == 1:
        return [items[0]]
    return [items[place * (len(items) - 1) // (limit - 1)] for place in range(limit)]


@dataclass(frozen=True)
class Curve:
    """The curve of one training; points are (epoch, training loss, validation loss)."""

    method: str
    instance: Instance
    seed: int | None
    chosen: bool
    points: list[tuple[float, float | None, float | None]]


def curves(experiment: Experiment) -> tuple[list[Curve], int]:
    """Training curves, and their number before thinning; curves of chosen seeds have priority."""
    found = []
    for unit, result in experiment.trainings:
        raw = [point for point in result.extra.get("curve") or [] if len(point) >= 3]
        if raw:
            points = [(point[0], _finite(point[1]), _finite(point[2])) for point in thin(raw, MAX_POINTS_PER_CURVE)]
            chosen = experiment.chosen.get((instance_of(unit), unit.method)) == unit.seed
            found.append(Curve(unit.method, instance_of(unit), unit.seed, chosen, points))
    if len(found) <= MAX_CURVES:
        return found, len(found)
    kept = thin([curve for curve in found if curve.chosen], MAX_CURVES)
    kept += thin([curve for curve in found if not curve.chosen], max(1, MAX_CURVES - len(kept)))
    return kept, len(found)


def _finite(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) and abs(value) < float("inf") else None


@dataclass(frozen=True)
class Setting:
    """Average coverage, in percent and by difficulty, of one configuration of the hyper-parameters."""

    label: str
    values: dict[str, float]
    averages: dict[str, float]


def settings(experiment: Experiment) -> list[Setting]:
    """The configurations of preimage-based methods, if at least two of them differ in a hyper-parameter."""
    if len(method_tables(experiment.meta)) < 2:
        return []
    coverage = cells(experiment)
    by_method = {column.method: column for column in columns(experiment) if column.kind != "validated"}
    found = []
    for table in method_tables(experiment.meta):
        options = table.get("options")
        if table["label"] not in by_method or not isinstance(options, dict):
            continue
        if table.get("method") not in {"rsl", "n-rsl"} and not any(name in options for _, name, _ in PARAMETERS):
            continue
        values = {symbol: float(options.get(name, _default(name, options))) for symbol, name, _ in PARAMETERS}
        averages = {d: average(coverage, d, by_method[table["label"]]) for d in experiment.difficulties}
        kept = {difficulty: value for difficulty, value in averages.items() if value is not None}
        if kept:
            found.append(Setting(table["label"], values, kept))
    differing = [symbol for symbol, *_ in PARAMETERS if len({setting.values[symbol] for setting in found}) > 1]
    return found if differing else []


def _default(option: str, options: dict[str, Any]) -> float:
    """The value of an option that a config does not set, from its preset or the default preset."""
    preset = PreimageOptions(**{"preset": options["preset"]} if "preset" in options else {})
    return float(getattr(preset.resolved(), option))


@dataclass(frozen=True)
class HeuristicAlongPlans:
    """Heuristic values along plans of an instance; points are (remaining steps, h)."""

    method: str
    instance: Instance
    n_plans: int
    points: list[tuple[int, float]]


def heuristic_along_plans(experiment: Experiment, store: Store) -> list[HeuristicAlongPlans]:
    """Heuristic values along plans for each method and instance, thinned to a few plans and states."""
    solved: dict[tuple[Instance, str], list[str]] = defaultdict(list)
    for unit, result in experiment.representatives:
        if result.solved:
            solved[instance_of(unit), unit.method].append(unit.id)
    found = []
    for (instance, method), ids in solved.items():
        points: list[tuple[int, float]] = []
        n_plans = 0
        for _, extra in store.extras(thin(ids, MAX_PLANS_PER_INSTANCE)):
            along = extra.get("h_along") or []
            n_plans += bool(along)
            steps = thin(range(len(along)), MAX_POINTS_PER_INSTANCE // 6)
            remaining = [(len(along) - 1 - step, _finite(along[step])) for step in steps]
            points += [(left, h) for left, h in remaining if h is not None]
        if points:
            found.append(HeuristicAlongPlans(method, instance, n_plans, thin(sorted(points), MAX_POINTS_PER_INSTANCE)))
    return found


@dataclass(frozen=True)
class BestHCurve:
    """The minimum heuristic value of one search over time; points are (seconds since it began, minimum h so far)."""

    method: str
    instance: Instance
    state: str | None
    solved: bool
    points: list[tuple[float, float]]


def best_h_curves(experiment: Experiment, store: Store) -> list[BestHCurve]:
    """The curves of searches from a few states per method and instance, solved or not."""
    tried: dict[tuple[Instance, str], list[Entry]] = defaultdict(list)
    for unit, result in experiment.representatives:
        tried[instance_of(unit), unit.method].append((unit, result))
    found = []
    for (instance, method), entries in tried.items():
        shown = thin(entries, MAX_PLANS_PER_INSTANCE)
        extras = dict(store.extras(unit.id for unit, _ in shown))
        for unit, result in shown:
            stored = extras.get(unit.id, {}).get("best_h_over_time") or []
            points = [(seconds, h) for seconds, h in stored if _finite(seconds) is not None and _finite(h) is not None]
            if points:
                thinned = thin(points, MAX_POINTS_PER_INSTANCE)
                found.append(BestHCurve(method, instance, unit.state, result.solved, thinned))
    return found
