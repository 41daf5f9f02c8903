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
from goalward.search.learned import load_model
from goalward.search.planning import LearnedModel
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

    Parameters of all planners: ``model`` is a model or the path of a model file; without one, the search is
    ``portfolio``. ``improve`` says how long plans are improved, as for ``goalward.plan``. ``memory_limit`` is a size
    such as ``"4G"``. ``cores`` is the number of processor cores for search and improvement.

    Further parameters of the Replanner: ``learn`` says when a model is trained: ``"up front"`` (before the first
    answer), ``"background"`` (answers do not wait for it) or ``"never"``. The default is ``"background"`` if PyTorch is
    installed, and ``"never"`` otherwise. ``train_limit`` is the time limit of training; ``method`` and ``seed`` are
    those of ``goalward.train``.
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
        """The name under which unified-planning's factory knows the engine."""
        return NAME

    @staticmethod
    def get_credits(**params: Any) -> Credits:
        """Name, licence and description, which unified-planning prints when the engine is used."""
        return Credits(
            name=NAME,
            author="The goalward developers",
            contact="",
            website="",
            license="GPL-3.0-or-later",
            short_description="Learns a heuristic for one problem, then solves it from any initial state.",
            long_description="Searches with h_FF, landmarks, goal agendas and novelty, and with a heuristic "
            "learned by regression from the goal (O'Toole, Ramirez, Lipovetzky, Pearce 2022). Improves the plans it "
            "finds.",
        )

    @staticmethod
    def supported_kind() -> ProblemKind:
        """The features of unified-planning problems that goalward supports."""
        kind = ProblemKind(version=LATEST_PROBLEM_KIND_VERSION)
        for group, features in KIND.items():
            for feature in features:
                getattr(kind, f"set_{group}")(feature)
        return kind

    @staticmethod
    def supports(problem_kind: ProblemKind) -> bool:
        """Return True if goalward supports all features in ``problem_kind``."""
        return bool(problem_kind <= GoalwardEngine.supported_kind())

    @staticmethod
    def satisfies(optimality_guarantee: OptimalityGuarantee) -> bool:
        """Return True for satisficing planning only; plans are not guaranteed to be optimal."""
        return bool(optimality_guarantee == OptimalityGuarantee.SATISFICING)

    @staticmethod
    def ensures(anytime_guarantee: AnytimeGuarantee) -> bool:
        """Return True for increasing quality: each plan is better than the one before it."""
        return bool(anytime_guarantee == AnytimeGuarantee.INCREASING_QUALITY)

    @staticmethod
    def supports_plan(plan_kind: PlanKind) -> bool:
        """Return True for sequential plans, the only ones that can be validated."""
        return bool(plan_kind == PlanKind.SEQUENTIAL_PLAN)

    def destroy(self) -> None:
        """Stop learning in the background; unified-planning calls this at the end of a ``with`` statement."""
        if self._learning is not None:
            self._learning.stop()

    def _translate(self, problem: Problem) -> Translation:
        """The problem as PDDL.

        Raises UnsupportedError for unsupported features even if unified-planning only warns of them, because the
        translation to PDDL might drop them silently.
        """
        unsupported = problem.kind.features - self.supported_kind().features
        if unsupported and not self.skip_checks:
            raise UnsupportedError(f"goalward does not support {', '.join(sorted(unsupported))}")
        return Translation(problem)

    # --- OneshotPlanner ---

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

    # --- AnytimePlanner ---

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

    # --- Replanner ---

    def _prepare(self) -> None:
        """Translate the problem; if learning is wanted, ground it and start learning.

        An unsolvable problem has no task to learn for; ``resolve`` reports it.
        """
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
            raise UPUsageError("resolve needs a Replanner, which is created with its problem")
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

    def _discard(self) -> None:
        """Drop model, task and translation, which do not hold for another goal or other actions."""
        self.destroy()
        self._planning.model = None
        self._planning.forget()
        self._translation = None

    def _add_goal(self, goal: Any) -> None:
        self._problem.add_goal(goal)
        self._discard()

    def _remove_goal(self, goal: Any) -> None:
        (expression,) = self._problem.environment.expression_manager.auto_promote(goal)
        goals = list(self._problem.goals)
        if expression not in goals:
            self._fail_check(f"there is no goal {expression} to remove")
        self._problem.clear_goals()
        for other in goals:
            if other is not expression:
                self._problem.add_goal(other)
        self._discard()

    def _add_action(self, action: Any) -> None:
        self._problem.add_action(action)
        self._discard()

    def _remove_action(self, name: str) -> None:
        actions = list(self._problem.actions)
        if name not in {action.name for action in actions}:
            self._fail_check(f"there is no action {name} to remove")
        self._problem.clear_actions()
        for action in actions:
            if action.name != name:
                self._problem.add_action(action)
        self._discard()

    def _fail_check(self, message: str) -> None:
        """Raise, warn or do nothing, as the engine is configured to treat failed checks."""
        if self.skip_checks:
            return
        if self.error_on_failed_checks:
            raise UPUsageError(message)
        warnings.warn(message, stacklevel=4)

    # --- PlanValidator ---

    def _validate(self, problem: Problem, plan: Any) -> ValidationResult:
        translation = Translation(problem, any_goal=True)
        domain, lifted = translation.lifted()
        verdict = validate_plan(domain, lifted, translation.pddl_steps(plan))
        # unified-planning's annotation says that metrics are text, but users compute with them: they stay numbers.
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
    """The limits of one call; unified-planning's error if the timeout is not positive."""
    if timeout is not None and not timeout > 0:
        raise UPUsageError(f"timeout must be above 0 s, but is {timeout} s")
    return Limits(timeout, memory)


def _warn_of_ignored(**given: Any) -> None:
    """Warn of each parameter that has a value, because goalward uses none of them."""
    for name in (name for name, value in given.items() if value is not None):
        warnings.warn(f"goalward does not use {name}", stacklevel=4)


def _result(translation: Translation, outcome: Any, limits: Limits, stream: IO[str] | None) -> PlanGenerationResult:
    figures = outcome.record() | {"heuristic": outcome.heuristic, "total_time": round(limits.elapsed, 6)}
    # Numbers, although unified-planning's annotation says text: see _validate.
    metrics = {name: value for name, value in figures.items() if value is not None}
    metrics["engine_internal_time"] = metrics["total_time"]
    if stream is not None:
        stream.write(f"{outcome!r}\n")
    plan = None if outcome.steps is None else translation.plan(outcome.steps)
    if plan is not None:
        metrics["plan_length"] = len(plan.actions)
    return PlanGenerationResult(translation.status(outcome), plan, NAME, metrics=metrics, log_messages=[])


def _failed(error: GoalwardError, stream: IO[str] | None) -> PlanGenerationResult:
    """The result for an error; a UsageError, which is the caller's mistake, is raised as UPUsageError instead."""
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
