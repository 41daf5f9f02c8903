"""Lifted domains and problems: schemas, conditions and effects over variables.

All names are lower case. A condition or effect is a tree of the classes below, made for ``match`` statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

OBJECT = "object"
"""The root of the type hierarchy."""

TOTAL_COST = "total-cost"
"""The only function that actions may change."""

GroundAtom = tuple[str, ...]
"""A predicate and its objects, as in ``("on", "a", "b")``."""


@dataclass(frozen=True, slots=True)
class TypedName:
    """A parameter and its type, or its types if it was declared with ``either``."""

    name: str
    types: tuple[str, ...]


@dataclass(frozen=True)
class TypeHierarchy:
    """The declared types with their parents; a type that is declared twice has the parents of both declarations."""

    parents: Mapping[str, tuple[str, ...]]
    _ancestors: dict[str, frozenset[str]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self.parents

    def ancestors(self, name: str) -> frozenset[str]:
        """Return the type itself and all its supertypes."""
        ancestors = self._ancestors.get(name)
        if ancestors is None:
            reached, pending = {name}, [name]
            while pending:
                new = [parent for parent in self.parents[pending.pop()] if parent not in reached]
                reached.update(new)
                pending += new
            ancestors = self._ancestors[name] = frozenset(reached)
        return ancestors

    def fits(self, name: str, types: Iterable[str]) -> bool:
        """True if every object of type ``name`` is also of one of ``types``."""
        return not self.ancestors(name).isdisjoint(types)

    def may_fit(self, types: Iterable[str], others: Iterable[str]) -> bool:
        """True if some type is a subtype of one of ``types`` and of one of ``others``."""
        return any(self.fits(name, types) and self.fits(name, others) for name in self.parents)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A declared predicate."""

    name: str
    parameters: tuple[TypedName, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A declared numeric function: ``total-cost``, or a function with constant values that action costs refer to."""

    name: str
    parameters: tuple[TypedName, ...]


@dataclass(frozen=True, slots=True)
class Atom:
    """``(predicate argument …)``; arguments are variables (``?x``) or objects."""

    predicate: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equal:
    """``(= left right)`` over objects."""

    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Not:
    """``(not part)``."""

    part: Condition


@dataclass(frozen=True, slots=True)
class And:
    """``(and part …)``; true if it has no parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """``(or part …)``; false if it has no parts."""

    parts: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Imply:
    """``(imply left right)``."""

    left: Condition
    right: Condition


@dataclass(frozen=True, slots=True)
class Forall:
    """``(forall (parameters) part)``."""

    parameters: tuple[TypedName, ...]
    part: Condition


@dataclass(frozen=True, slots=True)
class Exists:
    """``(exists (parameters) part)``."""

    parameters: tuple[TypedName, ...]
    part: Condition


Condition = Atom | Equal | Not | And | Or | Imply | Forall | Exists


@dataclass(frozen=True, slots=True)
class Add:
    """The atom becomes true, even if the same action deletes it."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class Delete:
    """The atom becomes false."""

    atom: Atom


@dataclass(frozen=True, slots=True)
class FunctionTerm:
    """``(function argument …)``: a constant whose value is given in the problem's ``:init``."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Increase:
    """``(increase (total-cost) amount)``."""

    amount: int | FunctionTerm


@dataclass(frozen=True, slots=True)
class AllOf:
    """``(and effect …)``: all of the effects."""

    parts: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class ForEach:
    """``(forall (parameters) effect)``: the effect for each choice of objects."""

    parameters: tuple[TypedName, ...]
    part: Effect


@dataclass(frozen=True, slots=True)
class When:
    """``(when condition effect)``; the condition is evaluated in the state before the action."""

    condition: Condition
    part: Effect


Effect = Add | Delete | Increase | AllOf | ForEach | When


@dataclass(frozen=True, slots=True)
class ActionSchema:
    """An action with parameters; ``line`` is where it starts in the domain file."""

    name: str
    parameters: tuple[TypedName, ...]
    precondition: Condition
    effect: Effect
    line: int


@dataclass(frozen=True, slots=True)
class DerivedRule:
    """``(:derived (name …) condition)``: the predicate is true if the condition is."""

    name: str
    parameters: tuple[TypedName, ...]
    condition: Condition
    line: int


@dataclass(frozen=True)
class Domain:
    """A domain file; ``constants`` maps each constant to its type."""

    name: str
    requirements: tuple[str, ...]
    types: TypeHierarchy
    constants: Mapping[str, str]
    predicates: Mapping[str, Predicate]
    functions: Mapping[str, Function]
    actions: Mapping[str, ActionSchema]
    derived: tuple[DerivedRule, ...]
    source: str
    text: str = field(repr=False)


@dataclass(frozen=True)
class Problem:
    """A problem file; ``objects`` (without the domain's constants) maps each object to its type.

    ``init`` contains the true atoms, each once and in the order of the file. ``function_values`` maps each function
    term, such as ``("distance", "a", "b")``, to its value.
    """

    name: str
    domain_name: str
    objects: Mapping[str, str]
    init: tuple[GroundAtom, ...]
    function_values: Mapping[GroundAtom, int]
    goal: Condition
    minimizes_cost: bool
    source: str
    text: str = field(repr=False)
