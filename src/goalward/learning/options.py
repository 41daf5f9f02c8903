"""The options that learned methods share: the shape of the network, its training, and the choice among trials.

A method has a class of its own beside its learner: :class:`SupervisedOptions` and more where a network is fitted to a
data set, :class:`LearnOptions` and more where it makes its data while it learns. No PyTorch here, so that the command
line and configs can be read without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from goalward.declared import DURATION, SHARE, Options, declared, option

_VALUES: dict[str, tuple[Any, Any]] = {
    # option: fast, paper
    "width": (64, 250),
    "batch_size": (256, 64),
    "learning_rate": (1e-3, 1e-4),
    "max_epochs": (15, 1000),
    "patience": (8, 2),
    "schedule": ("cosine", "constant"),
    "normalise": (True, False),
    "required_probes": (3, 0),
    "rollouts": (0, 5),
    "length": (0, 500),
    "sampler": ("mixed", "uniform"),
    "labels": ("d", "d"),
    "costs": ("pddl", "unit"),
    "expert": (True, False),
}
PRESETS: dict[str, dict[str, Any]] = {
    preset: {name: values[i] for name, values in _VALUES.items()} for i, preset in enumerate(("fast", "paper"))
}
"""Sets of values for the options that are left open: those declared by :func:`by_preset`."""
DEFAULT_SECONDS = 120.0
"""For methods that would go on for ever, if nothing says when to end. Not tuned."""

ENDLESS = 10**9
"""Epochs that no training reaches: only the clock ends it."""

REMOVED = {
    "improve": "goalward learns by expert iteration now; --set expert=false turns that off",
    "race": "one network is trained now; --trials asks for more",
    "fresh": "expert iteration always draws new states; --set expert=false draws them once",
    "enough_looks": "it is called required_probes now",
}
"""Options of earlier versions, and what took their place."""


def by_preset(help_text: str, low: float | None = None, high: float | None = None, **more: Any) -> Any:
    """An option that the preset fills in."""
    return option(None, help_text, low, high, by_preset=True, **more)


@dataclass(frozen=True)
class NetworkShape(Options):
    """|F| → width → width … → residual blocks of two layers → 1."""

    width: int = option(250, "width of the network's layers", 1, 8192)
    plain_layers: int = option(2, "plain layers of the network, including the first", 1, 32)
    residual_blocks: int = option(1, "residual blocks of two layers each, after the plain ones", 0, 32)


@dataclass(frozen=True)
class NetworkOptions(NetworkShape):
    """A network and how it is stepped towards its labels: by Adam, on the mean squared error.

    What the preset fills in is None until :meth:`resolved` is called; everything that trains does so first.
    """

    preset: str = option("fast", "defaults of the other options: fast, or exactly those of the paper", choices=PRESETS)
    batch_size: int = by_preset("states in one step of gradient descent", 1, 1_000_000)
    learning_rate: float = by_preset("learning rate of Adam at the beginning", 1e-9, 10.0)
    time_limit: float | None = option(
        None,
        "time limit of the training, shared by the trials; that of goalward train includes grounding and loading",
        kind=DURATION,
    )
    seed: int = option(0, "random seed; the same seed gives the same model on the same machine", 0, 2**32 - 1)
    device: str = option("cpu", "where PyTorch trains", choices=("cpu", "cuda"))
    threads: int = option(1, "threads for PyTorch", 1, 1024)

    @property
    def shape(self) -> NetworkShape:
        """The part of these options that says how the network is built."""
        return NetworkShape(self.width, self.plain_layers, self.residual_blocks)

    def resolved(self) -> Self:
        """The same with the preset's values where none were given."""
        values = PRESETS[self.preset]
        return replace(self, **{name: values[name] for name in self.left_open()})


@dataclass(frozen=True)
class TrainingOptions(NetworkOptions):
    """Options for fitting a network to a data set; the weights with the least validation loss are kept.

    ``schedule`` "constant" keeps the learning rate; "cosine" lets it fall to 1 % over ``max_epochs`` or the time limit,
    whichever ends first. ``normalise`` fits the labels less their mean, divided by their standard deviation; the
    scaling is folded into the exported weights. The function fitted is the same, but no epochs are spent on finding the
    range of the labels.
    """

    max_epochs: int = by_preset("maximum number of passes over the training states", 1, 10**9)
    patience: int = by_preset("epochs without a lower validation loss after which training stops", 1, 10**9)
    schedule: str = by_preset(
        "the learning rate: constant, or falling to 1 % along a cosine", choices=("constant", "cosine")
    )
    normalise: bool = by_preset("subtract the mean from the labels and divide them by their standard deviation")
    validation_share: float = option(
        0.2, "share of the states that is held out to stop training early", 0.001, 0.9, kind=SHARE
    )


@dataclass(frozen=True)
class LearnOptions(NetworkOptions):
    """Options of every learned method; each method adds its own."""

    trials: int = option(
        1, "networks to train, each with a seed of its own; the best on validation states is kept", 1, 1000
    )
    cores: int = option(1, "number of trials trained at the same time, each on one core; 0: on all cores", 0, 1024)
    validation_states: int = option(10, "ends of random walks that choose among the trials", 0, 10_000)
    validation_seconds: float = option(2.0, "time for the search from each validation state", kind=DURATION)

    @property
    def counts_steps(self) -> bool:
        """True if labels count steps, False if they count the costs of the PDDL."""
        return True

    ended_by: ClassVar[str | None] = None
    """The option without which the method would never end; None: it ends by itself."""

    def resolved(self) -> Self:
        """With the preset's values, and with a time limit where nothing else would end the method.

        A number of walks or rounds that was asked for ends it too, and then there is no time limit: the same number
        gives the same model on every machine, the same time does not.
        """
        full = super().resolved()
        if self.ended_by is None or self.time_limit is not None:
            return full
        told = getattr(self, self.ended_by) != declared(type(self))[self.ended_by].default
        return full if told else replace(full, time_limit=DEFAULT_SECONDS)


@dataclass(frozen=True)
class SupervisedOptions(TrainingOptions, LearnOptions):
    """For methods that make a data set first and then fit a network to it.

    Training ends when more of it cannot matter: a few searches after an epoch (a probe, see ``probes.py``) go straight
    to the goal from all their validation states, by plans that improvement does not shorten, and so they do for
    ``required_probes`` probes in a row.
    """

    required_probes: int = by_preset(
        "training ends after this many good probes in a row (all states solved directly, by short plans); 0: never",
        0,
        1000,
    )
