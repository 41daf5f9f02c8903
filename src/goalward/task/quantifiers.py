"""Expands quantified conditions before the translator processes them.

The translator would turn each ``forall`` into an axiom. Here it becomes a conjunction over the objects. The translator
converts conditions to disjunctive normal form next, and expanded formulas can then become very large. But once the
parameters of an action are bound, static atoms decide most of them. So if a precondition would become large, the action
is copied for each binding of the parameters that occur in quantified parts. Each copy has a precondition simplified
under its binding, already in disjunctive normal form and without conjunctions that imply another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import Any

from fast_downward.translate import instantiate, pddl

Binding = dict[str, str]

MAX_UNSPLIT = 32
"""Maximum number of conjunctions of a precondition before its action is copied for each binding."""
MAX_CONJUNCTIONS = 20_000
"""Maximum number of conjunctions of one action, over all of its bindings."""
MAX_EFFECT_CONJUNCTIONS = 4096
"""The same for a conditional effect under one binding; grounding that many takes half a second."""
MAX_COMPARED = 500
"""Maximum number of conjunctions that are compared in pairs to find those that imply another one."""
MAX_LITERALS = 4096
"""Maximum number of literals, including negations, in a formula that is converted to disjunctive normal form."""
MAX_WORK = 200_000
"""Maximum number of parts of conditions visited for one action, which takes about a second."""


class TooLargeError(Exception):
    """A condition is too large to expand; the argument names its owner, for example ``action move``."""


def expand_quantifiers(parsed: Any) -> None:
    """Expand ``forall`` in all conditions of a parsed task, in place."""
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
    """Expands the conditions of one task; counts its work, so that no formula takes long."""

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
        """Start the expansion of another action or of the goal, and reset the work counter."""
        self.owner, self.work = owner, 0

    def check(self, conjunctions: int) -> None:
        """Raise :class:`TooLargeError` if there are too many conjunctions for the translator."""
        if conjunctions > MAX_CONJUNCTIONS:
            raise TooLargeError(self.owner)

    def action(self, action: Any) -> list[Any]:
        """The action itself, changed in place, or its copies for each binding."""
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
        if simple is not None and _conjunctions(simple) <= MAX_UNSPLIT:
            # Copies of one `exists` must not share their variable when they are pulled out of the conjunction.
            action.precondition = simple.uniquify_variables({p.name: p.type_name for p in action.parameters})
            return [action]
        return list(self._by_binding(action))

    def _effects(self, action: Any, effect: Any) -> list[Any]:
        """The effect itself, changed in place, or its copies for each binding if its condition would become large."""
        condition = effect.condition
        if not (condition.has_universal_part() or condition.has_disjunction()):
            return [effect]
        parameters = {parameter.name: parameter for parameter in [*action.parameters, *effect.parameters]}
        simple = self.condition(condition, {}, existential=False)
        if _conjunctions(simple) <= MAX_UNSPLIT:
            names = {name: parameter.type_name for name, parameter in parameters.items()}
            effect.condition = simple.uniquify_variables(names)
            return [effect]
        bound = [parameters[name] for name in sorted(simple.free_variables())]
        needed = [*_conjuncts(action.precondition), *_conjuncts(simple)]
        total = 0
        copies = []
        for binding in self._bindings(bound, [part for part in needed if isinstance(part, pddl.Literal)]):
            normal_form = _DisjunctiveNormalForm(self._count)
            cases = normal_form.of(self.condition(simple, binding, existential=True))
            total += len(cases) if len(cases) <= MAX_EFFECT_CONJUNCTIONS else MAX_CONJUNCTIONS + 1
            self.check(total)
            if cases:
                fixed = [pddl.Atom("=", item) for item in binding.items()]
                left = pddl.Conjunction([*fixed, normal_form.condition(cases)]).simplified()
                copies.append(pddl.Effect(effect.parameters, left, effect.literal))
        return copies

    def _by_binding(self, action: Any) -> Iterator[Any]:
        """Copies of an action, one for each binding of the parameters that occur in quantified parts."""
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
            normal_form = _DisjunctiveNormalForm(self._count)
            cases = normal_form.of(pddl.Conjunction(others))
            total += len(cases)
            self.check(total)
            if not cases:
                continue
            fixed = [pddl.Atom("=", item) for item in binding.items()]
            yield pddl.Action(
                action.name,
                action.parameters,
                action.num_external_parameters,
                pddl.Conjunction([*fixed, *plain, normal_form.condition(cases)]).simplified(),
                [
                    pddl.Effect(effect.parameters, effect.condition, effect.literal)
                    for effect in action.effects
                ],
                action.cost,
            )  # fmt: skip

    def _bindings(self, parameters: list[Any], literals: list[Any]) -> Iterator[Binding]:
        """All bindings under which no literal is statically false."""
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
        """Expand ``forall`` in a condition; expand ``exists`` too if ``existential`` is true or inside a ``forall``.

        An ``exists`` that is not expanded becomes a parameter of the action, which is cheap. Inside a ``forall`` there
        would be one parameter for each object.
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
        """The bindings of a quantifier's variables, without those under which its static guard makes it redundant."""
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
        """A static literal over quantified variables; instances in which its atom is false are redundant.

        It is ``(p ?x)`` in ``(forall (?x) (or (not (p ?x)) …))`` and in ``(exists (?x) (and (p ?x) …))``.
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
        """The values of a literal's unbound variables under which its atom is among the static facts."""
        arguments = [binding.get(name, name) for name in literal.args]
        for fact in self._facts_like(literal.predicate, arguments):
            values: Binding = {}
            if all(values.setdefault(name, value) == value for name, value in zip(arguments, fact, strict=True)):
                yield {name: value for name, value in values.items() if name.startswith("?")}

    def _facts_like(self, predicate: str, arguments: list[str]) -> list[tuple[str, ...]]:
        """The facts that match these arguments; variables match every object."""
        bound = tuple(i for i, name in enumerate(arguments) if not name.startswith("?"))
        key = predicate, bound
        if key not in self.by_arguments:
            table = self.by_arguments[key] = {}
            for fact in self.facts.get(predicate, ()):
                table.setdefault(tuple(fact[i] for i in bound), []).append(fact)
        return self.by_arguments[key].get(tuple(arguments[i] for i in bound), [])

    def _literal(self, literal: Any, binding: Binding) -> Any:
        """The literal under a binding, or its truth value if it is static and has no unbound variables."""
        renamed = literal.rename_variables(binding)
        if renamed.predicate not in self.static and renamed.predicate != "=":
            return renamed
        if any(argument.startswith("?") for argument in renamed.args):
            return renamed
        holds = (renamed.args in self.facts.get(renamed.predicate, {})) != renamed.negated
        return pddl.Truth() if holds else pddl.Falsity()

    def _possible(self, literal: Any, binding: Binding) -> bool:
        """False if static facts rule out the literal under a binding of some of its variables."""
        if literal.negated or literal.predicate not in self.static:
            return not isinstance(self._literal(literal, binding), pddl.Falsity)
        return bool(self._facts_like(literal.predicate, [binding.get(name, name) for name in literal.args]))

    def _count(self, work: int = 1) -> None:
        """Add to the work counter; raises :class:`TooLargeError` above :data:`MAX_WORK`."""
        self.work += work
        if self.work > MAX_WORK:
            raise TooLargeError(self.owner)


class _DisjunctiveNormalForm:
    """Converts conditions to disjunctive normal form. A case is one of its conjunctions, with its literals as bits.

    A literal and its negation have neighbouring bits.
    """

    def __init__(self, count: Callable[[int], None]) -> None:
        self.count = count
        self.numbers: dict[Any, int] = {}
        self.literals: list[Any] = []
        self.first_of_pair = 0
        """The lower bit of each literal and its negation."""

    def condition(self, cases: list[int]) -> Any:
        """The condition that holds in these cases."""
        return pddl.Disjunction(
            [
                pddl.Conjunction([literal for i, literal in enumerate(self.literals) if case >> i & 1])
                for case in cases
            ]
        )  # fmt: skip

    def of(self, condition: Any) -> list[int]:
        """The cases of a condition. None implies another one if there are at most :data:`MAX_COMPARED`."""
        if isinstance(condition, pddl.Literal):
            return [1 << self._number_of(condition)]
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
                combined = (case | other for case in result if case in left for other in cases)
                result = _weakest([*kept, *filter(self._is_consistent, combined)])
                if len(result) > MAX_CONJUNCTIONS:
                    self.count(MAX_WORK)
        return result

    def _is_consistent(self, case: int) -> bool:
        """False if the case contains a literal and its negation."""
        return not case & (case >> 1) & self.first_of_pair

    def _number_of(self, literal: Any) -> int:
        """The number of a literal, which is its bit in cases. A new literal and its negation get the next two."""
        if literal not in self.numbers:
            if len(self.literals) > MAX_LITERALS:
                self.count(MAX_WORK)
            self.first_of_pair |= 1 << len(self.literals)
            for one in (literal, literal.negate()):
                self.numbers[one] = len(self.literals)
                self.literals.append(one)
        return self.numbers[literal]


def _weakest(cases: Iterable[int]) -> list[int]:
    """Remove duplicates and, if there are not too many cases, those that imply another one."""
    unique = list(dict.fromkeys(cases))
    if len(unique) > MAX_COMPARED:
        return unique
    kept: list[int] = []
    for case in sorted(unique, key=int.bit_count):
        if not any(case & other == other for other in kept):
            kept.append(case)
    return kept


def _joined(parts: Iterable[Any], junctor: type[Any]) -> Any:
    """A conjunction or disjunction without duplicates; stops at a part that decides its truth value."""
    absorbing, neutral = (pddl.Falsity, pddl.Truth) if junctor is pddl.Conjunction else (pddl.Truth, pddl.Falsity)
    kept: dict[Any, None] = {}
    for part in parts:
        if isinstance(part, absorbing):
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
    """The number of conjunctions in the disjunctive normal form of a condition."""
    if isinstance(condition, pddl.Disjunction):
        return sum(_conjunctions(part) for part in condition.parts)
    total = 1
    for part in condition.parts:
        total *= _conjunctions(part)
    return total
