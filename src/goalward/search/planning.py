"""From states, however they are given, to checked plans: what notebooks and programs call.

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
from typing import Any, overload

import numpy as np

from goalward.errors import UsageError
from goalward.search.best_first import Progress, SearchOptions
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction
from goalward.search.solving import (
    TIME_LIMIT,
    WHILE_IT_PAYS,
    Improvement,
    OnPlan,
    Outcome,
    solve,
    solve_all,
)
from goalward.search.starts import Start, initial_state
from goalward.search.strategy import default_search, strategy_for
from goalward.task.sexpr import read_text
from goalward.task.states import StateLike, StateReader, as_state, is_names
from goalward.task.strips import Task


class LearnedModel(ABC):
    """Base class of learned heuristics, for one problem or for a whole domain."""

    info: dict[str, Any]
    """How it was made: method, options, seed, versions, training curve."""
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
        improve: Improvement | float | str | None = WHILE_IT_PAYS,
        progress: Progress | None = None,
    ) -> Outcome: ...
    @overload
    def solve(
        self,
        states: Sequence[StateLike],
        options: SearchOptions | None = None,
        *,
        time_limit: float | str | None = None,
        memory_limit: int | str | None = None,
        jobs: int = 1,
        cores: int | None = None,
        improve: Improvement | float | str | None = WHILE_IT_PAYS,
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
        improve: Improvement | float | str | None = WHILE_IT_PAYS,
        progress: Progress | None = None,
    ) -> Outcome | list[Outcome]:
        """Solve one state, or each of several; every plan is checked on the PDDL.

        A state is the path of a problem file, of which a model of one problem reads the ``:init`` alone, or a list of
        the ids of its true atoms. Without states, the model's own problem is solved. Each state gets 30 s unless
        ``time_limit`` or ``options`` say otherwise; ``jobs`` states are solved at the same time, each on
        ``cores`` processor cores (1 unless ``options`` say otherwise). Plans are improved for
        as long as their search took, or for as long as ``improve`` says; None leaves them as they were found.

        Where training found that the model is of no use, the search is the one without it, unless ``options`` name one.
        """
        if not isinstance(jobs, int) or jobs < 1:
            raise UsageError(f"jobs must be a whole number of at least 1, but is {jobs!r}")
        strategy = strategy_for(self, algorithm=options.algorithm if options else None)
        chosen = options or replace(strategy.options, time_limit=TIME_LIMIT)
        chosen = _with(chosen, time_limit=time_limit, memory_limit=memory_limit, cores=cores)
        one = states is None or _is_one(states)
        starts = [_start(self, state) for state in ([states] if one else states)]
        outcomes = list(
            solve_all(
                starts,
                strategy.bind,
                chosen,
                jobs=jobs,
                improve=Improvement.of(improve),
                progress=progress,
            )
        )
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
    improve: Improvement | float | str | None = WHILE_IT_PAYS,
    progress: Progress | None = None,
    on_plan: OnPlan | None = None,
) -> Outcome:
    """Search for a plan from the task's initial state, or from ``init``, and check it on the PDDL.

    ``heuristic`` is a name from :data:`goalward.HEURISTICS`, a function over batches of states, or a model. Without
    ``options`` the search is ``portfolio`` with h_FF or a model that training found to be of no use, ``hybrid`` with
    any other model, and ``gbfs`` with any other heuristic. The plan is improved for as long as its search took, or for
    as long as ``improve`` says; None leaves it as it was found. Search and improvement use ``cores`` processor cores,
    1 unless ``options`` say otherwise.

    ``on_plan`` gets the outcome so far with each plan as it is found, one better than the other and all checked.
    :func:`anytime_plans` does the same as a generator.
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
    """A state of a task, with the PDDL that its plan is checked on."""
    if state is None:
        return initial_state(task)
    if isinstance(state, str | Path):
        text = read_text(state)
        return Start(task, StateReader(task).parse(text, str(state)), text, str(state))
    return Start(task, as_state(task, state))


def _start(model: LearnedModel, state: Any) -> Start:
    if isinstance(state, str | Path):  # the model knows how to read it: a domain's model grounds the problem
        return model.start(read_text(state), str(state))
    if model.task is None:
        raise UsageError("a model of a domain solves problem files; a list of atoms is a state of one problem")
    return _start_of(model.task, state)


def _is_one(states: Any) -> bool:
    """True for one state: a file, or the ids or names of atoms. An empty list has no states in it."""
    if isinstance(states, str | Path | np.ndarray) or is_names(states):
        return True
    return len(states) > 0 and isinstance(states[0], int | float | np.number)
