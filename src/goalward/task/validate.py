"""Validates plans on the PDDL: action schemas, objects and a set of ground atoms.

The validator shares no code with grounding or the translator, so it also finds mistakes made there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

from goalward.errors import UnsupportedError
from goalward.task.lifted import (
    ActionSchema,
    Add,
    AllOf,
    And,
    Atom,
    Condition,
    Delete,
    Domain,
    Effect,
    Equal,
    Exists,
    Forall,
    ForEach,
    FunctionTerm,
    GroundAtom,
    Imply,
    Increase,
    Not,
    Or,
    Problem,
    TypedName,
    When,
)

Binding = dict[str, str]
"""The object that is bound to each variable."""


@dataclass(frozen=True, slots=True)
class Validation:
    """The verdict on a plan.

    ``length`` is the number of all steps, ``cost`` the cost of those before the first that failed. ``failed_step``
    counts from 1; it is None if all steps are applicable, even if they do not reach the goal. ``reason`` is empty for
    a valid plan.
    """

    valid: bool
    length: int
    cost: int
    failed_step: int | None
    reason: str


class _StepError(Exception):
    """A step is not applicable; the text says why."""


def validate_plan(domain: Domain, problem: Problem, steps: Iterable[str | tuple[str, ...]]) -> Validation:
    """Check whether the steps are applicable one after the other and reach the goal.

    A step is a text such as ``(action object …)``, as in ``Outcome.steps``, or a tuple of its words.
    """
    if domain.derived:
        rule = domain.derived[0]
        raise UnsupportedError(
            f"plans cannot be checked with the derived predicate {rule.name!r}", domain.source, rule.line
        )
    words = [
        step.strip().removeprefix("(").removesuffix(")").split() if isinstance(step, str) else step for step in steps
    ]
    plan = [tuple(word.lower() for word in step) for step in words]
    world = _World(domain, problem)
    cost = 0
    for number, step in enumerate(plan, start=1):
        try:
            cost += world.apply(step)
        except _StepError as failure:
            return Validation(False, len(plan), cost, number, f"step {number}{failure}")
    missing = world.first_false(problem.goal, {})
    if missing:
        return Validation(False, len(plan), cost, None, f"the goal does not hold after the last step: {missing}")
    return Validation(True, len(plan), cost, None, "")


class _World:
    """The objects of a problem and the atoms that are true in the current state."""

    def __init__(self, domain: Domain, problem: Problem) -> None:
        self.domain = domain
        self.problem = problem
        self.objects = {**domain.constants, **problem.objects}
        self.true: set[GroundAtom] = set(problem.init)
        self._of_types: dict[tuple[str, ...], list[str]] = {}

    def apply(self, step: GroundAtom) -> int:
        """Apply a step and return its cost."""
        name = f" {_written(step)}"
        schema = self.domain.actions.get(step[0]) if step else None
        if schema is None:
            raise _StepError(f": there is no action {_written(step)}")
        binding = self._bind(schema, step)
        if not self.holds(schema.precondition, binding):
            raise _StepError(f"{name}: {self.first_false(schema.precondition, binding)}")
        add: set[GroundAtom] = set()
        delete: set[GroundAtom] = set()
        cost = self._collect(schema.effect, binding, add, delete, name)
        self.true -= delete
        self.true |= add
        return cost if self.problem.minimizes_cost else 1

    def _bind(self, schema: ActionSchema, step: GroundAtom) -> Binding:
        name, arguments = f" {_written(step)}", step[1:]
        if len(arguments) != len(schema.parameters):
            raise _StepError(f"{name}: it has {len(arguments)} objects instead of {len(schema.parameters)}")
        for argument, parameter in zip(arguments, schema.parameters, strict=True):
            kind = self.objects.get(argument)
            if kind is None:
                raise _StepError(f"{name}: there is no object {argument}")
            if not self.domain.types.fits(kind, parameter.types):
                wanted = " or ".join(parameter.types)
                raise _StepError(f"{name}: {argument} is of type {kind}, but {parameter.name} must be {wanted}")
        return {parameter.name: argument for parameter, argument in zip(schema.parameters, arguments, strict=True)}

    def holds(self, condition: Condition, binding: Binding) -> bool:
        """True if a condition holds in the current state."""
        match condition:
            case Atom():
                return _ground(condition, binding) in self.true
            case And(parts):
                return all(self.holds(part, binding) for part in parts)
            case Or(parts):
                return any(self.holds(part, binding) for part in parts)
            case Not(part):
                return not self.holds(part, binding)
            case Imply(left, right):
                return not self.holds(left, binding) or self.holds(right, binding)
            case Equal(left_term, right_term):
                return binding.get(left_term, left_term) == binding.get(right_term, right_term)
            case Forall(parameters, part):
                return all(self.holds(part, inner) for inner in self._bindings(parameters, binding))
            case Exists(parameters, part):
                return any(self.holds(part, inner) for inner in self._bindings(parameters, binding))

    def first_false(self, condition: Condition, binding: Binding) -> str:
        """Describe the first part of a condition that does not hold; return an empty text if all of it holds."""
        if self.holds(condition, binding):
            return ""
        match condition:
            case And(parts):
                return next(reason for part in parts if (reason := self.first_false(part, binding)))
            case Forall(parameters, part):
                inner = self._bindings(parameters, binding)
                return next(reason for each in inner if (reason := self.first_false(part, each)))
            case Not(part):
                return f"{_shown(part, binding)} is true"
        return f"{_shown(condition, binding)} is false"

    def _bindings(self, parameters: tuple[TypedName, ...], binding: Binding) -> Iterator[Binding]:
        names = [parameter.name for parameter in parameters]
        for choice in product(*(self._objects_of(parameter.types) for parameter in parameters)):
            yield {**binding, **dict(zip(names, choice, strict=True))}

    def _objects_of(self, types: tuple[str, ...]) -> list[str]:
        objects = self._of_types.get(types)
        if objects is None:
            fits = self.domain.types.fits
            objects = self._of_types[types] = [name for name, kind in self.objects.items() if fits(kind, types)]
        return objects

    def _collect(
        self, effect: Effect, binding: Binding, add: set[GroundAtom], delete: set[GroundAtom], name: str
    ) -> int:
        """Collect the atoms that an effect adds and deletes in the current state, and return its cost."""
        match effect:
            case Add(atom):
                add.add(_ground(atom, binding))
            case Delete(atom):
                delete.add(_ground(atom, binding))
            case AllOf(parts):
                return sum(self._collect(part, binding, add, delete, name) for part in parts)
            case ForEach(parameters, part):
                return sum(self._collect(part, each, add, delete, name) for each in self._bindings(parameters, binding))
            case When(condition, part):
                return self._collect(part, binding, add, delete, name) if self.holds(condition, binding) else 0
            case Increase(int(amount)):
                return amount
            case Increase(FunctionTerm(function, arguments)):
                term = (function, *(binding.get(argument, argument) for argument in arguments))
                if term not in self.problem.function_values:
                    raise _StepError(f"{name}: its cost {_written(term)} has no value in :init")
                return self.problem.function_values[term]
        return 0


def _ground(atom: Atom, binding: Binding) -> GroundAtom:
    return (atom.predicate, *(binding.get(argument, argument) for argument in atom.arguments))


def _written(words: Iterable[str]) -> str:
    return f"({' '.join(words)})"


def _shown(condition: Condition, binding: Binding) -> str:
    """Return a condition in PDDL with its variables replaced by objects, short_message to 200 characters."""
    text = _pddl(condition, binding)
    return text if len(text) <= 200 else text[:197] + "..."


def _pddl(condition: Condition, binding: Binding) -> str:
    match condition:
        case Atom():
            return _written(_ground(condition, binding))
        case Equal(left_term, right_term):
            return _written(("=", binding.get(left_term, left_term), binding.get(right_term, right_term)))
        case Not(part):
            return f"(not {_pddl(part, binding)})"
        case Imply(left, right):
            return f"(imply {_pddl(left, binding)} {_pddl(right, binding)})"
        case And(parts):
            return _written(["and", *(_pddl(part, binding) for part in parts)])
        case Or(parts):
            return _written(["or", *(_pddl(part, binding) for part in parts)])
        case Forall(parameters, part) | Exists(parameters, part):
            names = {parameter.name for parameter in parameters}
            outer = {variable: value for variable, value in binding.items() if variable not in names}
            typed = " ".join(f"{parameter.name} - {'/'.join(parameter.types)}" for parameter in parameters)
            word = "forall" if isinstance(condition, Forall) else "exists"
            return f"({word} ({typed}) {_pddl(part, outer)})"
