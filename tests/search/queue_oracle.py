"""Lazy search with queues that take turns, as slowly and as plainly as it can be written.

Every successor stands in the queues by itself, as a pair of a state and an operator or, where there is a network, with
its value as a child, and queues are searched for their best entry from front to back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import floor, inf

from goalward.task.strips import Ints, Task
from oracle import State, as_set

# Which transitions a path-dependent guide has heard of: from a state, by its number, with an operator.
Steps = list[tuple[int, int]]
# The value of a state, by its number too, and the operators preferred there.
Guide = Callable[[State, int, Steps], tuple[float, set[int]]]
Network = Callable[[State], float]
BOOST = 1000


@dataclass
class Queue:
    """Entries in order of arrival: a value and what decides among equals, and an operator in a state, or a child."""

    name: str
    preferred: bool
    entries: list[tuple[tuple[float, float], State, int | None]] = field(default_factory=list)
    turns: int = 0
    expanded: int = 0

    def pop(self) -> tuple[State, int | None]:
        best = min(range(len(self.entries)), key=lambda i: (self.entries[i][0], i))
        return self.entries.pop(best)[1:]


@dataclass
class Trace:
    """What a search did: the states that it expanded in their order, and how it ended."""

    expanded: list[State]
    queues: list[Queue]
    dead_ends: int
    plan: tuple[int, ...] | None
    led_by: str
    cut: bool = False  # by the limit on expansions


class QueueSearch:
    """One search; ``run`` may be called once."""

    def __init__(self, task: Task, guides: dict[str, Guide], network: Network | None, batch: int = 1) -> None:
        self.task, self.guides, self.network, self.batch = task, guides, network, batch
        self.lazy = [Queue(f"{name}{kind}", bool(kind)) for name in guides for kind in ("", " preferred")]
        self.eager = [Queue("network", False)] if network else []
        self.eager += [Queue("network preferred", True)] if network and guides else []
        self.path: dict[State, tuple[int, ...]] = {}
        self.number: dict[State, int] = {}
        self.steps: Steps = []
        self.closed: set[State] = set()
        self.best = dict.fromkeys([*guides, "network"], inf)
        self.values: dict[State, float] = {}  # by the network
        self.fresh: list[tuple[State, bool]] = []
        self.reached: list[tuple[list[float], State, bool]] = []  # the values of the parent, a child, is it preferred
        self.waiting = 0
        self.trace = Trace([], self.lazy + self.eager, 0, None, "")

    def run(self, init: Ints, expansions: int) -> Trace:
        state = as_set(init)
        self.path[state], self.number[state] = (), 0
        if self.network and not self.guides:
            self.best["network"] = self.network(state)
        if self.is_goal(state):
            self.trace.plan = ()
            return self.trace
        self.expand(state, "")
        while self.trace.plan is None:
            ready = [queue for queue in self.trace.queues if queue.entries]
            if not ready:
                if not self.waiting:
                    break
                self.evaluate_children()
                continue
            queue = min(ready, key=lambda q: q.turns)
            parent, operator = queue.pop()
            if operator is None and parent in self.closed:
                continue
            queue.turns += 1
            child = parent if operator is None else self.follow(parent, operator, queue.name)
            if self.trace.plan is None and child in self.closed:
                continue
            if self.trace.plan is None:
                if len(self.trace.expanded) >= expansions:
                    self.trace.cut = True
                    break
                queue.expanded += self.expand(child, queue.name)
            if self.waiting >= self.batch and self.trace.plan is None:
                self.evaluate_children()
        return self.trace

    def is_goal(self, state: State) -> bool:
        return as_set(self.task.goal) <= state

    def follow(self, parent: State, operator: int, led_by: str) -> State:
        child = (parent - as_set(self.task.delete[operator])) | as_set(self.task.add[operator])
        if child not in self.closed:
            self.steps.append((self.number[parent], operator))
        if child not in self.path:
            self.path[child], self.number[child] = (*self.path[parent], operator), len(self.number)
            if self.is_goal(child):
                self.trace.plan, self.trace.led_by = self.path[child], led_by
        return child

    def expand(self, state: State, led_by: str) -> bool:
        self.closed.add(state)
        told = {name: guide(state, self.number[state], self.steps) for name, guide in self.guides.items()}
        if any(h == inf for h, _ in told.values()):
            self.trace.dead_ends += 1
            return False
        self.trace.expanded.append(state)
        self.reward([self.improve(name, h) for name, (h, _) in told.items()])
        operators = self.operators(state)
        preferred = set[int]().union(*(liked for _, liked in told.values()))
        values = [h for h, _ in told.values()]
        if not self.network:
            for h, everything, liked in zip(values, self.lazy[::2], self.lazy[1::2], strict=True):
                everything.entries += [((h, 0), state, o) for o in operators]
                liked.entries += [((h, 0), state, o) for o in sorted(preferred)]
            return True
        self.waiting += 1
        for operator in operators:
            known = len(self.path)
            child = self.follow(state, operator, led_by)
            if self.trace.plan is not None:
                break
            if len(self.path) > known:
                self.fresh.append((child, operator in preferred))
            if child not in self.closed:
                self.reached.append((values, child, operator in preferred))
        return True

    def evaluate_children(self) -> None:
        assert self.network
        values = [self.network(child) for child, _ in self.fresh]
        progress = [self.improve("network", floor(h)) for h in values]
        for h, (child, preferred) in zip(values, self.fresh, strict=True):
            self.values[child] = h
            for queue in self.eager:
                if preferred or not queue.preferred:
                    queue.entries.append(((h, 0), child, None))
        for of_parent, child, preferred in self.reached:
            for h, everything, liked in zip(of_parent, self.lazy[::2], self.lazy[1::2], strict=True):
                for queue in (everything, liked) if preferred else (everything,):
                    queue.entries.append(((h, self.values[child]), child, None))
        self.reward(progress)
        self.fresh, self.reached, self.waiting = [], [], 0

    def improve(self, name: str, h: float) -> bool:
        before = self.best[name]
        self.best[name] = min(h, before)
        return h < before < inf

    def reward(self, progress: Sequence[bool]) -> None:
        if any(progress):
            for queue in self.trace.queues:
                queue.turns -= BOOST * queue.preferred

    def operators(self, state: State) -> list[int]:
        return [o for o in range(self.task.n_operators) if as_set(self.task.pre[o]) <= state]
