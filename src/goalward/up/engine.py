"""The engine: four operation modes of unified-planning in one class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Literal

from unified_planning.engines import (
    Credits,
    Engine,
    LogLevel,
    LogMessage,
    PlanGenerationResult,
    PlanGenerationResultStatus,
    ValidationResult,
    ValidationResultStatus,
)
from unified_planning.engines.mixins import (
    AnytimePlannerMixin,
    OneshotPlannerMixin,
    PlanValidatorMixin,
    ReplannerMixin,
)
from unified_planning.engines.mixins.anytime_planner import AnytimeGuarantee
from unified_planning.engines.mixins.oneshot_planner import OptimalityGuarantee
from unified_planning.engines.results import FailedValidationReason
from unified_planning.exceptions import UPUsageError
from unified_planning.model import Problem, ProblemKind
from unified_planning.model.problem_kind_versioning import LATEST_PROBLEM_KIND_VERSION
from unified_planning.plans import PlanKind

from goalward.cli.limits import Limits
from goalward.errors import ExitCode, GoalwardError, LimitError, PddlError, UnsupportedError, UsageError
from goalward.search.learned import LearnedModel, load_model
from goalward.search.solving import DEFAULT_IMPROVEMENT, Improvement
from goalward.task.grounding import UnsolvableError
from goalward.task.validate import validate_plan
from goalward.up.learning import Learning
from goalward.up.planning import Planning, anytime
from goalward.up.translation import Translation

NAME = "goalward"
KIND = {
    "problem_class": ("ACTION_BASED",),
    "typing": ("FLAT_TYPING", "HIERARCHICAL_TYPING"),
    "conditions_kind": (
        "NEGATIVE_CONDITIONS", "DISJUNCTIVE_CONDITIONS", "EQUALITIES", "EXISTENTIAL_CONDITIONS", "UNIVERSAL_CONDITIONS",
    ),
    "effects_kind": ("FORALL_EFFECTS",),
    "quality_metrics": ("ACTIONS_COST", "PLAN_LENGTH"),
    "actions_cost_kind": ("STATIC_FLUENTS_IN_ACTIONS_COST", "INT_NUMBERS_IN_ACTIONS_COST"),
}  # fmt: skip


class GoalwardEngine(Engine, OneshotPlannerMixin, AnytimePlannerMixin, ReplannerMixin, PlanValidatorMixin):
    """Plans with goalward's search, learned heuristics and improvement of plans.

    Parameters for planners: ``model``, a model file or a model, for the search ``hybrid`` in place of ``portfolio``;
    ``improve``, how long a plan is improved (as ``goalward.plan`` takes it); ``memory_limit``, as ``"4G"``;
    ``cores``, how many processor cores search and improvement use.

    For the Replanner also: ``learn``, which is ``"up front"`` (before the first answer), ``"background"`` (answers do
    not wait for it) or ``"never"``; by default it learns in the background where PyTorch is installed. ``train_limit``
    is how long, ``method`` and ``seed`` are those of ``goalward.train``.
    """

    def __init__(
        self,
        problem: Problem | None = None,
        error_on_failed_checks: bool = True,
        *,
        model: LearnedModel | str | Path | None = None,
        improve: Improvement | float | str | None = DEFAULT_IMPROVEMENT,
        memory_limit: int | str | None = None,
        cores: int = 1,
        learn: Literal["up front", "background", "never"] | None = None,
        train_limit: float | str = "1m",
        method: str = "n-rsl",
        seed: int = 0,
    ) -> None:
        Engine.__init__(self)
        OneshotPlannerMixin.__init__(self)
        AnytimePlannerMixin.__init__(self)
        given = load_model(model) if isinstance(model, str | Path) else model
        self._planning = Planning(given, Improvement.of(improve), memory_limit, cores)
        self._learning: Learning | None = None
        self._translation: Translation | None = None
        if problem is not None:
            ReplannerMixin.__init__(self, problem, error_on_failed_checks)
            how = learn if given is None else "never"
            self._learning = Learning(how, train_limit, method, seed)
            self._prepare()

    @property
    def name(self) -> str:
        """What the factory calls it."""
        return NAME

    @staticmethod
    def get_credits(**params: Any) -> Credits:
        """What unified-planning prints when the engine is used."""
        return Credits(
            name=NAME,
            author="The goalward developers",
            contact="",
            website="",
            license="GPL-3.0-or-later",
            short_description="Learns a heuristic for one problem, then solves it from any initial state.",
            long_description="Searches with h_FF and landmarks, goal by goal and by novelty, and with a heuristic "
            "learned by regression from the goal (O'Toole, Ramirez, Lipovetzky, Pearce 2022), and improves the plans "
            "it finds.",
        )

    @staticmethod
    def supported_kind() -> ProblemKind:
        """What problems may have in them."""
        kind = ProblemKind(version=LATEST_PROBLEM_KIND_VERSION)
        for group, features in KIND.items():
            for feature in features:
                getattr(kind, f"set_{group}")(feature)
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Does a problem have nothing else in it?"""
        return bool(problem_kind <= GoalwardEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Plans are not guaranteed to be optimal."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Each plan is better than the one before it."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Plans that can be checked are sequences of actions."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    def destroy(self) -> None:
        """End learning in the background; unified-planning calls it at the end of a ``with`` statement."""
        if self._learning is not None:
            self._learning.stop()

    def _translate(self, problem: Problem) -> Translation:
        """The problem as PDDL; what PDDL might leave out is refused even where unified-planning only warns of it."""
        odd = problem.kind.features - self.supported_kind().features
        if odd and not self.skip_checks:
            raise UnsupportedError(f"goalward does not support {', '.join(sorted(odd))}")
        return Translation(problem)

    # --- one answer ---

    def _solve(
        self, problem: Problem, heuristic: Any = None, timeout: float | None = None, output_stream: Any = None
    ) -> PlanGenerationResult:
        return self._solve_with_params(problem, heuristic, timeout, output_stream)

    def _solve_with_params(
        self,
        problem: Problem,
        heuristic: Any = None,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **unknown: Any,
    ) -> PlanGenerationResult:
        _warn_of_ignored(heuristic=heuristic, warm_start_plan=warm_start_plan, **unknown)
        limits = _limits(timeout, self._planning.memory_limit)
        try:
            with limits.enforce("grounding"):
                translation = self._translate(problem)
                search = self._planning.prepare(translation, must_fit=True)
            outcome = search.run(limits)
        except GoalwardError as error:
            return _failed(error, output_stream)
        return _result(translation, outcome, limits, output_stream)

    # --- better and better answers ---

    def _get_solutions(
        self, problem: Problem, timeout: float | None = None, output_stream: Any = None
    ) -> Iterator[PlanGenerationResult]:
        return self._get_solutions_with_params(problem, timeout, output_stream)

    def _get_solutions_with_params(
        self,
        problem: Problem,
        timeout: float | None = None,
        output_stream: IO[str] | None = None,
        warm_start_plan: Any = None,
        **unknown: Any,
    ) -> Iterator[PlanGenerationResult]:
        _warn_of_ignored(warm_start_plan=warm_start_plan, **unknown)
        limits = _limits(timeout, self._planning.memory_limit)
        try:
            with limits.enforce("grounding"):
                translation = self._translate(problem)
                search = self._planning.prepare(translation, must_fit=True)
            for outcome, final in anytime(search, limits):
                result = _result(translation, outcome, limits, output_stream)
                if not final:
                    result.status = PlanGenerationResultStatus.INTERMEDIATE
                yield result
        except GoalwardError as error:
            yield _failed(error, output_stream)

    # --- answers for one state after the other ---

    def _prepare(self) -> None:
        """Ground the problem and begin to learn; a problem that has no plan has no task to learn for."""
        assert self._learning is not None
        self._planning.forget()
        try:
            self._translation = self._translate(self._problem)
            if self._learning.wanted:
                task = self._translation.ground()
                self._planning.keep(task)
                self._learning.start(task)
        except UnsolvableError:
            return
        except PddlError as error:
            raise UPUsageError(str(error)) from None

    def _resolve(self, timeout: float | None = None, output_stream: IO[str] | None = None) -> PlanGenerationResult:
        if self._learning is None:
            raise UPUsageError("resolve is for a Replanner, which is made with its problem")
        limits = _limits(timeout, self._planning.memory_limit)
        if self._translation is None:
            self._prepare()
        assert self._translation is not None
        try:
            self._planning.model = self._learning.model or self._planning.model
            with limits.enforce("grounding"):
                search = self._planning.prepare(self._translation, must_fit=False)
            outcome = search.run(limits)
        except GoalwardError as error:
            return _failed(error, output_stream)
        return _result(self._translation, outcome, limits, output_stream)

    def _update_initial_value(self, fluent: Any, value: Any) -> None:
        if self._translation is None:
            self._problem.set_initial_value(fluent, value)
        else:
            self._translation.set_initial_value(fluent, value)

    def _changed(self) -> None:
        """What was learned is of no use for another goal or other actions."""
        self.destroy()
        self._planning.model = None
        self._planning.forget()
        self._translation = None

    def _add_goal(self, goal: Any) -> None:
        self._problem.add_goal(goal)
        self._changed()

    def _remove_goal(self, goal: Any) -> None:
        (expression,) = self._problem.environment.expression_manager.auto_promote(goal)
        goals = list(self._problem.goals)
        if expression not in goals:
            self._refuse(f"there is no goal {expression} to remove")
        self._problem.clear_goals()
        for other in goals:
            if other is not expression:
                self._problem.add_goal(other)
        self._changed()

    def _add_action(self, action: Any) -> None:
        self._problem.add_action(action)
        self._changed()

    def _remove_action(self, name: str) -> None:
        actions = list(self._problem.actions)
        if name not in {action.name for action in actions}:
            self._refuse(f"there is no action {name} to remove")
        self._problem.clear_actions()
        for action in actions:
            if action.name != name:
                self._problem.add_action(action)
        self._changed()

    def _refuse(self, message: str) -> None:
        if self.skip_checks:
            return
        if self.error_on_failed_checks:
            raise UPUsageError(message)
        warnings.warn(message, stacklevel=4)

    # --- verdicts ---

    def _validate(self, problem: Problem, plan: Any) -> ValidationResult:
        translation = Translation(problem, any_goal=True)
        domain, lifted = translation.lifted()
        verdict = validate_plan(domain, lifted, translation.written(plan))
        metrics: dict[str, Any] = {"plan_length": verdict.length, "cost": verdict.cost}
        if verdict.valid:
            return ValidationResult(ValidationResultStatus.VALID, NAME, [], metrics=metrics)
        failed = None if verdict.failed_step is None else plan.actions[verdict.failed_step - 1]
        reasons = FailedValidationReason
        return ValidationResult(
            ValidationResultStatus.INVALID,
            NAME,
            [LogMessage(LogLevel.INFO, verdict.reason)],
            reason=reasons.UNSATISFIED_GOALS if failed is None else reasons.INAPPLICABLE_ACTION,
            inapplicable_action=failed,
            metrics=metrics,
        )


def _limits(timeout: float | None, memory: int | None) -> Limits:
    if timeout is not None and not timeout > 0:
        raise UPUsageError(f"the timeout is {timeout} s; it must be above 0")
    return Limits(timeout, memory)


def _warn_of_ignored(**given: Any) -> None:
    for name in (name for name, value in given.items() if value is not None):
        warnings.warn(f"goalward does not use {name}", stacklevel=4)


def _result(translation: Translation, outcome: Any, limits: Limits, stream: IO[str] | None) -> PlanGenerationResult:
    figures = outcome.record() | {"heuristic": outcome.heuristic, "total_time": round(limits.elapsed, 6)}
    metrics = {name: value for name, value in figures.items() if value is not None}
    metrics["engine_internal_time"] = metrics["total_time"]
    if stream is not None:
        stream.write(f"{outcome!r}\n")
    plan = None if outcome.steps is None else translation.plan(outcome.steps)
    if plan is not None:
        metrics["plan_length"] = len(plan.actions)
    return PlanGenerationResult(translation.status(outcome), plan, NAME, metrics=metrics, log_messages=[])


def _failed(error: GoalwardError, stream: IO[str] | None) -> PlanGenerationResult:
    """What is not a matter of the caller's mistakes is a result, too."""
    statuses = PlanGenerationResultStatus
    if isinstance(error, UnsolvableError):
        status = statuses.UNSOLVABLE_PROVEN
    elif isinstance(error, LimitError):
        status = statuses.MEMOUT if error.exit_code is ExitCode.OUT_OF_MEMORY else statuses.TIMEOUT
    elif isinstance(error, PddlError):
        status = statuses.UNSUPPORTED_PROBLEM
    elif isinstance(error, UsageError):
        raise UPUsageError(str(error)) from None
    else:
        status = statuses.INTERNAL_ERROR
    if stream is not None:
        stream.write(f"{error}\n")
    return PlanGenerationResult(status, None, NAME, metrics={}, log_messages=[LogMessage(LogLevel.ERROR, str(error))])
