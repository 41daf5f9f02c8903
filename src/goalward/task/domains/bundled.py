"""The description of a bundled domain: its PDDL, the options of its generator, and the generator itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goalward.task.strips import Task

LINE_WIDTH = 110


@dataclass(frozen=True)
class Option:
    """A whole-number parameter of a generator, from ``low`` to ``high``."""

    name: str
    default: int
    low: int
    high: int
    help: str

    def admits(self, value: int) -> bool:
        """True if ``value`` is within the bounds."""
        return self.low <= value <= self.high


@dataclass(frozen=True)
class Problem:
    """The parts of a problem file; ``objects`` maps each type ("" if untyped) to its objects, and each fact is PDDL."""

    objects: dict[str, list[str]]
    init: list[str]
    goal: list[str]
    metric: str = ""


@dataclass(frozen=True)
class BundledDomain:
    """A domain with a generator of solvable problems.

    ``make(rng, **parameters)`` draws one random problem. ``scaled(size)`` gives the value of every option for a size of
    at least 1.
    """

    name: str
    summary: str
    text: str
    options: tuple[Option, ...]
    make: Callable[..., Problem]
    scaled: Callable[[int], dict[str, int]]

    @property
    def defaults(self) -> dict[str, int]:
        """The default of every option."""
        return {option.name: option.default for option in self.options}

    @property
    def max_size(self) -> int:
        """The maximum size for which all parameters are within their bounds; parameters never shrink with size."""
        size = 1
        while all(option.admits(self.scaled(size + 1)[option.name]) for option in self.options):
            size += 1
        return size


@dataclass(frozen=True)
class Instance:
    """A generated problem and its domain, as PDDL texts."""

    domain_name: str
    problem_name: str
    domain_text: str
    problem_text: str

    def __repr__(self) -> str:
        return f"<Instance {self.problem_name}>"

    def ground(self) -> Task:
        """Ground the problem."""
        from goalward.task.grounding import ground  # noqa: PLC0415 - loads the translator
        from goalward.task.lifted_reader import parse_domain, parse_problem  # noqa: PLC0415

        domain = parse_domain(self.domain_text, f"the domain {self.domain_name}")
        return ground(domain, parse_problem(self.problem_text, self.problem_name, domain))


def fact(name: str, *arguments: str) -> str:
    """An atom as PDDL: ``fact("on", "b1", "b2")`` is ``(on b1 b2)``."""
    return f"({' '.join((name, *arguments))})"


def names(prefix: str, count: int) -> list[str]:
    """``count`` object names: the prefix with numbers from 1."""
    return [f"{prefix}{i}" for i in range(1, count + 1)]


def problem_text(problem: Problem, name: str, domain: str, header: str) -> str:
    """The text of the problem file: ``header`` as a comment, then the sections with one fact per line."""
    lines = [f"; {header}", f"(define (problem {name})", f"  (:domain {domain})", "  (:objects"]
    for type_name, members in problem.objects.items():
        lines.append(_wrapped(" ".join(members) + (f" - {type_name}" if type_name else "")))
    lines += ["  )", "  (:init", *_indented(problem.init), "  )"]
    lines += ["  (:goal (and", *_indented(problem.goal), "  ))"]
    if problem.metric:
        lines.append(f"  (:metric {problem.metric})")
    return "\n".join([*lines, ")", ""])


def _indented(facts: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in facts]


def _wrapped(text: str) -> str:
    indent = "    "
    return fill(
        text,
        LINE_WIDTH,
        initial_indent=indent,
        subsequent_indent=indent,
        break_on_hyphens=False,
        break_long_words=False,
    )
