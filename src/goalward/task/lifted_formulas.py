"""Reads and checks the conditions and effects of a PDDL text.

Accepts what Fast Downward's translator accepts, with two exceptions: input that makes it stop without a line number or
with a traceback, and input that it silently reads as something the author cannot have meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from goalward.errors import did_you_mean
from goalward.task.lifted import (
    TOTAL_COST,
    Add,
    AllOf,
    And,
    Atom,
    Condition,
    Delete,
    Effect,
    Equal,
    Exists,
    Forall,
    ForEach,
    Function,
    FunctionTerm,
    Imply,
    Increase,
    Not,
    Or,
    Predicate,
    TypedName,
    TypeHierarchy,
    When,
)
from goalward.task.lifted_source import Source, is_number, read_cost, read_variables, show
from goalward.task.sexpr import Block, element_offset

RESERVED = frozenset({"and", "or", "not", "imply", "forall", "exists", "when", "increase", "="})
"""Keywords of formulas, which cannot be names of predicates."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The names that a formula may use. ``terms`` maps the objects and variables in scope to their types.

    ``owner`` names the formula in errors, for example ``action 'move'``. ``checks_types`` is true only for formulas of
    the domain, where a type that can never match is a mistake. Loosely typed problem files are common and harmless.
    """

    source: Source
    owner: str
    types: TypeHierarchy
    predicates: Mapping[str, Predicate]
    functions: Mapping[str, Function]
    terms: Mapping[str, tuple[str, ...]]
    checks_types: bool

    def with_variables(self, parameters: Iterable[TypedName]) -> Scope:
        """Return the scope inside a quantifier or an action."""
        return replace(self, terms={**self.terms, **{parameter.name: parameter.types for parameter in parameters}})


def _inner(scope: Scope, block: Block, index: int, what: str) -> Block:
    element = block[index]
    if isinstance(element, str) or not element:
        raise scope.source.error(
            f"{scope.owner}: expected {what} in parentheses but found {show(element)}", block, index
        )
    return element


def _head(scope: Scope, block: Block, what: str) -> str:
    head = block[0]
    if isinstance(head, Block):
        raise scope.source.error(f"{scope.owner}: {what} must start with a word but starts with '('", block)
    return head


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _expect_parts(scope: Scope, block: Block, count: int) -> None:
    if len(block) != count + 1:
        raise scope.source.error(
            f"{scope.owner}: '{block[0]}' takes {_counted(count, 'part')} but has {len(block) - 1}", block
        )


def read_condition(scope: Scope, block: Block) -> Condition:
    """Read the condition in a non-empty block."""
    source, owner = scope.source, scope.owner
    head = _head(scope, block, "a condition")
    if head in ("and", "or"):
        parts = [read_condition(scope, _inner(scope, block, i, "a condition")) for i in range(1, len(block))]
        return And(tuple(parts)) if head == "and" else Or(tuple(parts))
    if head == "not":
        _expect_parts(scope, block, 1)
        return Not(read_condition(scope, _inner(scope, block, 1, "a condition")))
    if head == "imply":
        _expect_parts(scope, block, 2)
        left = read_condition(scope, _inner(scope, block, 1, "a condition"))
        return Imply(left, read_condition(scope, _inner(scope, block, 2, "a condition")))
    if head in ("forall", "exists"):
        _expect_parts(scope, block, 2)
        variables = read_variables(source, _inner(scope, block, 1, "variables"), scope.types)
        part = read_condition(scope.with_variables(variables), _inner(scope, block, 2, "a condition"))
        return Forall(variables, part) if head == "forall" else Exists(variables, part)
    if head == "=":
        _expect_parts(scope, block, 2)
        if any(_is_numeric(scope, term) for term in block[1:]):
            raise source.unsupported(f"{owner} has a numeric condition {show(block)}", block)
        left_term, right_term = _read_terms(scope, block)
        return Equal(left_term, right_term)
    if head not in scope.predicates:
        if head in ("<", "<=", ">", ">="):
            raise source.unsupported(f"{owner} has a numeric condition {show(block)}", block)
        if head == "preference":
            raise source.unsupported(f"{owner} has a preference", block)
    return read_atom(scope, block)


def _is_numeric(scope: Scope, term: str | Block) -> bool:
    if isinstance(term, Block):
        return True
    return term not in scope.terms and (is_number(term) or term in scope.functions)


def read_atom(scope: Scope, block: Block) -> Atom:
    """Read the atom in a non-empty block."""
    source, owner = scope.source, scope.owner
    head = _head(scope, block, "an atom")
    if head in RESERVED:
        raise source.error(f"{owner}: expected an atom but found {show(block)}", block)
    predicate = scope.predicates.get(head)
    if predicate is None:
        raise source.error(
            f"{owner} uses the undeclared predicate {show(head)}{did_you_mean(head, scope.predicates)}", block, 0
        )
    terms = _read_terms(scope, block)
    _check_arity(scope, block, f"predicate {head!r}", len(predicate.parameters))
    if scope.checks_types:
        for index, (term, parameter) in enumerate(zip(terms, predicate.parameters, strict=True), start=1):
            if not scope.types.may_fit(scope.terms[term], parameter.types):
                raise source.error(
                    f"{owner}: argument {index} of {show(block)} is of type {'/'.join(scope.terms[term])}, "
                    f"but the predicate takes {'/'.join(parameter.types)} there",
                    block,
                    index,
                )
    return Atom(head, terms)


def _check_arity(scope: Scope, block: Block, what: str, arity: int) -> None:
    if len(block) - 1 != arity:
        raise scope.source.error(
            f"{scope.owner}: {what} takes {_counted(arity, 'argument')}, but {show(block)} has {len(block) - 1}",
            block,
        )


def _read_terms(scope: Scope, block: Block) -> tuple[str, ...]:
    terms = []
    for index in range(1, len(block)):
        term = block[index]
        if isinstance(term, Block):
            raise scope.source.error(
                f"{scope.owner}: expected an object or variable but found {show(term)}", block, index
            )
        if term not in scope.terms:
            kind = "variable" if term[0] == "?" else "constant" if scope.checks_types else "object"
            raise scope.source.error(
                f"{scope.owner} uses the undeclared {kind} {show(term)}{did_you_mean(term, scope.terms)}", block, index
            )
        terms.append(term)
    return tuple(terms)


def read_effect(scope: Scope, block: Block) -> Effect:
    """Read the effect of an action; it may increase the total cost once, outside of any ``when``."""
    effect = _read_effect(scope, block, nested=False)
    if isinstance(effect, Increase):
        raise scope.source.unsupported(f"{scope.owner} has only a cost as effect; write '(and (increase …))'", block)
    if _count_costs(effect) > 1:
        raise scope.source.unsupported(f"{scope.owner} increases ({TOTAL_COST}) more than once", block)
    return effect


def _count_costs(effect: Effect) -> int:
    if isinstance(effect, AllOf):
        return sum(map(_count_costs, effect.parts))
    return isinstance(effect, Increase)


def _read_effect(scope: Scope, block: Block, nested: bool) -> Effect:
    source, owner = scope.source, scope.owner
    head = _head(scope, block, "an effect")
    if head == "and":
        parts = [_read_effect(scope, _inner(scope, block, i, "an effect"), nested) for i in range(1, len(block))]
        return AllOf(tuple(parts))
    if head == "forall":
        _expect_parts(scope, block, 2)
        variable_list = block[1]
        if isinstance(variable_list, str):
            raise source.error(f"{owner}: expected variables in parentheses but found {show(variable_list)}", block, 1)
        variables = read_variables(source, variable_list, scope.types)
        inside = scope.with_variables(variables)
        return ForEach(variables, _read_effect(inside, _inner(scope, block, 2, "an effect"), True))
    if head == "when":
        _expect_parts(scope, block, 2)
        condition = block[1]
        holds = And(()) if condition == [] else read_condition(scope, _inner(scope, block, 1, "a condition"))
        part = _read_effect(scope, _inner(scope, block, 2, "an effect"), True)
        if _shape(part) == (True, True):
            raise source.unsupported(
                f"{owner} has 'forall' together with 'and' inside of 'when'; write '(forall … (when …))'", block
            )
        return When(holds, part)
    if head == "increase":
        return _read_increase(scope, block, nested)
    if head in ("assign", "decrease", "scale-up", "scale-down") and head not in scope.predicates:
        raise source.unsupported(f"{owner} changes a number with {show(block)}", block)
    if head == "not":
        _expect_parts(scope, block, 1)
        return Delete(read_atom(scope, _inner(scope, block, 1, "an atom")))
    return Add(read_atom(scope, block))


def _shape(effect: Effect) -> tuple[bool, bool]:
    """Two facts about the translator's normal form of an effect: is it a conjunction; has it an outermost ``forall``.

    The translator cannot add a condition to an effect for which both are true.
    """
    match effect:
        case AllOf(parts):
            return True, any(_shape(part)[1] for part in parts)
        case ForEach(_, part):
            return _shape(part)[0], True
        case When(_, part):
            return _shape(part)
    return False, False


def _read_increase(scope: Scope, block: Block, nested: bool) -> Increase:
    source, owner = scope.source, scope.owner
    _expect_parts(scope, block, 2)
    target, amount = block[1], block[2]
    if target != [TOTAL_COST]:
        raise source.unsupported(f"{owner} increases {show(target)}; only '({TOTAL_COST})' can be increased", block)
    if nested:
        raise source.unsupported(f"{owner} increases ({TOTAL_COST}) inside of 'when' or 'forall'", block)
    number = read_cost(source, block, 2, f"the cost of {owner}")
    if number is not None:
        return Increase(number)
    operator = amount if isinstance(amount, str) else amount[0] if amount else ""
    if operator == TOTAL_COST or (operator in ("+", "-", "*", "/") and operator not in scope.functions):
        raise source.unsupported(f"{owner} computes its cost with {show(amount)}", block, 2)
    return Increase(read_function_term(scope, block, 2))


def read_function_term(scope: Scope, block: Block, index: int) -> FunctionTerm:
    """Read the function term at ``block[index]``; parentheses are optional if it has no arguments."""
    element = block[index]
    if isinstance(element, str):
        term = Block([element])
        term.offset = element_offset(scope.source.text, block, index)
    else:
        term = _inner(scope, block, index, "a function")
    head = _head(scope, term, "a function")
    function = scope.functions.get(head)
    if function is None:
        message = f"{scope.owner} uses the undeclared function {show(head)}{did_you_mean(head, scope.functions)}"
        raise scope.source.error(message, term, 0)
    arguments = _read_terms(scope, term)
    _check_arity(scope, term, f"function {head!r}", len(function.parameters))
    return FunctionTerm(head, arguments)
