"""Search is deterministic: these counts change only when the search or a heuristic does, and then on purpose."""

from __future__ import annotations

import pytest

from goalward.search import SearchOptions, search
from goalward.task.domains import generate
from goalward.task.grounding import ground
from helpers import read_texts

# domain, size, heuristic, search, batch → expanded, evaluated, plan length
SIGNATURES = {
    ("blocks", 8, "ff", "gbfs", 1): (111, 392, 36),
    ("blocks", 4, "hmax", "astar", 1): (659, 1257, 12),
    ("courier", 5, "ff", "wastar", 1): (32, 254, 24),
    ("delivery", 4, "add", "gbfs", 1): (38, 296, 30),
    ("gripper", 3, "ff", "astar", 4): (953, 1921, 19),
    ("lights", 6, "ff", "gbfs", 16): (471, 1208, 32),
    ("storage", 3, "goalcount", "gbfs", 1): (64, 84, 20),
    ("tiles", 3, "ff", "gbfs", 1): (116, 213, 38),
    ("tiles", 2, "blind", "astar", 1): (65, 82, 10),
    ("visitall", 6, "goalcount", "gbfs", 8): (573, 1219, 74),
}


@pytest.mark.parametrize(("domain", "size", "heuristic", "algorithm", "batch"), SIGNATURES)
def test_counts_are_those_of_every_other_machine(
    domain: str, size: int, heuristic: str, algorithm: str, batch: int
) -> None:
    instance = generate(domain, size=size, seed=5)
    task = ground(*read_texts(instance.domain_text, instance.problem_text))
    result = search(task, heuristic, SearchOptions(algorithm, batch=batch))  # type: ignore[arg-type]
    counts = (result.statistics.expanded, result.statistics.evaluated, result.length)
    assert counts == SIGNATURES[domain, size, heuristic, algorithm, batch]
