"""Runs Fast Downward's translator as a library: it parses, normalises, instantiates and finds mutex groups.

goalward extends it in two ways. Universal conditions are expanded over the objects, because the translator would turn
them into axioms. A problem may have several initial states.
"""

from __future__ import annotations

import contextlib
import io
import logging
from collections.abc import Sequence
from typing import Any

from fast_downward.translate import fact_groups, instantiate, invariant_finder, normalize, options, pddl
from fast_downward.translate.pddl_parser import parsing_functions
from fast_downward.translate.pddl_parser.parse_error import ParseError

from goalward.errors import ExitCode, GoalwardError, PddlError, UnsupportedError
from goalward.task import sexpr
from goalward.task.lifted import Domain, Problem
from goalward.task.quantifiers import TooLargeError, expand_quantifiers

log = logging.getLogger(__name__)


class UnsolvableError(GoalwardError):
    """No plan exists, as grounding shows without a search."""

    exit_code = ExitCode.TRANSLATE_UNSOLVABLE


def translate(
    domain: Domain, problem: Problem, others: Sequence[Problem]
) -> tuple[Any, tuple[Any, ...], list[list[Any]], list[list[Any]]]:
    """Run the translator; its output goes to the debug log.

    Returns the parsed problem, the result of its exploration, mutex groups, and the facts of every initial state.
    """
    options.set_options(["domain", "problem"])
    output = io.StringIO()
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            blocks = [sexpr.parse(file.text, file.source) for file in (domain, problem)]
            parsed = parsing_functions.parse_task(*_without_either(*blocks))
            inits = [parsed.init, *(_parsed_init(domain, other) for other in others)]
            if others:
                parsed.init = list(dict.fromkeys(fact for init in inits for fact in init))
            expand_quantifiers(parsed)
            if isinstance(parsed.goal, pddl.Falsity):
                raise UnsolvableError(f"{problem.source}: no plan exists, the goal is never true")
            if isinstance(parsed.goal, pddl.Truth):
                parsed.goal = pddl.Conjunction([])  # anything else would become an axiom
            normalize.normalize(parsed)
            reachable, fluents, actions, goal, axioms, parameters = instantiate.explore(parsed)
            groups: list[list[Any]] = []
            if reachable and goal is not None and not axioms:
                groups = _mutex_groups(parsed, inits, fluents, parameters)
    except GoalwardError:
        raise
    except (MemoryError, KeyboardInterrupt):
        raise
    except TooLargeError as error:
        raise _too_large(domain, problem, str(error)) from None
    except ParseError as error:
        lines = [
            line.strip() for line in str(error).splitlines() if line.strip() and not line.lstrip().startswith("->")
        ]
        raise PddlError("; ".join(lines[-3:]), problem.source) from None
    except SystemExit as error:
        raise PddlError(str(error).replace("\n", " "), problem.source) from None
    except Exception as error:  # on malformed input the translator fails with assertions, index errors and the like
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PddlError(
            f"the translator cannot handle {domain.source} with this problem ({detail})", problem.source
        ) from error
    log.debug("translator: %s", output.getvalue())
    return parsed, (reachable, fluents, actions, goal, axioms), groups, inits


def _parsed_init(domain: Domain, problem: Problem) -> list[Any]:
    """The atoms of another problem's initial state. Values of functions are taken from the main problem only."""
    blocks = [sexpr.parse(file.text, file.source) for file in (domain, problem)]
    parsed = parsing_functions.parse_task(*_without_either(*blocks))
    return [fact for fact in parsed.init if isinstance(fact, pddl.Atom)]


def _mutex_groups(parsed: Any, inits: list[list[Any]], fluents: Any, parameters: Any) -> list[list[Any]]:
    """Groups of atoms of which at most one holds in each initial state, and so in every reachable state.

    No action increases the number of true atoms of a candidate. So a group that the translator finds for one initial
    state also holds for another one that has at most one of its atoms.
    """
    if len(inits) == 1:
        groups: list[list[Any]] = fact_groups.compute_groups(parsed, fluents, parameters, set())[1]
        return groups
    candidates = list(invariant_finder.find_invariants(parsed, parameters))
    found = [group for init in inits for group in invariant_finder.useful_groups(candidates, init)]
    states = [set(init) for init in inits]
    return [
        group
        for group in fact_groups.sort_groups(fact_groups.instantiate_groups(found, parsed, fluents))
        if all(sum(atom in state for atom in group) <= 1 for state in states)
    ]


def _without_either(domain: sexpr.Block, problem: sexpr.Block) -> tuple[sexpr.Block, sexpr.Block]:
    """Replace every ``(either a b)`` by a new supertype of a and b; the translator supports it in predicates only."""
    unions: dict[str, list[Any]] = {}

    def replace(block: sexpr.Block) -> None:
        for i, element in enumerate(block):
            if not isinstance(element, sexpr.Block):
                continue
            if element and element[0] == "either" and i > 0 and block[i - 1] == "-":
                name = "@".join(map(str, element))
                unions[name] = element[1:]
                block[i] = name
            else:
                replace(element)

    replace(domain)
    replace(problem)
    if unions:
        declarations = [word for name, parts in unions.items() for word in [*parts, "-", name]]
        tops = [*unions, "-", "object"]
        types = next((block for block in domain if isinstance(block, sexpr.Block) and block[0] == ":types"), None)
        if types is not None:
            # Otherwise types at the end of the list that have no parent would become subtypes of the first union.
            types.extend([] if len(types) < 3 or types[-2] == "-" else ["-", "object"])
            types.extend([*declarations, *tops])
    return domain, problem


def _too_large(domain: Domain, problem: Problem, owner: str) -> UnsupportedError:
    name = owner.removeprefix("action ")
    line = domain.actions[name].line if name in domain.actions else None
    return UnsupportedError(
        f"the condition of {owner} is too large to ground: expanded over all objects it has too many conjunctions; "
        "split the action, or use fewer alternatives inside 'forall'",
        domain.source if line is not None else problem.source,
        line,
    )
