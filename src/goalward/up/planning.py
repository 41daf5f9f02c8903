"""Searches for the engine: which task and which heuristic a state is searched with, once or for ever better plans."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from goalward.cli.limits import Limits
from goalward.errors import PddlError, UsageError
from goalward.measures import parse_size
from goalward.search.anytime import anytime_plans
from goalward.search.best_first import SearchOptions
from goalward.search.heuristics import BoundHeuristic
from goalward.search.learned import LearnedModel
from goalward.search.solving import Improvement, Outcome, solve
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import strategy_for
from goalward.task.states import StateReader
from goalward.task.strips import Task
from goalward.up.translation import Translation

SOURCE = "the state"


@dataclass(frozen=True, eq=False)
class Search:
    """A state, ready to be searched."""

    start: Start
    heuristic: BoundHeuristic
    base: SearchOptions
    improve: Improvement | None
    memory_limit: int | None
    cores: int

    def options(self, limits: Limits) -> SearchOptions:
        """How to search in the time that is left."""
        return replace(self.base, time_limit=limits.remaining, memory_limit=self.memory_limit, cores=self.cores)

    def run(self, limits: Limits) -> Outcome:
        """Search in the time that is left."""
        return solve(self.start, self.heuristic, self.options(limits), improve=self.improve)


class Planning:
    """What is kept between searches: a model, a grounded task, and the heuristics bound to it."""

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
        """Search on this task whenever a state is one of its states."""
        self._reader = StateReader(task)

    def forget(self) -> None:
        """Search on no task that was grounded before."""
        self._reader = self._bound = None

    def prepare(self, translation: Translation, *, must_fit: bool) -> Search:
        """The present initial state of a problem, with the model if there is one and the state is one of its task.

        A state of another task is grounded anew and searched without a model, unless the model ``must_fit``.
        """
        start = None
        if self.model is not None or self._reader is not None:
            try:
                start = self._start(translation)
            except PddlError as error:
                if must_fit:
                    raise UsageError(f"the model is not for this problem: {error}") from None
        if start is None:
            fresh = initial_state(translation.ground())
            strategy = strategy_for(None)
            return self._search(fresh, strategy.bind(fresh.task), strategy.options)
        strategy = strategy_for(self.model)
        if self._bound is None or self._bound[0] is not self.model or self._bound[1].task is not start.task:
            self._bound = self.model, strategy.bind(start.task)
        return self._search(start, self._bound[1], strategy.options)

    def _start(self, translation: Translation) -> Start:
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
    """Each plan that is better than the one before it, and at last how it ended; the work ends with this iterator."""
    plans = anytime_plans(search.start.task, search.heuristic, search.options(limits), init=search.start.atoms)
    try:
        while True:
            yield next(plans), False
    except StopIteration as end:
        yield end.value, True
    finally:
        plans.close()
