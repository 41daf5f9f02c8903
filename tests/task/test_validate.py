"""The plan validator: right about plans, by the word of another validator, and clear about why."""

from __future__ import annotations

import itertools
import warnings
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import UnsupportedError
from goalward.task.lifted import Atom, Domain, Forall, Not, Problem, TypedName
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.validate import Validation, validate_plan

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from unified_planning.engines import SequentialPlanValidator, ValidationResultStatus
    from unified_planning.io import PDDLReader

BLOCKS = """
(define (domain blocks)
  (:predicates (on ?x ?y) (table ?x) (clear ?x) (hand) (holding ?x))
  (:action pick :parameters (?x) :precondition (and (clear ?x) (table ?x) (hand))
   :effect (and (not (table ?x)) (not (clear ?x)) (not (hand)) (holding ?x)))
  (:action put :parameters (?x) :precondition (holding ?x)
   :effect (and (not (holding ?x)) (clear ?x) (hand) (table ?x)))
  (:action stack :parameters (?x ?y) :precondition (and (holding ?x) (clear ?y))
   :effect (and (not (holding ?x)) (not (clear ?y)) (clear ?x) (hand) (on ?x ?y)))
  (:action unstack :parameters (?x ?y) :precondition (and (on ?x ?y) (clear ?x) (hand))
   :effect (and (holding ?x) (clear ?y) (not (clear ?x)) (not (hand)) (not (on ?x ?y)))))
"""
BLOCKS_3 = """
(define (problem three) (:domain blocks) (:objects a b c)
  (:init (table a) (table b) (on c a) (clear b) (clear c) (hand))
  (:goal (and (on a b) (on b c))))
"""
BLOCKS_PLAN = "(unstack c a) (put c) (pick b) (stack b c) (pick a) (stack a b)"

# Negative, quantified, disjunctive and conditional: the hall locks behind you, a lamp lights where you enter.
HOUSE = """
(define (domain house)
  (:requirements :adl :action-costs)
  (:types room thing - object lamp tool - thing)
  (:constants hall - room)
  (:predicates (door ?a ?b - room) (here ?r - room) (lies ?t - thing ?r - room) (has ?t - thing)
               (lit ?l - lamp) (locked ?r - room) (clean))
  (:functions (total-cost) - number (steps ?a ?b - room) - number)
  (:action go :parameters (?a ?b - room)
   :precondition (and (here ?a) (or (door ?a ?b) (door ?b ?a)) (not (locked ?b)) (not (= ?a ?b)))
   :effect (and (here ?b) (not (here ?a)) (when (= ?a hall) (locked hall))
                (forall (?l - lamp) (when (lies ?l ?b) (lit ?l)))
                (increase (total-cost) (steps ?a ?b))))
  (:action take :parameters (?t - thing ?r - room)
   :precondition (and (here ?r) (lies ?t ?r) (forall (?o - tool) (not (has ?o))))
   :effect (and (not (lies ?t ?r)) (has ?t) (increase (total-cost) 2)))
  (:action drop :parameters (?t - thing ?r - room)
   :precondition (and (here ?r) (has ?t))
   :effect (and (not (has ?t)) (lies ?t ?r)))
  (:action sweep :parameters (?r - room)
   :precondition (and (here ?r) (exists (?o - tool) (has ?o)) (imply (locked hall) (not (= ?r hall))))
   :effect (and (clean) (not (clean)) (increase (total-cost) 10))))
"""
HOUSE_1 = """
(define (problem one) (:domain house)
  (:objects kitchen attic - room lamp1 lamp2 - lamp broom mop - tool)
  (:init (here hall) (door hall kitchen) (door attic kitchen) (lies broom kitchen) (lies mop attic)
         (lies lamp1 kitchen) (lies lamp2 attic) (= (total-cost) 0)
         (= (steps hall kitchen) 3) (= (steps kitchen attic) 4) (= (steps attic kitchen) 5) (= (steps kitchen hall) 1)
         (= (steps hall attic) 7) (= (steps attic hall) 7)
         (= (steps hall hall) 0) (= (steps attic attic) 0) (= (steps kitchen kitchen) 0))
  (:goal (and (clean) (forall (?l - lamp) (lit ?l)) (not (here hall))))
  (:metric minimize (total-cost)))
"""
HOUSE_PLAN = "(go hall kitchen) (take broom kitchen) (sweep kitchen) (go kitchen attic)"

LIFTS = """
(define (domain lifts)
  (:requirements :strips :typing :negative-preconditions)
  (:types floor passenger)
  (:predicates (at ?p - passenger ?f - floor) (lift ?f - floor) (above ?a ?b - floor) (boarded ?p - passenger))
  (:action move :parameters (?a ?b - floor) :precondition (and (lift ?a) (not (lift ?b)))
   :effect (and (not (lift ?a)) (lift ?b)))
  (:action board :parameters (?p - passenger ?f - floor) :precondition (and (lift ?f) (at ?p ?f) (not (boarded ?p)))
   :effect (and (boarded ?p) (not (at ?p ?f))))
  (:action leave :parameters (?p - passenger ?f - floor) :precondition (and (lift ?f) (boarded ?p))
   :effect (and (not (boarded ?p)) (at ?p ?f))))
"""
LIFTS_1 = """
(define (problem up) (:domain lifts) (:objects f1 f2 f3 - floor p q - passenger)
  (:init (lift f1) (at p f1) (at q f2))
  (:goal (and (at p f2) (at q f3) (not (boarded p)) (not (lift f1)))))
"""
LIFTS_PLAN = "(board p f1) (move f1 f2) (leave p f2) (board q f2) (move f2 f3) (leave q f3)"

WORLDS = {
    "blocks": (BLOCKS, BLOCKS_3, BLOCKS_PLAN),
    "house": (HOUSE, HOUSE_1, HOUSE_PLAN),
    "lifts": (LIFTS, LIFTS_1, LIFTS_PLAN),
}

Step = tuple[str, ...]


def steps_of(plan: str) -> list[Step]:
    return [tuple(step.split()) for step in plan.strip("()").split(") (")] if plan else []


@cache
def model(world: str) -> tuple[Domain, Problem]:
    domain = parse_domain(WORLDS[world][0], "domain.pddl")
    return domain, parse_problem(WORLDS[world][1], "problem.pddl", domain)


def validated(world: str, plan: str) -> Validation:
    return validate_plan(*model(world), steps_of(plan))


@pytest.mark.parametrize(("world", "cost"), [("blocks", 6), ("house", 3 + 2 + 10 + 4), ("lifts", 6)])
def test_a_good_plan_is_valid_and_has_its_cost(world: str, cost: int) -> None:
    plan = WORLDS[world][2]
    assert validated(world, plan) == Validation(True, plan.count("("), cost, None, "")


def test_words_may_be_written_in_capitals() -> None:
    assert validated("blocks", BLOCKS_PLAN.upper()).valid


@pytest.mark.parametrize(
    ("world", "plan", "failed_step", "cost", "reason"),
    [
        ("blocks", "(pick b) (stack b c) (stack c a)", 3, 2, "step 3 (stack c a): (holding c) is false"),
        ("blocks", "(pick b) (fly a)", 2, 1, "step 2: there is no action (fly a)"),
        ("blocks", "(pick b c)", 1, 0, "step 1 (pick b c): it has 2 objects instead of 1"),
        ("blocks", "(pick d)", 1, 0, "step 1 (pick d): there is no object d"),
        ("blocks", "", None, 0, "the goal does not hold after the last step: (on a b) is false"),
        ("blocks", BLOCKS_PLAN[:-12], None, 5, "the goal does not hold after the last step: (on a b) is false"),
        ("house", "(go hall broom)", 1, 0, "step 1 (go hall broom): broom is of type tool, but ?b must be room"),
        ("house", "(go hall hall)", 1, 0, "step 1 (go hall hall): (or (door hall hall) (door hall hall)) is false"),
        ("house", "(go hall kitchen) (go kitchen hall)", 2, 3, "step 2 (go kitchen hall): (locked hall) is true"),
        (
            "house",
            "(go hall kitchen) (take broom kitchen) (take lamp1 kitchen)",
            3,
            5,
            "step 3 (take lamp1 kitchen): (has broom) is true",
        ),
        ("house", "(sweep hall)", 1, 0, "step 1 (sweep hall): (exists (?o - tool) (has ?o)) is false"),
        (
            "house",
            "(go hall kitchen) (take broom kitchen) (sweep kitchen)",
            None,
            15,
            "the goal does not hold after the last step: (lit lamp2) is false",
        ),
        ("lifts", "(move f1 f1)", 1, 0, "step 1 (move f1 f1): (lift f1) is true"),
    ],
)
def test_a_bad_plan_is_refused_with_the_first_thing_that_is_wrong(
    world: str, plan: str, failed_step: int | None, cost: int, reason: str
) -> None:
    assert validated(world, plan) == Validation(False, plan.count("("), cost, failed_step, reason)


def test_conditions_of_effects_are_read_before_the_step_and_adding_wins() -> None:
    domain = parse_domain(
        """(define (domain d) (:predicates (p) (q) (r))
        (:action swap :effect (and (when (p) (and (not (p)) (q))) (when (q) (and (not (q)) (p)))))
        (:action both :effect (and (r) (not (r)))))""",
        "d",
    )
    problem = parse_problem("(define (problem x) (:domain d) (:init (p)) (:goal (and (q) (r) (not (p)))))", "p", domain)
    assert validate_plan(domain, problem, [("swap",), ("both",)]).valid
    assert not validate_plan(domain, problem, [("swap",), ("both",), ("swap",)]).valid


def test_an_implication_that_fails_is_shown_with_its_objects() -> None:
    domain, problem = model("house")
    start = replace(problem, init=(*problem.init, ("has", "broom"), ("locked", "hall")))
    assert validate_plan(domain, start, [("sweep", "hall")]).reason == (
        "step 1 (sweep hall): (imply (locked hall) (not (= hall hall))) is false"
    )


def test_a_quantifier_hides_the_variable_of_the_same_name_outside() -> None:
    domain = parse_domain(
        "(define (domain d) (:predicates (p ?x)) (:action a :parameters (?x) :precondition"
        " (and (exists (?x) (p ?x)) (not (p ?x))) :effect (forall (?x) (p ?x))))",
        "d",
    )
    problem = parse_problem("(define (problem x) (:domain d) (:objects a b) (:init (p b)) (:goal (p a)))", "p", domain)
    assert validate_plan(domain, problem, [("a", "a")]).valid
    assert validate_plan(domain, problem, [("a", "b")]).reason == "step 1 (a b): (p b) is true"
    nothing = replace(problem, init=())
    assert validate_plan(domain, nothing, [("a", "b")]).reason == "step 1 (a b): (exists (?x - object) (p ?x)) is false"


def test_quantifiers_range_over_all_types_of_either() -> None:
    domain, problem = model("house")
    either = Forall((TypedName("?x", ("lamp", "room")),), Not(Atom("lit", ("?x",))))
    assert validate_plan(domain, replace(problem, goal=either), []).valid
    for lit, counts in [("lamp2", True), ("hall", True), ("attic", True), ("mop", False)]:
        start = replace(problem, init=(("lit", lit),), goal=either)
        assert validate_plan(domain, start, []).valid is not counts


def test_a_cost_without_a_value_stops_the_plan() -> None:
    domain, problem = model("house")
    start = replace(problem, init=(("here", "attic"), ("door", "attic", "hall")), function_values={})
    verdict = validate_plan(domain, start, [("go", "attic", "hall")])
    assert verdict.reason == "step 1 (go attic hall): its cost (steps attic hall) has no value in :init"


def test_without_a_metric_every_step_costs_one() -> None:
    domain, problem = model("house")
    assert validate_plan(domain, replace(problem, minimizes_cost=False), steps_of(HOUSE_PLAN)).cost == 4


def test_derived_predicates_are_not_handled() -> None:
    domain = parse_domain("(define (domain d) (:predicates (p) (q))\n(:derived (p) (q)))", "d.pddl")
    problem = parse_problem("(define (problem x) (:domain d) (:init) (:goal (p)))", "p", domain)
    with pytest.raises(UnsupportedError, match=r"d\.pddl:2: .* derived predicate 'p'"):
        validate_plan(domain, problem, [])


def test_long_reasons_are_cut() -> None:
    parts = " ".join(f"(p {i})" for i in range(1000))
    domain = parse_domain("(define (domain d) (:predicates (p ?x)))", "d")
    objects = " ".join(map(str, range(1000)))
    text = f"(define (problem x) (:domain d) (:objects {objects}) (:init) (:goal (or {parts})))"
    assert len(validate_plan(domain, parse_problem(text, "p", domain), []).reason) < 300


def test_deep_conditions_are_evaluated() -> None:
    deep = f"{'(and ' * 195}(q){')' * 195}"
    domain = parse_domain(f"(define (domain d) (:predicates (q)) (:action a :precondition {deep} :effect {deep}))", "d")
    problem = parse_problem("(define (problem x) (:domain d) (:init) (:goal (q)))", "p", domain)
    assert validate_plan(domain, problem, [("a",)]).reason == "step 1 (a): (q) is false"


# Agreement with unified-planning


@cache
def reference(world: str) -> tuple[PDDLReader, object]:
    domain, problem, _ = WORLDS[world]
    reader = PDDLReader()
    return reader, reader.parse_problem_string(domain, problem)


def check_agreement(world: str, steps: list[Step]) -> bool:
    reader, problem = reference(world)
    plan = reader.parse_plan_string(problem, "\n".join(f"({' '.join(step)})" for step in steps))
    expected = SequentialPlanValidator().validate(problem, plan)
    verdict = validate_plan(*model(world), steps)
    assert verdict.valid == (expected.status == ValidationResultStatus.VALID), (steps, verdict.reason)
    assert (verdict.failed_step is None) == (expected.inapplicable_action is None), (steps, verdict.reason)
    if verdict.valid and expected.metric_evaluations:
        assert [verdict.cost] == list(expected.metric_evaluations.values())
    return verdict.valid


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", WORLDS)
def test_shortened_and_reordered_plans_are_judged_as_by_unified_planning(world: str) -> None:
    plan = steps_of(WORLDS[world][2])
    shortened = [plan[:n] for n in range(len(plan) + 1)] + [plan[:n] + plan[n + 1 :] for n in range(len(plan))]
    reordered = [list(order) for order in itertools.permutations(plan)]
    verdicts = [check_agreement(world, steps) for steps in shortened + reordered[:: max(1, len(reordered) // 40)]]
    assert {True, False} == set(verdicts)


def random_steps(world: str) -> st.SearchStrategy[list[Step]]:
    domain, problem = model(world)
    names = sorted({**domain.constants, **problem.objects})
    kinds = {**domain.constants, **problem.objects}
    ground = [
        (schema.name, *arguments)
        for schema in domain.actions.values()
        for arguments in itertools.product(names, repeat=len(schema.parameters))
        if all(domain.types.fits(kinds[a], p.types) for a, p in zip(arguments, schema.parameters, strict=True))
    ]
    good = steps_of(WORLDS[world][2])
    prefix = st.integers(0, len(good)).map(lambda n: good[:n])
    return st.builds(list.__add__, prefix, st.lists(st.sampled_from(ground), max_size=4))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("world", WORLDS)
def test_other_continuations_are_judged_as_by_unified_planning(world: str) -> None:
    @settings(derandomize=True, database=None, deadline=None, max_examples=40)
    @given(random_steps(world))
    def check(steps: list[Step]) -> None:
        check_agreement(world, steps)

    check()
