"""Searches for the engine: which task and which heuristic a state is searched with, once or for ever better plans."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace

from goalward.cli.limits import Limits
from goalward.errors import PddlError, UsageError
from goalward.measures import parse_size
from goalward.search.heuristics import BoundHeuristic, bind_heuristic
from goalward.search.improve import ImprovedPlan, Improver
from goalward.search.learned import LearnedModel
from goalward.search.solving import Improvement, Outcome, default_search, solve
from goalward.search.starts import Start, check_plan, initial_state
from goalward.task.states import StateReader
from goalward.task.strips import Task
from goalward.up.translation import Translation

SOURCE = "the state"


@dataclass(frozen=True, eq=False)
class Search:
    """A state, ready to be searched."""

    start: Start
    heuristic: BoundHeuristic
    learned: bool
    improve: Improvement | None
    memory_limit: int | None

    def run(self, limits: Limits, progress: object = None) -> Outcome:
        """Search in the time that is left."""
        options = replace(
            default_search(learned=self.learned), time_limit=limits.remaining, memory_limit=self.memory_limit
        )
        return solve(self.start, self.heuristic, options, improve=self.improve, progress=progress)  # type: ignore[arg-type]


class Planning:
    """What is kept between searches: a model, a grounded task, and the heuristics bound to it."""

    def __init__(self, model: LearnedModel | None, improve: Improvement | None, memory_limit: int | str | None) -> None:
        self.model = model
        self.improve = improve
        self.memory_limit = parse_size(memory_limit) if isinstance(memory_limit, str) else memory_limit
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
            return self._search(fresh, bind_heuristic(fresh.task, "ff"), learned=False)
        if self._bound is None or self._bound[0] is not self.model or self._bound[1].task is not start.task:
            bound = bind_heuristic(start.task, "ff") if self.model is None else self.model.heuristic(start.task)
            self._bound = self.model, bound
        return self._search(start, self._bound[1], learned=self.model is not None)

    def _start(self, translation: Translation) -> Start:
        if self.model is None:
            assert self._reader is not None
            text = translation.problem_text()
            return Start(self._reader.task, self._reader.parse(text, SOURCE), text, SOURCE)
        if self.model.task is None:  # a model of a domain
            return initial_state(translation.ground())
        return self.model.start(translation.problem_text(self.model.task.domain_name), SOURCE)

    def _search(self, start: Start, heuristic: BoundHeuristic, *, learned: bool) -> Search:
        return Search(start, heuristic, learned, self.improve, self.memory_limit)


def anytime(search: Search, limits: Limits) -> Iterator[tuple[Outcome, bool]]:
    """Each plan that is better than the one before it, and at last how it ended.

    The work is done in a thread of its own, which ends with this iterator.
    """
    found: queue.SimpleQueue[tuple[Outcome, bool] | BaseException] = queue.SimpleQueue()
    stop = threading.Event()

    def work() -> None:
        try:
            _improve_for_ever(search, limits, found, stop)
        except BaseException as error:
            found.put(error)

    worker = threading.Thread(target=work, name="goalward-anytime", daemon=True)
    worker.start()
    try:
        while True:
            news = found.get()
            if isinstance(news, BaseException):
                raise news
            yield news
            if news[1]:
                return
    finally:
        stop.set()
        worker.join()


def _improve_for_ever(
    search: Search,
    limits: Limits,
    found: queue.SimpleQueue[tuple[Outcome, bool] | BaseException],
    stop: threading.Event,
) -> None:
    first = replace(search, improve=None).run(limits, progress=lambda _: not stop.is_set())
    if not first.solved or stop.is_set():
        found.put((first, True))
        return
    found.put((first, False))
    assert first.plan is not None
    told = 0

    def tell(so_far: ImprovedPlan) -> bool:
        nonlocal told
        while told < len(so_far.better):
            told += 1
            found.put((_checked(first, replace(so_far, better=so_far.better[:told])), False))
        return not stop.is_set()

    left = limits.remaining
    improver = Improver(search.start.task, heuristic=search.heuristic)
    improved = improver.improve(
        first.plan, init=search.start.atoms, time_limit=left, memory_limit=search.memory_limit, progress=tell
    )
    tell(improved)
    found.put((_checked(first, improved), True))


def _checked(first: Outcome, improved: ImprovedPlan) -> Outcome:
    check_plan(first.start, improved.steps)
    return replace(first, improved=improved)
