"""States: random walks that stay in the task, and files that are read onto it or refused with the culprit's name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from goalward.errors import ExitCode, PddlError, StateMismatchError, UsageError
from goalward.regression import RolloutOptions, regress
from goalward.sampling import label
from goalward.sampling.plans import label_plans
from goalward.search import bind_heuristic, improve_plan, search
from goalward.search.landmarks import find_landmarks
from goalward.task.grounding import UnsolvableError, ground, ground_files
from goalward.task.lifted_reader import parse_problem
from goalward.task.states import (
    StateReader,
    as_state,
    as_states,
    format_problem,
    from_bits,
    random_walk_states,
    states_along_walks,
    to_bits,
    unfilled_groups,
)
from goalward.task.strips import Ints, Task
from helpers import Tiny, make_tiny
from oracle import as_set, make_task, strips_tasks, successors


def ends_of_walks(task: Task, steps: int) -> set[frozenset[int]]:
    """All states that a walk of so many steps can end in."""
    layer = {as_set(task.init)}
    for _ in range(steps):
        grown = set()
        for state in layer:
            children = {child for _, child in successors(task, state)}
            grown |= children or {state}  # without applicable operators the walk ends early
        layer = grown
    return layer


# --- bit rows ---


@given(n_atoms=st.integers(1, 200), data=st.data())
def test_bit_rows_are_what_they_say(n_atoms: int, data: st.DataObject) -> None:
    states = data.draw(st.lists(st.sets(st.integers(0, n_atoms - 1)), max_size=4))
    bits = to_bits([np.array(sorted(state), dtype=np.int32) for state in states], n_atoms)
    assert bits.shape == (len(states), (n_atoms + 63) // 64)
    assert bits.dtype == np.uint64
    for row, state in zip(bits, states, strict=True):
        assert {a for a in range(n_atoms) if int(row[a // 64]) >> (a % 64) & 1} == state
    assert [set(np.flatnonzero(row).tolist()) for row in from_bits(bits, n_atoms)] == states


# --- random walks ---


@pytest.mark.parametrize("steps", [0, 1, 2, 7])
def test_walks_end_where_so_many_steps_can_lead(tiny: Tiny, steps: int) -> None:
    possible = ends_of_walks(tiny.task, steps)
    walked = [as_set(state) for state in random_walk_states(tiny.task, 30, steps, seed=5)]
    assert len(walked) == 30
    assert possible.issuperset(walked)


@given(task=strips_tasks(), steps=st.integers(0, 3), seed=st.integers(0, 2**64 - 1))
def test_walks_of_random_tasks_end_where_so_many_steps_can_lead(task: Task, steps: int, seed: int) -> None:
    assert ends_of_walks(task, steps).issuperset(as_set(s) for s in random_walk_states(task, 4, steps, seed))


def test_walks_choose_uniformly_among_the_applicable_operators() -> None:
    # Three operators lead to atom 1 and one each to atoms 2 and 3: uniform over operators, not over states.
    task = make_task(4, [([0], [i], [0], 1) for i in (1, 1, 1, 2, 3)], [0], [3])
    ends = Counter(int(state[0]) for state in random_walk_states(task, 10_000, 1, seed=11))
    assert ends.keys() == {1, 2, 3}
    assert all(abs(ends[atom] - expected) < 200 for atom, expected in [(1, 6000), (2, 2000), (3, 2000)])


def test_the_same_seed_gives_the_same_states_and_another_seed_others(tiny: Tiny) -> None:
    def walked(seed: int, n: int = 10) -> list[list[int]]:
        return [state.tolist() for state in random_walk_states(tiny.task, n, 40, seed)]

    assert walked(1) == walked(1)
    assert walked(1) != walked(2)
    assert walked(1)[:4] == walked(1, n=4)  # a walk does not depend on how many follow it


def test_walks_are_the_same_on_every_machine() -> None:
    (state,) = random_walk_states(make_tiny("tiles").task, 1, 200, seed=2024)
    places = re.findall(
        r"\((?:gap|tile-at t\d) (s-\d-\d)\)", " ".join(sorted(make_tiny("tiles").task.state_names(state)))
    )
    assert places == ["s-1-2", "s-2-2", "s-1-3", "s-2-3", "s-1-1", "s-2-1"], "of the gap and tiles 1 to 5"


def test_walks_respect_mutex_groups_and_complements(tiny: Tiny) -> None:
    task = tiny.task
    for state in random_walk_states(task, 50, 100, seed=0):
        assert task.violated_group(state) is None
        positive = [atom for atom in state.tolist() if task.complement_of[atom] < 0]
        assert task.state_from_positive(positive).tolist() == state.tolist()


def test_walks_start_where_they_are_told_to() -> None:
    task = make_tiny("tiles").task
    (start,) = random_walk_states(task, 1, 9, seed=4)
    near = {child for _, child in successors(task, as_set(start))}
    assert near.issuperset(as_set(s) for s in random_walk_states(task, 20, 1, seed=0, start=start))


def test_a_walk_without_applicable_operators_stays() -> None:
    task = make_task(2, [([1], [0], [1], 1)], [0], [1])
    assert [state.tolist() for state in random_walk_states(task, 2, 50, seed=0)] == [[0], [0]]


@pytest.mark.parametrize(("n", "steps", "seed"), [(-1, 0, 0), (1, -1, 0), (1, 1, -1), (1, 1, 2**64)])
def test_numbers_that_make_no_walk(n: int, steps: int, seed: int) -> None:
    with pytest.raises(UsageError):
        random_walk_states(make_tiny("tiles").task, n, steps, seed)


def test_walks_ask_whether_to_go_on() -> None:
    task = make_tiny("tiles").task
    asked = []

    def twice() -> bool:
        asked.append(None)
        return len(asked) <= 2

    n, steps = 1000, 10_000
    walked = random_walk_states(task, n, steps, seed=0, go_on=twice)
    assert len(asked) == 3, "the rest would have been asked for, too"
    assert 0 < len(walked) < n
    whole = random_walk_states(task, len(walked) - 1, steps, seed=0)
    assert [state.tolist() for state in walked[:-1]] == [state.tolist() for state in whole]


def test_walks_that_may_not_go_on_stay_where_they_begin() -> None:
    task = make_tiny("tiles").task
    (state,) = random_walk_states(task, 5, 30, seed=0, go_on=lambda: False)
    assert state.tolist() == task.init.tolist()
    assert len(states_along_walks(task, 5, np.array([1, 9], dtype=np.int32), 0, lambda: False)) == 2


def test_ctrl_c_ends_walks() -> None:
    def interrupt() -> bool:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        random_walk_states(make_tiny("tiles").task, 2**20, 2**30, seed=0, go_on=interrupt)


# --- files ---


def true_names(task: Task, state: Ints, problem_text: str, tiny: Tiny) -> set[str]:
    """Everything that holds: the state, and the facts of the file that are no atoms of the task."""
    problem = parse_problem(problem_text, "state.pddl", tiny.domain)
    facts = {f"({' '.join(atom)})" for atom in problem.init}
    return set(task.state_names(state)) | (facts - task.atom_id.keys())


def test_a_written_state_reads_back_the_same_on_the_task_and_grounded_afresh(tiny: Tiny) -> None:
    reader, h_max = StateReader(tiny.task), bind_heuristic(tiny.task, "hmax")
    for number, state in enumerate(random_walk_states(tiny.task, 6, 30, seed=8)):
        text = format_problem(tiny.task, state, f"walk-{number}")
        read = reader.parse(text, "state.pddl")
        assert read.tolist() == state.tolist()
        if h_max.value(state) == inf:
            with pytest.raises(UnsolvableError):
                ground(tiny.domain, parse_problem(text, "state.pddl", tiny.domain))
            continue
        fresh = ground(tiny.domain, parse_problem(text, "state.pddl", tiny.domain))
        names = true_names(tiny.task, read, text, tiny)
        assert true_names(fresh, fresh.init, text, tiny) == names
        assert names >= set(tiny.task.state_names(state))
        assert fresh.problem_name == f"walk-{number}"
        assert fresh.uses_costs == tiny.task.uses_costs


def test_the_task_reads_its_own_problem_as_its_initial_state(tiny: Tiny, tmp_path: Path) -> None:
    path = tmp_path / "own.pddl"
    path.write_text(tiny.instance.problem_text)
    reader = StateReader(tiny.task)
    assert reader.read(path).tolist() == tiny.task.init.tolist()
    assert [state.tolist() for state in reader.read_all([path, path])] == [tiny.task.init.tolist()] * 2


def test_spelling_order_and_comments_do_not_matter() -> None:
    tiny = make_tiny("blocks")
    (state,) = random_walk_states(tiny.task, 1, 9, seed=1)
    text = format_problem(tiny.task, state, "other")
    head, init, goal = re.split(r"\(:init|\(:goal", text)
    facts = re.findall(r"\([^()]*\)", init)
    conjuncts = re.findall(r"\([^()]*\)", goal)
    objects = re.search(r"\(:objects (.*?) - block\)", head)
    assert objects
    head = head.replace(objects[1], " ".join(reversed(objects[1].split())))
    odd = (
        f"; a comment\n{head.upper()}(:INIT {' '.join(reversed(facts)).upper()} {facts[0]} (not (on b1 b1)))\n"
        f"(:goal (and {' '.join(reversed(conjuncts))})))"
    )
    assert StateReader(tiny.task).parse(odd, "odd.pddl").tolist() == state.tolist()


def refused(tiny: Tiny, text: str) -> str:
    """The message with which a state is refused, which names the file."""
    with pytest.raises(PddlError) as caught:
        StateReader(tiny.task).parse(text, "state.pddl")
    assert caught.value.exit_code == ExitCode.INPUT_ERROR
    message = str(caught.value)
    assert message.startswith("state.pddl:")
    assert "\n" not in message
    return message


def test_another_goal_is_named() -> None:
    tiny = make_tiny("blocks")
    head, goal = tiny.instance.problem_text.split("(:goal (and")
    assert "has (held b1)" in refused(tiny, f"{head}(:goal (and (held b1) {goal}")
    first = re.search(r"\([^()]*\)", goal)
    assert first
    assert f"lacks {first[0]}" in refused(tiny, f"{head}(:goal (and {goal.replace(first[0], '', 1)}")


def add_fact(tiny: Tiny, fact: str) -> str:
    return tiny.instance.problem_text.replace("(:init", f"(:init {fact}", 1)


@pytest.mark.parametrize(
    ("domain", "old", "new", "culprit"),
    [
        ("blocks", "b4 - block", "b4 b9 - block", "b9"),
        ("blocks", r" b4(?= - block)|\((?!:)[^()]*\bb4\b[^()]*\)", "", "b4"),
        ("courier", "town4 - town", "- town town4 - letter", "town4"),
        ("blocks", r"\(:domain blocks\)", "(:domain bricks)", "bricks"),
        ("blocks", r"\(:init", "(:init (on b1 b1)", "(on b1 b1)"),
        ("blocks", r"\(:init", "(:init (glued b1)", "'glued'"),
        ("blocks", r"\(:init", "(:init (held b7)", "'b7'"),
        ("blocks", r"\(:init", "(:init (not (hand-free))", "(hand-free)"),
        ("blocks", r"\(:init", "(:init (held b1)) (:init", ":init"),
    ],
)
def test_a_state_of_another_problem_is_refused_with_the_culprit(domain: str, old: str, new: str, culprit: str) -> None:
    tiny = make_tiny(domain)
    text = re.sub(old, new, tiny.instance.problem_text)
    assert text != tiny.instance.problem_text
    assert culprit in refused(tiny, text)


def test_a_changed_or_missing_static_fact_is_named() -> None:
    tiny = make_tiny("courier")
    text = tiny.instance.problem_text
    road = re.search(r"\(road \S+ \S+\)", text)
    assert road
    assert road[0] in refused(tiny, text.replace(road[0], ""))
    assert "(road town1 town1)" in refused(tiny, add_fact(tiny, "(road town1 town1)"))
    value = re.search(r"\(= \(distance (\S+ \S+)\) (\d+)\)", text)
    assert value
    assert f"(= (distance {value[1]}) 77)" in refused(tiny, text.replace(value[0], f"(= (distance {value[1]}) 77)"))


def test_two_atoms_that_exclude_each_other_are_named() -> None:
    tiny = make_tiny("courier")
    (here,) = [name for name in tiny.task.state_names(tiny.task.init) if name.startswith("(rider-at")]
    other = next(name for name in tiny.task.atoms if name.startswith("(rider-at rider1") and name != here)
    message = refused(tiny, add_fact(tiny, other))
    assert here in message
    assert other in message


def test_text_that_is_no_problem_is_refused_with_a_line() -> None:
    tiny = make_tiny("blocks")
    for text in ("", "(", "(define (problem p)", "hello", "(define (problem p) (:domain blocks))"):
        refused(tiny, text)


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such file"):
        StateReader(make_tiny("blocks").task).read(tmp_path / "absent.pddl")


def test_states_by_names_are_states_by_ids(tiny: Tiny) -> None:
    task = tiny.task
    static = StateReader(task).static
    for state in random_walk_states(task, 3, 20, seed=2):
        names = task.state_names(state)
        written = {name.upper().replace(" ", "  ") for name in names} | static
        assert as_state(task, written).tolist() == as_state(task, names).tolist() == state.tolist()
        assert format_problem(task, set(names), "p") == format_problem(task, state, "p")
        assert unfilled_groups(task, state) == []


def test_an_object_without_a_place_is_found() -> None:
    task = make_tiny("courier").task
    (here,) = [name for name in task.state_names(task.init) if name.startswith("(rider-at")]
    lost = as_state(task, set(task.state_names(task.init)) - {here})
    assert any(here in group for group in unfilled_groups(task, lost))


def test_mismatches_are_their_own_kind_of_error() -> None:
    tiny = make_tiny("blocks")
    with pytest.raises(StateMismatchError):
        StateReader(tiny.task).parse(add_fact(tiny, "(on b1 b1)"), "state.pddl")


@pytest.mark.bench
def test_the_states_of_the_largest_public_instance_are_read(benchmark: Path) -> None:
    folder = benchmark / "rovers" / "hard" / "p40"
    task = ground_files(folder / "domain.pddl", folder / "problem.pddl")
    paths = sorted(folder.glob("p[0-9]*.pddl"))
    assert len(paths) == 25
    states = StateReader(task).read_all([*paths, *paths])
    assert len(states) == 50
    assert len({state.tobytes() for state in states}) > 20
    assert all(task.violated_group(state) is None for state in states)


def forms_of(task: Task, states: list[Ints]) -> dict[str, Any]:
    """The same states in every form that many states can have."""
    bits = to_bits(states, task.n_atoms)
    truth = from_bits(bits, task.n_atoms)
    return {
        "bit rows": bits,
        "bool": truth,
        "uint8": truth.astype(np.uint8),
        "ids": states,
        "unsorted ids": [state[::-1].tolist() for state in states],
        "names": [set(task.state_names(state)) for state in states],
        "single bit rows": list(bits),
        "single rows of truth values": list(truth.astype(np.uint8)),
        "mixed": [states[0], set(task.state_names(states[1])), *truth[2:]],
    }


@pytest.mark.parametrize("name", ["blocks", "lights", "tiles"])
def test_states_mean_the_same_in_every_form(tmp_path: Path, name: str) -> None:
    task = make_tiny(name).task
    states = random_walk_states(task, 4, 10, seed=1)
    bits = to_bits(states, task.n_atoms)
    for form, given_states in forms_of(task, states).items():
        read = as_states(task, given_states)
        assert read.dtype == np.uint64, form
        assert np.array_equal(read, bits), form
        if not isinstance(given_states, np.ndarray):
            for state, expected in zip(given_states, states, strict=True):
                one = as_state(task, state)
                assert one.dtype == np.int32, form
                assert one.tolist() == expected.tolist(), form
    paths = [tmp_path / f"{i}.pddl" for i in range(len(states))]
    for path, state in zip(paths, states, strict=True):
        path.write_text(format_problem(task, state, "state"))
    assert np.array_equal(as_states(task, paths), bits)
    assert as_states(task, []).shape == (0, bits.shape[1])


def test_functions_take_states_in_every_form() -> None:
    task = make_tiny("blocks").task
    states = random_walk_states(task, 4, 10, seed=1)
    heuristic = bind_heuristic(task, "ff")
    rollouts = regress(task, RolloutOptions(n_rollouts=2, length=10))
    h, labels = heuristic.evaluate(states), label(task, rollouts, states)
    actions = heuristic.helpful_actions(states)
    plans = [search(task, init=state).plan for state in states]
    for form, given_states in forms_of(task, states).items():
        assert heuristic.evaluate(given_states).tolist() == h.tolist(), form
        assert heuristic.helpful_actions(given_states) == actions, form
        assert label(task, rollouts, given_states).tolist() == labels.tolist(), form
        for i, state in enumerate(given_states):
            assert heuristic.value(state) == h[i], form
            assert search(task, init=state).plan == plans[i], form
            assert task.state_names(state) == task.state_names(states[i]), form
            assert task.is_goal(state) == task.is_goal(states[i]), form
            assert find_landmarks(task, state).names == find_landmarks(task, states[i]).names, form
            improved = improve_plan(task, plans[i] or (), init=state, effort_limit=10**6)
            assert improved.before == plans[i], form
            assert np.array_equal(
                label_plans(task, [(state, improved.plan)]).states,
                label_plans(task, [(states[i], improved.plan)]).states,
            ), form


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda task: task.init, "several states must be"),
        (lambda task: "state.pddl", "several states must be"),
        (lambda task: np.zeros((2, task.n_atoms), dtype=np.int64), "several states must be"),
        (lambda task: np.zeros((2, task.n_atoms), dtype=np.float32), "several states must be"),
        (lambda task: np.zeros((2, task.n_atoms + 1), dtype=bool), r"must have \d+ truth values, but has \d+"),
        (lambda task: np.zeros((2, 9), dtype=np.uint64), "must have 1 64-bit words, but has 9"),
        (lambda task: np.full((2, task.n_atoms), 2, dtype=np.uint8), "must have truth values, 0 or 1"),
        (lambda task: [np.zeros(3, dtype=bool)], r"must have \d+ truth values, but has 3"),
    ],
)
def test_arrays_that_are_not_states_are_refused(wrong: Callable[[Task], Any], words: str) -> None:
    task = make_tiny("blocks").task
    with pytest.raises(UsageError, match=words):
        as_states(task, wrong(task))
