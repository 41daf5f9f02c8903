"""Files of every kind with random changes to their parts: a short, fixed run; ``make fuzz`` is the long one."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fuzzed import KINDS

# The alarm of a time limit may strike inside a finaliser of whatever else this process has loaded.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

INPUTS = {"models": 60, "domain models": 40, "tasks": 60, "data sets": 60, "stores": 12, "Lab files": 25, "plans": 25}
"""As many as take about half a second; PDDL has a test of its own."""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "PDDL"])
def test_no_change_to_a_file_is_more_than_a_sentence(kind: str, tmp_path: Path) -> None:
    attempt = KINDS[kind](tmp_path)
    for seed in range(INPUTS.get(kind, 15)):
        try:
            attempt(random.Random(seed))
        except Exception as error:
            raise AssertionError(f"{kind}, seed {seed}") from error
