"""Landmarks, their orders and their count against brute force and against Fast Downward."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from landmark_oracle import (
    Counter,
    Relaxed,
    closure,
    lasting_atoms,
    pairs,
    reasonable_candidates,
    walk,
    with_true_mutexes,
)

from goalward import _core
from goalward.errors import UsageError
from goalward.search import SearchOptions, Status, bind_heuristic, prepare, search
from goalward.search.landmarks import LandmarkGraph, LandmarkOptions, find_landmarks, landmark_finder
from goalward.task.domains import DOMAINS, generate
from goalward.task.states import format_problem, from_bits, random_walk_states
from goalward.task.strips import Rows, Task
from helpers import FastDownward, Tiny, ground_texts, make_tiny
from oracle import State, as_set, goal_distances, make_task, reachable_states, strips_tasks, successors

FACTS = LandmarkOptions(max_disjuncts=0, reasonable=False)
LOOK_FOR_SETS = LandmarkOptions(max_disjuncts=3, reasonable=False)


def facts_of(graph: LandmarkGraph) -> list[int]:
    return [int(row[0]) for row in graph.atoms if len(row) == 1]


def states_of(tiny: Tiny) -> list[State]:
    return [as_set(state) for state in [tiny.task.init, *random_walk_states(tiny.task, 5, 30, seed=1)]]


def array(state: State) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(sorted(state), dtype=np.int32)


# --- landmarks ---


def check_landmarks(task: Task, state: State) -> None:
    """The facts are exactly the atoms without which the goal is out of reach, and each set is needed as well."""
    relaxed = Relaxed(task)
    graph = find_landmarks(task, array(state), LOOK_FOR_SETS)
    assert graph.solvable == (not relaxed.needs(state, relaxed.goal, []))
    if not graph.solvable:
        assert len(graph) == 0
        return
    facts = facts_of(graph)
    assert len(set(facts)) == len(facts)
    assert set(facts) == relaxed.facts(state) - lasting_atoms(task, state)
    for number, row in enumerate(graph.atoms):
        assert relaxed.needs(state, relaxed.goal, row)
        assert graph.holds_now[number] == bool(as_set(row) & state)
        assert graph.is_goal[number] == (len(row) == 1 and int(row[0]) in relaxed.goal)
        assert len(row) == 1 or not graph.holds_now[number]


@settings(max_examples=150)
@given(task=strips_tasks(max_atoms=9, max_operators=14), data=st.data())
def test_facts_are_all_that_a_relaxed_plan_cannot_do_without(task: Task, data: st.DataObject) -> None:
    check_landmarks(task, as_set(task.init))
    check_landmarks(task, data.draw(st.frozensets(st.integers(0, task.n_atoms - 1))))


def test_facts_of_bundled_domains_are_all_there_are(tiny: Tiny) -> None:
    for state in states_of(tiny):
        check_landmarks(tiny.task, state)


def test_every_plan_passes_every_landmark(tiny: Tiny) -> None:
    """No state without the landmark's atoms can be followed to a goal, by real operators with their deletes."""
    task = tiny.task
    for row in find_landmarks(task).atoms:
        without = as_set(row)
        start, seen = as_set(task.init), set[State]()
        stack = [] if without & start else [start]
        while stack:
            state = stack.pop()
            assert not as_set(task.goal) <= state
            fresh = {child for _, child in successors(task, state) if not child & without} - seen
            seen |= fresh
            stack.extend(fresh)


def test_one_of_two_trucks_must_come_and_one_must_carry_the_parcel() -> None:
    graph = find_landmarks(make_tiny("delivery").task, options=LandmarkOptions(reasonable=False))
    sets = [name for name in graph.names if " or " in name]
    assert any(re.fullmatch(r"\(aboard (\S+) \S+\) or \(aboard \1 \S+\)", name) for name in sets)
    assert not [name for name in find_landmarks(make_tiny("delivery").task, options=FACTS).names if " or " in name]


def test_a_set_has_atoms_of_one_predicate_and_no_more_than_asked_for() -> None:
    ways = 5
    drive = [([0], [2 + way], [], 1) for way in range(ways)]
    arrive = [([2 + way], [1], [], 1) for way in range(ways)]
    task = make_task(2 + ways, [*drive, *arrive], [0], [1])
    named = Task(**{**task.__dict__, "atoms": ("(at a)", "(at z)", *(f"(by w{way})" for way in range(ways)))})
    mixed = Task(**{**task.__dict__, "atoms": ("(at a)", "(at z)", *(f"(p{way})" for way in range(ways)))})
    for atoms, limit, expected in ((named, ways, 1), (named, ways - 1, 0), (mixed, ways, 0)):
        graph = find_landmarks(atoms, options=LandmarkOptions(limit))
        assert [len(row) for row in graph.atoms if len(row) > 1] == [ways] * expected


# --- orders ---


def check_orders(task: Task, state: State) -> None:
    relaxed = Relaxed(task)
    graph = find_landmarks(task, array(state), LOOK_FOR_SETS)
    atoms = [as_set(row) for row in graph.atoms]
    reachable = relaxed.reach(state)[1]
    for p, after in enumerate(atoms):
        first = [relaxed.pre[o] for o in relaxed.first_achievers(state, after)]
        adders = [relaxed.pre[o] for o in reachable if relaxed.add[o] & after]
        for q, before in enumerate(atoms):
            known = {kind for kind in graph.before if graph.before[kind][p, q]}
            if p == q or after & state:
                assert not known
                continue
            natural = all(relaxed.needs(state, [atom], before) for atom in after)
            direct = all(pre & before for pre in first)
            necessary = all(pre & before for pre in adders)
            assert known <= {"natural", "greedy-necessary", "necessary"}
            if len(before) == len(after) == 1:
                assert known == {
                    kind
                    for kind, holds in (("natural", natural), ("greedy-necessary", direct), ("necessary", necessary))
                    if holds
                }
            assert natural or "natural" not in known
            assert direct or "greedy-necessary" not in known
            assert "natural" in known or "greedy-necessary" not in known
            assert q < p or not known


@settings(max_examples=200)
@given(task=strips_tasks(max_atoms=8, max_operators=12))
def test_orders_are_their_definitions(task: Task) -> None:
    check_orders(task, as_set(task.init))


def test_orders_of_bundled_domains_are_their_definitions(tiny: Tiny) -> None:
    for state in states_of(tiny)[:3]:
        check_orders(tiny.task, state)


def test_orders_hold_on_every_real_path(tiny: Tiny) -> None:
    """Where p becomes true in any walk through the states, its predecessors held just before, or earlier."""
    task = tiny.task
    graph = find_landmarks(task)
    atoms = [as_set(row) for row in graph.atoms]
    natural, direct, necessary = (pairs(graph, kind) for kind in ("natural", "greedy-necessary", "necessary"))
    everywhere = reachable_states(task)
    for p, after in enumerate(atoms):
        if after & as_set(task.init):
            continue
        for q, before in enumerate(atoms):
            if (q, p) in natural:  # p cannot be reached along states that are all without q
                assert not any(state & after for state in _states_up_to(task, before))
            if (q, p) in direct:
                early = [s for s in _states_up_to(task, after) if not s & after]
                assert all(s & before for s in early for _, child in successors(task, s) if child & after)
            if (q, p) in necessary:
                late = [s for s in everywhere if not s & after]
                assert all(s & before for s in late for _, child in successors(task, s) if child & after)


def _states_up_to(task: Task, atoms: State) -> set[State]:
    """All states on paths that end where one of the atoms becomes true."""
    start = as_set(task.init)
    seen, stack = {start}, [start]
    while stack:
        state = stack.pop()
        if state & atoms:
            continue
        fresh = {child for _, child in successors(task, state)} - seen
        seen |= fresh
        stack.extend(fresh)
    return seen


def check_reasonable_orders(task: Task) -> None:
    """All that the definition gives, but for what follows from other orders and what would close a cycle."""
    graph = find_landmarks(task)
    chosen, candidates = pairs(graph, "reasonable"), reasonable_candidates(task, graph)
    known = closure(chosen | pairs(graph, "natural"))
    assert chosen <= candidates
    assert not any(p == q for p, q in known)
    for q, p in candidates - chosen:
        assert (q, p) in known or (p, q) in known


@given(task=strips_tasks(max_atoms=7, max_operators=9))
def test_reasonable_orders_are_their_definition_without_cycles(task: Task) -> None:
    check_reasonable_orders(with_true_mutexes(task))


def test_reasonable_orders_of_bundled_domains(tiny: Tiny) -> None:
    check_reasonable_orders(tiny.task)


def test_towers_are_reasonably_built_from_the_ground() -> None:
    found = False
    for seed in range(4):
        graph = find_landmarks(make_tiny("blocks", seed=seed).task)
        goals = {number: graph.names[number].strip("()").split() for number in np.flatnonzero(graph.is_goal)}
        on = {number: words[1:] for number, words in goals.items() if words[0] == "on"}
        known = closure(pairs(graph, "reasonable") | pairs(graph, "natural"))
        for upper, (_, below) in on.items():
            for lower, (block, _) in on.items():
                if block == below and not (graph.holds_now[upper] and graph.holds_now[lower]):
                    assert (lower, upper) in known
                    found = True
    assert found


# --- the count ---


def follow(task: Task, options: LandmarkOptions, choices: list[tuple[int, int]]) -> None:
    """Counts, reached landmarks and preferred operators after a walk that meets states on several paths."""
    graph = find_landmarks(task, options=options)
    counter = Counter(task, graph)
    steps = []
    for step, child in walk(task, choices):
        counter.step(step, child)
        steps.append(step)
    finder = landmark_finder(task, task.init, options)
    parents = np.array([step.parent for step in steps], dtype=np.int32)
    operators = np.array([step.operator for step in steps], dtype=np.int32)
    _, values, status, offsets, liked, held = _core.follow_landmarks(finder, task.init, parents, operators)
    assert len(values) == len(counter.states)
    assert held >= status.nbytes
    preferred = Rows(offsets, liked)
    for number, state in enumerate(counter.states):
        if not graph.solvable:
            assert values[number] == inf
            continue
        reached = np.flatnonzero(from_bits(status[number : number + 1], len(graph))[0]) if len(graph) else []
        assert set(map(int, reached)) == counter.reached[number]
        if values[number] == inf:
            assert goal_distances(task, [state])[state] == inf
            continue
        assert values[number] == len(counter.needed(number))
        assert as_set(preferred[number]) == counter.preferred(number)
        if as_set(task.goal) <= state and not counter.reasonable:
            assert values[number] == 0


CHOICES = st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 1000)), max_size=25)
OPTIONS = st.builds(LandmarkOptions, max_disjuncts=st.sampled_from([0, 3]), reasonable=st.booleans())


@settings(max_examples=300)
@given(task=strips_tasks(), options=OPTIONS, choices=CHOICES)
def test_counts_along_paths_that_meet(task: Task, options: LandmarkOptions, choices: list[tuple[int, int]]) -> None:
    follow(with_true_mutexes(task), options, choices)


@settings(max_examples=20)
@given(options=OPTIONS, choices=CHOICES)
@pytest.mark.parametrize("name", ["blocks", "delivery", "storage", "tiles"])
def test_counts_along_paths_of_bundled_domains(
    name: str, options: LandmarkOptions, choices: list[tuple[int, int]]
) -> None:
    follow(make_tiny(name).task, options, choices)


def test_a_landmark_that_one_of_two_paths_missed_lies_ahead() -> None:
    operators = [([0], [1, 2], [0], 1), ([0], [2], [0], 1), ([2], [4], [1], 1), ([2], [1], [], 1), ([1, 2], [3], [], 1)]
    task = make_task(5, operators, [0], [3, 4])
    graph = find_landmarks(task, options=FACTS)
    finder = landmark_finder(task, task.init, FACTS)

    def reached(parents: list[int], steps: list[int]) -> tuple[list[int], set[int]]:
        ids, _, status, *_ = _core.follow_landmarks(
            finder, task.init, np.array(parents, np.int32), np.array(steps, np.int32)
        )
        return ids.tolist(), {facts_of(graph)[p] for p in np.flatnonzero(from_bits(status, len(graph))[2])}

    assert reached([0, 1], [0, 2]) == ([1, 2], {0, 1, 2, 4})
    assert reached([0, 1, 0, 3], [0, 2, 1, 2]) == ([1, 2, 3, 2], {0, 2, 4})


def test_a_goal_that_nothing_brings_back_is_a_dead_end() -> None:
    task = make_task(2, [([0], [1], [0], 1), ([], [1], [], 1)], [0], [0, 1])
    finder = landmark_finder(task, task.init)
    _, values, *_ = _core.follow_landmarks(finder, task.init, np.zeros(2, np.int32), np.arange(2, dtype=np.int32))
    assert values.tolist() == [1, inf, 0]


# --- against Fast Downward ---


@pytest.mark.parametrize("domain", DOMAINS)
def test_numbers_and_initial_counts_are_those_of_fast_downward(fast_downward: FastDownward, domain: str) -> None:
    """Its lm_zg is complete propagation too."""
    instance = generate(domain, size=3, seed=1)
    task = ground_texts(instance.domain_text, instance.problem_text)
    compared = 0
    for number, state in enumerate([task.init, *random_walk_states(task, 6, 10, seed=2)]):
        graph = find_landmarks(task, state, FACTS)
        if not graph.solvable:
            continue  # the translator answers with an empty task
        sas = fast_downward.translate(instance.domain_text, format_problem(task, state, f"state-{number}"))
        log = fast_downward.search(
            sas, "eager_greedy([eval_modify_costs(landmark_sum(lm_zg()),cost_type=one)],cost_type=one,max_time=0)"
        )
        counts = re.search(r"Landmark graph contains (\d+) landmarks, of which 0 are disjunctive", log)
        value = re.search(r"Initial heuristic value for landmark_sum_heuristic: (\d+)", log)
        assert counts
        assert value
        assert len(graph) == int(counts[1])
        _, (ours, *_), *_ = _core.follow_landmarks(
            landmark_finder(task, state, FACTS), state, np.zeros(0, np.int32), np.zeros(0, np.int32)
        )
        assert ours == int(value[1])
        compared += 1
        if compared == 2:
            return
    pytest.fail("too few states with a relaxed plan")


# --- the interface ---


def test_no_goal_has_no_landmarks_and_an_empty_task_is_solvable() -> None:
    graph = find_landmarks(make_task(0, [], [], []))
    assert graph.solvable
    assert (len(graph), graph.names, graph.orders("natural")) == (0, [], [])


def test_an_unreachable_goal_has_no_landmarks() -> None:
    graph = find_landmarks(make_task(1, [], [], [0]))
    assert not graph.solvable
    assert len(graph) == 0


def test_too_large_sets_are_refused() -> None:
    with pytest.raises(UsageError, match="max_disjuncts must be between 0 and 1000, but is -1"):
        LandmarkOptions(max_disjuncts=-1)


def test_a_step_from_an_unknown_state_is_refused() -> None:
    task = make_task(1, [([], [0], [], 1)], [], [0])
    with pytest.raises(ValueError, match="a parent must be an earlier state"):
        _core.follow_landmarks(
            landmark_finder(task, task.init), task.init, np.array([1], np.int32), np.array([0], np.int32)
        )


# --- limits ---


def switches(n: int) -> Task:
    """Each is a landmark when it is off and when it is on, and they have nothing to do with each other."""
    off, on = np.arange(n, dtype=np.int32), np.arange(n, 2 * n, dtype=np.int32)
    return Task(
        domain_name="switches", problem_name=f"{n}",
        atoms=tuple(f"({is_it} v{i})" for is_it in ("off", "on") for i in range(n)),
        operators=tuple(f"(flip v{i})" for i in range(n)), pre=Rows.of(off[:, None].tolist()),
        add=Rows.of(on[:, None].tolist()), delete=Rows.of(off[:, None].tolist()), costs=np.ones(n, dtype=np.int32),
        init=off, goal=on, mutex_groups=Rows.of(np.stack([off, on], axis=1).tolist()),
        complement_of=np.full(2 * n, -1, dtype=np.int32), uses_costs=False, domain_text="", problem_text="",
    )  # fmt: skip


def test_finding_them_asks_whether_to_go_on() -> None:
    found = search(switches(300), "ff", SearchOptions("portfolio"), progress=lambda so_far: False)
    assert found.status is Status.CANCELLED
    assert (found.statistics.expanded, found.statistics.stored) == (0, 1)


@pytest.mark.skipif(sys.platform != "linux", reason="resident memory is read from /proc")
def test_orders_of_very_many_count_as_memory() -> None:
    """A bit for each pair of 8,000 landmarks is 8 MB, and nine times that is in use at once."""
    task = switches(4000)
    bound = bind_heuristic(task, "ff")
    options = SearchOptions("portfolio", time_limit=60)
    prepare(bound, options, task.init)
    found = search(task, bound, replace(options, memory_limit=_core.resident_memory() + 40 * 2**20))
    assert found.statistics.evicted[0] == "landmarks"
    assert found.solved, "the other parts need no landmarks"


def test_a_state_with_many_successors_by_novelty_is_left_when_time_is_over() -> None:
    task = switches(3000)
    found = search(task, "ff", SearchOptions("portfolio", lead="novelty", time_limit=0.001))
    assert found.status is Status.OUT_OF_TIME
    assert found.statistics.evaluated < 3001, "all successors of the first state"
