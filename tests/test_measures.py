"""Durations and sizes as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import UsageError
from goalward.measures import (
    format_count,
    format_duration,
    format_memory,
    format_short_duration,
    format_size,
    parse_duration,
    parse_size,
)

exactly = settings(derandomize=True, database=None, deadline=None, max_examples=100)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90", 90),
        ("90s", 90),
        ("5m", 300),
        ("1h30m", 5400),
        ("200ms", 0.2),
        ("0.5s", 0.5),
        ("1d", 86400),
        ("1m 30s", 90),
        (" 2H ", 7200),
        ("1m500ms", 60.5),
        ("1.5h", 5400),
    ],
)
def test_durations_are_read_in_the_usual_units(text: str, seconds: float) -> None:
    assert parse_duration(text) == pytest.approx(seconds, rel=1e-12)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "s",
        "5x",
        "-5s",
        "+5s",
        "5s!",
        "1e3",
        "0",
        "0s",
        "0ms",
        "1,5s",
        "nan",
        "inf",
        "5 s m",
        "99999d",
        "9" * 500,
    ],
)
def test_what_is_no_duration_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_duration(text)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1000000", 1_000_000),
        ("1k", 1024),
        ("512M", 512 * 2**20),
        ("4G", 4 * 2**30),
        ("1.5GiB", 3 * 2**29),
        ("2 TB", 2 * 2**40),
        (" 7b ", 7),
        ("0.5k", 512),
    ],
)
def test_sizes_are_read_in_the_usual_units(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "M", "5X", "-1G", "0", "0G", "0.5", "1e9", "4 G M", "nan", "inf", "9" * 30 + "T", "9" * 500]
)
def test_what_is_no_size_is_refused_with_its_text(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_size(text)
    assert repr(text) in str(caught.value)


@exactly
@given(st.integers(0, 23), st.integers(0, 59), st.integers(1, 59))
def test_a_duration_is_the_sum_of_its_parts(hours: int, minutes: int, seconds: int) -> None:
    assert parse_duration(f"{hours}h{minutes}m{seconds}s") == 3600 * hours + 60 * minutes + seconds


@exactly
@given(st.integers(1, 1023), st.sampled_from("kmgt"))
def test_a_size_is_written_as_it_was_read(number: int, unit: str) -> None:
    size = parse_size(f"{number}{unit}")
    assert format_size(size) == f"{number}.0 {unit.upper()}iB"
    assert parse_size(format_memory(size)) == size


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.00 s"), (0.42, "0.42 s"), (12.34, "12.3 s"), (200, "3 m 20 s"), (3599.9, "1 h 00 m"), (7500, "2 h 05 m")],
)
def test_durations_are_written_short(seconds: float, text: str) -> None:
    assert format_duration(seconds) == text


@pytest.mark.parametrize(("count", "text"), [(0, "0"), (950, "950"), (12_340, "12.3k"), (4_500_000, "4.50M")])
def test_counts_are_written_short(count: float, text: str) -> None:
    assert format_count(count) == text


@pytest.mark.parametrize(("size", "text"), [(0, "0 B"), (1023, "1023 B"), (1536, "1.5 KiB"), (5 * 2**40, "5.0 TiB")])
def test_sizes_are_written_short(size: float, text: str) -> None:
    assert format_size(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.0004, "0.4 ms"), (0.0999, "99.9 ms"), (0.1, "0.10 s"), (90, "1 m 30 s")]
)
def test_fractions_of_a_second_are_milliseconds(seconds: float, text: str) -> None:
    assert format_short_duration(seconds) == text
