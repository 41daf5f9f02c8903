"""Searches with several heuristics: which of them take turns, and how they share the time.

The numbers come from measurement (``docs/measurements.md``). A search with h_FF and landmarks alone gets a head start:
what it solves at once never waits for a learned heuristic, and what it does not solve gets one soon. Effort is counted,
not timed, in units of about a nanosecond, so that a search repeats exactly.
"""

from __future__ import annotations

from goalward import _core

HEAD_START = 50_000_000
LAMA_SHARE, HYBRID_SHARE, ALONE_SHARE = 0.4, 0.4, 0.2


def lama_parts() -> list[_core.PortfolioPart]:
    """h_FF and landmarks."""
    return [_core.PortfolioPart(name="lama", guided=True, network=False)]


def hybrid_parts(batches: tuple[int, ...]) -> list[_core.PortfolioPart]:
    """h_FF and landmarks; the same and a learned heuristic; the learned heuristic alone, with each batch size."""

    def alone(batch: int) -> _core.PortfolioPart:
        name, share = f"width {batch}", ALONE_SHARE / len(batches)
        return _core.PortfolioPart(name=name, guided=False, network=True, batch=batch, share=share, delay=HEAD_START)

    return [
        _core.PortfolioPart(name="lama", guided=True, network=False, share=LAMA_SHARE),
        _core.PortfolioPart(name="hybrid", guided=True, network=True, share=HYBRID_SHARE, delay=HEAD_START),
        *(alone(batch) for batch in batches),
    ]
