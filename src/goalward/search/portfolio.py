"""Searches with several heuristics: which of them take turns, and how they share the time.

The numbers come from measurement (``docs/measurements.md``). A search with h_FF and landmarks alone gets a head start:
what it solves at once never waits for another, and what it does not solve gets a search by novelty and, where there is
one, a learned heuristic soon. Effort is counted, not timed, in units of about a nanosecond: a search repeats exactly.
"""

from __future__ import annotations

from goalward import _core

HEAD_START = 200_000_000


def lama_parts() -> list[_core.PortfolioPart]:
    """h_FF and landmarks; novelty."""
    return [_guided("lama", share=0.55), _by_novelty(share=0.45)]


def hybrid_parts(batches: tuple[int, ...]) -> list[_core.PortfolioPart]:
    """h_FF and landmarks; novelty; h_FF, landmarks and a learned heuristic; that one alone, with each batch size."""
    return [
        _guided("lama", share=0.3),
        _by_novelty(share=0.25),
        _core.PortfolioPart(name="hybrid", guided=True, network=True, share=0.3, delay=HEAD_START),
        *(_alone(batch, share=0.15 / len(batches)) for batch in batches),
    ]


def _guided(name: str, share: float) -> _core.PortfolioPart:
    return _core.PortfolioPart(name=name, guided=True, network=False, share=share)


def _by_novelty(share: float) -> _core.PortfolioPart:
    return _core.PortfolioPart(name="novelty", guided=False, network=False, novelty=True, share=share, delay=HEAD_START)


def _alone(batch: int, share: float) -> _core.PortfolioPart:
    name = f"width {batch}"
    return _core.PortfolioPart(name=name, guided=False, network=True, batch=batch, share=share, delay=HEAD_START)
