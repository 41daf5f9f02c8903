"""Searches with several heuristics: which of them take turns, and how they share the time.

The numbers come from measurement (``docs/measurements.md``). One search leads, with a head start: what it solves at
once never waits for another, and what it does not solve gets the others soon. Without a learned heuristic it is the
search with h_FF and landmarks; with one it is whichever solved validation states soonest after training. Effort is
counted, not timed, in units of about a nanosecond: a search repeats exactly.
"""

from __future__ import annotations

from typing import Literal

from goalward import _core

Lead = Literal["lama", "novelty", "hybrid", "network"]
LEADS: dict[Lead, str] = {
    "lama": "h_FF and landmarks",
    "novelty": "novelty",
    "hybrid": "the network beside h_FF and landmarks",
    "network": "the network alone",
}
"""What may lead; without a learned heuristic only the first two."""
HEAD_START = 200_000_000


def lama_parts(lead: Lead = "lama") -> list[_core.PortfolioPart]:
    """h_FF and landmarks; novelty. The part that leads is the first."""
    if lead == "novelty":
        return [_by_novelty(share=0.55), _guided("lama", share=0.45, delay=HEAD_START)]
    return [_guided("lama", share=0.55), _by_novelty(share=0.45, delay=HEAD_START)]


def hybrid_parts(batches: tuple[int, ...], lead: Lead = "lama") -> list[_core.PortfolioPart]:
    """h_FF and landmarks; novelty; h_FF, landmarks and a learned heuristic; that one alone, with each batch size.

    The part that leads is the first.
    """
    alone = 0.3 if lead == "network" else 0.15

    def delay(name: Lead) -> int:
        return 0 if name == lead else HEAD_START

    parts: dict[str, list[_core.PortfolioPart]] = {
        "lama": [_guided("lama", share=0.3, delay=delay("lama"))],
        "novelty": [_by_novelty(share=0.25, delay=delay("novelty"))],
        "hybrid": [_guided("hybrid", share=0.45 - alone, network=True, delay=delay("hybrid"))],
        "network": [_alone(batch, share=alone / len(batches), delay=delay("network")) for batch in batches],
    }
    return [*parts.pop(lead), *(part for rest in parts.values() for part in rest)]


def _guided(name: str, share: float, *, network: bool = False, delay: int = 0) -> _core.PortfolioPart:
    return _core.PortfolioPart(name=name, guided=True, network=network, share=share, delay=delay)


def _by_novelty(share: float, *, delay: int = 0) -> _core.PortfolioPart:
    return _core.PortfolioPart(name="novelty", guided=False, network=False, novelty=True, share=share, delay=delay)


def _alone(batch: int, share: float, delay: int) -> _core.PortfolioPart:
    name = f"width {batch}"
    return _core.PortfolioPart(name=name, guided=False, network=True, batch=batch, share=share, delay=delay)
