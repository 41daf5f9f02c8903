"""A task for several initial states: it has what each of them reaches, and mutex groups that hold from each."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from goalward.errors import StateMismatchError
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, make_dataset
from goalward.search import search
from goalward.search.model import task_fingerprint
from goalward.task.grounding import ground, ground_files
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.states import StateReader, random_walk_states, states_along_walks
from goalward.task.store import load_task, save_task
from goalward.task.strips import Task
from locked_rooms import INITS, ROOMS, text_of
from oracle import State, as_set, reachable_states


@pytest.fixture(scope="module")
def rooms() -> Domain:
    return parse_domain(ROOMS, "rooms.pddl")


def problem(domain: Domain, name: str) -> Problem:
    return parse_problem(text_of(name), f"{name}.pddl", domain)


@pytest.fixture(scope="module")
def several(rooms: Domain) -> Task:
    return ground(rooms, problem(rooms, "open"), [problem(rooms, "shut"), problem(rooms, "stuck")])


def named(task: Task, states: set[State]) -> set[frozenset[str]]:
    """The states as PDDL writes them."""
    return {frozenset(task.state_names(np.array(sorted(state), dtype=np.int32))) for state in states}


def test_a_door_that_is_locked_elsewhere_is_no_atom_of_one_initial_state(rooms: Domain) -> None:
    task = ground(rooms, problem(rooms, "open"))
    assert "(locked d2)" not in task.atom_id
    with pytest.raises(
        StateMismatchError, match=r"\(locked d2\) is not an atom of the task open.*train with it: goalward"
    ):
        StateReader(task).parse(text_of("shut"), "shut.pddl")


def test_every_initial_state_reaches_what_it_would_reach_alone(rooms: Domain, several: Task) -> None:
    assert len(several.inits) == 3
    for name, init in zip(INITS, several.inits, strict=True):
        alone = ground(rooms, problem(rooms, name))
        own = named(alone, reachable_states(alone))
        together = named(several, reachable_states(several, as_set(init)))
        # Alone, atoms that always hold or never matter may be missing, and no others.
        kept = frozenset(alone.atoms)
        assert {state & kept for state in together} == own
        assert search(several, init=init).solved


def test_mutex_groups_hold_in_all_states_that_any_initial_state_reaches(several: Task) -> None:
    groups = [{several.atoms[atom] for atom in group} for group in several.mutex_groups]
    assert {"(in a)", "(in b)", "(in c)"} in groups
    assert {"(locked d2)", "(open d2)"} in groups
    for init in several.inits:
        for state in reachable_states(several, as_set(init)):
            for group in several.mutex_groups:
                assert not [pair for pair in combinations(group.tolist(), 2) if set(pair) <= state]


def test_a_group_that_one_of_the_initial_states_breaks_is_none(rooms: Domain) -> None:
    both = parse_problem(text_of("twins", "(in a) (in b) (open d2)"), "twins.pddl", rooms)
    task = ground(rooms, problem(rooms, "open"), [both])
    assert not any({"(in a)", "(in b)"} <= {task.atoms[atom] for atom in group} for group in task.mutex_groups)
    assert {task.atoms[atom] for atom in task.other_inits[0]} >= {"(in a)", "(in b)"}


def test_an_atom_is_fixed_where_it_holds_in_all_initial_states(rooms: Domain, several: Task) -> None:
    badge = several.atom_id["(badge)"]
    assert not fixed_atoms(several)[badge], "the third one has none"
    assert core_atoms(several)[badge]
    two = ground(rooms, problem(rooms, "open"), [problem(rooms, "shut")])
    assert fixed_atoms(two)[two.atom_id["(badge)"]]


def test_walks_begin_in_all_initial_states_in_turn(several: Task) -> None:
    walked = random_walk_states(several, 7, 0, seed=3)
    assert [state.tolist() for state in walked] == [several.inits[i % 3].tolist() for i in range(7)]
    rows = states_along_walks(several, 4, np.array([0, 5], dtype=np.int32), seed=3)
    assert len(rows) == 8
    again = states_along_walks(several, 4, np.array([0, 5], dtype=np.int32), seed=3)
    assert np.array_equal(rows, again)
    assert not np.array_equal(rows, states_along_walks(several, 4, np.array([0, 5], dtype=np.int32), seed=4))


def test_walks_from_several_initial_states_may_end_early(several: Task) -> None:
    answers = iter([True, False])
    walked = random_walk_states(several, 7, 5, seed=3, go_on=lambda: next(answers))
    whole = random_walk_states(several, 7, 5, seed=3)
    assert [state.tolist() for state in walked] == [whole[i].tolist() for i in (0, 3, 6)]


def test_states_to_learn_from_come_from_all_of_them(several: Task) -> None:
    locked = several.atom_id["(locked d2)"]
    rollouts = regress(several, RolloutOptions(n_rollouts=3, length=5))
    data = make_dataset(several, rollouts, SamplingOptions(300, 1.0, "reachable"))
    share = float(((data.states[:, locked // 64] >> np.uint64(locked % 64)) & np.uint64(1)).mean())
    assert 0.2 < share < 0.9
    starts = states_along_walks(several, 20, np.array([1, 5, 30], dtype=np.int32), 0)
    assert 0 < int(((starts[:, locked // 64] >> np.uint64(locked % 64)) & np.uint64(1)).sum()) < 60


def test_a_file_keeps_all_initial_states_and_the_fingerprint_asks_for_none(several: Task, tmp_path: Path) -> None:
    save_task(several, tmp_path / "task")
    again = load_task(tmp_path / "task")
    assert again.equals(several)
    assert [init.tolist() for init in again.inits] == [init.tolist() for init in several.inits]
    assert task_fingerprint(again) == task_fingerprint(several)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (text_of("shut", goal="(in b)"), "the goal differs"),
        (text_of("shut").replace("a b c - room", "a b c e - room"), "object e is not in the task open"),
        (text_of("shut").replace("(fits k d2)", ""), r"static fact \(fits k d2\) of the task open is missing"),
        (
            text_of("shut").replace("(fits k d2)", "(fits k d2) (fits k d1)"),
            r"\(fits k d1\) is not an atom .*different",
        ),
    ],
)
def test_what_differs_in_more_than_its_initial_state_is_refused(tmp_path: Path, text: str, words: str) -> None:
    files = {"domain": ROOMS, "open": text_of("open"), "other": text}
    for name, content in files.items():
        (tmp_path / f"{name}.pddl").write_text(content)
    with pytest.raises(StateMismatchError, match=words) as error:
        ground_files(tmp_path / "domain.pddl", tmp_path / "open.pddl", [tmp_path / "other.pddl"])
    assert "train with it" not in str(error.value), "that is what was tried"
