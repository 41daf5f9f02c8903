"""The Python interface for planning: ``plan`` and ``model.solve``, which take states in any form.

>>> plan(task, "ff", time_limit="10s").steps  # doctest: +SKIP
['(unstack a b)', '(put-down a)']
>>> model.solve(["p1.pddl", "p2.pddl"])  # doctest: +SKIP
[<solved p1.pddl: 12 steps, 40 expansions, 0.01 s>, <solved p2.pddl: 20 steps, 88 expansions, 0.02 s>]
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast, overload

import numpy as np

from goalward.errors import UsageError
from goalward.search.best_first import Progress, SearchOptions
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction
from goalward.search.solving import (
    DEFAULT_IMPROVEMENT,
    TIME_LIMIT,
    Improvement,
    OnPlan,
    Outcome,
    solve,
    solve_all,
)
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import default_search, strategy_for
from goalward.task.sexpr import read_text
from goalward.task.states import StateLike, StateReader, StatesLike, as_state, as_states, is_one_state, to_lists
from goalward.task.strips import Task


class LearnedModel(ABC):
    """Base class of learned heuristics, for one problem or for a whole domain."""

    info: dict[str, Any]
    """The record of its training: method, options, seed, versions, training curve."""
    task: Task | None
    """The task that it was trained for; None if it is for any problem of a domain."""

    @abstractmethod
    def check_domain(self, text: str, source: str) -> None:
        """Raise StateMismatchError unless the domain is the one it was trained for, up to comments and layout."""

    @abstractmethod
    def start(self, text: str, source: str) -> Start:
        """The initial state of a PDDL problem, on the atoms of a task that the heuristic can be bound to."""

    @abstractmethod
    def heuristic(self, task: Task) -> BoundHeuristic:
        """The heuristic, bound to a task that :meth:`start` gave."""

    @abstractmethod
    def with_settings(self, **settings: int) -> LearnedModel:
        """The same model with other settings; UsageError for a setting that it does not have."""

    @abstractmethod
    def save(self, path: str | Path) -> None:
        """Write it to a file, which :func:`load_model` reads."""

    @abstractmethod
    def summary(self, *, details: bool = False) -> dict[str, Any]:
        """Facts about the model; with ``details`` also the long lists, such as the training curve."""

    @overload
    def solve(  # type: ignore[overload-overlap]  # one path is a sequence of strings too, and counts as one path
        self,
        states: StateLike | None = None,
        options: SearchOptions | None = None,
        *,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        jobs: int = 1,
        cores: int | None = None,
        improve: Improvement | float | str | None = DEFAULT_IMPROVEMENT,
        progress: Progress | None = None,
    ) -> Outcome: ...
    @overload
    def solve(
        self,
        states: StatesLike,
        options: SearchOptions | None = None,
        *,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        jobs: int = 1,
        cores: int | None = None,
        improve: Improvement | float | str | None = DEFAULT_IMPROVEMENT,
        progress: Progress | None = None,
    ) -> list[Outcome]: ...
    def solve(
        self,
        states: Any = None,
        options: SearchOptions | None = None,
        *,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        jobs: int = 1,
        cores: int | None = None,
        improve: Improvement | float | str | None = DEFAULT_IMPROVEMENT,
        progress: Progress | None = None,
    ) -> Outcome | list[Outcome]:
        """Solve one state, or each of several; every plan is checked on the PDDL.

        States may have any form that :func:`goalward.as_state` and :func:`goalward.as_states` read; of a problem file,
        a model of one problem uses only the ``:init``. Without states, the model's own problem is solved. Each state
        has 30 s unless ``time_limit`` or ``options`` say otherwise. ``jobs`` states are solved at the same time, each
        on ``cores`` processor cores (default: 1, or as ``options`` say). Plans are improved for at most 0.25 s
        or as long as the search took, unless ``improve`` gives another time; None does not improve them.

        If training found that the model does not help, the search runs without it, unless ``options`` name one.
        """
        if not isinstance(jobs, int) or jobs < 1:
            raise UsageError(f"jobs must be a whole number of at least 1, but is {jobs!r}")
        strategy = strategy_for(self, algorithm=options.algorithm if options else None)
        chosen = options or replace(strategy.options, time_limit=TIME_LIMIT)
        chosen = _with(chosen, time_limit=time_limit, memory_limit=memory_limit, cores=cores)
        one = states is None or is_one_state(states)
        starts = [_start(self, state) for state in ([states] if one else _each(self, states))]
        improvement = Improvement.of(improve)
        outcomes = list(solve_all(starts, strategy.bind, chosen, jobs=jobs, improve=improvement, progress=progress))
        return outcomes[0] if one else outcomes


def plan(
    task: Task,
    heuristic: str | HeuristicFunction | BoundHeuristic | LearnedModel = "ff",
    options: SearchOptions | None = None,
    *,
    init: StateLike | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    cores: int | None = None,
    improve: Improvement | float | str | None = DEFAULT_IMPROVEMENT,
    progress: Progress | None = None,
    on_plan: OnPlan | None = None,
) -> Outcome:
    """Search for a plan from the task's initial state, or from ``init``, and check it on the PDDL.

    ``heuristic`` is a name from :data:`goalward.HEURISTICS`, a function over batches of states, or a model. Without
    ``options``, the search is ``portfolio`` for h_FF and for models that did not help in training, ``hybrid`` for other
    models, and ``gbfs`` for other heuristics. The plan is improved for at most 0.25 s or as long as the search took,
    unless ``improve`` gives another time; None does not improve it. Search and improvement use ``cores`` processor
    cores (default: 1, or as ``options`` say).

    ``on_plan`` is called with the outcome so far for each plan that is found. Each plan is better than the one before,
    and checked. :func:`anytime_plans` does the same as a generator.
    """
    bound: str | HeuristicFunction | BoundHeuristic
    is_ff = heuristic == "ff" or (isinstance(heuristic, BoundHeuristic) and heuristic.name == "ff")
    if isinstance(heuristic, LearnedModel):
        strategy = strategy_for(heuristic, algorithm=options.algorithm if options else None)
        chosen, bound = options or strategy.options, strategy.bind(task)
    else:
        default = default_search(learned=False, algorithm=None if is_ff else "gbfs")
        chosen, bound = options or default, heuristic
    chosen = _with(chosen, time_limit=time_limit, memory_limit=memory_limit, cores=cores)
    return solve(
        _start_of(task, init), bound, chosen, improve=Improvement.of(improve), progress=progress, on_plan=on_plan
    )


def _with(options: SearchOptions, **given: Any) -> SearchOptions:
    return replace(options, **{name: value for name, value in given.items() if value is not None})


def _start_of(task: Task, state: StateLike | None) -> Start:
    """The start of a search from a state of a task (default: its initial state)."""
    if state is None:
        return initial_state(task)
    if isinstance(state, str | Path):
        text = read_text(state)
        return Start(task, StateReader(task).parse(text, str(state)), text, str(state))
    return Start(task, as_state(task, state))


def _start(model: LearnedModel, state: Any) -> Start:
    if isinstance(state, str | Path):  # only the model can read it: a model of a domain grounds the problem first
        return model.start(read_text(state), str(state))
    if model.task is None:
        raise UsageError("a model of a domain solves problem files; a list of atoms is a state of one problem")
    return _start_of(model.task, state)


def _each(model: LearnedModel, states: Any) -> Sequence[StateLike]:
    """The single states of a sequence or array."""
    if isinstance(states, np.ndarray) and model.task is not None:
        return to_lists(as_states(model.task, states), model.task.n_atoms)
    return cast("Sequence[StateLike]", states)
