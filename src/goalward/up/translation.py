"""Translates problems of unified-planning to PDDL, and plans back."""

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
    """One problem as PDDL. Initial values may change later; :meth:`problem_text` always has the current ones.

    goalward only plans for conjunctive goals. A goal of another form is compiled away: it becomes the precondition of
    an additional action of cost 0, which reaches the new goal and ends every plan. :meth:`plan` removes that action
    from plans. With ``any_goal`` goals stay as they are.
    """

    def __init__(self, problem: Problem, *, any_goal: bool = False) -> None:
        self.original = problem
        self._goal_action: InstantaneousAction | None = None
        conjunctive = any_goal or all(map(_is_conjunction, problem.goals))
        self.problem = problem if conjunctive else self._with_goal_action(problem)
        self._writer = PDDLWriter(self.problem)
        try:
            self.domain_text: str = self._writer.get_domain()
        except UPException as error:
            raise UnsupportedError(str(error)) from None
        self._by_name: dict[str, Any] = {}

    def _with_goal_action(self, problem: Problem) -> Problem:
        """A copy of the problem whose only goal is a flag, set by an action with the original goals as precondition."""
        changed = problem.clone()
        names = {item.name for item in (*problem.fluents, *problem.actions, *problem.all_objects, *problem.user_types)}
        name = GOAL_NAME
        while name in names:
            name += "-"
        reached = Fluent(f"{name}-flag", environment=problem.environment)
        changed.add_fluent(reached, default_initial_value=False)
        self._goal_action = InstantaneousAction(name, _env=problem.environment)
        for goal in problem.goals:
            self._goal_action.add_precondition(goal)
        self._goal_action.add_effect(reached, True)
        changed.add_action(self._goal_action)
        changed.clear_goals()
        changed.add_goal(reached)
        zero = problem.environment.expression_manager.Int(0)
        metrics = [metric for metric in problem.quality_metrics if isinstance(metric, MinimizeActionCosts)]
        if metrics:
            changed.clear_quality_metrics()
            costs = {changed.action(action.name): cost for action, cost in metrics[0].costs.items()}
            changed.add_quality_metric(
                MinimizeActionCosts({**costs, self._goal_action: zero}, metrics[0].default, problem.environment)
            )
        return changed

    def set_initial_value(self, fluent: Any, value: Any) -> None:
        """Set the initial value of a fluent, in the original problem and in the compiled one."""
        self.original.set_initial_value(fluent, value)
        if self.problem is not self.original:
            self.problem.set_initial_value(fluent, value)

    def problem_text(self, domain_name: str | None = None) -> str:
        """The problem as PDDL with its current initial state; ``domain_name`` replaces the domain's own name."""
        text: str = self._writer.get_problem()
        own = self.domain().name
        return text if domain_name in (None, own) else text.replace(f"(:domain {own})", f"(:domain {domain_name})", 1)

    def domain(self) -> Domain:
        """The parsed domain."""
        return parse_domain(self.domain_text, "the domain")

    def lifted(self) -> tuple[Domain, LiftedProblem]:
        """The parsed domain and problem."""
        domain = self.domain()
        return domain, parse_problem(self.problem_text(), "the problem", domain)

    def ground(self) -> Task:
        """The grounded task, with the current initial state."""
        return ground(*self.lifted())

    def pddl_steps(self, plan: SequentialPlan) -> list[str]:
        """The steps of a unified-planning plan as PDDL, ``(action object …)``."""
        lines = self._writer.get_plan(plan).splitlines()
        return [line for line in lines if line.strip()]

    def plan(self, steps: Sequence[str]) -> SequentialPlan:
        """A unified-planning plan from PDDL steps ``(action object …)``; the inverse of :meth:`pddl_steps`."""
        instances = []
        for step in steps:
            name, *objects = step[1:-1].split()
            action = self._item(name)
            if self._goal_action is not None and action == self._goal_action:
                break
            own = self.original.action(action.name)
            instances.append(ActionInstance(own, tuple(self._item(item) for item in objects)))
        return SequentialPlan(instances, self.original.environment)

    def _item(self, name: str) -> Any:
        """The action or object with this name in the PDDL."""
        if name not in self._by_name:
            self._by_name[name] = self._writer.get_item_named(name)
        return self._by_name[name]

    def status(self, outcome: Outcome) -> Any:
        """The unified-planning status of an outcome."""
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
    """Learn a heuristic for a unified-planning problem, without output.

    ``settings`` are those of :func:`goalward.train`.

    >>> model = learn(problem, time_limit="1m")  # doctest: +SKIP
    >>> planner = OneshotPlanner(name="goalward", params={"model": model})  # doctest: +SKIP
    """
    return train_with(Translation(problem.clone()).ground(), method, make_options(method, settings))
