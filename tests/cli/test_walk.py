"""``goalward walk``: files that read back as the states they were written from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goalward.task.domains import DOMAINS
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader, random_walk_states

from .program import Bundled, Files, Goalward


@pytest.mark.parametrize("name", DOMAINS)
def test_files_read_back_as_the_states_of_the_walks(
    goalward: Goalward, bundled: Bundled, tmp_path: Path, name: str
) -> None:
    files = bundled(name, size=1)
    folder = tmp_path / "walks"
    outcome = goalward("walk", *files.names, "-o", folder, "--states", "4", "--steps", "30", "--seed", "5")
    assert outcome.code == 0
    task = ground_files(*files.names)
    expected = random_walk_states(task, 4, 30, 5)
    paths = [folder / f"p{i}.pddl" for i in range(1, 5)]
    assert sorted(folder.iterdir()) == sorted(paths)
    assert all(map(np.array_equal, StateReader(task).read_all(paths), expected))
    distinct = len({tuple(state) for state in expected})
    goals = sum(task.is_goal(state) for state in expected)
    assert outcome.out == f"4 states ({distinct} distinct, {goals} of them goal states) in {folder}\n"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("-o", "w", "--states", "0"), "--states must be between 1 and 1000000, but is 0"),
        (("-o", "w", "--states", "99999999999"), "--states"),
        (("-o", "w", "--states", "many"), "--states must be a whole number between 1 and 1000000, but is 'many'"),
        (("-o", "w", "--steps", "-1"), "--steps"),
        (("-o", "w", "--steps", "99999999999"), "--steps"),
        (("-o", "w", "--seed", "-1"), "--seed must be at least 0, but is -1"),
        (("-o", "w", "--seed", str(2**64)), "seed"),
        ((), "--output"),
        (("-o", "domain.pddl"), "domain.pddl: "),
    ],
)
def test_wrong_usage_is_refused_and_nothing_is_written(
    goalward: Goalward, trains: Files, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], words: str
) -> None:
    monkeypatch.chdir(trains.domain.parent)
    outcome = goalward("walk", *trains.names, *arguments)
    assert outcome.code == 36
    assert words in outcome.error
    assert not Path("w").exists()
