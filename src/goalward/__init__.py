"""goalward: learn a heuristic for one planning problem and solve it from any initial state.

Everything in :data:`PUBLIC` is imported when it is first used, so ``import goalward`` is quick and imports neither the
translator nor PyTorch. ``docs/api.md`` describes it. For a search whose plan is not checked, use
``goalward.search.search``.
"""

from __future__ import annotations

from importlib import import_module

# The public names by module. Only these can be imported from goalward. After a change, run docs/make_api.py, which
# writes docs/api.md, and __init__.pyi for type checkers.
PUBLIC: dict[str, tuple[str, ...]] = {
    "task.grounding": ("UnsolvableError", "ground", "ground_files"),
    "task.lifted": ("Domain", "Problem"),
    "task.lifted_reader": ("parse_domain", "parse_problem", "read_domain", "read_problem"),
    "task.domains": ("DOMAINS", "Instance", "generate"),
    "task.strips": ("Rows", "Task"),
    "task.states": (
        "StateReader",
        "as_state",
        "as_states",
        "format_problem",
        "from_bits",
        "random_walk_states",
        "to_bits",
    ),
    "task.store": ("load_task", "save_task"),
    "task.plan_file": ("format_plan", "read_plan"),
    "task.validate": ("Validation", "validate_plan"),
    "search.planning": ("LearnedModel", "plan"),
    "search.anytime": ("anytime_plans",),
    "search.solving": ("Improvement", "Outcome"),
    "search.best_first": ("ALGORITHMS", "SearchOptions", "SearchResult", "Statistics", "Status"),
    "search.heuristics": ("HEURISTICS", "BoundHeuristic", "bind_heuristic"),
    "search.improve": ("BetterPlan", "ImproveStatus", "ImprovedPlan", "improve_plan"),
    "search.landmarks": ("LandmarkGraph", "LandmarkOptions", "find_landmarks"),
    "search.learned": ("load_model",),
    "search.model": ("Model", "save_model"),
    "search.network": ("Layer", "NetworkWeights", "bind_network"),
    "regression.rollouts": ("RolloutOptions", "Rollouts", "regress"),
    "sampling.labels": ("LABELS", "label"),
    "sampling.samplers": ("SAMPLERS", "SamplingOptions", "make_dataset"),
    "sampling.plans": ("label_plans",),
    "sampling.dataset": ("Dataset", "load_dataset", "save_dataset"),
    "front_door": ("train",),
    "learning.methods": ("METHODS", "Method", "make_options", "train_with"),
    "learning.options": ("LearnOptions", "NetworkOptions", "NetworkShape", "SupervisedOptions", "TrainingOptions"),
    "learning.results": ("Epoch", "TrainingResult"),
    "learning.rsl": ("PreimageOptions",),
    "learning.trainer": ("train_network",),
    "learning.trials": ("Trial",),
    "learning.watchers": ("Watcher",),
    "baselines.avi": ("AviOptions",),
    "baselines.boot": ("BootOptions",),
    "baselines.sing": ("SingOptions",),
    "baselines.tsl": ("TslOptions",),
    "baselines.hgn_model": ("DomainModel", "DomainOptions"),
    "baselines.hgn_training": ("train_domain",),
    "experiments.scores": ("Score",),
    "errors": (
        "ExitCode",
        "GoalwardError",
        "InvalidPlanError",
        "LimitError",
        "PddlError",
        "StateMismatchError",
        "StoppedError",
        "StoredFileError",
        "UnsupportedError",
        "UsageError",
        "WriteError",
    ),
}
_HOME = {name: home for home, names in PUBLIC.items() for name in names}

__all__ = sorted(_HOME)  # noqa: PLE0605 - made from the table


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version  # noqa: PLC0415 - slow to load, and seldom asked for

        return version("goalward")
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'goalward' has no attribute {name!r}")
    try:
        module = import_module(f"goalward.{home}")
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        from goalward.extras import require_torch  # noqa: PLC0415

        require_torch(name)
        raise
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
