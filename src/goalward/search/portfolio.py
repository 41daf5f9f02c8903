"""Searches with several heuristics: which of them take turns, and how they share the time.

The numbers come from measurement (``docs/lab/measurements.md``). One search leads, with a head start: what it solves at
once never waits for another, and what it does not solve gets the others soon. Without a learned heuristic it is the
search with h_FF and landmarks, and the one goal by goal is next; with one it is whichever solved validation states
soonest after training, and its head start is as long as that took and then some. Effort is counted, not timed, in units
of about a nanosecond: a search repeats exactly.
"""

from __future__ import annotations

from typing import Any, Literal

from goalward import _core

Lead = Literal["landmarks", "agenda", "novelty", "hybrid", "network"]
LEADS: dict[Lead, str] = {
    "landmarks": "h_FF and landmarks",
    "agenda": "goal by goal",
    "novelty": "novelty",
    "hybrid": "the network beside h_FF and landmarks",
    "network": "the network alone",
}
"""What may lead."""
WITHOUT_NETWORK: tuple[Lead, ...] = ("landmarks", "agenda", "novelty")
"""What may lead if there is no learned heuristic."""
WITH_NETWORK: tuple[Lead, ...] = ("hybrid", "network")
"""What needs a learned heuristic."""
FORMER_LEADS: dict[str, Lead] = {"lama": "landmarks"}
"""Names that leads had once: model files, configs and programs may still use them."""
SHARE_OF_LEAD = 0.3
HEAD_START = 200_000_000  # in proportion to the share of what leads
SHORT_HEAD_START = 20_000_000  # of h_FF and landmarks before the search goal by goal, which has an agenda to find first
LONGEST_HEAD_START = 100_000  # seconds
EFFORT_PER_SECOND = 1e9
"""Units of effort, of a search or an improver, that take about a second."""
_KINDS = {
    "landmarks": _core.PartKind.GUIDED,
    "agenda": _core.PartKind.AGENDA,
    "novelty": _core.PartKind.NOVELTY,
    "hybrid": _core.PartKind.HYBRID,
}


def current_lead(name: Any) -> Any:
    """The present name of what leads; anything but a former name is given back as it is."""
    return FORMER_LEADS.get(name, name) if isinstance(name, str) else name


def portfolio_parts(lead: Lead = "landmarks", head_start: float | None = None) -> list[_core.PortfolioPart]:
    """h_FF and landmarks; goal by goal; novelty.

    The part that leads is the first. Before the others begin it has so many seconds, or a short while that suits
    where nobody knows anything about a problem.
    """
    lead = current_lead(lead)
    shares = _led({"landmarks": 0.3, "agenda": 0.5, "novelty": 0.2}, lead)
    delays = _delays(shares, lead, head_start)
    return [_part(name, share, delays[name]) for name, share in shares.items()]


def hybrid_parts(
    batches: tuple[int, ...], lead: Lead = "landmarks", head_start: float | None = None
) -> list[_core.PortfolioPart]:
    """The same parts, and with a learned heuristic: beside h_FF and landmarks; alone, with each batch size.

    The part that leads is the first, as in :func:`portfolio_parts`.
    """
    lead = current_lead(lead)
    shares = _led({"landmarks": 0.2, "agenda": 0.3, "novelty": 0.1, "hybrid": 0.25, "network": 0.15}, lead)
    delays = _delays(shares, lead, head_start)
    parts: list[_core.PortfolioPart] = []
    for name, share in shares.items():
        if name == "network":
            parts += [_alone(batch, share / len(batches), delays[name]) for batch in batches]
        else:
            parts.append(_part(name, share, delays[name]))
    return parts


def _led(shares: dict[Lead, float], lead: Lead) -> dict[Lead, float]:
    """The part that leads is the first and has at least so much; the others share the rest as before."""
    first = max(shares.pop(lead), SHARE_OF_LEAD)
    rest = sum(shares.values())
    return {lead: first, **{name: (1 - first) * share / rest for name, share in shares.items()}}


def _delays(shares: dict[Lead, float], lead: Lead, head_start: float | None) -> dict[Lead, int]:
    """When each part begins, by the effort of the one that leads, in proportion to its share."""
    if head_start is None:
        delays = dict.fromkeys(shares, HEAD_START)
        if lead == "landmarks":
            delays["agenda"] = SHORT_HEAD_START
    else:
        delays = dict.fromkeys(shares, round(head_start * EFFORT_PER_SECOND / shares[lead]))
    return delays | {lead: 0}


def _part(name: Lead, share: float, delay: int) -> _core.PortfolioPart:
    return _core.PortfolioPart(name=name, kind=_KINDS[name], share=share, delay=delay)


def _alone(batch: int, share: float, delay: int) -> _core.PortfolioPart:
    return _core.PortfolioPart(
        name=f"width {batch}", kind=_core.PartKind.NETWORK, batch=batch, share=share, delay=delay
    )
