"""The parts of portfolio and hybrid searches, and how they share the time.

One part leads: it runs alone for its head start, so that easy problems are solved without the cost of the other parts.
Without a learned heuristic, the search with h_FF and landmarks leads. With one, training chooses the part after which
validation states had the cheapest plans, and a head start somewhat longer than it needed. Effort is counted in units of
about a nanosecond and not timed, so that searches are repeatable. The numbers were tuned
(``docs/lab/measurements.md``).
"""

from __future__ import annotations

from typing import Any, Literal

from goalward import _core

Lead = Literal["landmarks", "agenda", "novelty", "hybrid", "network"]
LEADS: dict[Lead, str] = {
    "landmarks": "h_FF and landmarks",
    "agenda": "goal agendas",
    "novelty": "novelty",
    "hybrid": "h_FF and landmarks with the network",
    "network": "weighted A* with the network alone",
}
"""The parts that can lead, with descriptions."""
LEADS_WITHOUT_NETWORK: tuple[Lead, ...] = ("landmarks", "agenda", "novelty")
"""The parts that can lead without a learned heuristic."""
LEADS_WITH_NETWORK: tuple[Lead, ...] = ("hybrid", "network")
"""The parts that can lead only with a learned heuristic."""
FORMER_LEADS: dict[str, Lead] = {"lama": "landmarks"}
"""Former names of parts; model files, configs and programs may still use them."""
NETWORK_WEIGHT, NETWORK_BATCH = 2.0, 256
"""Of the weighted A* with the network alone. Weight 1.5 fails more often; batch 128 with weight 3 is faster, but first
plans of pipesworld p33 are longer (1.17 instead of 1.09 of improved plans without the network)."""
MIN_SHARE_OF_LEAD = 0.3
DEFAULT_HEAD_START = 200_000_000
"""Default head start of the leading part, as effort divided by its share."""
AGENDA_HEAD_START = 70_000_000
"""The same, of h_FF and landmarks before the agenda search, which has to compute a goal agenda first. With 20 million,
easy states of scanalyzer and visitall take longer."""
MAX_HEAD_START = 100_000
"""Maximum head start in seconds."""
EFFORT_PER_SECOND = 1e9
"""Units of effort, of a search or an improver, that take about a second."""
_KINDS = {
    "landmarks": _core.PartKind.GUIDED,
    "agenda": _core.PartKind.AGENDA,
    "novelty": _core.PartKind.NOVELTY,
    "hybrid": _core.PartKind.HYBRID,
    "network": _core.PartKind.NETWORK,
}
_GREEDY = "greedy"  # greedy searches with the network alone, of several widths


def current_lead(name: Any) -> Any:
    """Replace the former name of a lead by its present name; return anything else unchanged."""
    return FORMER_LEADS.get(name, name) if isinstance(name, str) else name


def portfolio_parts(lead: Lead = "landmarks", head_start: float | None = None) -> list[_core.PortfolioPart]:
    """The parts of a portfolio search: h_FF and landmarks, goal agenda, and novelty.

    The leading part is the first. The others start about ``head_start`` seconds later, or after a short default.
    """
    lead = current_lead(lead)
    shares = _shares_with_lead({"landmarks": 0.3, "agenda": 0.5, "novelty": 0.2}, lead)
    delays = _delays(shares, lead, head_start)
    return [_part(name, share, delays[name]) for name, share in shares.items()]


def hybrid_parts(
    batches: tuple[int, ...], lead: Lead = "landmarks", head_start: float | None = None
) -> list[_core.PortfolioPart]:
    """The parts of a hybrid search.

    They are those of :func:`portfolio_parts`, a search with the learned heuristic, h_FF and landmarks, and one greedy
    search with the learned heuristic alone for each batch size; and weighted A* with it alone, if that leads.
    """
    lead = current_lead(lead)
    shares = _shares_with_lead({"landmarks": 0.2, "agenda": 0.3, "novelty": 0.1, "hybrid": 0.25, _GREEDY: 0.15}, lead)
    delays = _delays(shares, lead, head_start)
    parts: list[_core.PortfolioPart] = []
    for name, share in shares.items():
        if name == _GREEDY:
            parts += [_greedy_part(batch, share / len(batches), delays[name]) for batch in batches]
        else:
            parts.append(_part(name, share, delays[name]))
    return parts


def _shares_with_lead(shares: dict[str, float], lead: Lead) -> dict[str, float]:
    """Put the leading part first, with at least :data:`MIN_SHARE_OF_LEAD`, and scale the other shares to the rest."""
    lead_share = max(shares.pop(lead, 0.0), MIN_SHARE_OF_LEAD)
    others = sum(shares.values())
    return {lead: lead_share, **{name: (1 - lead_share) * share / others for name, share in shares.items()}}


def _delays(shares: dict[str, float], lead: Lead, head_start: float | None) -> dict[str, int]:
    """The effort of the leading part, divided by its share, after which each part starts."""
    if head_start is None:
        delays = dict.fromkeys(shares, DEFAULT_HEAD_START)
        if lead == "landmarks":
            delays["agenda"] = AGENDA_HEAD_START
    else:
        delays = dict.fromkeys(shares, round(head_start * EFFORT_PER_SECOND / shares[lead]))
    return delays | {lead: 0}


def _part(name: str, share: float, delay: int) -> _core.PortfolioPart:
    batch, weight = (NETWORK_BATCH, NETWORK_WEIGHT) if name == "network" else (1, 0.0)
    return _core.PortfolioPart(name=name, kind=_KINDS[name], batch=batch, weight=weight, share=share, delay=delay)


def _greedy_part(batch: int, share: float, delay: int) -> _core.PortfolioPart:
    return _core.PortfolioPart(
        name=f"width {batch}", kind=_core.PartKind.NETWORK, batch=batch, share=share, delay=delay
    )
