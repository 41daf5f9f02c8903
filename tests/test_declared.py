"""Options that are declared once: what an object accepts, and what is said of what it does not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from goalward.declared import DURATION, SHARE, Options, declared, option, own_first, split_settings
from goalward.errors import UsageError


@dataclass(frozen=True)
class Base(Options):
    seed: int = option(0, "a seed", 0, 9)


@dataclass(frozen=True)
class Sample(Base):
    walk_steps: int = option(200, "steps", 1, 1000)
    rate: float = option(0.1, "rate", 1e-6, 1.0)
    loud: bool = option(False, "say more")
    kind: str = option("small", "which", choices=("small", "large"))
    kinds: tuple[str, ...] = option(("small",), "which ones", choices=("small", "large"))
    share: float = option(0.5, "share", kind=SHARE)
    limit: float | None = option(None, "limit", kind=DURATION)


def test_an_object_holds_its_values_in_one_form_however_they_are_given() -> None:
    given = Sample(walk_steps=np.int64(7), rate=1, kinds="large, small", share="25%", limit="2m")  # type: ignore[arg-type]
    assert given == Sample(walk_steps=7, rate=1.0, kinds=("large", "small"), share=0.25, limit=120.0)
    assert [type(value) for value in (given.walk_steps, given.rate, given.limit)] == [int, float, float]
    assert Sample(kinds=["large"], limit=3).kinds == ("large",)  # type: ignore[arg-type]
    assert replace(given, limit="1h30m").limit == 5400.0  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"walk_steps": 0}, "walk_steps is 0; it is a whole number from 1 to 1000"),
        ({"walk_steps": 1001}, "walk_steps is 1001; it is a whole number from 1 to 1000"),
        ({"walk_steps": 1.5}, "walk_steps is 1.5; it is a whole number from 1 to 1000"),
        ({"walk_steps": "7"}, "walk_steps is '7'; it is a whole number from 1 to 1000"),
        ({"walk_steps": True}, "walk_steps is True; it is a whole number from 1 to 1000"),
        ({"walk_steps": None}, "walk_steps is None; it is a whole number from 1 to 1000"),
        ({"rate": math.nan}, "rate is nan; it is a number from 1e-06 to 1"),
        ({"rate": math.inf}, "rate is inf; it is a number from 1e-06 to 1"),
        ({"rate": 10**400}, f"rate is {10**400}; it is a number from 1e-06 to 1"),
        ({"rate": "fast"}, "rate is 'fast'; it is a number from 1e-06 to 1"),
        ({"loud": 1}, "loud is 1; it is true or false"),
        ({"kind": "huge"}, "kind is 'huge'; it is one of small, large"),
        ({"kind": 3}, "kind is 3; it is one of small, large"),
        ({"kinds": ("small", "huge")}, "kinds is ('small', 'huge'); it is one or more of small, large"),
        ({"kinds": ()}, "kinds is (); it is one or more of small, large"),
        ({"share": 1.5}, "share is 1.5; it is a share such as 50% or 0.5"),
        ({"share": "half"}, "share is 'half'; it is a share such as 50% or 0.5"),
        ({"limit": "soon"}, "limit is 'soon'; it is a duration such as 90s, 5m or 1h30m"),
        ({"limit": 0}, "limit is 0; it is a duration such as 90s, 5m or 1h30m"),
        ({"limit": True}, "limit is True; it is a duration such as 90s, 5m or 1h30m"),
    ],
)
def test_what_is_not_a_value_is_said_when_the_object_is_made(values: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sample(**values)
    assert str(caught.value) == said
    with pytest.raises(UsageError):
        replace(Sample(), **values)


def test_texts_become_values_of_the_right_type() -> None:
    texts = split_settings(
        ["walk-steps= 7", " rate =1", "loud=yes", "kinds=large,small", "limit=90", "rate=0.5", "share=1"]
    )
    expected = Sample(walk_steps=7, rate=0.5, loud=True, kinds=("large", "small"), limit=90.0, share=1.0)
    assert Sample.of("sample", texts=texts) == expected, "of two settings with one name the last one counts"
    assert Sample.of("sample") == Sample()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("walk_steps", "--set walk_steps: write it as name=value"),
        ("walk_step=3", "sample has no option 'walk_step'; did you mean walk_steps? (its options: seed, walk_steps, "),
        ("zzz=3", "sample has no option 'zzz' (its options: seed, walk_steps, "),
        ("=3", "sample has no option ''"),
        ("walk_steps=many", "walk_steps is 'many'; it is a whole number from 1 to 1000"),
        ("walk_steps=1.5", "walk_steps is '1.5'; it is a whole number from 1 to 1000"),
        ("rate=half", "rate is 'half'; it is a number from 1e-06 to 1"),
        ("rate=nan", "rate is nan; it is a number from 1e-06 to 1"),
        ("loud=perhaps", "loud is 'perhaps'; it is true or false"),
        ("kind=other", "kind is 'other'; it is one of small, large"),
    ],
)
def test_settings_that_make_no_options_are_explained(setting: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        Sample.of("sample", texts=split_settings([setting]))
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value)


def test_names_that_nobody_knows_are_refused_among_values_too() -> None:
    with pytest.raises(UsageError, match=r"sample has no option 'sed'; did you mean seed\?"):
        Sample.of("sample", {"sed": 1})


def test_own_options_come_before_those_of_the_bases() -> None:
    assert own_first(Sample)[-1].name == "seed"
    assert own_first(Sample)[0].name == "walk_steps"
    assert {o.name for o in own_first(Sample)} == set(declared(Sample))
