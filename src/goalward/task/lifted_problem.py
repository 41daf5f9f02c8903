"""Reads problem files section by section. Plain facts in ``:init`` take a fast path."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from goalward.task.lifted import TOTAL_COST, Condition, Domain, GroundAtom, Problem
from goalward.task.lifted_formulas import Scope, read_atom, read_condition, read_function_term
from goalward.task.lifted_source import (
    NO_SECTION,
    Source,
    read_cost,
    read_header,
    read_name,
    read_objects,
    read_requirements,
    read_section,
    show,
)
from goalward.task.sexpr import Block, element_line, parse

_SECTIONS = (":requirements", ":objects", ":init", ":goal", ":metric")


def parse_problem(text: str, source: str, domain: Domain) -> Problem:
    """Read and check a problem of ``domain``; ``source`` is its name in errors."""
    return _read_problem(Source(text, source), parse(text, source), domain)


def init_line(problem: Problem, atom: GroundAtom) -> int | None:
    """Return the line of ``atom`` in ``:init``. It parses the text again, since only error messages need it."""
    for section in parse(problem.text, problem.source):
        if isinstance(section, Block) and section[:1] == [":init"]:
            for index, fact in enumerate(section):
                if fact == list(atom):
                    return element_line(problem.text, section, index)
    return None


def _read_problem(source: Source, root: Block, domain: Domain) -> Problem:
    name = read_header(source, root, "problem")
    _check_domain_name(source, root, domain)
    sections: dict[str, Block] = {}
    for index in range(3, len(root)):
        keyword, section = read_section(source, root, index, _SECTIONS)
        if keyword in sections:
            raise source.error(f"second section '({keyword} …)'", section)
        for other in _SECTIONS[_SECTIONS.index(keyword) :]:
            if other in sections:
                raise source.error(f"section '({keyword} …)' must come before section '({other} …)'", section)
        sections[keyword] = section
    for required in (":init", ":goal"):
        if required not in sections:
            raise source.error(f"problem {name!r} has no section '({required} …)'", root)
    _, later = read_requirements(source, sections.get(":requirements", NO_SECTION))
    objects = read_objects(source, sections.get(":objects", NO_SECTION), domain.types, "object", domain.constants)
    terms = {term: (kind,) for term, kind in (*domain.constants.items(), *objects.items())}
    scope = Scope(source, "the goal", domain.types, domain.predicates, domain.functions, terms, checks_types=False)
    init, function_values = _read_init(replace(scope, owner=":init"), domain, sections[":init"])
    goal = _read_goal(scope, sections[":goal"])
    minimizes_cost = ":metric" in sections and _read_metric(source, sections[":metric"])
    if later is not None:
        raise later
    return Problem(name, domain.name, objects, init, function_values, goal, minimizes_cost, source.name, source.text)


def _check_domain_name(source: Source, root: Block, domain: Domain) -> None:
    section = root[2] if len(root) > 2 else ""
    if isinstance(section, str) or section[:1] != [":domain"]:
        raise source.error("expected '(:domain NAME)' after the name of the problem", root, 2)
    name = read_name(source, section, 1, "the domain")
    if len(section) > 2:
        raise source.error("the domain has more than one name", section, 2)
    if name != domain.name:
        raise source.error(
            f"this is a problem of domain {show(name)}, but {domain.source} is domain {show(domain.name)}", section, 1
        )


def _read_init(scope: Scope, domain: Domain, section: Block) -> tuple[tuple[GroundAtom, ...], dict[GroundAtom, int]]:
    """Return the true atoms and the values of functions."""
    derived = {rule.name for rule in domain.derived}
    lengths = {name: len(it.parameters) + 1 for name, it in domain.predicates.items() if name not in derived}
    all_declared = frozenset(scope.terms).issuperset
    true: dict[GroundAtom, None] = {}
    false: dict[GroundAtom, int] = {}
    values: dict[GroundAtom, int] = {}
    for index in range(1, len(section)):
        fact = section[index]
        if isinstance(fact, Block):
            try:
                if lengths[cast(str, fact[0])] == len(fact) and all_declared(fact[1:]):
                    true[cast(GroundAtom, tuple(fact))] = None
                    continue
            except (IndexError, KeyError, TypeError):  # empty, not an atom, or a block in the place of a word
                pass
        if isinstance(fact, str) or not fact:
            raise scope.source.error(f"expected a fact in parentheses but found {show(fact)}", section, index)
        if fact[0] == "=":
            _read_value(scope, fact, values)
        elif fact[0] == "not":
            false[_read_negated(scope, fact)] = index
        elif fact[0] == "at" and len(fact) == 3 and isinstance(fact[2], Block):
            raise scope.source.unsupported(f"timed initial literal {show(fact)}", fact)
        else:
            atom = read_atom(scope, fact)
            raise scope.source.error(f":init sets the derived predicate {atom.predicate!r}", fact)
    for atom_, index in false.items():
        if atom_ in true:
            raise scope.source.error(f"({' '.join(atom_)}) is both true and false in :init", section, index)
    return tuple(true), values


def _read_negated(scope: Scope, fact: Block) -> GroundAtom:
    part = fact[1] if len(fact) == 2 else ""
    if isinstance(part, str) or not part:
        raise scope.source.error("expected '(not (PREDICATE …))' in :init", fact)
    atom = read_atom(scope, part)
    return (atom.predicate, *atom.arguments)


def _read_value(scope: Scope, fact: Block, values: dict[GroundAtom, int]) -> None:
    """Read ``(= (function object …) number)`` into ``values``."""
    source = scope.source
    if len(fact) != 3:
        raise source.error(f"expected '(= (FUNCTION …) NUMBER)' but found {show(fact)}", fact)
    shown = show(fact[1])
    if fact[1] in (TOTAL_COST, [TOTAL_COST]):
        key: GroundAtom = (TOTAL_COST,)
    else:
        term = read_function_term(scope, fact, 1)
        key = (term.function, *term.arguments)
    number = read_cost(source, fact, 2, f"the value of {shown}")
    if number is None:
        raise source.error(f"the value of {shown} is {show(fact[2])}, which is not a number", fact, 2)
    if values.setdefault(key, number) != number:
        raise source.error(f"{shown} is given two values, {values[key]} and {number}", fact)


def _read_goal(scope: Scope, section: Block) -> Condition:
    goal = section[1] if len(section) == 2 else ""
    if isinstance(goal, str) or not goal:
        raise scope.source.error("expected '(:goal (CONDITION))'", section)
    return read_condition(scope, goal)


def _read_metric(source: Source, section: Block) -> bool:
    if len(section) != 3:
        raise source.error(f"expected '(:metric minimize ({TOTAL_COST}))'", section)
    if section[1:] != ["minimize", [TOTAL_COST]]:
        raise source.unsupported(
            f"{show(section)}; the only metric that is handled is minimize ({TOTAL_COST})", section
        )
    return True
