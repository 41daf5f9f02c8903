"""States to begin at, and the check on the PDDL that every plan from them must pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from goalward.errors import GoalwardError, StoredFileError
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import format_problem
from goalward.task.strips import Ints, Task
from goalward.task.validate import validate_plan


@dataclass(frozen=True, eq=False)
class Start:
    """A state to begin at, on the atoms of its task.

    ``text`` is the PDDL problem that it was read from; plans are checked on that. A state that was never PDDL (the end
    of a random walk, say) is written as PDDL for the check. ``stored`` says that the task comes from a file, whose
    arrays may contradict its PDDL.
    """

    task: Task
    atoms: Ints
    text: str | None = None
    source: str = "this state"
    stored: bool = False


def initial_state(task: Task) -> Start:
    """The state in which the task itself begins."""
    return Start(task, task.init, task.problem_text, task.problem_name)


def check_plan(start: Start, steps: Sequence[str]) -> None:
    """No plan leaves this program unless the checker, which shares no code with search, accepts it.

    A task that was made from arrays, not from PDDL, has nothing that a plan could be checked on.
    """
    if not start.task.domain_text:
        return
    text = format_problem(start.task, start.atoms, "state") if start.text is None else start.text
    problem = _lifted_problem(text, start.source, start.task.domain_text)
    verdict = validate_plan(_lifted_domain(start.task.domain_text), problem, steps)
    if not verdict.valid and start.stored:
        raise StoredFileError(
            f"the model's operators are not those of its PDDL, a plan made of them is none: {verdict.reason}"
        )
    if not verdict.valid:
        raise GoalwardError(f"goalward found a plan that its own checker rejects; please report this: {verdict.reason}")


@lru_cache(maxsize=4)
def _lifted_domain(text: str) -> Domain:
    return parse_domain(text, "the domain of the task")


@lru_cache(maxsize=4)
def _lifted_problem(text: str, source: str, domain_text: str) -> Problem:
    return parse_problem(text, source, _lifted_domain(domain_text))
