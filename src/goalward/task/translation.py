"""Fast Downward's translator used as a library: it parses, normalises, instantiates and finds mutex groups.

What goalward adds: universal conditions are expanded over the objects (the translator would turn them into axioms), and
a problem may have several initial states.
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
    """Grounding alone proves that no plan exists."""

    exit_code = ExitCode.TRANSLATE_UNSOLVABLE


def translate(
    domain: Domain, problem: Problem, others: Sequence[Problem]
) -> tuple[Any, tuple[Any, ...], list[list[Any]], list[list[Any]]]:
    """Run the translator's steps with its chatter kept out of our streams.

    Gives the parsed problem, what the translator found, mutex groups, and the facts of every initial state.
    """
    options.set_options(["domain", "problem"])
    chatter = io.StringIO()
    try:
        with contextlib.redirect_stdout(chatter), contextlib.redirect_stderr(chatter):
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
    except Exception as error:  # the translator asserts and indexes its way through malformed input
        detail = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PddlError(
            f"the translator cannot handle {domain.source} with this problem ({detail})", problem.source
        ) from error
    log.debug("translator: %s", chatter.getvalue())
    return parsed, (reachable, fluents, actions, goal, axioms), groups, inits


def _parsed_init(domain: Domain, problem: Problem) -> list[Any]:
    """The facts of another initial state; what a fluent costs stands in the problem itself."""
    blocks = [sexpr.parse(file.text, file.source) for file in (domain, problem)]
    parsed = parsing_functions.parse_task(*_without_either(*blocks))
    return [fact for fact in parsed.init if isinstance(fact, pddl.Atom)]


def _mutex_groups(parsed: Any, inits: list[list[Any]], fluents: Any, parameters: Any) -> list[list[Any]]:
    """Groups of atoms of which at most one holds in each initial state, and ever after.

    No action raises the number of a candidate's atoms that hold. So a group that the translator finds from one initial
    state is one for the others too where these have at most one of its atoms.
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
    """Give every ``(either a b)`` a type of its own above a and b: the translator knows them in predicates only."""
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
            # Types without a parent at the end of the list would otherwise fall under the first union.
            types.extend([] if len(types) < 3 or types[-2] == "-" else ["-", "object"])
            types.extend([*declarations, *tops])
    return domain, problem


def _too_large(domain: Domain, problem: Problem, owner: str) -> UnsupportedError:
    name = owner.removeprefix("action ")
    line = domain.actions[name].line if name in domain.actions else None
    return UnsupportedError(
        f"the condition of {owner} has too many cases: written out over the objects, as a disjunction of conjunctions, "
        "it is too large to ground; split the action, or state the condition with fewer alternatives inside 'forall'",
        domain.source if line is not None else problem.source,
        line,
    )
