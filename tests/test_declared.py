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
        ({"walk_steps": 0}, "walk_steps must be between 1 and 1000, but is 0"),
        ({"walk_steps": 1001}, "walk_steps must be between 1 and 1000, but is 1001"),
        ({"walk_steps": 1.5}, "walk_steps must be a whole number between 1 and 1000, but is 1.5"),
        ({"walk_steps": "7"}, "walk_steps must be a whole number between 1 and 1000, but is '7'"),
        ({"walk_steps": True}, "walk_steps must be a whole number between 1 and 1000, but is True"),
        ({"walk_steps": None}, "walk_steps must be a whole number between 1 and 1000, but is None"),
        ({"rate": math.nan}, "rate must be a number between 1e-06 and 1, but is nan"),
        ({"rate": math.inf}, "rate must be a number between 1e-06 and 1, but is inf"),
        ({"rate": 10**400}, f"rate must be a number between 1e-06 and 1, but is {10**400}"),
        ({"rate": "fast"}, "rate must be a number between 1e-06 and 1, but is 'fast'"),
        ({"loud": 1}, "loud must be true or false, but is 1"),
        ({"kind": "huge"}, "kind must be one of small, large, but is 'huge'"),
        ({"kind": 3}, "kind must be one of small, large, but is 3"),
        ({"kinds": ("small", "huge")}, "kinds must be one or more of small, large, but is ('small', 'huge')"),
        ({"kinds": ()}, "kinds must be one or more of small, large, but is ()"),
        ({"share": 1.5}, "share must be a share such as 50% or 0.5, but is 1.5"),
        ({"share": "half"}, "share must be a share such as 50% or 0.5, but is 'half'"),
        ({"limit": "soon"}, "limit must be a duration such as 90s, 5m or 1h30m, but is 'soon'"),
        ({"limit": 0}, "limit must be a duration such as 90s, 5m or 1h30m, but is 0"),
        ({"limit": True}, "limit must be a duration such as 90s, 5m or 1h30m, but is True"),
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
        ("walk_steps", "--set walk_steps: write it as NAME=VALUE"),
        ("walk_step=3", "sample has no option 'walk_step'; did you mean walk_steps? (its options: seed, walk_steps, "),
        ("zzz=3", "sample has no option 'zzz' (its options: seed, walk_steps, "),
        ("=3", "sample has no option ''"),
        ("walk_steps=many", "--walk-steps must be a whole number between 1 and 1000, but is 'many'"),
        ("walk_steps=1.5", "--walk-steps must be a whole number between 1 and 1000, but is '1.5'"),
        ("rate=half", "--rate must be a number between 1e-06 and 1, but is 'half'"),
        ("rate=nan", "--rate must be a number between 1e-06 and 1, but is nan"),
        ("loud=perhaps", "--loud must be true or false, but is 'perhaps'"),
        ("kind=other", "--kind must be one of small, large, but is 'other'"),
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
