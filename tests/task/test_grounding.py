"""Grounding keeps PDDL's meaning, drops what cannot happen, and refuses what it cannot express."""

from __future__ import annotations

import os
import subprocess
import sys
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import ExitCode, UnsupportedError
from goalward.task import quantifiers
from goalward.task.grounding import UnsolvableError, ground
from goalward.task.lifted import Domain, Problem
from goalward.task.strips import Task
from helpers import Tiny, ground_texts, make_tiny, read_texts
from oracle import as_set, lifted_holds, lifted_transitions, reachable_states, successors


def domain(*sections: str, requirements: str = ":adl") -> str:
    return f"(define (domain d) (:requirements {requirements}) {' '.join(sections)})"


def problem(init: str, goal: str, objects: str = "", metric: str = "") -> str:
    declared = f"(:objects {objects})" if objects else ""
    return f"(define (problem p) (:domain d) {declared} (:init {init}) (:goal {goal}) {metric})"


def action(name: str, parameters: str, precondition: str, effect: str) -> str:
    return f"(:action {name} :parameters ({parameters}) :precondition {precondition} :effect {effect})"


def assert_same_meaning(lifted_domain: Domain, lifted_problem: Problem) -> Task:
    """The grounded task has the states, steps and goal states of the PDDL, and its complement atoms are complements."""
    task = ground(lifted_domain, lifted_problem)
    static = {_name(atom) for atom in lifted_problem.init} - task.atom_id.keys()

    def names(state: frozenset[int]) -> frozenset[str]:
        return frozenset(task.state_names(np.array(sorted(state), dtype=np.int32))) | static

    grounded_states = reachable_states(task)
    grounded_steps = {
        (names(state), task.operators[operator], names(child))
        for state in grounded_states
        for operator, child in successors(task, state)
        if child != state
    }
    lifted_states, lifted_steps = lifted_transitions(lifted_domain, lifted_problem)
    written = {state: frozenset(map(_name, state)) for state in lifted_states}
    assert {names(state) for state in grounded_states} == set(written.values())
    assert grounded_steps == {(written[state], step, written[child]) for state, step, child in lifted_steps}
    goal = as_set(task.goal)
    assert {names(state) for state in grounded_states if goal <= state} == {
        written[state] for state in lifted_states if lifted_holds(lifted_domain, lifted_problem, state)
    }
    for state in grounded_states:
        for atom in np.flatnonzero(task.complement_of >= 0):
            assert (int(atom) in state) != (int(task.complement_of[atom]) in state)
        assert task.violated_group(np.array(sorted(state), dtype=np.int32)) is None
    return task


def grounded(domain_text: str, problem_text: str) -> Task:
    return ground_texts(domain_text, problem_text)


def same_meaning(domain_text: str, problem_text: str) -> Task:
    return assert_same_meaning(*read_texts(domain_text, problem_text))


def _name(atom: tuple[str, ...]) -> str:
    return f"({' '.join(atom)})"


# --- meaning ---


def test_every_bundled_domain_keeps_its_states_steps_and_goals(tiny: Tiny) -> None:
    assert_same_meaning(tiny.domain, tiny.problem)


def test_negative_preconditions_and_goals_become_complement_atoms() -> None:
    task = same_meaning(
        domain(
            "(:predicates (lamp ?x) (broken ?x))",
            action("toggle-on", "?x", "(not (lamp ?x))", "(lamp ?x)"),
            action("toggle-off", "?x", "(and (lamp ?x) (not (broken ?x)))", "(not (lamp ?x))"),
            action("smash", "?x", "(lamp ?x)", "(and (broken ?x) (not (lamp ?x)))"),
        ),
        problem("(lamp a)", "(and (not (lamp a)) (lamp b) (not (broken a)))", "a b"),
    )
    assert {task.atoms[i] for i in np.flatnonzero(task.complement_of >= 0)} == {
        "(not (lamp a))", "(not (lamp b))", "(not (broken a))", "(not (broken b))",
    }  # fmt: skip
    assert {task.atoms[i] for i in task.goal} == {"(not (lamp a))", "(lamp b)", "(not (broken a))"}


def test_positive_atoms_get_no_complement_where_nothing_asks_for_it() -> None:
    assert (make_tiny("blocks").task.complement_of == -1).all()
    lights = make_tiny("lights").task
    assert {lights.atoms[i].split()[1] for i in np.flatnonzero(lights.complement_of >= 0)} <= {
        "(lit", "(locked", "(hand-full)",
    } | {"(hand-full))"}  # fmt: skip
    assert (lights.complement_of >= 0).any()


def test_a_negative_goal_over_an_atom_that_is_never_true_holds_for_free() -> None:
    task = ground_texts(
        domain("(:predicates (p) (never))", action("go", "", "(and)", "(p)")), problem("", "(and (p) (not (never)))")
    )
    assert [task.atoms[i] for i in task.goal] == ["(p)"]


def test_an_action_that_adds_and_deletes_an_atom_adds_it() -> None:
    same_meaning(
        domain(
            "(:predicates (p ?x) (q))",
            action("move", "?x ?y", "(p ?x)", "(and (not (p ?x)) (p ?y))"),
            action("blink", "?x", "(not (p ?x))", "(and (q) (not (p ?x)) (p ?x))"),
        ),
        problem("(p a)", "(and (q) (not (p a)))", "a b"),
    )


def test_a_precondition_that_the_action_adds_again_stays_true() -> None:
    same_meaning(
        domain(
            "(:predicates (p) (q))", action("keep", "", "(p)", "(and (p) (q))"), action("drop", "", "(q)", "(not (p))")
        ),
        problem("(p)", "(and (q) (not (p)))"),
    )


def test_type_hierarchies_constants_and_either() -> None:
    task = same_meaning(
        domain(
            "(:types car truck - vehicle vehicle place - object)",
            "(:constants home - place)",
            "(:predicates (at ?x - (either vehicle place) ?y - place) (washed ?v - vehicle) (full ?t - truck))",
            action("drive", "?v - vehicle ?from ?to - place", "(at ?v ?from)", "(and (at ?v ?to) (not (at ?v ?from)))"),
            action("wash", "?v - vehicle", "(at ?v home)", "(washed ?v)"),
            action("load", "?t - truck ?p - place", "(and (at ?t ?p) (not (= ?p home)))", "(full ?t)"),
        ),
        problem("(at c work) (at t home)", "(and (washed c) (full t))", "c - car t - truck work - place"),
    )
    assert "(full c)" not in task.atom_id
    assert "(load t home)" not in task.operators
    assert "(wash c)" in task.operators


@pytest.mark.parametrize("tail", ["", " - object"], ids=["the last types have no parent", "all types have a parent"])
def test_either_in_parameters_and_quantifiers(tail: str) -> None:
    task = same_meaning(
        domain(
            f"(:types car truck bike - vehicle vehicle place{tail})",
            "(:predicates (clean ?x - (either car bike)) (shut ?p - place) (done))",
            action("wash", "?v - (either car bike)", "(and)", "(clean ?v)"),
            action("shut", "?p - place", "(exists (?v - (either bike truck car)) (clean ?v))", "(shut ?p)"),
            action("finish", "", "(forall (?v - (either bike car)) (clean ?v))", "(done)"),
        ),
        problem("", "(and (done) (shut yard))", "c - car t - truck b - bike yard - place"),
    )
    assert set(task.operators) == {"(wash c)", "(wash b)", "(shut yard)", "(finish)"}


def test_equality_and_inequality_of_parameters() -> None:
    task = same_meaning(
        domain(
            "(:predicates (p ?x) (met ?x ?y) (self ?x))",
            action("meet", "?x ?y", "(and (p ?x) (not (= ?x ?y)))", "(met ?x ?y)"),
            action("look", "?x ?y", "(and (p ?x) (= ?x ?y))", "(self ?x)"),
        ),
        problem("(p a) (p b)", "(and (met a b) (self b))", "a b"),
    )
    assert "(meet a a)" not in task.operators
    assert "(look a b)" not in task.operators


@pytest.mark.parametrize(
    "condition",
    [
        "(forall (?x - ball) (in ?x))",
        "(forall (?x ?y - ball) (or (= ?x ?y) (in ?x) (in ?y)))",
        "(not (forall (?x - ball) (in ?x)))",
        "(exists (?x - ball) (in ?x))",
        "(exists (?x - ball) (and (in ?x) (not (marked ?x))))",
        "(not (exists (?x - ball) (in ?x)))",
        "(or (in a) (and (in b) (marked a)))",
        "(imply (in a) (in b))",
        "(imply (marked a) (forall (?x - ball) (in ?x)))",
        "(forall (?x - ball) (imply (marked ?x) (in ?x)))",
        "(forall (?x - ball) (exists (?y - ball) (and (not (= ?x ?y)) (in ?y))))",
        "(exists (?x - ball) (forall (?y - ball) (or (= ?x ?y) (in ?y))))",
        "(forall (?x - ball) (or (in ?x) (forall (?x - ball) (marked ?x))))",
        "(and (not (and (in a) (in b))) (or (in a) (in b)))",
        "(and)",
    ],
)
def test_conditions_with_quantifiers_and_connectives(condition: str) -> None:
    same_meaning(
        domain(
            "(:types ball box)",
            "(:constants a b - ball)",
            "(:predicates (in ?x - ball) (marked ?x - ball) (done))",
            action("put", "?x - ball", "(not (in ?x))", "(in ?x)"),
            action("take", "?x - ball", "(in ?x)", "(not (in ?x))"),
            action("mark", "?x - ball", "(in ?x)", "(marked ?x)"),
            action("finish", "", condition, "(done)"),
        ),
        problem("", "(done)", "x - box"),
    )


def formulas(variables: tuple[str, ...] = (), depth: int = 2) -> st.SearchStrategy[str]:
    """Conditions of any shape over the balls a and b and the variables in scope."""
    terms = st.sampled_from(["a", "b", *variables, *variables])
    literal = st.builds("({} {})".format, st.sampled_from(["in", "marked"]), terms)
    equality = st.builds("(= {} {})".format, terms, terms)
    if depth == 0:
        return st.one_of(literal, literal, equality)
    part = formulas(variables, depth - 1)
    fresh = f"?v{len(variables)}"
    inner = formulas((*variables, fresh), depth - 1)
    return st.one_of(
        literal,
        st.builds("(not {})".format, part),
        st.builds("({} {} {})".format, st.sampled_from(["and", "or", "imply"]), part, part),
        st.builds(("({} (" + fresh + " - ball) {})").format, st.sampled_from(["forall", "exists"]), inner),
    )


@settings(max_examples=60, deadline=None)
@given(condition=formulas(depth=3))
def test_conditions_of_any_shape(condition: str) -> None:
    texts = (
        domain(
            "(:types ball)",
            "(:constants a b - ball)",
            "(:predicates (in ?x - ball) (marked ?x - ball) (done))",
            action("put", "?x - ball", "(and)", "(in ?x)"),
            action("take", "?x - ball", "(and)", "(not (in ?x))"),
            action("mark", "?x - ball", "(in ?x)", "(marked ?x)"),
            action("finish", "", condition, "(done)"),
        ),
        problem("", "(in a)"),
    )
    same_meaning(*texts)


@settings(max_examples=60, deadline=None)
@given(condition=formulas(("?p",), depth=3), small=st.sampled_from([0, 1, 32]))
def test_actions_split_by_what_their_quantifiers_mention(condition: str, small: int) -> None:
    """`marked` never changes, so most of a condition is decided when its parameter is known; the meaning stays."""
    with mock.patch.object(quantifiers, "MAX_UNSPLIT", small):
        same_meaning(
            domain(
                "(:types ball)",
                "(:constants a b - ball)",
                "(:predicates (in ?x - ball) (marked ?x - ball) (done ?x - ball))",
                action("put", "?x - ball", "(and)", "(in ?x)"),
                action("take", "?x - ball", "(and)", "(not (in ?x))"),
                action("finish", "?p ?q - ball", f"(and (in ?q) {condition})", "(and (done ?p) (not (in ?q)))"),
            ),
            problem("(marked b) (marked c)", "(in a)", "c - ball"),
        )


def test_a_forall_that_facts_decide_costs_nothing() -> None:
    """2^40 conjunctions if it were multiplied out before looking at `needs`."""
    parts = " ".join(f"p{i}" for i in range(40))
    task = grounded(
        domain(
            "(:types part product)",
            "(:predicates (needs ?x - product ?p - part) (here ?p - part) (gone ?p - part) (made ?x - product))",
            action("fetch", "?p - part", "(not (here ?p))", "(here ?p)"),
            action("drop", "?p - part", "(here ?p)", "(and (gone ?p) (not (here ?p)))"),
            action("make", "?x - product",
                   "(forall (?p - part) (or (not (needs ?x ?p)) (here ?p) (gone ?p)))", "(made ?x)"),
        ),
        problem("(needs x p1) (needs y p1) (needs y p2)", "(and (made x) (made y))",
                f"{parts} - part x y - product"),
    )  # fmt: skip
    assert sum(name.startswith("(make") for name in task.operators) == 2 + 4


@pytest.mark.parametrize(
    ("n", "condition"),
    [
        (40, "(forall (?p - part) (or (here ?p) (gone ?p)))"),  # too many conjunctions
        (100, "(forall (?p - part) (exists (?q - part) (tied ?p ?q)))"),  # too many literals
    ],
)
def test_a_condition_with_too_many_cases_is_one_sentence(n: int, condition: str) -> None:
    with pytest.raises(UnsupportedError, match=r"^domain.pddl:1: the condition of action make is too large to ground"):
        grounded(
            domain(
                "(:types part)",
                "(:predicates (here ?p - part) (gone ?p - part) (tied ?p ?q - part) (made))",
                action("fetch", "?p - part", "(not (here ?p))", "(here ?p)"),
                action("drop", "?p - part", "(here ?p)", "(and (gone ?p) (not (here ?p)))"),
                action("tie", "?p ?q - part", "(and)", "(tied ?p ?q)"),
                action("make", "", condition, "(made)"),
            ),
            problem("", "(made)", f"{' '.join(f'p{i}' for i in range(n))} - part"),
        )


def test_goals_over_all_objects() -> None:
    task = same_meaning(
        domain(
            "(:types ball box)",
            "(:predicates (in ?x - ball ?y - box) (closed ?y - box))",
            action("put", "?x - ball ?y - box", "(not (closed ?y))", "(in ?x ?y)"),
            action("close", "?y - box", "(and)", "(closed ?y)"),
        ),
        problem("", "(forall (?y - box) (and (closed ?y) (forall (?x - ball) (in ?x ?y))))", "a b - ball x y - box"),
    )
    assert len(task.goal) == 6


def test_a_step_of_an_action_without_parameters_is_written_without_blanks() -> None:
    task = ground_texts(domain("(:predicates (p))", action("go", "", "(and)", "(p)")), problem("", "(p)"))
    assert task.operators == ("(go)",)
    assert task.atoms == ("(p)",)


# --- what cannot happen ---


ROBOT = (
    "(:constants a b)",
    "(:predicates (at ?x) (magic) (wonder) (home))",
    action("walk", "?x ?y", "(at ?x)", "(and (at ?y) (not (at ?x)))"),
    action("conjure", "", "(and (at a) (at b))", "(magic)"),
    action("use", "", "(magic)", "(wonder)"),
    action("rest", "", "(at b)", "(home)"),
)


def test_an_operator_with_a_mutex_precondition_goes_with_all_that_only_it_reaches() -> None:
    task = ground_texts(domain(*ROBOT), problem("(at a)", "(home)"))
    assert set(task.atoms) == {"(at a)", "(at b)", "(home)"}
    assert {name.split()[0] for name in task.operators} == {"(walk", "(rest)"}


def test_a_goal_that_only_such_an_operator_reaches_is_unsolvable() -> None:
    with pytest.raises(UnsolvableError) as caught:
        ground_texts(domain(*ROBOT), problem("(at a)", "(wonder)"))
    assert caught.value.exit_code == ExitCode.TRANSLATE_UNSOLVABLE == 10
    assert str(caught.value).startswith("problem.pddl: no plan exists")


def test_mutex_groups_hold_no_atom_that_is_gone(tiny: Tiny) -> None:
    groups = tiny.task.mutex_groups
    assert (groups.lengths > 1).all()
    assert len(groups.values) == 0 or 0 <= groups.values.min() <= groups.values.max() < tiny.task.n_atoms
    sets = [as_set(group) for group in groups]
    assert not any(a < b for a in sets for b in sets)
    assert len(set(sets)) == len(sets)


@pytest.mark.parametrize(
    ("init", "goal"),
    [
        ("(at a)", "(and (at a) (at b))"),  # a mutex pair
        ("(at a)", "(and (at b) (not (at b)))"),  # an atom and its complement
        ("", "(at b)"),  # unreachable even without delete effects
        ("(at a)", "(and (home) (= a b))"),  # false by itself
        ("(at a)", "(not (at c))"),  # a complement that is never true, see below
    ],
)
def test_goals_that_grounding_refutes_raise_exit_code_10(init: str, goal: str) -> None:
    if "c" in goal:
        init += " (at c)"  # nobody can leave c: it has no name in the actions below
    texts = (
        domain(
            "(:constants a b c)",
            "(:predicates (at ?x) (home))",
            action("walk", "", "(at a)", "(and (at b) (not (at a)))"),
            action("rest", "", "(at b)", "(home)"),
        ),
        problem(init, goal),
    )
    with pytest.raises(UnsolvableError) as caught:
        ground_texts(*texts)
    assert caught.value.exit_code == ExitCode.TRANSLATE_UNSOLVABLE


# --- the edges ---


@pytest.mark.parametrize(("goal", "n_atoms"), [("(at a)", 1), ("(and)", 0), ("(forall (?x - ball) (at ?x))", 0)])
def test_a_goal_that_holds_from_the_start_is_a_task_like_any_other(goal: str, n_atoms: int) -> None:
    task = ground_texts(domain("(:types ball)", *ROBOT), problem("(at a)", goal))
    assert len(task.goal) == n_atoms
    assert task.is_goal(task.init)


@pytest.mark.parametrize("actions", [(), (action("never", "", "(q)", "(p)"),)])
def test_a_task_without_operators(actions: tuple[str, ...]) -> None:
    texts = domain("(:predicates (p) (q))", *actions)
    task = ground_texts(texts, problem("(p)", "(p)"))
    assert task.n_operators == 0
    assert task.is_goal(task.init)
    with pytest.raises(UnsolvableError):
        ground_texts(texts, problem("(p)", "(q)"))


def test_instances_and_tasks_do_not_depend_on_the_hash_seed_of_the_process() -> None:
    script = """
import hashlib
from goalward.task.domains import DOMAINS, generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.store import task_arrays
digest = hashlib.sha256()
for name in DOMAINS:
    digest.update(generate(name, size=6).problem_text.encode())
    instance = generate(name, size=2)
    domain = parse_domain(instance.domain_text, "domain")
    for key, array in task_arrays(ground(domain, parse_problem(instance.problem_text, "problem", domain))).items():
        digest.update(key.encode() + array.tobytes())
print(digest.hexdigest())
"""
    command, digests = [sys.executable, "-c", script], set()
    for seed in ("1", "2", "3"):
        run = subprocess.run(command, env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True)
        digests.add(run.stdout)
    assert len(digests) == 1


# --- costs ---


def test_costs_are_those_of_the_pddl() -> None:
    courier = make_tiny("courier")
    task, values = courier.task, courier.problem.function_values
    assert task.uses_costs
    for name, cost in zip(task.operators, task.costs, strict=True):
        words = name[1:-1].split()
        assert cost == (values["distance", words[2], words[3]] if words[0] == "ride" else 1)


def test_without_a_metric_every_step_costs_one() -> None:
    courier = make_tiny("courier")
    text = courier.instance.problem_text.replace("(:metric minimize (total-cost))", "")
    task = ground_texts(courier.instance.domain_text, text)
    assert not task.uses_costs
    assert set(task.costs.tolist()) == {1}


def test_with_a_metric_an_action_without_increase_is_free() -> None:
    task = ground_texts(
        domain(
            "(:predicates (p) (q))",
            "(:functions (total-cost) - number)",
            action("free", "", "(and)", "(p)"),
            action("dear", "", "(p)", "(and (q) (increase (total-cost) 2147483647))"),
            requirements=":strips :action-costs",
        ),
        problem("(= (total-cost) 0)", "(q)", metric="(:metric minimize (total-cost))"),
    )
    assert dict(zip(task.operators, task.costs.tolist(), strict=True)) == {"(free)": 0, "(dear)": 2**31 - 1}


def test_an_action_whose_cost_has_no_value_can_not_be_taken() -> None:
    courier = make_tiny("courier")
    line = next(line for line in courier.instance.problem_text.splitlines() if "(= (distance" in line)
    origin, to = line.split()[2], line.split()[3].rstrip(")")
    text = courier.instance.problem_text.replace(f"{line}\n", "")
    task = ground_texts(courier.instance.domain_text, text)
    assert set(courier.task.operators) - set(task.operators) == {f"(ride rider1 {origin} {to})"}


# --- what is not supported ---


def test_conditional_effects_that_grounding_decides_are_accepted() -> None:
    same_meaning(
        domain(
            "(:predicates (p ?x) (q ?x) (fast ?x))", action("go", "?x", "(and)", "(and (p ?x) (when (fast ?x) (q ?x)))")
        ),
        problem("(fast a)", "(and (q a) (p b))", "a b"),
    )


@settings(max_examples=60, deadline=None)
@given(condition=formulas(("?p", "?q"), depth=3), small=st.sampled_from([0, 1, 32]))
def test_effects_split_by_what_their_conditions_mention(condition: str, small: int) -> None:
    with mock.patch.object(quantifiers, "MAX_UNSPLIT", small):
        same_meaning(
            domain(
                "(:types ball)",
                "(:constants a b - ball)",
                "(:predicates (in ?x - ball) (marked ?x - ball) (seen ?x - ball))",
                action("look", "?p - ball", "(and)", f"(forall (?q - ball) (when {condition} (seen ?q)))"),
            ),
            problem("(in a) (marked b)", "(and)"),
        )


def test_a_conditional_effect_that_facts_decide_is_not_multiplied_out() -> None:
    parts = " ".join(f"p{i}" for i in range(40))
    ties = " ".join(f"({'tied' if i % 2 else 'glued'} p0 p{i})" for i in range(40))
    task = grounded(
        domain(
            "(:predicates (tied ?p ?q) (glued ?p ?q) (made ?p))",
            action("make", "?p", "(and)", "(when (forall (?q) (or (tied ?p ?q) (glued ?p ?q))) (made ?p))"),
        ),
        problem(ties, "(made p0)", parts),
    )
    assert (task.atoms, task.operators) == (("(made p0)",), ("(make p0)",))


@pytest.mark.parametrize(
    "condition",
    ["(forall (?x) (or (p ?x) (q ?x)))", f"(and {' '.join(f'(or (p o{i}) (q o{i}))' for i in range(60))})"],
    ids=["forall", "or"],
)
def test_a_conditional_effect_with_too_many_cases_is_one_sentence(condition: str) -> None:
    with pytest.raises(UnsupportedError, match=r"^domain.pddl:1: the condition of action big is too large to ground"):
        grounded(
            domain(
                f"(:constants {' '.join(f'o{i}' for i in range(60))})",
                "(:predicates (p ?x) (q ?x) (done))",
                action("flip", "?x", "(p ?x)", "(and (not (p ?x)) (q ?x))"),
                action("flop", "?x", "(q ?x)", "(and (not (q ?x)) (p ?x))"),
                action("big", "", "(and)", f"(when {condition} (done))"),
            ),
            problem("(p o0)", "(done)"),
        )


def test_conditional_effects_that_remain_name_their_action() -> None:
    texts = (
        domain(
            "(:predicates (p ?x) (q ?x))",
            action("go", "?x", "(and)", "(p ?x)"),
            action("flip", "?x", "(and)", "(and (p ?x) (when (p ?x) (q ?x)))"),
        ),
        problem("", "(q a)", "a b"),
    )
    with pytest.raises(UnsupportedError, match=r"conditional effects .*action flip .*\(flip a\)") as caught:
        ground_texts(*texts)
    assert caught.value.exit_code == ExitCode.UNSUPPORTED == 34


def test_derived_predicates_that_remain_are_named_with_their_line() -> None:
    texts = (
        "(define (domain d) (:requirements :adl :derived-predicates)\n"
        "(:predicates (on ?x ?y) (above ?x ?y) (p))\n"
        "(:derived (above ?x ?y) (or (on ?x ?y) (exists (?z) (and (on ?x ?z) (above ?z ?y)))))\n"
        "(:action put :parameters (?x ?y) :precondition (not (above ?y ?x)) :effect (on ?x ?y)))",
        problem("", "(above a b)", "a b c"),
    )
    with pytest.raises(UnsupportedError, match=r"^domain.pddl:3: .*above"):
        ground_texts(*texts)


@pytest.mark.parametrize("goal", ["(or (in a) (in b))", "(exists (?x) (in ?x))", "(imply (in a) (in b))"])
def test_disjunctive_goals_are_refused_with_a_way_out(goal: str) -> None:
    texts = (
        domain(
            "(:predicates (in ?x))",
            action("put", "?x", "(and)", "(in ?x)"),
            action("take", "?x", "(in ?x)", "(not (in ?x))"),
        ),
        problem("(in a)", goal, "a b"),
    )
    with pytest.raises(UnsupportedError, match="conjunction") as caught:
        ground_texts(*texts)
    assert str(caught.value).startswith("problem.pddl")


# --- manners ---


def test_grounding_prints_nothing(tiny: Tiny, capfd: pytest.CaptureFixture[str]) -> None:
    ground(tiny.domain, tiny.problem)
    with pytest.raises(UnsolvableError):
        ground(*read_texts(domain(*ROBOT), problem("(at a) (at a)", "(wonder)")))
    assert capfd.readouterr() == ("", "")
