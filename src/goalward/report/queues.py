"""Searches with several heuristics: evaluations by heuristic, expansions by queue, and plans found by queue."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from goalward.experiments.method_configs import AUTO, PORTFOLIO, with_current_names
from goalward.experiments.store import Store
from goalward.report.data import Experiment, method_tables
from goalward.search import GUIDED
from goalward.search.portfolio import current_lead


@dataclass
class QueueUse:
    """Counts over all searches of one method, with all seeds and statuses."""

    method: str
    evaluations: Counter[str] = field(default_factory=Counter)
    """By heuristic."""
    expansions: Counter[str] = field(default_factory=Counter)
    """By queue."""
    led: Counter[str] = field(default_factory=Counter)
    """Plans found, by the queue that led to the goal."""


def queue_use(experiment: Experiment, store: Store) -> list[QueueUse]:
    """The counts for each method whose searches have several queues, in the order of the methods.

    The counts are in ``extra`` of the results, which is only read for these methods.
    """
    labels = {entry["label"] for entry in method_tables(experiment.meta) if _has_queues(entry)}
    ids: dict[str, list[str]] = {method: [] for method in experiment.methods if method in labels}
    for unit, _ in experiment.searches:
        if unit.method in ids:
            ids[unit.method].append(unit.id)
    found = []
    for method, units in ids.items():
        use = QueueUse(method)
        for _, extra in store.extras(units):
            use.evaluations.update(extra.get("evaluations_by_heuristic") or {})
            use.expansions.update({_queue(name): n for name, n in (extra.get("expansions_by_queue") or {}).items()})
            if extra.get("led_by"):
                use.led[_queue(extra["led_by"])] += 1
        if use.expansions:
            found.append(use)
    return found


def _has_queues(entry: dict[str, object]) -> bool:
    """True if the searches of a method in the config have several queues."""
    entry = with_current_names(entry)
    search = entry.get("search")
    chosen = search.get("algorithm") if isinstance(search, dict) else None
    return (chosen or ("portfolio" if entry.get("method") == PORTFOLIO else "gbfs")) in (*GUIDED, AUTO)


def _queue(name: str) -> str:
    """The name of a queue, ``part: queue``, with the current name of its part."""
    part, colon, queue = name.partition(":")
    return f"{current_lead(part)}{colon}{queue}"
