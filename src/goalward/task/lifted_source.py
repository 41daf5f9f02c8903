"""Reads the parts that PDDL sections have in common (names, typed lists, keywords), with errors that name a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import cast

from goalward.errors import PddlError, UnsupportedError, did_you_mean
from goalward.task.lifted import OBJECT, TypedName, TypeHierarchy
from goalward.task.sexpr import IS_A_PLAN, Block, element_line, line_of

MAX_COST = 2**31 - 1
"""Maximum cost of an action, and maximum value of a function that costs refer to."""

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?")

_UNSUPPORTED_SECTIONS = {
    ":durative-action": "durative action",
    ":process": "process",
    ":event": "event",
    ":constraints": "constraints",
    ":axiom": "axiom",
    ":method": "method",
    ":task": "task",
    ":observable": "observable",
}
_REQUIREMENTS = frozenset(
    {
        ":strips", ":adl", ":typing", ":negation", ":equality", ":negative-preconditions", ":disjunctive-preconditions",
        ":existential-preconditions", ":universal-preconditions", ":quantified-preconditions", ":conditional-effects",
        ":derived-predicates", ":action-costs",
    }
)  # fmt: skip
_UNSUPPORTED_REQUIREMENTS = frozenset(
    {
        ":fluents", ":numeric-fluents", ":object-fluents", ":durative-actions", ":duration-inequalities",
        ":continuous-effects", ":timed-initial-literals", ":timed-effects", ":time", ":preferences", ":constraints",
        ":goal-utilities", ":contingent", ":non-deterministic", ":probabilistic-effects", ":hierarchy",
    }
)  # fmt: skip


NO_SECTION = Block()
"""An empty block, used for missing sections."""
NO_SECTION.offset = 0


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name of its file, which error messages need to name a line."""

    text: str
    name: str

    def line(self, block: Block, index: int | None = None) -> int:
        """Return the line of the block, or of one of its elements."""
        return line_of(self.text, block.offset) if index is None else element_line(self.text, block, index)

    def error(self, message: str, block: Block, index: int | None = None) -> PddlError:
        """Return an error at the block, or at one of its elements."""
        return PddlError(message, self.name, self.line(block, index))

    def unsupported(self, message: str, block: Block, index: int | None = None) -> UnsupportedError:
        """Return an error about a PDDL feature that is not supported."""
        return UnsupportedError(message, self.name, self.line(block, index))


def show(element: str | Block) -> str:
    """Return the text of an element for an error message: in quotes, short_message to 60 characters."""
    text = _render(element)
    return repr(text if len(text) <= 60 else text[:57] + "...")


def _render(element: str | Block) -> str:
    return element if isinstance(element, str) else f"({' '.join(map(_render, element))})"


def read_name(source: Source, block: Block, index: int, what: str) -> str:
    """Return an element that must be a plain word, neither a variable nor a keyword."""
    if index >= len(block):
        raise source.error(f"the name of {what} is missing", block)
    name = block[index]
    if isinstance(name, Block) or name[0] in "?:":
        raise source.error(f"expected the name of {what} but found {show(name)}", block, index)
    return name


def read_typed_list(
    source: Source,
    block: Block,
    start: int,
    types: TypeHierarchy | None,
    *,
    what: str,
    variables: bool = False,
    either: bool = False,
) -> Iterator[tuple[int, TypedName]]:
    """Yield the names of ``a b - type c …`` from ``block[start:]`` with their positions.

    Without ``types``, types need not be declared; this is for the section that declares them.
    """
    pending: list[tuple[int, str]] = []
    index = start
    while index < len(block):
        element = block[index]
        if element == "-":
            index += 1
            if index == len(block):
                raise source.error("a type is missing after the last '-'", block, index - 1)
            found = _read_type(source, block, index, types, either)
            for position, name in pending:
                yield position, TypedName(name, found)
            pending.clear()
        elif not variables:
            pending.append((index, read_name(source, block, index, what)))
        elif isinstance(element, str) and element[0] == "?" and len(element) > 1:
            pending.append((index, element))
        else:
            hint = "; is a space missing after '-'?" if element[:1] == "-" else ""
            raise source.error(f"expected {what} such as '?x' but found {show(element)}{hint}", block, index)
        index += 1
    for position, name in pending:
        yield position, TypedName(name, (OBJECT,))


def _read_type(source: Source, block: Block, index: int, types: TypeHierarchy | None, either: bool) -> tuple[str, ...]:
    element = block[index]
    if isinstance(element, str):
        options, names = block, [(index, element)]
    elif len(element) < 2 or element[0] != "either" or any(isinstance(name, Block) for name in element):
        raise source.error(f"expected a type but found {show(element)}", block, index)
    elif not either:
        raise source.unsupported(f"{show(element)} may type a variable, not an object or another type", block, index)
    else:
        options, names = element, [(i, name) for i, name in enumerate(element) if i and isinstance(name, str)]
    for position, name in names:
        if types is not None and name not in types:
            raise source.error(f"undeclared type {show(name)}{did_you_mean(name, types.parents)}", options, position)
    return tuple(name for _, name in names)


def read_variables(source: Source, block: Block, types: TypeHierarchy, start: int = 0) -> tuple[TypedName, ...]:
    """Return the variables of an action or quantifier; raises an error if one is declared twice."""
    seen: dict[str, TypedName] = {}
    for index, variable in read_typed_list(source, block, start, types, what="a variable", variables=True, either=True):
        if variable.name in seen:
            raise source.error(f"variable {variable.name!r} is declared twice", block, index)
        seen[variable.name] = variable
    return tuple(seen.values())


def is_number(word: str) -> bool:
    """True if a word looks like a number, whether or not it is a valid cost."""
    return _NUMBER.fullmatch(word) is not None


def read_cost(source: Source, block: Block, index: int, what: str) -> int | None:
    """Return the number at ``block[index]``, or ``None`` if the element does not look like a number."""
    word = block[index]
    if isinstance(word, Block) or not is_number(word):
        return None
    if not word.isdigit() or len(word.lstrip("0")) > len(str(MAX_COST)) or int(word) > MAX_COST:
        raise source.error(f"{what} must be a whole number from 0 to {MAX_COST}, but is {show(word)}", block, index)
    return int(word)


def read_header(source: Source, root: Block, kind: str) -> str:
    """Return the name of the domain or problem; ``kind`` is ``"domain"`` or ``"problem"``."""
    if root and root[0] != "define" and all(isinstance(word, str) for word in root):
        raise source.error(IS_A_PLAN, root)
    if not root or root[0] != "define":
        raise source.error(f"a {kind} file starts with '(define ({kind} NAME)'", root)
    title = root[1] if len(root) > 1 else ""
    if not isinstance(title, Block) or not title or title[0] != kind:
        other = {"domain": "problem", "problem": "domain"}[kind]
        if isinstance(title, Block) and title[:1] == [other]:
            raise source.error(f"this is a {other}, but a {kind} is expected here: the domain comes first", root, 1)
        found = f", but found {show(title)}" if title else ""
        raise source.error(f"expected '({kind} NAME)' after 'define'{found}", root, 1)
    name = read_name(source, title, 1, f"the {kind}")
    if len(title) > 2:
        raise source.error(f"the {kind} has more than one name", title, 2)
    return name


def read_section(source: Source, root: Block, index: int, known: tuple[str, ...]) -> tuple[str, Block]:
    """Return the section at ``root[index]`` and its keyword, which must be one of ``known``."""
    section = root[index]
    if isinstance(section, str) or not section or isinstance(section[0], Block):
        raise source.error(f"expected a section such as '({known[-1]} …)' but found {show(section)}", root, index)
    name = section[0]
    if name in _UNSUPPORTED_SECTIONS:
        title = section[1] if len(section) > 1 and isinstance(section[1], str) else ""
        what = f"{_UNSUPPORTED_SECTIONS[name]} {show(title)}" if title else f"section '({name} …)'"
        raise source.unsupported(f"{what}: goalward does not handle this kind of planning", section)
    if name not in known:
        raise source.error(f"unknown section {show(name)}{did_you_mean(name, known)}", section)
    return name, section


def read_requirements(source: Source, section: Block) -> tuple[tuple[str, ...], UnsupportedError | None]:
    """Return the requirements, and an error about an unsupported one.

    The error should be raised last: an error about the unsupported feature itself is more helpful.
    """
    later = None
    for index, label in enumerate(section[1:], start=1):
        if isinstance(label, str) and label in _UNSUPPORTED_REQUIREMENTS:
            later = later or source.unsupported(f"requirement {label!r} is not supported", section, index)
        elif isinstance(label, Block) or label not in _REQUIREMENTS:
            hint = did_you_mean(label, sorted(_REQUIREMENTS)) if isinstance(label, str) else ""
            raise source.error(f"unknown requirement {show(label)}{hint}", section, index)
    return tuple(cast(list[str], section[1:])), later


def read_objects(
    source: Source, section: Block, types: TypeHierarchy, what: str, taken: Mapping[str, str]
) -> dict[str, str]:
    """Return the declared objects or constants with their types; none may be declared twice or be ``taken``."""
    objects: dict[str, str] = {}
    for index, entry in read_typed_list(
        source, section, 1, types, what="an object" if what == "object" else "a constant"
    ):
        if entry.name in objects or entry.name in taken:
            where = "twice" if entry.name in objects else "already, as a constant of the domain"
            raise source.error(f"{what} {show(entry.name)} is declared {where}", section, index)
        (objects[entry.name],) = entry.types
    return objects
