"""The table of methods: everything that can be learned or compared, with its options and its paper.

To add a learner: one file with a class of options and a function ``learn(trial)``, and one line below. A method's home
is loaded when it is asked for, and PyTorch only when it trains.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from goalward.declared import Options, declared
from goalward.errors import UsageError, known_names
from goalward.extras import require_torch
from goalward.learning.budget import Budget, Clock
from goalward.learning.options import REMOVED, LearnOptions
from goalward.search.model import Model
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.learning.results import TrainingResult
    from goalward.learning.trials import Trial
    from goalward.learning.watchers import Watcher


@dataclass(frozen=True)
class Method:
    """One system. ``kind`` says whether it learns per instance, per domain, or not at all (a planner)."""

    name: str
    kind: Literal["instance", "domain", "planner"]
    summary: str
    reference: str
    home: str | None = None
    """Module and class of its options; the module of a method that learns per instance also has ``learn``."""

    @property
    def options(self) -> type[Options]:
        """The class of its options."""
        if self.home is None:
            return Options
        module, _, name = self.home.rpartition(".")
        options: type[Options] = getattr(import_module(module), name)
        return options

    @property
    def learn(self) -> Callable[[Trial[Any]], TrainingResult]:
        """The function that trains the network of one trial."""
        assert self.home is not None
        learn: Callable[[Trial[Any]], TrainingResult] = import_module(self.home.rpartition(".")[0]).learn
        return learn


_PREIMAGES = "goalward.learning.rsl.PreimageOptions"
_BASELINES = "goalward.baselines"
_FERBER_2021 = "Ferber, Geißer, Trevizan, Helmert, Hoffmann 2021"

METHODS: dict[str, Method] = {
    method.name: method
    for method in [
        Method(
            "n-rsl", "instance", "supervised by pre-images; regression prefers actions with new preconditions",
            "O'Toole, Ramirez, Lipovetzky, Pearce 2022", _PREIMAGES,
        ),
        Method(
            "rsl", "instance", "supervised by pre-images; regression draws actions uniformly",
            "O'Toole, Ramirez, Lipovetzky, Pearce 2022", _PREIMAGES,
        ),
        Method(
            "tsl", "instance", "supervised by a teacher, GBFS with h_FF, that solves random walks",
            "Ferber, Helmert, Hoffmann 2020", f"{_BASELINES}.tsl.TslOptions",
        ),
        Method(
            "sing", "instance", "supervised by the depths of backward depth-first searches from goal states",
            "Yu, Kuroiwa, Fukunaga 2020, configuration C4", f"{_BASELINES}.sing.SingOptions",
        ),
        Method(
            "fsm", "instance", "supervised by regression, breadth-first and random, with labels improved in the sample",
            "Bettker, Minini, Pereira, Ritt 2024", f"{_BASELINES}.fsm.FsmOptions",
        ),
        Method(
            "boot", "instance", "bootstrapping: solves ever farther states with the current network; plan lengths",
            _FERBER_2021, f"{_BASELINES}.boot.BootOptions",
        ),
        Method(
            "bexp", "instance", "bootstrapping as boot; labels are the expansions that GBFS needed",
            _FERBER_2021, f"{_BASELINES}.bexp.BootOptions",
        ),
        Method(
            "avi", "instance", "approximate value iteration: Bellman updates on a two-step lookahead",
            _FERBER_2021, f"{_BASELINES}.avi.AviOptions",
        ),
        Method(
            "hgn", "domain", "STRIPS-HGN, a hypergraph network over the delete relaxation (goalward train-domain)",
            "Shen, Trevizan, Thiébaux 2020", f"{_BASELINES}.hgn_model.DomainOptions",
        ),
        Method("ff", "planner", "GBFS with h_FF, goalward's own", "Hoffmann, Nebel 2001"),
        Method(
            "portfolio", "planner", "goalward's searches without learning: h_FF and landmarks, goals, novelty",
            "Richter, Westphal 2010",
        ),
        Method("fd-ff", "planner", "GBFS with h_FF, Fast Downward's", "Hoffmann, Nebel 2001; Helmert 2006"),
        Method("lama", "planner", "LAMA's first iteration, by Fast Downward", "Richter, Westphal 2010"),
        Method("lama-full", "planner", "all of LAMA until the time limit, by Fast Downward", "Richter, Westphal 2010"),
    ]
}  # fmt: skip
"""Everything that can be learned or compared."""
FORMER_METHODS = {"goalward-lama": "portfolio"}
"""Names that methods had once: commands, configs and stored experiments may still use them."""


def find_method(name: str, kind: str | None = None) -> Method:
    """The method of that name, and of that kind if one is asked for."""
    name = FORMER_METHODS.get(name, name)
    known = {n: method for n, method in METHODS.items() if kind in (None, method.kind)}
    if name in known:
        return known[name]
    if name in METHODS:
        summary = METHODS[name].summary
        raise UsageError(f"{name} is not learned per instance: {summary} (those that are: {', '.join(known)})")
    raise UsageError(f"unknown method {name!r}{known_names(name, known)}")


def learned_methods() -> list[str]:
    """Names of all methods that learn a model for one problem."""
    return [name for name, method in METHODS.items() if method.kind == "instance"]


def options_class(method: str) -> type[LearnOptions]:
    """The class of the options of a method that is learned per instance."""
    options = find_method(method, "instance").options
    assert issubclass(options, LearnOptions)
    return options


def make_options(
    method: str,
    values: Mapping[str, Any] | None = None,
    texts: Mapping[str, str] | None = None,
    settings: Mapping[str, str] | None = None,
) -> LearnOptions:
    """The options of a method, by name: the one way from configs and from the command line to a learner.

    ``values`` come from Python or TOML, ``texts`` from flags, and ``settings`` from ``--set NAME=VALUE``.
    """
    for name in [*(values or ()), *(texts or ()), *(settings or ())]:
        if name in REMOVED:
            raise UsageError(f"there is no option {name} any more: {REMOVED[name]}")
    return options_class(method).of(method, values, texts, settings)


def train_with(
    task: Task,
    method: str = "n-rsl",
    options: LearnOptions | None = None,
    watcher: Watcher | None = None,
    *,
    spent: float = 0.0,
    clock: Clock | None = None,
) -> Model:
    """Learn a heuristic for a task with a method and its options, or with the default ones.

    ``spent`` seconds of the options' time limit have gone before, for grounding, say. The limit is wall-clock time
    unless another ``clock`` is given, such as :func:`time.process_time`.
    """
    require_torch("training")
    import goalward.learning.trainer  # noqa: F401, PLC0415 - loads PyTorch, before the clock starts
    from goalward.learning.models import train_model  # noqa: PLC0415 - the table is read by those who train nothing

    known = options_class(method)
    chosen = known() if options is None else options
    if not isinstance(chosen, known):
        raise UsageError(f"{method} learns with {known.__name__}, and these are {type(chosen).__name__}")
    budget = Budget(chosen.resolved().time_limit, spent=spent, clock=clock)
    return train_model(task, method, find_method(method).learn, chosen, watcher, budget=budget)


def methods_with(option: str) -> list[str]:
    """Names of the learned methods that have an option of this name."""
    return [name for name in learned_methods() if option in declared(options_class(name))]
