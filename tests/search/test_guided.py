"""portfolio and hybrid: searches that bring h_FF and landmarks with them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from math import inf
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward import _core
from goalward.errors import UsageError
from goalward.search import SearchOptions, SearchResult, Statistics, Status, bind_heuristic, search
from goalward.search.network import Layer, NetworkWeights, bind_network
from goalward.search.portfolio import LEADS, Lead, hybrid_parts
from goalward.task.states import random_walk_states, to_bits
from goalward.task.strips import Task
from goalward.task.validate import validate_plan
from helpers import Tiny, make_tiny
from oracle import cheapest_cost, make_task, strips_tasks, successors, with_init

GUIDED = ("portfolio", "hybrid")


def misleading(states: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
    """A heuristic that is sure of nonsense: every other state is a dead end, the rest are near."""
    return np.where(states.sum(axis=1) % 2, inf, -1.0 * states.argmax(axis=1)).astype(np.float32)


def guided(task: Task, algorithm: str, *, init: npt.NDArray[np.int32] | None = None, **options: object) -> SearchResult:
    heuristic = "ff" if algorithm == "portfolio" else misleading
    return search(task, heuristic, SearchOptions(algorithm, **options), init=init)  # type: ignore[arg-type]


def without_time(statistics: Statistics) -> Statistics:
    return replace(statistics, seconds=0)


def small_network(task: Task) -> NetworkWeights:
    """A network with weights out of the air."""
    random = np.random.default_rng(0)
    table = random.normal(size=(task.n_atoms, 16)).astype(np.float32)
    last = Layer(random.normal(size=(1, 16)).astype(np.float32), np.zeros(1, dtype=np.float32), -1)
    return NetworkWeights(table, np.zeros(16, dtype=np.float32), (last,))


# --- plans ---


@pytest.mark.parametrize("algorithm", GUIDED)
def test_plans_are_valid(tiny: Tiny, algorithm: str) -> None:
    for start in [tiny.task.init, *random_walk_states(tiny.task, 5, 30, seed=2)]:
        result = guided(tiny.task, algorithm, init=start)
        assert result.solved == search(tiny.task, "ff", init=start).solved
        if not result.solved:
            continue
        state = frozenset(start.tolist())
        for operator in result.plan or ():
            state = dict(successors(tiny.task, state))[operator]
        assert set(tiny.task.goal.tolist()) <= state
    steps = [tuple(step[1:-1].split()) for step in guided(tiny.task, algorithm).steps]
    assert validate_plan(tiny.domain, tiny.problem, steps).valid


@given(task=strips_tasks(), algorithm=st.sampled_from(GUIDED))
def test_there_is_a_plan_or_a_proof_that_there_is_none_even_with_a_bad_heuristic(task: Task, algorithm: str) -> None:
    result = guided(task, algorithm)
    assert result.status is (Status.SOLVED if cheapest_cost(task, unit_costs=True) < inf else Status.UNSOLVABLE)


def test_a_dead_end_of_the_relaxation_is_not_expanded() -> None:
    # Burning the bridge (o0) is easier than crossing it (o1, o2), and ends everything.
    task = make_task(5, [([0], [4], [1], 1), ([0, 1], [2], [0], 1), ([2], [3], [2], 1)], [0, 1], [3])
    result = search(with_init(task, [0]), "ff", SearchOptions("portfolio"))
    assert (result.status, result.statistics.dead_ends, result.statistics.expanded) == (Status.UNSOLVABLE, 1, 0)


@pytest.mark.parametrize("algorithm", GUIDED)
def test_a_state_without_an_atom_that_always_holds_is_searched_too(algorithm: str) -> None:
    task = make_task(3, [([0], [2], [], 1), ([1], [2], [], 1)], [0, 1], [2])  # nothing deletes (a0)
    heuristic = "ff" if algorithm == "portfolio" else "goalcount"
    assert search(task, heuristic, SearchOptions(algorithm), init=np.array([1], dtype=np.int32)).plan == (1,)  # type: ignore[arg-type]


# --- what leads ---


@pytest.mark.parametrize("lead", LEADS)
def test_what_the_leading_part_solves_at_once_waits_for_no_other(tiny: Tiny, lead: Lead) -> None:
    result = search(tiny.task, "goalcount", SearchOptions("hybrid", lead=lead))
    assert result.solved
    parts = {queue.split(":")[0].split()[0] for queue, n in result.statistics.expansions_by_queue if n}
    assert parts <= {lead}


@pytest.mark.parametrize("lead", LEADS)
def test_all_parts_take_their_turns_whatever_leads(endless: Task, lead: Lead) -> None:
    counts = search(endless, "goalcount", SearchOptions("hybrid", lead=lead, expansion_limit=50_000)).statistics
    parts = [queue.split(":")[0] for queue, _ in counts.expansions_by_queue]
    assert set(parts) == {"landmarks", "agenda", "novelty", "hybrid", "width 1", "width 32", "width 256", lead}
    assert parts[0] == lead


@pytest.mark.parametrize("lead", ["agenda", "novelty"])
def test_others_may_lead_without_a_learned_heuristic(tiny: Tiny, lead: Lead) -> None:
    result = search(tiny.task, "ff", SearchOptions("portfolio", lead=lead))
    assert result.solved
    assert all(queue.startswith(lead) for queue, n in result.statistics.expansions_by_queue if n)


def test_the_heuristic_says_what_leads_unless_the_options_do(tiny: Tiny) -> None:
    weights = small_network(tiny.task)
    by_options = search(tiny.task, bind_network(tiny.task, weights), SearchOptions("hybrid", lead="hybrid"))
    by_itself = search(tiny.task, bind_network(tiny.task, weights, lead="hybrid"), SearchOptions("hybrid"))
    assert without_time(by_itself.statistics) == without_time(by_options.statistics)
    overruled = search(
        tiny.task, bind_network(tiny.task, weights, lead="hybrid"), SearchOptions("hybrid", lead="landmarks")
    )
    assert overruled.statistics.led_by.startswith("landmarks") or overruled.statistics.expanded <= 1


@pytest.mark.parametrize("lead", LEADS)
def test_with_a_long_head_start_nothing_else_begins(endless: Task, lead: Lead) -> None:
    def parts(head_start: float | None) -> set[str]:
        options = SearchOptions("hybrid", lead=lead, head_start=head_start, expansion_limit=20_000)
        counts = search(endless, "goalcount", options).statistics
        return {queue.split(":")[0].split()[0] for queue, _ in counts.expansions_by_queue}

    assert parts(1000) == {lead}
    assert parts(0.001) == {"landmarks", "agenda", "novelty", "hybrid", "width", lead}


@pytest.mark.parametrize("lead", LEADS)
def test_a_head_start_is_effort_of_what_leads(lead: Lead) -> None:
    parts = hybrid_parts((1, 32), lead, 0.5)
    leading = [part for part in parts if part.delay == 0]
    assert [part.name for part in leading] == [lead]
    others = {part.delay for part in parts if part.delay}
    assert len(others) == 1
    assert others.pop() * sum(part.share for part in leading) == pytest.approx(500_000_000)


def test_the_heuristic_says_how_long_its_head_start_is(endless: Task) -> None:
    limited = SearchOptions("hybrid", expansion_limit=100_000)
    bound = bind_network(endless, small_network(endless), lead="novelty", head_start=1000)
    by_itself = search(endless, bound, limited).statistics
    assert [queue for queue, _ in by_itself.expansions_by_queue] == ["novelty"]
    overruled = search(endless, bound, replace(limited, lead="novelty")).statistics  # the usual one
    assert len(overruled.expansions_by_queue) > 1
    sooner = search(endless, bound, replace(limited, head_start=0.001)).statistics
    assert sooner.expansions_by_queue[0][0] == "novelty"
    assert len(sooner.expansions_by_queue) > 1


@pytest.mark.parametrize("head_start", [0, -1.0, float("nan"), float("inf")])
def test_a_head_start_that_is_none_is_an_error(head_start: float) -> None:
    with pytest.raises(UsageError, match=r"head_start must be above 0 .*, but is"):
        SearchOptions("hybrid", head_start=head_start)


def test_an_unknown_lead_is_an_error() -> None:
    with pytest.raises(UsageError, match="unknown lead 'ff'"):
        SearchOptions("hybrid", lead="ff")  # type: ignore[arg-type]


# --- what is counted ---


def test_portfolio_counts_evaluations_by_heuristic_and_expansions_by_queue(tiny: Tiny) -> None:
    counts = guided(tiny.task, "portfolio").statistics
    queues = dict(counts.expansions_by_queue)
    assert list(queues) == [f"landmarks: {by}{end}" for by in ("ff", "landmarks") for end in ("", " preferred")]
    assert sum(queues.values()) == max(counts.expanded - 1, 0)  # no queue leads to the initial state
    assert dict(counts.evaluations_by_heuristic)["ff"] == counts.evaluated == counts.expanded + counts.dead_ends
    assert counts.led_by in queues or counts.expanded <= 1


def test_hybrid_search_names_the_search_of_each_queue(endless: Task) -> None:
    counts = search(
        endless, bind_network(endless, small_network(endless)), SearchOptions("hybrid", expansion_limit=20_000)
    ).statistics
    queues, evaluations = dict(counts.expansions_by_queue), dict(counts.evaluations_by_heuristic)
    names = [queue for queue in queues if not queue.startswith("agenda: ")]
    assert [name.partition(":")[0] for name in names[:6]] == ["landmarks"] * 4 + ["novelty", "hybrid"]
    assert queues["hybrid: network preferred"] > 0
    assert sum(queues.values()) <= counts.expanded  # no queue leads to a state with which a search begins
    assert set(evaluations) == {"ff", "landmarks", "network", "novelty"}
    assert min(evaluations.values()) > 0


# --- limits ---


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc to see the memory in use")
@pytest.mark.parametrize(
    "parts", ["hybrid_parts((1, 32))", "hybrid_parts((1, 32), 'hybrid')[:1]", "portfolio_parts()[1:]"]
)
def test_memory_runs_out_near_its_limit(parts: str) -> None:
    script = f"""
from goalward import _core
from goalward.search import SearchOptions, bind_heuristic
from goalward.search.portfolio import hybrid_parts, portfolio_parts
from dataclasses import replace
from goalward.task.domains import generate
from goalward.task.states import to_bits
instance = generate("tiles", rows=4, cols=4, seed=0)
goal = instance.problem_text.index("(:goal")
swapped = instance.problem_text[goal:].replace("t1 s-1-1", "t1 s-1-2").replace("t2 s-1-2", "t2 s-1-1")
task = replace(instance, problem_text=instance.problem_text[:goal] + swapped).ground()
heuristic, states = bind_heuristic(task, "blind"), to_bits([task.init], task.n_atoms)
guidance, network = heuristic.guidance(states), heuristic.evaluator(states)
limit = _core.resident_memory() + 20 * 2**20
options = SearchOptions(memory_limit=limit).native()
result = _core.portfolio_search(guidance, network, {parts}, task.init, options)
print(result.status.name, _core.peak_memory() / limit, result.statistics.bytes / (20 * 2**20))
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    status, share, held = run.stdout.split()
    assert status == "OUT_OF_MEMORY"
    assert float(share) < 1.05
    assert 0.8 < float(held) < 1.05


# --- the same again ---


def test_turns_depend_neither_on_time_nor_on_earlier_searches(endless: Task) -> None:
    fresh, used = (bind_network(endless, small_network(endless)) for _ in range(2))
    for start in random_walk_states(endless, 3, 40, seed=1):
        search(endless, used, SearchOptions("hybrid", expansion_limit=200), init=start)
    options = SearchOptions("hybrid", expansion_limit=20_000)
    one, other = search(endless, fresh, options), search(endless, used, options)
    assert without_time(one.statistics) == without_time(other.statistics)
    assert dict(one.statistics.expansions_by_queue)["hybrid: network preferred"] > 0


# --- wrong use ---


def test_portfolio_takes_no_other_heuristic_and_hybrid_needs_one() -> None:
    task = make_tiny("blocks").task
    with pytest.raises(UsageError, match=r"portfolio uses only h_FF and landmarks; .* to add goalcount"):
        search(task, "goalcount", SearchOptions("portfolio"))
    with pytest.raises(UsageError, match="needs another heuristic than h_FF"):
        search(task, "ff", SearchOptions("hybrid"))
    with pytest.raises(UsageError, match="one state at a time"):
        SearchOptions("portfolio", batch=4)


def test_a_network_of_another_problem_is_refused() -> None:
    tasks = [make_tiny("blocks", seed).task for seed in (0, 1)]
    states = [to_bits([task.init], task.n_atoms) for task in tasks]
    guidance = bind_heuristic(tasks[0], "ff").guidance(states[0])
    network = bind_heuristic(tasks[1], "goalcount").evaluator(states[1])
    with pytest.raises(ValueError, match="different problems"):
        _core.portfolio_search(guidance, network, hybrid_parts((1,)), tasks[0].init, SearchOptions().native())
