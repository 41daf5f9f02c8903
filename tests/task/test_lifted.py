"""Domain and problem files: what they mean, and what is said about those that mean nothing."""

from __future__ import annotations

import contextlib
import io
import re
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from fast_downward.translate import normalize, options
from fast_downward.translate.pddl_parser import lisp_parser, parsing_functions
from hypothesis import given, settings
from hypothesis import strategies as st

from goalward.errors import ExitCode, GoalwardError, PddlError, UnsupportedError
from goalward.task.lifted import (
    Add,
    AllOf,
    And,
    Atom,
    Delete,
    Domain,
    Equal,
    Exists,
    Forall,
    ForEach,
    FunctionTerm,
    Imply,
    Increase,
    Not,
    Or,
    Problem,
    TypedName,
    When,
)
from goalward.task.lifted_reader import init_line, parse_domain, parse_problem, read_domain, read_problem

DOMAIN = """\
; a small world of deliveries
(define (domain Delivery)
  (:requirements :adl :action-costs)
  (:types truck car - vehicle
          vehicle place - object
          box)
  (:constants depot - place)
  (:predicates
    (at ?v - vehicle ?p - place)
    (in ?b - box ?v - (either truck car))
    (road ?a ?b - place)
    (tidy) (idle))
  (:functions
    (total-cost) - number
    (len ?a ?b - place) - number
    (toll) - number)

  (:action drive
    :parameters (?v - vehicle ?a ?b - place)
    :precondition (and (at ?v ?a)
                       (or (road ?a ?b) (road ?b ?a))
                       (not (= ?a ?b)))
    :effect (and (at ?v ?b)
                 (not (at ?v ?a))
                 (when (= ?b depot) (tidy))
                 (increase (total-cost) (len ?a ?b))))

  (:action load
    :parameters (?b - box ?v - truck)
    :precondition (and (forall (?c - box) (not (in ?c ?v)))
                       (exists (?p - place) (at ?v ?p))
                       (imply (tidy) (at ?v depot)))
    :effect (and (in ?b ?v)
                 (increase (total-cost) 3)))

  (:action empty-all
    :effect (forall (?b - box ?v - car) (not (in ?b ?v)))))
"""

PROBLEM = """\
(define (problem Two)
  (:domain delivery)
  (:objects t1 - truck c1 - car
            a b - place
            x y - box)
  (:init
    (at t1 a) (at c1 b)
    (Road a b)
    (road b depot)
    (not (tidy))
    (= (total-cost) 0)
    (= (len a b) 3)
    (= (len b depot) 4)
    (= toll 2))
  (:goal (and (in x t1)
              (not (tidy))))
  (:metric minimize (total-cost)))
"""


def domain_of(text: str = DOMAIN) -> Domain:
    return parse_domain(text, "domain.pddl")


def problem_of(text: str = PROBLEM, domain: str = DOMAIN) -> Problem:
    return parse_problem(text, "problem.pddl", domain_of(domain))


def edited(text: str, old: str, new: str) -> str:
    assert text.count(old) == 1, f"{old!r} does not name one place"
    return text.replace(old, new)


def tiny(body: str, predicates: str = "(p ?x) (q)") -> str:
    return f"(define (domain d) (:predicates {predicates})\n{body})"


# What files mean


def test_a_domain_is_read_in_full() -> None:
    domain = domain_of()
    assert (domain.name, domain.source) == ("delivery", "domain.pddl")
    assert domain.requirements == (":adl", ":action-costs")
    assert domain.types.ancestors("car") == {"car", "vehicle", "object"}
    assert domain.constants == {"depot": "place"}
    assert domain.predicates["in"].parameters == (TypedName("?b", ("box",)), TypedName("?v", ("truck", "car")))
    assert [len(function.parameters) for function in domain.functions.values()] == [0, 2, 0]
    drive, load, empty = domain.actions.values()
    assert (drive.name, drive.line, load.line) == ("drive", 18, 28)
    assert [parameter.types for parameter in drive.parameters] == [("vehicle",), ("place",), ("place",)]
    road, back = Atom("road", ("?a", "?b")), Atom("road", ("?b", "?a"))
    assert drive.precondition == And((Atom("at", ("?v", "?a")), Or((road, back)), Not(Equal("?a", "?b"))))
    assert drive.effect == AllOf(
        (
            Add(Atom("at", ("?v", "?b"))),
            Delete(Atom("at", ("?v", "?a"))),
            When(Equal("?b", "depot"), Add(Atom("tidy", ()))),
            Increase(FunctionTerm("len", ("?a", "?b"))),
        )
    )
    assert load.precondition == And(
        (
            Forall((TypedName("?c", ("box",)),), Not(Atom("in", ("?c", "?v")))),
            Exists((TypedName("?p", ("place",)),), Atom("at", ("?v", "?p"))),
            Imply(Atom("tidy", ()), Atom("at", ("?v", "depot"))),
        )
    )
    assert load.effect == AllOf((Add(Atom("in", ("?b", "?v"))), Increase(3)))
    assert empty.parameters == ()
    assert empty.precondition == And(())
    boxes_and_cars = (TypedName("?b", ("box",)), TypedName("?v", ("car",)))
    assert empty.effect == ForEach(boxes_and_cars, Delete(Atom("in", ("?b", "?v"))))


def test_a_problem_is_read_in_full() -> None:
    problem = problem_of()
    assert (problem.name, problem.domain_name, problem.source) == ("two", "delivery", "problem.pddl")
    assert problem.objects == {"t1": "truck", "c1": "car", "a": "place", "b": "place", "x": "box", "y": "box"}
    assert problem.init == (("at", "t1", "a"), ("at", "c1", "b"), ("road", "a", "b"), ("road", "b", "depot"))
    assert problem.function_values == {("total-cost",): 0, ("len", "a", "b"): 3, ("len", "b", "depot"): 4, ("toll",): 2}
    assert problem.goal == And((Atom("in", ("x", "t1")), Not(Atom("tidy", ()))))
    assert problem.minimizes_cost
    assert problem.text == PROBLEM
    assert init_line(problem, ("road", "b", "depot")) == 9
    assert init_line(problem, ("tidy",)) is None


def test_files_are_read_by_path(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text(DOMAIN)
    (tmp_path / "p.pddl").write_text(PROBLEM)
    domain = read_domain(tmp_path / "d.pddl")
    assert read_problem(tmp_path / "p.pddl", domain).init == problem_of().init
    assert domain.source == str(tmp_path / "d.pddl")


def test_without_a_metric_costs_do_not_count() -> None:
    assert not problem_of(edited(PROBLEM, "(:metric minimize (total-cost))", "")).minimizes_cost


def test_facts_that_are_repeated_hold_once() -> None:
    again = problem_of(edited(PROBLEM, "(Road a b)", "(road a b) (ROAD a b) (= (len a b) 3)"))
    assert again.init == problem_of().init


def test_a_type_that_is_declared_twice_has_both_parents() -> None:
    domain = domain_of("(define (domain d) (:types a b - object c - a c d - b))")
    assert domain.types.ancestors("c") == {"a", "b", "c", "object"}
    assert domain.types.fits("c", ("x", "b"))
    assert not domain.types.fits("a", ("c",))
    assert domain.types.may_fit(("a",), ("b",))
    assert not domain.types.may_fit(("a",), ("d",))


@pytest.mark.parametrize(
    "domain",
    [
        "(define (domain d))",
        "(define (domain d) (:predicates (p)) (:types a) (:requirements :strips))",
        "(define (domain d) (:types object a - object))",
        "(define (domain d) (:constants - object a))",
        "(define (domain d) (:functions (total-cost) (f ?x)))",
        tiny("(:action a :precondition () :effect ())"),
        tiny("(:action a :precondition (and) :effect (and))"),
        tiny("(:action a :parameters () :effect (q))"),
        tiny("(:action a :precondition (or) :effect (and (q) (increase (total-cost) 0)))"),
        tiny("(:action a :effect (and (increase (total-cost) 2147483647)))"),
        tiny("(:action a :effect (forall () (q)))"),
        tiny("(:action a :effect (when () (q)))"),
        tiny("(:action a :effect (when (q) (forall (?x) (p ?x))))"),
        tiny("(:action a :parameters(?x)\n:precondition(and(p?x)(not(=?x?x))):effect(q))"),
        tiny("(:derived (p ?y) (q))\n(:action a :effect (q))"),
        tiny("(:action > :precondition (> ) :effect (assign))", "(>) (assign)"),
    ],
)
def test_what_the_translator_lets_pass_is_let_pass(domain: str) -> None:
    problem = "(define (problem p) (:domain d) (:init) (:goal (and)))"
    assert problem_of(problem, domain).init == ()
    translate(domain, problem)


def test_derived_predicates_are_kept() -> None:
    (rule,) = domain_of(tiny("\n(:derived (p ?y) (exists (?z) (p ?z)))")).derived
    assert (rule.name, rule.line) == ("p", 3)
    assert rule.parameters == (TypedName("?y", ("object",)),)
    assert rule.condition == Exists((TypedName("?z", ("object",)),), Atom("p", ("?z",)))


def test_loosely_typed_objects_are_accepted_in_problems() -> None:
    loose = problem_of(edited(edited(PROBLEM, "(at t1 a)", "(at a t1)"), "(in x t1)", "(in t1 x)"))
    assert ("at", "a", "t1") in loose.init


# What is wrong with files. Each case: a place, what to put there, where the error must point, what it must say


def check_error(caught: pytest.ExceptionInfo[PddlError], source: str, text: str, at: str, says: str) -> None:
    line = text[: text.index(at)].count("\n") + 1
    message = str(caught.value)
    assert message.startswith(f"{source}:{line}: ")
    assert says in message
    assert "\n" not in message
    assert len(message) < 1000, "it repeats its input"


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("(define (domain Delivery)", "(defin (domain Delivery)", "(defin", "starts with '(define (domain NAME)'"),
        ("(domain Delivery)", "(problem Delivery)", "(problem", "this is a problem, but a domain is expected"),
        ("(domain Delivery)", "(domain)", "(domain)", "the name of the domain is missing"),
        ("(domain Delivery)", "(domain a\nb)", "b)", "more than one name"),
        (":adl", ":adl :tiping", ":adl", "unknown requirement ':tiping'; did you mean :typing?"),
        ("(:constants depot - place)", "(:constant depot - place)", "(:constant", "did you mean :constants?"),
        ("(:constants depot - place)", "(:types x)", "(:types x)", "second section '(:types …)'"),
        ("(:constants depot - place)", "depot", "depot", "expected a section such as '(:action …)' but found 'depot'"),
        (
            "(:action drive",
            "(:action q :effect ())\n(:functions (f))\n(:action drive",
            "(:functions (f))",
            "before the",
        ),
        (
            "truck car - vehicle",
            "truck car - vehicl",
            "truck car",
            "'truck' has the undeclared supertype 'vehicl'; did",
        ),
        ("vehicle place - object", "vehicle - car place", "truck car", "'car' is its own supertype"),
        ("vehicle place - object", "vehicle place number - object", "vehicle place", "'number'"),
        ("box)\n", "box -)\n", "box -)", "a type is missing after the last '-'"),
        ("box)\n", "(box))\n", "(box))", "expected the name of a type but found '(box)'"),
        ("depot - place", "depot - plase", "depot -", "undeclared type 'plase'; did you mean place?"),
        ("depot - place", "depot ?x - place", "depot ?x", "expected the name of a constant but found '?x'"),
        ("depot - place", "depot\ndepot - place", "depot - place", "constant 'depot' is declared twice"),
        (
            "(at ?v - vehicle ?p - place)",
            "(at v - vehicle ?p - place)",
            "(at v",
            "a variable such as '?x' but found 'v'",
        ),
        ("(at ?v - vehicle ?p - place)", "(at ?v -vehicle)", "(at ?v -", "is a space missing after '-'?"),
        ("(at ?v - vehicle ?p - place)", "(at ?v - (or car))", "(at ?v", "expected a type but found '(or car)'"),
        ("(either truck car)", "(either truck\n cars)", "cars)", "undeclared type 'cars'; did you mean car?"),
        ("(idle))", "(road ?x))", "(road ?x))", "predicate 'road' is declared twice"),
        ("(idle))", "(and))", "(and))", "'and' cannot be the name of a predicate"),
        ("(idle))", "idle)", "idle)", "expected a predicate in parentheses but found 'idle'"),
        ("(idle))", "())", "())", "the name of a predicate is missing"),
        ("(toll) - number)", "(toll) (toll))", "(toll) (toll)", "function 'toll' is declared twice"),
        ("(toll) - number)", "toll)", "toll)", "expected a function in parentheses but found 'toll'"),
        (
            ":action drive",
            ":action :parameters",
            ":action :parameters",
            "the name of an action but found ':parameters'",
        ),
        (
            ":action load",
            ":action drive",
            ":action drive\n    :parameters (?b",
            "action 'drive' is declared twice (first on line 18)",
        ),
        ("?v - vehicle ?a ?b - place)", "?v - vehicle\n ?a ?v - place)", "?a ?v", "variable '?v' is declared twice"),
        ("?v - vehicle ?a ?b - place)", "?v - vehicel ?a ?b - place)", "?v - vehicel", "undeclared type 'vehicel'"),
        ("(not (= ?a ?b))", "(not (= ?a ?c))", "(not (= ?a", "action 'drive' uses the undeclared variable '?c'"),
        (
            "(tidy) (at ?v depot)",
            "(tidy) (at ?v depott)",
            "(tidy) (at",
            "undeclared constant 'depott'; did you mean depo",
        ),
        ("(tidy) (at ?v depot)", "(tidi) (at ?v depot)", "(tidi)", "undeclared predicate 'tidi'; did you mean tidy?"),
        ("(tidy) (at ?v depot)", "(tidy depot) (at ?v depot)", "(tidy depot)", "'tidy' takes 0 arguments, but '(tidy"),
        ("(tidy) (at ?v depot)", "(tidy)", "(imply", "'imply' takes 2 parts but has 1"),
        ("(not (= ?a ?b))", "(not)", "(not)", "action 'drive': 'not' takes 1 part but has 0"),
        ("(not (= ?a ?b))", "()", "()", "expected a condition in parentheses but found '()'"),
        ("(not (= ?a ?b))", "((tidy))", "((tidy))", "a condition must start with a word"),
        ("(not (= ?a ?b))", "(at (tidy) ?a)", "(at (tidy)", "expected an object or variable but found '(tidy)'"),
        ("(forall (?c - box)", "(forall ()", "(forall ()", "expected variables in parentheses but found '()'"),
        ("(exists (?p - place)", "(exists ?p", "(exists ?p", "action 'load': expected variables in parentheses"),
        (
            "(at ?v ?b)",
            "(at ?b ?v)",
            "(at ?b ?v)",
            "argument 1 of '(at ?b ?v)' is of type place, but the predicate takes",
        ),
        ("(at ?v ?b)", "(not (and (tidy)))", "(not (and", "expected an atom but found '(and (tidy))'"),
        ("(at ?v ?b)", "tidy", "tidy\n", "action 'drive': expected an effect in parentheses but found 'tidy'"),
        ("(at ?v ?b)", "(= ?a ?b)", "(= ?a ?b)\n", "expected an atom but found '(= ?a ?b)'"),
        (
            "(increase (total-cost) 3)",
            "(increase (total-cost) 2.5)",
            "2.5",
            "'2.5', but must be a whole number from 0 to",
        ),
        (
            "(increase (total-cost) 3)",
            "(increase (total-cost) -1)",
            "-1",
            "'-1', but must be a whole number from 0 to 21474",
        ),
        ("(increase (total-cost) 3)", "(increase (total-cost) 2147483648)", "2147483648", "from 0 to 2147483647"),
        ("(increase (total-cost) 3)", f"(increase (total-cost) {'9' * 5000})", "999", "from 0 to 2147483647"),
        (
            "(increase (total-cost) 3)",
            "(increase (total-cost)\n tol)",
            "tol)",
            "undeclared function 'tol'; did you mean toll",
        ),
        ("(increase (total-cost) 3)", "(increase (total-cost) (toll ?b))", "(toll ?b)", "'toll' takes 0 arguments"),
        (
            ":effect (forall",
            ":efect (forall",
            ":efect",
            "expected :parameters or :precondition or :effect but found ':efect'",
        ),
        (
            ":effect (forall (?b - box ?v - car) (not (in ?b ?v)))",
            "",
            "(:action empty-all",
            "'empty-all' has no :effect",
        ),
        (
            ":effect (forall (?b - box ?v - car) (not (in ?b ?v)))",
            ":effect",
            ":effect)",
            "expected '(…)' after ':effect'",
        ),
        (":effect (forall (?b - box ?v", ":effect () :precondition (forall (?b - box ?v", ":effect ()", "nothing more"),
        (
            "(:action empty-all",
            "(:derived (far ?x) (tidy))\n(:action empty-all",
            "(:derived",
            "derived predicate 'far'",
        ),
        (
            "(:action empty-all",
            "(:derived (tidy ?x) (tidy))\n(:action empty-all",
            "(:derived",
            "another number of argu",
        ),
        ("(:action empty-all", "(:derived tidy)\n(:action empty-all", "(:derived", "expected '(:derived (PREDICATE …)"),
        (
            "(:action empty-all",
            "(:derived (tidy) ())\n(:action empty-all",
            "(:action drive",
            "the derived predicate 'tidy'",
        ),
    ],
)
def test_a_wrong_domain_is_refused_where_it_is_wrong(old: str, new: str, at: str, says: str) -> None:
    text = edited(DOMAIN, old, new)
    with pytest.raises(PddlError) as caught:
        domain_of(text)
    assert caught.value.exit_code == ExitCode.INPUT_ERROR
    check_error(caught, "domain.pddl", text, at, says)


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("(define (problem Two)", "(define (domain Two)", "(domain Two)", "this is a domain, but a problem is"),
        ("(:domain delivery)", "", "(:objects", "expected '(:domain NAME)' after the name of the problem"),
        ("(:domain delivery)", "(:domain deliveries)", "(:domain", "but domain.pddl is domain 'delivery'"),
        ("(:domain delivery)", "(:domain delivery\n twice)", "twice)", "more than one name"),
        ("(:goal (and (in x t1)\n              (not (tidy))))", "", "(define", "has no section '(:goal …)'"),
        ("(:goal (and (in x t1)\n              (not (tidy))))", "(:goal)", "(:goal)", "expected '(:goal (CONDITION))'"),
        ("(:goal (and (in x t1)\n              (not (tidy))))", "(:goal ())", "(:goal ())", "expected '(:goal (COND"),
        ("(:init", "(:inti", "(:inti", "unknown section ':inti'; did you mean :init?"),
        ("(:goal", "(:init)\n(:goal", "(:init)\n", "second section '(:init …)'"),
        ("(:goal", "(:requirements :adl)\n(:goal", "(:requirements", "must come before section '(:objects …)'"),
        ("(:metric minimize (total-cost))", "(:metric)", "(:metric)", "expected '(:metric minimize (total-cost))'"),
        ("a b - place", "a b - plaice", "a b - plaice", "undeclared type 'plaice'; did you mean place?"),
        ("a b - place", "a b\n a - place", "a - place", "object 'a' is declared twice"),
        ("a b - place", "a b depot - place", "a b", "object 'depot' is declared already, as a constant of the domain"),
        ("a b - place", "a b -", "x y - box", "undeclared type 'x'"),
        ("(Road a b)", "(rode a b)", "(rode", ":init uses the undeclared predicate 'rode'; did you mean road?"),
        ("(Road a b)", "(road a\n b2)", "b2)", ":init uses the undeclared object 'b2'"),
        ("(Road a b)", "(road a ?b)", "(road a ?b)", ":init uses the undeclared variable '?b'"),
        ("(Road a b)", "(road a)", "(road a)", "predicate 'road' takes 2 arguments, but '(road a)' has 1"),
        ("(Road a b)", "(road a (b))", "(road a (b))", "expected an object or variable but found '(b)'"),
        ("(Road a b)", "road", "road\n", "expected a fact in parentheses but found 'road'"),
        ("(Road a b)", "()", "()", "expected a fact in parentheses but found '()'"),
        ("(Road a b)", "(and (road a b))", "(and (road", "expected an atom but found '(and (road a b))'"),
        ("(Road a b)", "(not (road a))", "(not (road a))", "predicate 'road' takes 2 arguments"),
        ("(Road a b)", "(not road)", "(not road)", "expected '(not (PREDICATE …))' in :init"),
        ("(Road a b)", "(not\n(at t1 a))", "(not\n", "(at t1 a) is both true and false in :init"),
        ("(= (len a b) 3)", "(= (len a b) 3.0)", "(= (len a b)", "'(len a b)' is '3.0', but must be a whole number"),
        (
            "(= (len a b) 3)",
            "(= (len a b) -3)",
            "(= (len a b)",
            "'(len a b)' is '-3', but must be a whole number from 0",
        ),
        ("(= (len a b) 3)", "(= (len a b) 2147483648)", "(= (len a b)", "a whole number from 0 to 2147483647"),
        ("(= (len a b) 3)", f"(= (len a b) {'9' * 5000})", "(= (len a b)", "a whole number from 0 to 2147483647"),
        ("(= (len a b) 3)", "(= (len a b) three)", "(= (len a b)", "'(len a b)' is 'three', which is not a number"),
        (
            "(= (len a b) 3)",
            "(= (len a b) 3)\n(= (len a b) 4)",
            "(= (len a b) 4)",
            "'(len a b)' is given two values, 3 and 4",
        ),
        ("(= (len a b) 3)", "(= (lenn a b) 3)", "(= (lenn", "undeclared function 'lenn'; did you mean len?"),
        ("(= (len a b) 3)", "(= (len a) 3)", "(= (len a)", "function 'len' takes 2 arguments, but '(len a)' has 1"),
        ("(= (len a b) 3)", "(= (len a c) 3)", "(= (len a c)", ":init uses the undeclared object 'c'"),
        ("(= (len a b) 3)", "(= () 3)", "(= ()", "expected a function in parentheses but found '()'"),
        ("(= (len a b) 3)", "(= a b)", "(= a b)", "undeclared function 'a'"),
        ("(= (len a b) 3)", "(= (len a b))", "(= (len a b))", "expected '(= (FUNCTION …) NUMBER)'"),
        ("(in x t1)", "(in z t1)", "(in z t1)", "the goal uses the undeclared object 'z'"),
        ("(in x t1)", "(in x)", "(in x)", "the goal: predicate 'in' takes 2 arguments, but '(in x)' has 1"),
        ("(in x t1)", "(inn x t1)", "(inn", "the goal uses the undeclared predicate 'inn'; did you mean in?"),
        ("(in x t1)", "(forall (?z - boxes) (in ?z t1))", "(forall", "undeclared type 'boxes'"),
        ("(in x t1)", "(in ?x t1)", "(in ?x", "the goal uses the undeclared variable '?x'"),
    ],
)
def test_a_wrong_problem_is_refused_where_it_is_wrong(old: str, new: str, at: str, says: str) -> None:
    text = edited(PROBLEM, old, new)
    with pytest.raises(PddlError) as caught:
        problem_of(text)
    assert caught.value.exit_code == ExitCode.INPUT_ERROR
    check_error(caught, "problem.pddl", text, at, says)


def test_a_problem_without_init_is_refused() -> None:
    with pytest.raises(PddlError, match=r"problem\.pddl:1: problem 'two' has no section '\(:init …\)'"):
        problem_of(re.sub(r"\(:init.*toll 2\)\)", "", PROBLEM, flags=re.DOTALL))


def test_an_initial_derived_predicate_is_refused() -> None:
    domain = tiny("(:derived (q) (exists (?x) (p ?x)))")
    with pytest.raises(PddlError, match=r"problem\.pddl:2: :init sets the derived predicate 'q'"):
        problem_of("(define (problem x) (:domain d) (:init\n(q)) (:goal (q)))", domain)


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        (
            "(not (= ?a ?b))",
            "(>= (len ?a ?b) 2)",
            "(>= (len",
            "action 'drive' has a numeric condition '(>= (len ?a ?b) 2)'",
        ),
        (
            "(not (= ?a ?b))",
            "(= (len ?a ?b) 2)",
            "(= (len",
            "action 'drive' has a numeric condition '(= (len ?a ?b) 2)'",
        ),
        ("(not (= ?a ?b))", "(= toll 2)", "(= toll", "action 'drive' has a numeric condition '(= toll 2)'"),
        ("(not (= ?a ?b))", "(preference soon (tidy))", "(preference", "action 'drive' has a preference"),
        ("(at ?v ?b)", "(assign (toll) 2)", "(assign", "action 'drive' changes a number with '(assign (toll) 2)'"),
        (
            "(at ?v ?b)",
            "(decrease (toll) 2)",
            "(decrease",
            "action 'drive' changes a number with '(decrease (toll) 2)'",
        ),
        (
            "(at ?v ?b)",
            "(scale-up (toll) 2)",
            "(scale-up",
            "action 'drive' changes a number with '(scale-up (toll) 2)'",
        ),
        (
            "(at ?v ?b)",
            "(increase (toll) 2)",
            "(increase (toll)",
            "action 'drive' increases '(toll)'; only '(total-cost)'",
        ),
        ("(at ?v ?b)", "(increase (total-cost) 1)", "(and (increase", "'drive' increases (total-cost) more than once"),
        (
            "(tidy))\n     ",
            "(increase (total-cost) 1))\n     ",
            "(when",
            "increases (total-cost) inside of 'when' or 'forall'",
        ),
        ("(total-cost) 3)", "(total-cost) (+ 1 2))", "(+ 1 2)", "action 'load' computes its cost with '(+ 1 2)'"),
        ("(total-cost) 3)", "(total-cost) (total-cost))", "(total-cost))))", "computes its cost with '(total-cost)'"),
        (
            "(forall (?b - box ?v - car) (not (in ?b ?v)))",
            "(increase (total-cost) 1)",
            ":effect (increase",
            "'empty-all'",
        ),
        ("(toll) - number", "(toll) - place", "(toll) - place", "function 'toll' is of type 'place'"),
        ("(:action empty-all", "(:durative-action empty-all", "(:durative", "durative action 'empty-all'"),
        ("(:action empty-all", "(:process empty-all", "(:process", "process 'empty-all'"),
        ("(:action empty-all", "(:event empty-all", "(:event", "event 'empty-all'"),
        ("(:action drive", "(:constraints (and))\n(:action drive", "(:constraints", "section '(:constraints …)'"),
        (":adl", "\n:adl\n:fluents", ":fluents", "requirement ':fluents' is not supported"),
        (
            "(when (= ?b depot) (tidy))",
            "(when (tidy) (and (tidy) (forall (?c) (tidy))))",
            "(when",
            "action 'drive' has 'forall' together with 'and' inside of 'when'",
        ),
        (
            "(when (= ?b depot) (tidy))",
            "(when (tidy) (forall (?c) (and (tidy) (tidy))))",
            "(when",
            "action 'drive' has 'forall' together with 'and' inside of 'when'",
        ),
    ],
)
def test_what_is_not_handled_in_a_domain_is_named(old: str, new: str, at: str, says: str) -> None:
    text = edited(DOMAIN, old, new)
    with pytest.raises(UnsupportedError) as caught:
        domain_of(text)
    assert caught.value.exit_code == ExitCode.UNSUPPORTED
    check_error(caught, "domain.pddl", text, at, says)


def test_the_action_at_fault_is_named_rather_than_the_requirement() -> None:
    text = edited(edited(DOMAIN, ":adl", ":adl :numeric-fluents"), "(not (= ?a ?b))", "(< (toll) 3)")
    with pytest.raises(UnsupportedError, match="action 'drive' has a numeric condition"):
        domain_of(text)


@pytest.mark.parametrize(
    ("old", "new", "at", "says"),
    [
        ("(Road a b)", "(at 5 (road a b))", "(at 5", "timed initial literal '(at 5 (road a b))'"),
        ("(in x t1)", "(preference p (in x t1))", "(preference", "the goal has a preference"),
        ("(in x t1)", "(< (len a b) 5)", "(< (len", "the goal has a numeric condition '(< (len a b) 5)'"),
        ("(total-cost)))\n", "(toll)))\n", "(:metric", "'(:metric minimize (toll))'"),
        ("(:metric minimize", "(:metric maximize", "(:metric", "'(:metric maximize (total-cost))'"),
        ("minimize (total-cost)", "minimize (+ (total-cost) (toll))", "(:metric", "only metric"),
        ("minimize (total-cost)", "minimize total-cost", "(:metric", "'(:metric minimize total-cost)'"),
        ("(:goal", "(:constraints (and))\n(:goal", "(:constraints", "section '(:constraints …)'"),
        ("(:objects", "(:requirements :preferences)\n(:objects", "(:requirements", "requirement ':preferences'"),
        ("a b - place", "a b - (either place)", "a b -", "'(either place)' may type a variable, not an object"),
    ],
)
def test_what_is_not_handled_in_a_problem_is_named(old: str, new: str, at: str, says: str) -> None:
    text = edited(PROBLEM, old, new)
    with pytest.raises(UnsupportedError) as caught:
        problem_of(text)
    check_error(caught, "problem.pddl", text, at, says)


def test_nested_formulas_are_read_down_to_the_limit() -> None:
    deep = "(not " * 196 + "(q)" + ")" * 196
    domain = tiny(f"(:action a :precondition {deep} :effect {'(and ' * 196}(q){')' * 196})")
    assert "a" in domain_of(domain).actions
    with pytest.raises(PddlError, match="more than 200 deep"):
        domain_of(domain.replace("(q)", f"{'(and ' * 9}(q){')' * 9}"))


# Properties


steady = settings(derandomize=True, database=None, deadline=None)
byte_edits = st.lists(
    st.tuples(
        st.integers(0, 10**6), st.sampled_from("dri"), st.sampled_from([*b"()?-;: \n\x00\xffaz09=.", *b"\t\x1b"])
    ),
    min_size=1,
    max_size=3,
)


def edit_bytes(text: str, edits: list[tuple[int, str, int]]) -> str:
    data = bytearray(text.encode())
    for position, kind, byte in edits:
        at = position % len(data)
        data[at : at + (kind != "i")] = b"" if kind == "d" else bytes([byte])
    return data.decode("latin-1")


@settings(steady, max_examples=400)
@given(byte_edits, st.booleans())
def test_damaged_files_are_read_or_refused_and_nothing_else(edits: list[tuple[int, str, int]], in_domain: bool) -> None:
    domain, problem = (edit_bytes(DOMAIN, edits), PROBLEM) if in_domain else (DOMAIN, edit_bytes(PROBLEM, edits))
    with contextlib.suppress(GoalwardError):
        problem_of(problem, domain)


TOKEN = re.compile(r"[()]|\?[^\s()?]*|[^\s()?]+")
WORDS = sorted({*TOKEN.findall(DOMAIN), *TOKEN.findall(PROBLEM), "number", ">=", "3.5", "assign", ":derived", "-1"})
token_edits = st.lists(
    st.tuples(st.integers(0, 10**6), st.sampled_from(["delete", "replace", "insert", "copy"]), st.sampled_from(WORDS)),
    min_size=1,
    max_size=2,
)


def edit_tokens(text: str, edits: list[tuple[int, str, str]]) -> str:
    tokens = TOKEN.findall(text.partition("\n")[2] if text.startswith(";") else text)
    for position, kind, word in edits:
        at = position % len(tokens)
        end = at + 1
        if kind in ("delete", "copy"):  # of a whole block
            while tokens[at] == "(" and end < len(tokens) and tokens[at:end].count("(") > tokens[at:end].count(")"):
                end += 1
        new = {"delete": [], "replace": [word], "insert": [word, tokens[at]], "copy": tokens[at:end] * 2}
        tokens[at:end] = new[kind]
        if not tokens:
            break
    return " ".join(tokens)


def translate(domain: str, problem: str) -> None:
    options.set_options(["domain", "problem"])
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        parsed = [lisp_parser.parse_nested_list(text.split("\n")) for text in (domain, problem)]
        normalize.normalize(parsing_functions.parse_task(*parsed))


@settings(steady, max_examples=600)
@given(token_edits, st.booleans())
def test_what_is_accepted_the_translator_accepts_too(edits: list[tuple[int, str, str]], in_domain: bool) -> None:
    domain, problem = (edit_tokens(DOMAIN, edits), PROBLEM) if in_domain else (DOMAIN, edit_tokens(PROBLEM, edits))
    try:
        problem_of(problem, domain)
    except GoalwardError:
        return
    translate(domain, problem)


# The public benchmark


ARCHIVE = Path(__file__).parents[3] / "shared" / "bench" / "ferber-public.tar.xz"


def benchmark_texts() -> Iterator[tuple[str, str]]:
    with tarfile.open(ARCHIVE) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(("domain.pddl", "problem.pddl")) else None
            if file is not None:
                yield member.name, file.read().decode("latin-1")


@pytest.mark.bench
@pytest.mark.skipif(not ARCHIVE.exists(), reason="the public benchmark is not here")
def test_every_task_of_the_benchmark_is_accepted() -> None:
    texts = dict(benchmark_texts())
    problems = [name for name in texts if name.endswith("problem.pddl")]
    assert problems
    for name in problems:
        domain_name = name.replace("problem.pddl", "domain.pddl")
        problem = parse_problem(texts[name], name, parse_domain(texts[domain_name], domain_name))
        assert problem.init
