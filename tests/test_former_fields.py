"""Fields that were renamed still work under their former names, with a warning."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from goalward.search import SearchOptions
from goalward.search.landmarks import LandmarkOptions


@pytest.mark.parametrize(
    ("options", "old", "new"),
    [(SearchOptions, "at_once", "n_concurrent"), (LandmarkOptions, "most_disjuncts", "max_disjuncts")],
)
def test_a_former_name_of_a_field_works_with_a_warning(options: Any, old: str, new: str) -> None:
    message = f"{options.__name__}.{old} is now called {new}"
    with pytest.warns(DeprecationWarning, match=message) as caught:
        former = options(**{old: 3})
    assert caught[0].filename == __file__
    assert former == options(**{new: 3})
    with pytest.warns(DeprecationWarning, match=message):
        assert replace(options(), **{old: 5}) == options(**{new: 5})
    with pytest.warns(DeprecationWarning, match=message):
        assert getattr(former, old) == 3
