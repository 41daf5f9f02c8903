"""Problems of unified-planning as PDDL, states of a task, and plans back from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unified_planning.engines import PlanGenerationResultStatus
from unified_planning.exceptions import UPException
from unified_planning.io import PDDLWriter
from unified_planning.model import Fluent, InstantaneousAction, Problem
from unified_planning.model.metrics import MinimizeActionCosts
from unified_planning.plans import ActionInstance, SequentialPlan

from goalward.errors import UnsupportedError
from goalward.learning.methods import make_options, train_with
from goalward.search.best_first import Status
from goalward.search.improve import ImproveStatus
from goalward.search.model import Model
from goalward.search.solving import Outcome
from goalward.task.grounding import ground
from goalward.task.lifted import Domain
from goalward.task.lifted import Problem as LiftedProblem
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.strips import Task

GOAL_NAME = "goal-is-reached"
STATUS: dict[Status, Any] = {
    Status.SOLVED: PlanGenerationResultStatus.SOLVED_SATISFICING,
    Status.UNSOLVABLE: PlanGenerationResultStatus.UNSOLVABLE_PROVEN,
    Status.EXHAUSTED: PlanGenerationResultStatus.UNSOLVABLE_INCOMPLETELY,
    Status.OUT_OF_TIME: PlanGenerationResultStatus.TIMEOUT,
    Status.OUT_OF_MEMORY: PlanGenerationResultStatus.MEMOUT,
    Status.CANCELLED: PlanGenerationResultStatus.TIMEOUT,
}


class Translation:
    """One problem as PDDL. Initial values may change in it later; :meth:`problem_text` always has the present ones.

    PDDL as goalward takes it has conjunctions as goals. Another goal becomes the condition of an action that costs
    nothing and ends every plan; plans that come back do not have it. With ``any_goal`` goals stay as they are.
    """

    def __init__(self, problem: Problem, *, any_goal: bool = False) -> None:
        self.original = problem
        self._ending: InstantaneousAction | None = None
        self.problem = problem if any_goal or all(map(_is_conjunction, problem.goals)) else self._with_ending(problem)
        self._writer = PDDLWriter(self.problem)
        try:
            self.domain_text: str = self._writer.get_domain()
        except UPException as error:
            raise UnsupportedError(str(error)) from None
        self._by_name: dict[str, Any] = {}

    def _with_ending(self, problem: Problem) -> Problem:
        changed = problem.clone()
        names = {item.name for item in (*problem.fluents, *problem.actions, *problem.all_objects, *problem.user_types)}
        name = GOAL_NAME
        while name in names:
            name += "-"
        reached = Fluent(f"{name}-flag", environment=problem.environment)
        changed.add_fluent(reached, default_initial_value=False)
        self._ending = InstantaneousAction(name, _env=problem.environment)
        for goal in problem.goals:
            self._ending.add_precondition(goal)
        self._ending.add_effect(reached, True)
        changed.add_action(self._ending)
        changed.clear_goals()
        changed.add_goal(reached)
        zero = problem.environment.expression_manager.Int(0)
        metrics = [metric for metric in problem.quality_metrics if isinstance(metric, MinimizeActionCosts)]
        if metrics:
            changed.clear_quality_metrics()
            costs = {changed.action(action.name): cost for action, cost in metrics[0].costs.items()}
            changed.add_quality_metric(
                MinimizeActionCosts({**costs, self._ending: zero}, metrics[0].default, problem.environment)
            )
        return changed

    def set_initial_value(self, fluent: Any, value: Any) -> None:
        """Change the initial state."""
        self.original.set_initial_value(fluent, value)
        if self.problem is not self.original:
            self.problem.set_initial_value(fluent, value)

    def problem_text(self, domain_name: str | None = None) -> str:
        """The problem as PDDL, with its present initial state, of a domain of this name."""
        text: str = self._writer.get_problem()
        own = self.domain().name
        return text if domain_name in (None, own) else text.replace(f"(:domain {own})", f"(:domain {domain_name})", 1)

    def domain(self) -> Domain:
        """The domain as goalward reads it."""
        return parse_domain(self.domain_text, "the domain")

    def lifted(self) -> tuple[Domain, LiftedProblem]:
        """Domain and problem, not grounded."""
        domain = self.domain()
        return domain, parse_problem(self.problem_text(), "the problem", domain)

    def ground(self) -> Task:
        """The grounded task, with the present initial state."""
        return ground(*self.lifted())

    def written(self, plan: SequentialPlan) -> list[str]:
        """The steps of a plan of unified-planning as PDDL."""
        lines = self._writer.get_plan(plan).splitlines()
        return [line for line in lines if line.strip()]

    def plan(self, steps: Sequence[str]) -> SequentialPlan:
        """A plan of unified-planning, from steps as ``(action object …)``."""
        instances = []
        for step in steps:
            name, *objects = step[1:-1].split()
            action = self._item(name)
            if self._ending is not None and action == self._ending:
                break
            own = self.original.action(action.name)
            instances.append(ActionInstance(own, tuple(self._item(item) for item in objects)))
        return SequentialPlan(instances, self.original.environment)

    def _item(self, name: str) -> Any:
        if name not in self._by_name:
            self._by_name[name] = self._writer.get_item_named(name)
        return self._by_name[name]

    def status(self, outcome: Outcome) -> Any:
        """How unified-planning calls what became of a state."""
        proven = outcome.improved is not None and outcome.improved.status is ImproveStatus.OPTIMAL
        if outcome.solved and proven and self.original.quality_metrics:
            return PlanGenerationResultStatus.SOLVED_OPTIMALLY
        return STATUS[outcome.status]


def _is_conjunction(goal: Any) -> bool:
    if goal.is_and() or goal.is_forall():
        return all(map(_is_conjunction, goal.args))
    literal = goal.arg(0) if goal.is_not() else goal
    return bool(literal.is_fluent_exp() or literal.is_bool_constant())


def learn(problem: Problem, method: str = "n-rsl", **settings: Any) -> Model:
    """Learn a heuristic for a problem of unified-planning, with the settings of :func:`goalward.train`, in silence.

    >>> model = learn(problem, time_limit="1m")  # doctest: +SKIP
    >>> planner = OneshotPlanner(name="goalward", params={"model": model})  # doctest: +SKIP
    """
    return train_with(Translation(problem.clone()).ground(), method, make_options(method, settings))
