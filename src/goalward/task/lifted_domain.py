"""Reads domain files section by section.

Input that would make the translator fail is rejected here, with a line number. The rules about the order of sections,
their names and which of them are optional are those of the translator.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from goalward.errors import did_you_mean
from goalward.task.lifted import (
    OBJECT,
    ActionSchema,
    Add,
    AllOf,
    And,
    Delete,
    DerivedRule,
    Domain,
    Effect,
    ForEach,
    Function,
    Predicate,
    TypeHierarchy,
    When,
)
from goalward.task.lifted_formulas import RESERVED, Scope, read_condition, read_effect
from goalward.task.lifted_source import (
    NO_SECTION,
    Source,
    read_header,
    read_name,
    read_objects,
    read_requirements,
    read_section,
    read_typed_list,
    read_variables,
    show,
)
from goalward.task.sexpr import Block, parse

_DECLARATIONS = (":requirements", ":types", ":constants", ":predicates", ":functions")
_RULES = (":derived", ":action")


def parse_domain(text: str, source: str) -> Domain:
    """Read and check a domain; ``source`` is its name in errors."""
    return _read_domain(Source(text, source), parse(text, source))


def _read_domain(source: Source, root: Block) -> Domain:
    name = read_header(source, root, "domain")
    sections: dict[str, Block] = {}
    rules: list[Block] = []
    for index in range(2, len(root)):
        keyword, section = read_section(source, root, index, _DECLARATIONS + _RULES)
        if keyword in _RULES:
            rules.append(section)
        elif rules:
            raise source.error(f"section '({keyword} …)' must come before the first action", section)
        elif keyword in sections:
            raise source.error(f"second section '({keyword} …)'", section)
        else:
            sections[keyword] = section
    requirements, later = read_requirements(source, sections.get(":requirements", NO_SECTION))
    types = _read_types(source, sections.get(":types", NO_SECTION))
    constants = read_objects(source, sections.get(":constants", NO_SECTION), types, "constant", {})
    predicates = _read_predicates(source, sections.get(":predicates", NO_SECTION), types)
    functions = _read_functions(source, sections.get(":functions", NO_SECTION), types)
    terms = {constant: (kind,) for constant, kind in constants.items()}
    scope = Scope(source, "", types, predicates, functions, terms, checks_types=True)
    actions: dict[str, ActionSchema] = {}
    derived: list[DerivedRule] = []
    for rule in rules:
        if rule[0] == ":derived":
            derived.append(_read_derived(scope, rule))
            continue
        action = _read_action(scope, rule)
        if action.name in actions:
            first = actions[action.name].line
            raise source.error(f"action {action.name!r} is declared twice (first on line {first})", rule)
        actions[action.name] = action
    heads = {rule.name for rule in derived}
    for rule in rules:
        if heads and rule[0] == ":action":
            changed = heads & _changed_predicates(actions[cast(str, rule[1])].effect)
            if changed:
                raise source.error(f"action {rule[1]!r} changes the derived predicate {min(changed)!r}", rule)
    if later is not None:
        raise later
    return Domain(
        name, requirements, types, constants, predicates, functions, actions, tuple(derived), source.name, source.text
    )


def _read_types(source: Source, section: Block) -> TypeHierarchy:
    parents: dict[str, tuple[str, ...]] = {OBJECT: ()}
    positions: dict[str, int] = {}
    for index, entry in read_typed_list(source, section, 1, None, what="a type"):
        if entry.name == "number":
            raise source.error("'number' is the type of functions and cannot be declared", section, index)
        if entry.name != OBJECT or entry.types != (OBJECT,):
            parents[entry.name] = tuple(dict.fromkeys(parents.get(entry.name, ()) + entry.types))
            positions[entry.name] = index
    types = TypeHierarchy(parents)
    for name, index in positions.items():
        for parent in parents[name]:
            if parent not in parents:
                message = f"type {name!r} has the undeclared supertype {show(parent)}{did_you_mean(parent, parents)}"
                raise source.error(message, section, index)
    for name, index in positions.items():
        if any(name in types.ancestors(parent) for parent in parents[name]):
            raise source.error(f"type {name!r} is its own supertype", section, index)
    return types


def _read_predicates(source: Source, section: Block, types: TypeHierarchy) -> dict[str, Predicate]:
    predicates: dict[str, Predicate] = {}
    for index in range(1, len(section)):
        declaration = section[index]
        if isinstance(declaration, str):
            raise source.error(f"expected a predicate in parentheses but found {show(declaration)}", section, index)
        name = read_name(source, declaration, 0, "a predicate")
        if name in RESERVED:
            raise source.error(f"{name!r} cannot be the name of a predicate", declaration)
        if name in predicates:
            raise source.error(f"predicate {name!r} is declared twice", declaration)
        parameters = read_typed_list(source, declaration, 1, types, what="a variable", variables=True, either=True)
        predicates[name] = Predicate(name, tuple(parameter for _, parameter in parameters))
    return predicates


def _read_functions(source: Source, section: Block, types: TypeHierarchy) -> dict[str, Function]:
    functions: dict[str, Function] = {}
    last = ""
    index = 1
    while index < len(section):
        declaration = section[index]
        if isinstance(declaration, Block):
            last = read_name(source, declaration, 0, "a function")
            if last in functions:
                raise source.error(f"function {last!r} is declared twice", declaration)
            parameters = read_typed_list(source, declaration, 1, types, what="a variable", variables=True)
            functions[last] = Function(last, tuple(parameter for _, parameter in parameters))
        elif declaration != "-" or index + 1 == len(section):
            raise source.error(f"expected a function in parentheses but found {show(declaration)}", section, index)
        else:
            index += 1
            if section[index] != "number":
                raise source.unsupported(
                    f"function {last!r} is of type {show(section[index])}; only numbers are handled", section, index
                )
        index += 1
    return functions


def _read_action(scope: Scope, block: Block) -> ActionSchema:
    source = scope.source
    name = read_name(source, block, 1, "an action")
    fields: dict[str, Block] = {}
    order = [":parameters", ":precondition", ":effect"]
    for index in range(2, len(block), 2):
        keyword = block[index]
        if keyword not in order:
            raise source.error(
                f"action {name!r}: expected {' or '.join(order) or 'nothing more'} but found {show(keyword)}",
                block,
                index,
            )
        value = block[index + 1] if index + 1 < len(block) else ""
        if isinstance(value, str):
            found = f"but found {show(value)}" if value else "here"
            raise source.error(f"action {name!r}: expected '(…)' after {keyword!r} {found}", block, index)
        fields[keyword] = value
        del order[: order.index(keyword) + 1]
    if ":effect" not in fields:
        raise source.error(f"action {name!r} has no :effect", block)
    parameters = read_variables(source, fields.get(":parameters", NO_SECTION), scope.types)
    scope = replace(scope, owner=f"action {name!r}").with_variables(parameters)
    precondition, effect = fields.get(":precondition"), fields[":effect"]
    return ActionSchema(
        name,
        parameters,
        read_condition(scope, precondition) if precondition else And(()),
        read_effect(scope, effect) if effect else AllOf(()),
        source.line(block),
    )


def _read_derived(scope: Scope, block: Block) -> DerivedRule:
    source = scope.source
    head = block[1] if len(block) == 3 else ""
    condition = block[2] if len(block) == 3 else ""
    if isinstance(head, str) or isinstance(condition, str):
        raise source.error("expected '(:derived (PREDICATE …) (CONDITION))'", block)
    name = read_name(source, head, 0, "a derived predicate")
    parameters = read_variables(source, head, scope.types, start=1)
    predicate = scope.predicates.get(name)
    if predicate is None:
        raise source.error(f"undeclared derived predicate {show(name)}{did_you_mean(name, scope.predicates)}", head)
    if len(predicate.parameters) != len(parameters):
        raise source.error(f"derived predicate {name!r} is declared with another number of arguments", head)
    scope = replace(scope, owner=f"derived predicate {name!r}").with_variables(parameters)
    return DerivedRule(name, parameters, read_condition(scope, condition) if condition else And(()), source.line(block))


def _changed_predicates(effect: Effect) -> set[str]:
    match effect:
        case Add(atom) | Delete(atom):
            return {atom.predicate}
        case AllOf(parts):
            return set().union(*map(_changed_predicates, parts))
        case ForEach(_, part) | When(_, part):
            return _changed_predicates(part)
    return set()
