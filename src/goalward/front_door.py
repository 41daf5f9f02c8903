"""Training from Python: one function for all methods, with a live view on a terminal or in a notebook."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, overload

from goalward.errors import UsageError
from goalward.extras import require_torch
from goalward.learning.methods import find_method, make_options, train_with
from goalward.learning.options import LearnOptions
from goalward.task.strips import Task

if TYPE_CHECKING:
    from goalward.baselines.hgn_model import DomainModel, DomainOptions
    from goalward.search.model import Model


@overload
def train(
    task: Task,
    method: str = "n-rsl",
    options: LearnOptions | None = None,
    *,
    progress: bool | None = None,
    **settings: Any,
) -> Model: ...
@overload
def train(
    task: Sequence[Task],
    method: Literal["hgn"],
    options: DomainOptions | None = None,
    *,
    progress: bool | None = None,
    **settings: Any,
) -> DomainModel: ...
def train(
    task: Task | Sequence[Task],
    method: str = "n-rsl",
    options: Any = None,
    *,
    progress: bool | None = None,
    **settings: Any,
) -> Model | DomainModel:
    """Learn a heuristic for a task with any method of :data:`goalward.METHODS`.

    Settings are options of the method by name, such as ``time_limit="2m"`` and ``seed=1``; they override those in
    ``options``. The method ``hgn`` learns for a domain, from several of its tasks. Ctrl-C ends training and keeps the
    best weights so far.

    Progress is shown on a terminal and in a notebook. With ``progress=True`` it is written to stderr otherwise; with
    ``progress=False`` it is never shown.

    >>> model = train(task, time_limit="2m")  # doctest: +SKIP
    >>> model.solve("p1.pddl").steps  # doctest: +SKIP
    """
    if find_method(method).kind == "domain":
        return _train_domain([task] if isinstance(task, Task) else task, options, settings, progress)
    if not isinstance(task, Task):
        raise UsageError(f"{method} takes one task; only hgn takes several, of one domain")
    from goalward.cli.signals import Interrupt  # noqa: PLC0415 - the display is slow to import
    from goalward.cli.training_view import TrainingView  # noqa: PLC0415

    given = make_options(method, settings)
    chosen = given if options is None else replace(options, **{name: getattr(given, name) for name in settings})
    with Interrupt() as interrupt, TrainingView(chosen, interrupt, progress, uses_costs=task.uses_costs) as view:
        return train_with(task, method, chosen, view)


def _train_domain(
    tasks: Sequence[Task], options: DomainOptions | None, settings: dict[str, Any], progress: bool | None
) -> DomainModel:
    require_torch("training")
    from goalward.baselines.hgn_model import DomainOptions  # noqa: PLC0415
    from goalward.baselines.hgn_training import train_domain  # noqa: PLC0415 - loads PyTorch
    from goalward.cli.signals import Interrupt  # noqa: PLC0415
    from goalward.cli.training_view import DomainView  # noqa: PLC0415

    for name in settings:
        DomainOptions.find(name, "hgn")
    chosen = replace(options or DomainOptions(), **settings)
    names = [task.problem_name for task in tasks]
    with Interrupt() as interrupt, DomainView(names, chosen, interrupt, progress) as view:
        return train_domain(tasks, chosen, view)
