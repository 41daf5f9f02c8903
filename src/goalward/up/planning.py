"""Searches for the engine: chooses task and heuristic for a state, and runs a oneshot or an anytime search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from goalward.cli.limits import Limits
from goalward.errors import PddlError, UsageError
from goalward.measures import parse_size
from goalward.search.anytime import anytime_plans
from goalward.search.best_first import SearchOptions
from goalward.search.heuristics import BoundHeuristic
from goalward.search.planning import LearnedModel
from goalward.search.solving import Improvement, Outcome, solve
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import strategy_for
from goalward.task.states import StateReader
from goalward.task.strips import Task
from goalward.up.translation import Translation

SOURCE = "the state"  # names the initial state in error messages


@dataclass(frozen=True, eq=False)
class Search:
    """A state with everything that a search from it needs."""

    start: Start
    heuristic: BoundHeuristic
    base: SearchOptions
    improve: Improvement | None
    memory_limit: int | None
    cores: int

    def options(self, limits: Limits) -> SearchOptions:
        """The search options, with the time that is left as the limit."""
        return replace(self.base, time_limit=limits.remaining, memory_limit=self.memory_limit, cores=self.cores)

    def run(self, limits: Limits) -> Outcome:
        """Search, and improve the plan, in the time that is left."""
        return solve(self.start, self.heuristic, self.options(limits), improve=self.improve)


class Planning:
    """Keeps the model, the grounded task and the bound heuristic from one search to the next."""

    def __init__(
        self, model: LearnedModel | None, improve: Improvement | None, memory_limit: int | str | None, cores: int
    ) -> None:
        self.model = model
        self.improve = improve
        self.memory_limit = parse_size(memory_limit) if isinstance(memory_limit, str) else memory_limit
        self.cores = cores
        self._reader: StateReader | None = None
        self._bound: tuple[LearnedModel | None, BoundHeuristic] | None = None

    def keep(self, task: Task) -> None:
        """Use this task for every state that fits it, instead of grounding the state's problem."""
        self._reader = StateReader(task)

    def forget(self) -> None:
        """Drop the kept task and the heuristic bound to it."""
        self._reader = self._bound = None

    def prepare(self, translation: Translation, *, must_fit: bool) -> Search:
        """Prepare a search from the current initial state of a problem.

        The model is used if there is one and the state fits its task. Otherwise the problem is grounded and searched
        without a model; with ``must_fit``, a model that does not fit raises UsageError.
        """
        start = None
        if self.model is not None or self._reader is not None:
            try:
                start = self._start(translation)
            except PddlError as error:
                if must_fit:
                    raise UsageError(f"the model was not trained for this problem: {error}") from None
        if start is None:
            grounded = initial_state(translation.ground())
            strategy = strategy_for(None)
            return self._search(grounded, strategy.bind(grounded.task), strategy.options)
        strategy = strategy_for(self.model)
        if self._bound is None or self._bound[0] is not self.model or self._bound[1].task is not start.task:
            self._bound = self.model, strategy.bind(start.task)
        return self._search(start, self._bound[1], strategy.options)

    def _start(self, translation: Translation) -> Start:
        """The initial state on the task of the model or on the kept task; PddlError if it does not fit."""
        if self.model is None:
            assert self._reader is not None
            text = translation.problem_text()
            return Start(self._reader.task, self._reader.parse(text, SOURCE), text, SOURCE)
        if self.model.task is None:  # a model of a domain
            return initial_state(translation.ground())
        return self.model.start(translation.problem_text(self.model.task.domain_name), SOURCE)

    def _search(self, start: Start, heuristic: BoundHeuristic, options: SearchOptions) -> Search:
        return Search(start, heuristic, options, self.improve, self.memory_limit, self.cores)


def anytime(search: Search, limits: Limits) -> Iterator[tuple[Outcome, bool]]:
    """Yield (outcome, False) for each better plan, then (outcome, True) for the end of the search.

    Closing the iterator stops the search.
    """
    plans = anytime_plans(search.start.task, search.heuristic, search.options(limits), init=search.start.atoms)
    try:
        while True:
            yield next(plans), False
    except StopIteration as end:
        yield end.value, True
    finally:
        plans.close()
