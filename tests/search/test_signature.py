"""Search is deterministic: these counts change only when the search or a heuristic does, and then on purpose."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalward.search import SearchOptions, search
from goalward.search.learned import load_model
from goalward.search.network import bind_network
from goalward.search.solving import solve
from goalward.search.starts import initial_state
from goalward.search.strategy import default_search
from goalward.task.domains import generate
from goalward.task.strips import Task
from helpers import whole_number_network

DATA = Path(__file__).resolve().parents[1] / "data"

# domain, size, heuristic, search, batch → expanded, evaluated, plan length
SIGNATURES = {
    ("blocks", 8, "ff", "gbfs", 1): (111, 392, 36),
    ("blocks", 4, "hmax", "astar", 1): (659, 1257, 12),
    ("courier", 5, "ff", "wastar", 1): (32, 254, 24),
    ("delivery", 4, "add", "gbfs", 1): (38, 296, 30),
    ("gripper", 3, "ff", "astar", 4): (1009, 1993, 19),
    ("lights", 6, "ff", "gbfs", 16): (471, 1208, 32),
    ("storage", 3, "goalcount", "gbfs", 1): (64, 84, 20),
    ("tiles", 3, "ff", "gbfs", 1): (288, 499, 34),
    ("tiles", 2, "blind", "astar", 1): (65, 82, 10),
    ("visitall", 6, "goalcount", "gbfs", 8): (573, 1219, 74),
    ("blocks", 14, "ff", "portfolio", 1): (196, 196, 50),
    ("delivery", 8, "ff", "portfolio", 1): (545, 545, 89),
    ("storage", 4, "ff", "portfolio", 1): (57, 63, 24),
    ("tiles", 4, "ff", "portfolio", 1): (524, 524, 102),
}


def bundled(domain: str, size: int) -> Task:
    return generate(domain, size=size, seed=5).ground()


@pytest.mark.parametrize(("domain", "size", "heuristic", "algorithm", "batch"), SIGNATURES)
def test_counts_are_those_of_every_other_machine(
    domain: str, size: int, heuristic: str, algorithm: str, batch: int
) -> None:
    result = search(bundled(domain, size), heuristic, SearchOptions(algorithm, batch=batch))  # type: ignore[arg-type]
    counts = (result.statistics.expanded, result.statistics.evaluated, result.length)
    assert counts == SIGNATURES[domain, size, heuristic, algorithm, batch]


# --- networks ---

# A trained network, from the states of its folder, by greedy search: plain, and with widths that take turns.
TRAINED = {"p1": (11, 16, 10), "p2": (11, 18, 8), "p3": (10, 17, 8), "p4": (10, 17, 6), "p5": (9, 15, 8)}


@pytest.mark.parametrize("name", TRAINED)
@pytest.mark.parametrize("batch", [1, None])
def test_a_trained_network_solves_as_it_did(name: str, batch: int | None) -> None:
    model = load_model(DATA / "blocks4-v1.goalward")
    path = DATA / "blocks4-v1" / f"{name}.pddl"
    start = model.start(path.read_text(), str(path))
    outcome = solve(start, model.heuristic(start.task), default_search(learned=True, algorithm="gbfs", batch=batch))
    assert (outcome.statistics.expanded, outcome.statistics.evaluated, outcome.length) == TRAINED[name]


# domain, size, batch sizes that take turns → expanded, evaluated, plan length
WITH_A_NETWORK: dict[tuple[str, int, tuple[int, ...]], tuple[int, int, int]] = {
    ("blocks", 4, (1,)): (2453, 3494, 40),
    ("blocks", 4, (32,)): (2452, 3466, 14),
    ("blocks", 4, (1, 32, 256)): (2453, 3494, 40),
    ("courier", 3, (1, 32, 256)): (22825, 39420, 93),
    ("storage", 3, (1, 32, 256)): (2114, 2397, 31),
    ("visitall", 4, (1, 32, 256)): (54606, 76771, 78),
}


@pytest.mark.parametrize(("domain", "size", "batches"), WITH_A_NETWORK)
def test_counts_with_a_network_and_turns(domain: str, size: int, batches: tuple[int, ...]) -> None:
    task = bundled(domain, size)
    options = default_search(learned=True, algorithm="gbfs", batch=batches)
    outcome = solve(initial_state(task), bind_network(task, whole_number_network(task)), options)
    counts = (outcome.statistics.expanded, outcome.statistics.evaluated, outcome.length)
    assert counts == WITH_A_NETWORK[domain, size, batches]
