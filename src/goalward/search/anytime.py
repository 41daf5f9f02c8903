"""Anytime search: yields plans as they are found, each better than the one before.

>>> for outcome in anytime_plans(task, time_limit="1m"):  # doctest: +SKIP
...     print(outcome.found_after, outcome.cost)
"""

from __future__ import annotations

import threading
from collections.abc import Generator
from queue import SimpleQueue

from goalward.search.best_first import SearchOptions
from goalward.search.heuristics import BoundHeuristic, HeuristicFunction
from goalward.search.planning import LearnedModel, plan
from goalward.search.solving import UNLIMITED_IMPROVEMENT, Outcome
from goalward.task.states import StateLike
from goalward.task.strips import Task


def anytime_plans(
    task: Task,
    heuristic: str | HeuristicFunction | BoundHeuristic | LearnedModel = "ff",
    options: SearchOptions | None = None,
    *,
    init: StateLike | None = None,
    time_limit: float | str | None = None,
    memory_limit: int | str | None = None,
    cores: int | None = None,
) -> Generator[Outcome, None, Outcome]:
    """Search for a plan as :func:`plan` does, then for better ones until a limit, or until nothing is left to try.

    Each plan is checked on the PDDL. The search runs in a thread of its own, so it continues while the caller processes
    a plan, and no plan is lost. Closing or dropping the generator ends the search. The return value of the generator
    (of ``yield from``, or in StopIteration) is the final outcome, which says why there is no plan or no better one.
    """
    stop = threading.Event()
    found: SimpleQueue[Outcome | None] = SimpleQueue()  # None marks the end
    results: list[Outcome | BaseException] = []

    def work() -> None:
        try:
            outcome = plan(
                task, heuristic, options, init=init, time_limit=time_limit, memory_limit=memory_limit,
                cores=cores, improve=UNLIMITED_IMPROVEMENT, progress=lambda _: not stop.is_set(), on_plan=found.put,
            )  # fmt: skip
            results.append(outcome)
        except BaseException as error:  # raised again in the caller's thread
            results.append(error)
        finally:
            found.put(None)

    thread = threading.Thread(target=work, name="goalward-anytime", daemon=True)
    thread.start()
    try:
        while (outcome := found.get()) is not None:
            yield outcome
    finally:
        stop.set()
        thread.join()
    (result,) = results
    if isinstance(result, BaseException):
        raise result
    return result
