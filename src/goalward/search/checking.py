"""The last look at a plan before anybody sees it, by the checker that works on the PDDL."""

from __future__ import annotations

from goalward.errors import GoalwardError
from goalward.search.best_first import SearchResult
from goalward.task.lifted import Domain, Problem
from goalward.task.validate import validate_plan


def check_plan(domain: Domain, problem: Problem, result: SearchResult) -> None:
    """No plan leaves this program unless the independent checker accepts it."""
    verdict = validate_plan(domain, problem, [tuple(step[1:-1].split()) for step in result.steps])
    if not verdict.valid:
        raise GoalwardError(f"goalward found a plan that its own checker rejects; please report this: {verdict.reason}")
