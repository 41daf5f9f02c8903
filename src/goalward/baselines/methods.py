"""The table of methods: everything that can be compared, with its options and its paper.

To add a learner: one file with a ``MethodOptions`` class and a function ``learn(trial, options)``, and one line below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from goalward.baselines.fast_downward import PLANNERS
from goalward.baselines.options import MethodOptions
from goalward.errors import UsageError, did_you_mean
from goalward.learning.options import LearnOptions
from goalward.search.model import Model
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.learning.trainer import TrainingResult
    from goalward.learning.trials import Trial, Watcher

DEFAULT_SECONDS = 120.0
"""For methods that would go on for ever, where nothing says when to end."""


@dataclass(frozen=True)
class Method:
    """One system. ``kind`` says whether it learns per instance, per domain, or not at all (a planner)."""

    name: str
    kind: Literal["instance", "domain", "planner"]
    summary: str
    reference: str
    home: str | None = None  # module with ``Options`` and ``learn``; None: learned from pre-images, or not learned
    ended_by: str | None = None  # the option that ends it; None: it ends by itself

    @property
    def options(self) -> type[MethodOptions]:
        """The class of its options; RSL and N-RSL have theirs on the command line itself."""
        if self.home is None or self.kind != "instance":
            return MethodOptions
        options: type[MethodOptions] = import_module(self.home).Options
        return options

    @property
    def learn(self) -> Callable[[Trial, Any], TrainingResult]:
        """How one trial learns."""
        assert self.home is not None
        learn: Callable[[Trial, Any], TrainingResult] = import_module(self.home).learn
        return learn


_HERE = "goalward.baselines"
_FERBER_2021 = "Ferber, Geißer, Trevizan, Helmert, Hoffmann 2021"

METHODS: dict[str, Method] = {
    method.name: method
    for method in [
        Method(
            "n-rsl", "instance", "supervised by pre-images; regression prefers actions with new preconditions",
            "O'Toole, Ramirez, Lipovetzky, Pearce 2022",
        ),
        Method(
            "rsl", "instance", "supervised by pre-images; regression draws actions uniformly",
            "O'Toole, Ramirez, Lipovetzky, Pearce 2022",
        ),
        Method(
            "tsl", "instance", "supervised by a teacher, GBFS with h_FF, that solves random walks",
            "Ferber, Helmert, Hoffmann 2020", f"{_HERE}.tsl", "max_walks",
        ),
        Method(
            "sing", "instance", "supervised by the depths of backward depth-first searches from goal states",
            "Yu, Kuroiwa, Fukunaga 2020, configuration C4", f"{_HERE}.sing",
        ),
        Method(
            "boot", "instance", "bootstrapping: solves ever farther states with the current network; plan lengths",
            _FERBER_2021, f"{_HERE}.boot", "max_rounds",
        ),
        Method(
            "bexp", "instance", "bootstrapping as boot; labels are the expansions that GBFS needed",
            _FERBER_2021, f"{_HERE}.bexp", "max_rounds",
        ),
        Method(
            "avi", "instance", "approximate value iteration: Bellman updates on a two-step lookahead",
            _FERBER_2021, f"{_HERE}.avi", "max_iterations",
        ),
        Method(
            "hgn", "domain", "STRIPS-HGN, a hypergraph network over the delete relaxation (goalward train-domain)",
            "Shen, Trevizan, Thiébaux 2020",
        ),
        Method("ff", "planner", "GBFS with h_FF, goalward's own", "Hoffmann, Nebel 2001"),
        *(Method(planner.name, "planner", planner.summary, planner.paper) for planner in PLANNERS.values()),
    ]
}  # fmt: skip


def find_method(name: str, kind: str | None = None) -> Method:
    """The method of that name, and of that kind if one is asked for."""
    known = {n: method for n, method in METHODS.items() if kind in (None, method.kind)}
    if name not in known:
        hint = did_you_mean(name, known)
        if name in METHODS:
            hint = f": {METHODS[name].summary}"
            raise UsageError(f"{name} is not learned per instance{hint} (those that are: {', '.join(known)})")
        raise UsageError(f"unknown method {name!r}{hint} (known: {', '.join(known)})")
    return known[name]


def with_time_limit(method: Method, options: LearnOptions, chosen: MethodOptions) -> LearnOptions:
    """The options with a time limit, where nothing else would end the method.

    Who says after how many walks or rounds to end gets the same model each time, which no clock would grant.
    """
    if method.ended_by is None or options.time_limit is not None:
        return options
    told = getattr(chosen, method.ended_by) != getattr(method.options(), method.ended_by)
    return options if told else replace(options, time_limit=DEFAULT_SECONDS)


def train_with(
    task: Task, options: LearnOptions, settings: Iterable[str] = (), watcher: Watcher | None = None
) -> Model:
    """Learn a heuristic with the method that ``options`` name; ``settings`` are its own options as ``name=value``."""
    from goalward.learning.trials import learn_from_preimages, train_model  # noqa: PLC0415 - loads PyTorch

    method = find_method(options.method, "instance")
    chosen = method.options.parse(settings, method.name)
    if method.home is None:
        return train_model(task, options, watcher, learner=learn_from_preimages)
    options = with_time_limit(method, options, chosen)
    learn = method.learn
    return train_model(
        task, options, watcher, learner=lambda trial: learn(trial, chosen), method_options=asdict(chosen)
    )
