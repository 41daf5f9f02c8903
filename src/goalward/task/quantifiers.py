"""Quantified conditions turned into plain ones before the translator sees them.

The translator would make an axiom of each ``forall``; here it becomes the conjunction over the objects. Multiplied out
into a disjunction of conjunctions, which is what the translator does next, such formulas explode. Most of what is in
them is decided by atoms that no action changes, once the action's parameters are known. So where a precondition would
grow large, the action is copied for each binding of the parameters that its quantified parts mention, and every copy
keeps only what its binding leaves open, multiplied out here: of two conjunctions of which one implies the other, the
weaker one is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from fast_downward.translate import instantiate, pddl

Binding = dict[str, str]

SMALL = 32
"""Conjunctions that a precondition may have without being split up by the bindings of its action."""
LARGE = 20_000
"""Conjunctions of one action, over all of its bindings, that are still worth grounding."""
LARGE_EFFECT = 4096
"""The same for a conditional effect under one binding: half a second of grounding, after which it is mostly refused."""
COMPARED = 500
"""Conjunctions that are compared with one another to find those that others imply."""
MOST_LITERALS = 4096
"""Literals, with their opposites, of alternatives that are multiplied out."""
MOST_WORK = 200_000
"""Parts of conditions looked at for one action: about a second."""


class TooLargeError(Exception):
    """A condition that cannot be multiplied out; the argument says whose it is."""


def expand_quantifiers(parsed: Any) -> None:
    """Replace ``forall`` in the conditions of a parsed task, in place."""
    expander = _Expander(parsed)
    actions = []
    for action in parsed.actions:
        actions += expander.action(action)
    parsed.actions = actions
    if parsed.goal.has_universal_part() or parsed.goal.has_disjunction():
        expander.begin("the goal")
        parsed.goal = expander.condition(parsed.goal, {}, existential=False).uniquify_variables({})
        expander.check(_conjunctions(parsed.goal))


class _Expander:
    """Expands conditions of one task; counts its work, so that no formula keeps it for long."""

    def __init__(self, parsed: Any) -> None:
        by_type = instantiate.get_objects_by_type(parsed.objects, parsed.types)
        self.objects = {name: dict.fromkeys(members) for name, members in by_type.items()}
        changing = {effect.literal.predicate for action in parsed.actions for effect in action.effects}
        changing |= {axiom.name for axiom in parsed.axioms}
        self.static = {predicate.name for predicate in parsed.predicates} - changing
        self.facts: dict[str, dict[tuple[str, ...], None]] = {}
        for fact in parsed.init:
            if isinstance(fact, pddl.Atom):
                self.facts.setdefault(fact.predicate, {})[fact.args] = None
        self.by_arguments: dict[tuple[str, tuple[int, ...]], dict[tuple[str, ...], list[tuple[str, ...]]]] = {}
        self.owner = ""
        self.work = 0

    def begin(self, owner: str) -> None:
        """The next conditions belong to this one."""
        self.owner, self.work = owner, 0

    def check(self, conjunctions: int) -> None:
        """Refuse what would be too much for the translator."""
        if conjunctions > LARGE:
            raise TooLargeError(self.owner)

    def action(self, action: Any) -> list[Any]:
        """The action itself, changed in place, or its copies by binding."""
        self.begin(f"action {action.name}")
        action.effects = [decided for effect in action.effects for decided in self._effects(action, effect)]
        precondition = action.precondition
        if not (precondition.has_universal_part() or precondition.has_disjunction()):
            return [action]
        try:
            simple = self.condition(precondition, {}, existential=False)
        except TooLargeError:
            if not precondition.free_variables():  # no binding makes it smaller
                raise
            simple = None
        if simple is not None and _conjunctions(simple) <= SMALL:
            # Copies of one `exists` must not share their variable when they are pulled out of the conjunction.
            action.precondition = simple.uniquify_variables({p.name: p.type_name for p in action.parameters})
            return [action]
        return list(self._by_binding(action))

    def _effects(self, action: Any, effect: Any) -> list[Any]:
        """The effect itself, changed in place, or its copies by binding where its condition would grow large."""
        condition = effect.condition
        if not (condition.has_universal_part() or condition.has_disjunction()):
            return [effect]
        parameters = {parameter.name: parameter for parameter in [*action.parameters, *effect.parameters]}
        simple = self.condition(condition, {}, existential=False)
        if _conjunctions(simple) <= SMALL:
            names = {name: parameter.type_name for name, parameter in parameters.items()}
            effect.condition = simple.uniquify_variables(names)
            return [effect]
        bound = [parameters[name] for name in sorted(simple.free_variables())]
        needed = [*_conjuncts(action.precondition), *_conjuncts(simple)]
        total = 0
        copies = []
        for binding in self._bindings(bound, [part for part in needed if isinstance(part, pddl.Literal)]):
            multiplied = _Cases(self._count)
            cases = multiplied.of(self.condition(simple, binding, existential=True))
            total += len(cases) if len(cases) <= LARGE_EFFECT else LARGE + 1
            self.check(total)
            if cases:
                fixed = [pddl.Atom("=", item) for item in binding.items()]
                left = pddl.Conjunction([*fixed, multiplied.condition(cases)]).simplified()
                copies.append(pddl.Effect(effect.parameters, left, effect.literal))
        return copies

    def _by_binding(self, action: Any) -> Iterator[Any]:
        self.work = 0
        parts = _conjuncts(action.precondition)
        mentioned = {name for part in parts if not isinstance(part, pddl.Literal) for name in part.free_variables()}
        bound = [parameter for parameter in action.parameters if parameter.name in mentioned]
        literals = [part for part in parts if isinstance(part, pddl.Literal)]
        total = 0
        for binding in self._bindings(bound, literals):
            precondition = self.condition(action.precondition, binding, existential=True)
            remaining = _conjuncts(precondition)
            plain = [part for part in remaining if isinstance(part, pddl.Literal)]
            others = [part for part in remaining if not isinstance(part, pddl.Literal)]
            multiplied = _Cases(self._count)
            cases = multiplied.of(pddl.Conjunction(others))
            total += len(cases)
            self.check(total)
            if not cases:
                continue
            fixed = [pddl.Atom("=", item) for item in binding.items()]
            yield pddl.Action(
                action.name,
                action.parameters,
                action.num_external_parameters,
                pddl.Conjunction([*fixed, *plain, multiplied.condition(cases)]).simplified(),
                [
                    pddl.Effect(effect.parameters, effect.condition, effect.literal)
                    for effect in action.effects
                ],
                action.cost,
            )  # fmt: skip

    def _bindings(self, parameters: list[Any], literals: list[Any]) -> Iterator[Binding]:
        """All bindings under which no literal is false for good."""
        stack: list[Binding] = [{}]
        while stack:
            binding = stack.pop()
            self._count()
            if not all(self._possible(literal, binding) for literal in literals):
                continue
            if len(binding) == len(parameters):
                yield binding
                continue
            parameter = parameters[len(binding)]
            names = self.objects.get(parameter.type_name, {})
            stack.extend({**binding, parameter.name: name} for name in reversed(names))

    def condition(self, condition: Any, binding: Binding, *, existential: bool) -> Any:
        """A condition without ``forall``; ``exists`` goes too where it is asked for, or stands inside a ``forall``.

        An ``exists`` that stays becomes a parameter of the action, which is cheap; inside a ``forall`` there would be
        one for each object.
        """
        self._count()
        if isinstance(condition, pddl.Literal):
            return self._literal(condition, binding)
        if isinstance(condition, (pddl.Conjunction, pddl.Disjunction)):
            parts = (self.condition(part, binding, existential=existential) for part in condition.parts)
            return _joined(parts, type(condition))
        if isinstance(condition, pddl.UniversalCondition):
            return _joined(self._instances(condition, binding), pddl.Conjunction)
        if isinstance(condition, pddl.ExistentialCondition):
            if existential:
                return _joined(self._instances(condition, binding), pddl.Disjunction)
            hidden = {parameter.name for parameter in condition.parameters}
            outside = {name: value for name, value in binding.items() if name not in hidden}
            inner = self.condition(condition.parts[0], outside, existential=False)
            if isinstance(inner, pddl.Truth) and all(self.objects.get(p.type_name) for p in condition.parameters):
                return inner
            return inner if isinstance(inner, pddl.Falsity) else condition.change_parts([inner])
        return condition

    def _instances(self, condition: Any, binding: Binding) -> Iterator[Any]:
        for inside in self._rows(condition, binding):
            yield self.condition(condition.parts[0], inside, existential=True)

    def _rows(self, condition: Any, binding: Binding) -> Iterator[Binding]:
        """Bindings of a quantifier's variables that matter: under all others a fact decides that nothing changes."""
        types = {parameter.name: parameter.type_name for parameter in condition.parameters}
        outside = {name: value for name, value in binding.items() if name not in types}
        starts: Iterable[Binding] = [{}]
        guard = self._guard(condition, outside, types)
        if guard is not None:
            starts = self._matches(guard, outside)
        for start in starts:
            if all(value in self.objects.get(types[name], ()) for name, value in start.items()):
                rest = [name for name in types if name not in start]
                for row in product(*(self.objects.get(types[name], {}) for name in rest)):
                    yield {**outside, **start, **dict(zip(rest, row, strict=True))}

    def _guard(self, condition: Any, binding: Binding, types: dict[str, str]) -> Any:
        """A literal that no action changes and that must hold for an instance to matter; it names what is quantified.

        That is ``p`` in ``(forall (?x) (or (not (p ?x)) …))`` and in ``(exists (?x) (and (p ?x) …))``.
        """
        body = condition.parts[0]
        universal = isinstance(condition, pddl.UniversalCondition)
        junctor = pddl.Disjunction if universal else pddl.Conjunction
        for part in body.parts if isinstance(body, junctor) else [body]:
            if isinstance(part, pddl.Literal) and part.negated == universal and part.predicate in self.static:
                open_ = {name for name in part.args if name.startswith("?") and name not in binding}
                if open_ and open_ <= types.keys():
                    return part
        return None

    def _matches(self, literal: Any, binding: Binding) -> Iterator[Binding]:
        """What the facts of a literal's predicate make of its variables that have no value."""
        arguments = [binding.get(name, name) for name in literal.args]
        for fact in self._facts_like(literal.predicate, arguments):
            values: Binding = {}
            if all(values.setdefault(name, value) == value for name, value in zip(arguments, fact, strict=True)):
                yield {name: value for name, value in values.items() if name.startswith("?")}

    def _facts_like(self, predicate: str, arguments: list[str]) -> list[tuple[str, ...]]:
        """The facts with these arguments, where a variable stands for any."""
        known = tuple(i for i, name in enumerate(arguments) if not name.startswith("?"))
        place = predicate, known
        if place not in self.by_arguments:
            table = self.by_arguments[place] = {}
            for fact in self.facts.get(predicate, ()):
                table.setdefault(tuple(fact[i] for i in known), []).append(fact)
        return self.by_arguments[place].get(tuple(arguments[i] for i in known), [])

    def _literal(self, literal: Any, binding: Binding) -> Any:
        """The literal under a binding; true or false where nothing can change it any more."""
        renamed = literal.rename_variables(binding)
        if renamed.predicate not in self.static and renamed.predicate != "=":
            return renamed
        if any(argument.startswith("?") for argument in renamed.args):
            return renamed
        holds = (renamed.args in self.facts.get(renamed.predicate, {})) != renamed.negated
        return pddl.Truth() if holds else pddl.Falsity()

    def _possible(self, literal: Any, binding: Binding) -> bool:
        """May the literal hold under a binding of some of its variables?"""
        if literal.negated or literal.predicate not in self.static:
            return not isinstance(self._literal(literal, binding), pddl.Falsity)
        return bool(self._facts_like(literal.predicate, [binding.get(name, name) for name in literal.args]))

    def _count(self, work: int = 1) -> None:
        self.work += work
        if self.work > MOST_WORK:
            raise TooLargeError(self.owner)


class _Cases:
    """Multiplies conditions out; a case is a set of literals that hold together, as the bits of a number.

    A literal and its opposite have neighbouring bits.
    """

    def __init__(self, count: Callable[[int], None]) -> None:
        self.count = count
        self.numbers: dict[Any, int] = {}
        self.literals: list[Any] = []
        self.first = 0
        """The first bit of each pair."""

    def condition(self, cases: list[int]) -> Any:
        """The condition that holds in these cases."""
        return pddl.Disjunction(
            [
                pddl.Conjunction([literal for i, literal in enumerate(self.literals) if case >> i & 1])
                for case in cases
            ]
        )  # fmt: skip

    def of(self, condition: Any) -> list[int]:
        """All cases; none of them implies another one, as long as they are few."""
        if isinstance(condition, pddl.Literal):
            return [1 << self._bit(condition)]
        if isinstance(condition, pddl.Disjunction):
            return _weakest(case for part in condition.parts for case in self.of(part))
        if isinstance(condition, pddl.Falsity):
            return []
        result = [0]
        for cases in sorted(map(self.of, condition.parts), key=len):
            self.count(1 + len(result) * len(cases) // 4)
            kept = [case for case in result if any(case & other == other for other in cases)]
            if len(kept) < len(result):
                left = set(result) - set(kept)
                made = (case | other for case in result if case in left for other in cases)
                result = _weakest([*kept, *filter(self._is_possible, made)])
                if len(result) > LARGE:
                    self.count(MOST_WORK)
        return result

    def _is_possible(self, case: int) -> bool:
        return not case & (case >> 1) & self.first

    def _bit(self, literal: Any) -> int:
        if literal not in self.numbers:
            if len(self.literals) > MOST_LITERALS:
                self.count(MOST_WORK)
            self.first |= 1 << len(self.literals)
            for one in (literal, literal.negate()):
                self.numbers[one] = len(self.literals)
                self.literals.append(one)
        return self.numbers[literal]


def _weakest(cases: Iterable[int]) -> list[int]:
    """Without those that imply another one; they are not needed."""
    different = list(dict.fromkeys(cases))
    if len(different) > COMPARED:
        return different
    kept: list[int] = []
    for case in sorted(different, key=int.bit_count):
        if not any(case & other == other for other in kept):
            kept.append(case)
    return kept


def _joined(parts: Iterable[Any], junctor: type[Any]) -> Any:
    """A conjunction or disjunction without repetitions; a part that decides it ends it at once."""
    decides, neutral = (pddl.Falsity, pddl.Truth) if junctor is pddl.Conjunction else (pddl.Truth, pddl.Falsity)
    kept: dict[Any, None] = {}
    for part in parts:
        if isinstance(part, decides):
            return part
        if not isinstance(part, neutral):
            kept.update(dict.fromkeys(part.parts if type(part) is junctor else (part,)))
    if len(kept) == 1:
        return next(iter(kept))
    return junctor(list(kept)) if kept else neutral()


def _conjuncts(condition: Any) -> list[Any]:
    if isinstance(condition, pddl.Conjunction):
        return [inner for part in condition.parts for inner in _conjuncts(part)]
    return [condition]


def _conjunctions(condition: Any) -> int:
    """How many conjunctions remain when the condition is multiplied out."""
    if isinstance(condition, pddl.Disjunction):
        return sum(_conjunctions(part) for part in condition.parts)
    total = 1
    for part in condition.parts:
        total *= _conjunctions(part)
    return total
