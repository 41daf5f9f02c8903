"""Durations and sizes as the command line takes and shows them."""

from goalward.measures import (
    format_count,
    format_duration,
    format_size,
    parse_batches,
    parse_duration,
    parse_share,
    parse_size,
)

__all__ = [
    "format_count",
    "format_duration",
    "format_size",
    "parse_batches",
    "parse_duration",
    "parse_share",
    "parse_size",
]
