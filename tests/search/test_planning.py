"""Solving states however they are given, from Python."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from goalward.baselines.hgn_model import DomainModel, DomainOptions, parameter_shapes
from goalward.errors import GoalwardError, UsageError
from goalward.search import SearchOptions, Status
from goalward.search.improve import improve_plan
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.search.planning import plan
from goalward.task.states import format_problem, random_walk_states
from goalward.task.strips import Ints, Task
from helpers import Tiny, make_tiny
from oracle import as_set


def open_goals(task: Task) -> Model:
    """A network that counts the goal atoms that do not hold."""
    table = np.zeros((task.n_atoms, 1), dtype=np.float32)
    table[task.goal] = -1
    one = np.ones((1, 1), dtype=np.float32)
    bias = np.array([len(task.goal)], dtype=np.float32)
    return Model(task, NetworkWeights(table, bias, (Layer(one, np.zeros(1, dtype=np.float32)),)), {"method": "count"})


def end_of(task: Task, state: Ints, steps: tuple[int, ...]) -> set[int]:
    """Where a plan leads, by the definition of operators; it must be applicable at every step."""
    truth = set(as_set(state))
    for operator in steps:
        assert set(task.pre[operator].tolist()) <= truth
        truth = (truth - set(task.delete[operator].tolist())) | set(task.add[operator].tolist())
    return truth


@pytest.mark.parametrize("domain", ["blocks", "delivery", "gripper", "lights"])  # no dead ends
def test_states_in_all_forms_give_the_same_plans(domain: str, tmp_path: Path) -> None:
    task = make_tiny(domain).task
    model = open_goals(task)
    states = random_walk_states(task, 4, 10, seed=1)
    files = [tmp_path / f"p{i}.pddl" for i in range(4)]
    for file, state in zip(files, states, strict=True):
        file.write_text(format_problem(task, state, "p"))
    outcomes = model.solve(states)
    for state, outcome in zip(states, outcomes, strict=True):
        assert outcome.plan is not None
        assert set(task.goal.tolist()) <= end_of(task, state, outcome.plan)
    expected = [outcome.plan for outcome in outcomes]
    assert [outcome.plan for outcome in model.solve([state.tolist() for state in states])] == expected
    names = [set(task.state_names(state)) for state in states]
    assert [outcome.plan for outcome in model.solve(names)] == expected
    assert model.solve(names[1]).plan == model.solve(sorted(names[1])).plan == expected[1]
    assert [outcome.plan for outcome in model.solve(files)] == expected
    assert [outcome.plan for outcome in model.solve([str(file) for file in files], jobs=3)] == expected
    assert model.solve(files[2]).plan == model.solve(str(files[2])).plan == model.solve(states[2]).plan == expected[2]
    assert plan(task, model, init=files[3]).plan == plan(task, model, init=states[3]).plan == expected[3]


def test_without_states_the_problem_itself_is_solved(tiny: Tiny) -> None:
    model = open_goals(tiny.task)
    outcome = model.solve()
    assert outcome.solved
    assert outcome.plan == model.solve(tiny.task.init).plan == plan(tiny.task, model).plan


def test_no_states_have_no_outcomes() -> None:
    assert open_goals(make_tiny("blocks").task).solve([]) == []


def test_plan_takes_any_heuristic() -> None:
    task = make_tiny("gripper").task
    for heuristic in ["ff", "blind", lambda states: (1 - states[:, task.goal]).sum(axis=1), open_goals(task)]:
        outcome = plan(task, heuristic)
        assert outcome.plan is not None
        assert set(task.goal.tolist()) <= end_of(task, task.init, outcome.plan)
        assert outcome.steps == [task.operators[operator] for operator in outcome.plan]


def test_options_and_limits() -> None:
    task = make_tiny("tiles").task
    model = open_goals(task)
    assert plan(task, "blind", SearchOptions("astar")).length == model.solve(task.init, SearchOptions("astar")).length
    short = SearchOptions(expansion_limit=1, time_limit=20)
    assert model.solve(options=short, time_limit="1m").status is Status.OUT_OF_EXPANSIONS
    assert plan(task, model, memory_limit="1K").status is Status.OUT_OF_MEMORY
    with pytest.raises(UsageError, match=r"^time_limit must be a duration such as .+, but is 'soon'"):
        plan(task, time_limit="soon")
    with pytest.raises(UsageError, match=r"jobs must be .+, but is 0"):
        model.solve(jobs=0)


def test_durations_and_sizes_are_as_people_write_them() -> None:
    written = SearchOptions(time_limit="1m30s", memory_limit="2G")  # type: ignore[arg-type]
    assert written == SearchOptions(time_limit=90.0, memory_limit=2 * 2**30)


def test_so_they_are_where_plans_are_improved() -> None:
    task = make_tiny("blocks").task
    found = plan(task, "blind", improve=None).plan
    assert found is not None
    assert improve_plan(task, found, time_limit="1m", memory_limit="8G").length <= len(found)
    with pytest.raises(UsageError, match=r"^time_limit must be a duration such as .+, but is 'soon'"):
        improve_plan(task, found, time_limit="soon")


def test_another_task_and_other_states_are_refused(tmp_path: Path) -> None:
    task, other = make_tiny("blocks").task, make_tiny("tiles").task
    model = open_goals(task)
    with pytest.raises(UsageError, match="trained for another problem"):
        plan(other, model)
    with pytest.raises(GoalwardError, match=r"no\.pddl"):
        model.solve([task.init, tmp_path / "no.pddl"])
    with pytest.raises(UsageError, match=r"\(on b1 b22\) is not an atom of .+; did you mean \(on b1 b2\)\?"):
        model.solve([["(on b1 b22)"]])
    for wrong in ([[1.5]], [[[1], [2, 3]]], [{3, "(on b1 b2)"}]):
        with pytest.raises(UsageError, match="a state must be the ids or the names of its true atoms"):
            model.solve(wrong)  # type: ignore[arg-type]


def test_a_model_of_a_domain_solves_files_but_no_lists_of_atoms(tmp_path: Path) -> None:
    task = make_tiny("blocks").task
    options = DomainOptions(latent=4, n_steps=1)
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in parameter_shapes(4).items()}
    model = DomainModel(task.domain_name, task.domain_text, weights, options, {"method": "hgn"})
    (tmp_path / "p.pddl").write_text(task.problem_text)
    assert model.solve(tmp_path / "p.pddl").solved
    assert plan(task, model).solved
    model.save(tmp_path / "domain.goalward")
    with pytest.raises(UsageError, match="a state of one problem"):
        model.solve(task.init)
