"""Quantified conditions turned into plain ones before the translator sees them.

The translator would make an axiom of each ``forall``; here it becomes the conjunction over the objects. Multiplied out
into a disjunction of conjunctions, which is what the translator does next, such formulas explode. Most of what is in
them is decided by atoms that no action changes, once the action's parameters are known. So where a precondition would
grow large, the action is copied for each binding of the parameters that its quantified parts mention, and every copy
keeps only what its binding leaves open.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from fast_downward.translate import instantiate, pddl

Binding = dict[str, str]

SMALL = 32
"""Conjunctions that a precondition may have without being split up by the bindings of its action."""
LARGE = 20_000
"""Conjunctions of one action, over all of its bindings, that are still worth grounding."""
MOST_WORK = 300_000
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
        self.objects = instantiate.get_objects_by_type(parsed.objects, parsed.types)
        changing = {effect.literal.predicate for action in parsed.actions for effect in action.effects}
        changing |= {axiom.name for axiom in parsed.axioms}
        self.static = {predicate.name for predicate in parsed.predicates} - changing
        self.facts = {(fact.predicate, fact.args) for fact in parsed.init if isinstance(fact, pddl.Atom)}
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
        for effect in action.effects:
            if effect.condition.has_universal_part():
                names = {p.name: p.type_name for p in [*action.parameters, *effect.parameters]}
                effect.condition = self.condition(effect.condition, {}, existential=False).uniquify_variables(names)
        precondition = action.precondition
        if not (precondition.has_universal_part() or precondition.has_disjunction()):
            return [action]
        try:
            simple = self.condition(precondition, {}, existential=False)
        except TooLargeError:
            simple = None
        if simple is not None and _conjunctions(simple) <= SMALL:
            # Copies of one `exists` must not share their variable when they are pulled out of the conjunction.
            action.precondition = simple.uniquify_variables({p.name: p.type_name for p in action.parameters})
            return [action]
        return list(self._by_binding(action))

    def _by_binding(self, action: Any) -> Iterator[Any]:
        self.work = 0
        parts = _conjuncts(action.precondition)
        mentioned = {name for part in parts if not isinstance(part, pddl.Literal) for name in part.free_variables()}
        bound = [parameter for parameter in action.parameters if parameter.name in mentioned]
        literals = [part for part in parts if isinstance(part, pddl.Literal)]
        total = 0
        for binding in self._bindings(bound, literals):
            precondition = self.condition(action.precondition, binding, existential=True)
            if isinstance(precondition, pddl.Falsity):
                continue
            total += _conjunctions(precondition)
            self.check(total)
            fixed = [pddl.Atom("=", item) for item in binding.items()]
            yield pddl.Action(
                action.name,
                action.parameters,
                action.num_external_parameters,
                pddl.Conjunction([*fixed, precondition]).simplified(),
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
            if any(isinstance(self._literal(literal, binding), pddl.Falsity) for literal in literals):
                continue
            if len(binding) == len(parameters):
                yield binding
                continue
            parameter = parameters[len(binding)]
            names = self.objects.get(parameter.type_name, [])
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
        names = [parameter.name for parameter in condition.parameters]
        choices = [self.objects.get(parameter.type_name, []) for parameter in condition.parameters]
        for row in product(*choices):
            inside = {**binding, **dict(zip(names, row, strict=True))}
            yield self.condition(condition.parts[0], inside, existential=True)

    def _literal(self, literal: Any, binding: Binding) -> Any:
        """The literal under a binding; true or false where nothing can change it any more."""
        renamed = literal.rename_variables(binding)
        if renamed.predicate not in self.static and renamed.predicate != "=":
            return renamed
        if any(argument.startswith("?") for argument in renamed.args):
            return renamed
        holds = ((renamed.predicate, renamed.args) in self.facts) != renamed.negated
        return pddl.Truth() if holds else pddl.Falsity()

    def _count(self) -> None:
        self.work += 1
        if self.work > MOST_WORK:
            raise TooLargeError(self.owner)


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
