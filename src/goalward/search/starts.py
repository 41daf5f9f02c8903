"""Start states of searches, and the validation of plans from them on the PDDL."""

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
    """A start state of a search, as the sorted true atoms of its task.

    ``text`` is the PDDL problem that the state was read from, on which plans are checked. For a state without one, such
    as the end of a random walk, a PDDL problem is written. ``stored`` is true if the task was loaded from a file, whose
    arrays may contradict its PDDL.
    """

    task: Task
    atoms: Ints
    text: str | None = None
    source: str = "this state"
    stored: bool = False


def initial_state(task: Task) -> Start:
    """The task's own initial state."""
    return Start(task, task.init, task.problem_text, task.problem_name)


def check_plan(start: Start, steps: Sequence[str]) -> None:
    """Raise an error unless the validator, which shares no code with search, accepts a plan.

    Nothing is checked if the task was made from arrays and has no PDDL.
    """
    if not start.task.domain_text:
        return
    text = format_problem(start.task, start.atoms, "state") if start.text is None else start.text
    problem = _lifted_problem(text, start.source, start.task.domain_text)
    verdict = validate_plan(_lifted_domain(start.task.domain_text), problem, steps)
    if not verdict.valid and start.stored:
        raise StoredFileError(
            f"the plan is not valid, because the model's operators contradict its PDDL: {verdict.reason}"
        )
    if not verdict.valid:
        raise GoalwardError(f"goalward found a plan that its own validator rejects; please report: {verdict.reason}")


@lru_cache(maxsize=4)
def _lifted_domain(text: str) -> Domain:
    return parse_domain(text, "the domain of the task")


@lru_cache(maxsize=4)
def _lifted_problem(text: str, source: str, domain_text: str) -> Problem:
    return parse_problem(text, source, _lifted_domain(domain_text))
