"""Why SING is better here than in the paper: its differences from the original, taken away one at a time.

    python benchmarks/sing_ablation.py
    python benchmarks/sing_ablation.py --instances blocks/moderate/probBLOCKS-14-0 --variants ours one-round

Each variant learns on the same instances and searches from the same states, with a limit of expansions, so that speed
plays no part.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from common import find_benchmark, find_instances
from goalward.baselines import sing
from goalward.learning.methods import make_options, train_with
from goalward.sampling import Dataset
from goalward.search import SearchOptions, bind_heuristic, search
from goalward.search.model import Model
from goalward.search.network import bind_network
from goalward.task.grounding import ground_files
from goalward.task.states import StateReader, from_bits, to_bits
from goalward.task.strips import Rows, Task

INSTANCES = [
    "blocks/moderate/probBLOCKS-14-0",
    "storage/moderate/p18",
    "transport-opt14-strips/moderate/p10",
    "visitall-opt14-strips/moderate/p-1-12",
]
MakeDataset = Callable[[Task, sing.SingOptions, int, Callable[[], bool]], tuple[Dataset, int]]
make_as_here = sing.make_dataset


def one_round(task: Task, options: sing.SingOptions, seed: int, go_on: Callable[[], bool]) -> tuple[Dataset, int]:
    """200 searches and no more, however few states they visit."""
    goals = sing.random_goal_states(task, options.searches, options.sampler, seed, go_on)
    found = sing.search_backwards(task, goals, options.samples, seed, go_on)
    return Dataset.of_labelled(task, found.states, found.depth, "backward"), options.searches


def without_mutexes(task: Task, options: sing.SingOptions, seed: int, go_on: Callable[[], bool]) -> tuple[Dataset, int]:
    """Goal states by coin flips alone, and predecessors that may have mutex pairs."""
    free = replace(task, mutex_groups=Rows.of([]))
    found, searches = make_as_here(free, options, seed, go_on)
    return Dataset.of_labelled(task, found.states, found.labels, "backward"), searches


def like_preimages(
    task: Task, options: sing.SingOptions, seed: int, go_on: Callable[[], bool], *, shuffled: bool = True
) -> tuple[Dataset, int]:
    """Full states regressed like pre-images: an operator need add only one true atom, and the others become false.

    From such a predecessor, the operator may lead to another state than the one that was regressed.
    """
    order = np.random.default_rng(seed) if shuffled else None
    goals = from_bits(sing.random_goal_states(task, options.searches, options.sampler, seed), task.n_atoms)
    pre, add, delete = (_matrix(rows, task) for rows in (task.pre, task.add, task.delete))
    mutex = np.zeros((task.n_atoms, task.n_atoms), dtype=np.float32)
    for i in range(len(task.mutex_groups)):
        mutex[np.ix_(task.mutex_groups[i], task.mutex_groups[i])] = 1
    np.fill_diagonal(mutex, 0)
    e_delete = ((pre @ mutex > 0) & (add == 0)).astype(np.float32)
    states, depths = [], []
    for goal in goals:
        visited, path = {goal.tobytes()}, [(goal, list[int]())]
        path[0][1].extend(_valid(goal, add, delete, e_delete, order))
        found = [(goal, 0)]
        while path and len(found) < options.samples and go_on():
            state, left = path[-1]
            if not left:
                path.pop()
                continue
            a = left.pop()
            before = (state & (add[a] == 0)) | (pre[a] > 0)
            if before.tobytes() not in visited:
                visited.add(before.tobytes())
                found.append((before, len(path)))
                path.append((before, _valid(before, add, delete, e_delete, order)))
        states += [state for state, _ in found]
        depths += [depth for _, depth in found]
    rows = to_bits([np.flatnonzero(state).astype(np.int32) for state in states], task.n_atoms)
    return Dataset.of_labelled(task, rows, np.array(depths, dtype=np.int32), "backward"), len(goals)


def in_fixed_order(task: Task, options: sing.SingOptions, seed: int, go_on: Callable[[], bool]) -> tuple[Dataset, int]:
    """Like ``like_preimages``, but every search tries the operators in the same order."""
    return like_preimages(task, options, seed, go_on, shuffled=False)


def _matrix(rows: Rows, task: Task) -> npt.NDArray[np.float32]:
    found = np.zeros((task.n_operators, task.n_atoms), dtype=np.float32)
    found[rows.owners, rows.values] = 1
    return found


def _valid(
    state: npt.NDArray[Any],
    add: npt.NDArray[np.float32],
    delete: npt.NDArray[np.float32],
    e_delete: npt.NDArray[np.float32],
    random: np.random.Generator | None,
) -> list[int]:
    s = state.astype(np.float32)
    valid = np.flatnonzero((add @ s > 0) & (delete @ s == 0) & (e_delete @ s == 0))
    if random is not None:
        random.shuffle(valid)
    return list(map(int, valid))


@dataclass(frozen=True)
class Variant:
    """A variant of SING: how it differs from ours."""

    data: MakeDataset = make_as_here
    options: dict[str, Any] = field(default_factory=dict)
    whole_numbers: bool = False


VARIANTS = {
    "ours": Variant(),
    "paper-training": Variant(options={"preset": "paper"}),
    "one-round": Variant(one_round),
    "no-mutexes": Variant(without_mutexes),
    "like-preimages": Variant(like_preimages),
    "fixed-order": Variant(in_fixed_order),
    "whole-numbers": Variant(whole_numbers=True),
    "all": Variant(like_preimages, {"preset": "paper"}, whole_numbers=True),
}


def search_from(task: Task, model: Model, state: npt.NDArray[np.int32], variant: Variant, expansions: int) -> Any:
    heuristic = bind_network(task, model.weights)
    if variant.whole_numbers:
        weights = model.weights
        heuristic = bind_heuristic(task, lambda states: np.maximum(0, np.round(weights.forward(states.astype(bool)))))
    return search(task, heuristic, SearchOptions(batch=1, expansion_limit=expansions), init=state)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", type=Path, help="the unpacked benchmark")
    parser.add_argument("--instances", nargs="+", default=INSTANCES)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=list(VARIANTS))
    parser.add_argument("--states", type=int, default=5)
    parser.add_argument("--train", type=float, default=120.0, help="seconds of CPU time")
    parser.add_argument("--expansions", type=int, default=20_000)
    arguments = parser.parse_args()
    instances = {one.label: one for one in find_instances(find_benchmark(arguments.bench))}
    for label in arguments.instances:
        instance = instances[label]
        task = ground_files(instance.domain_file, instance.problem_file)
        reader = StateReader(task)
        states = [reader.read(instance.state_file(i + 1)) for i in range(arguments.states)]
        for name in arguments.variants:
            variant = VARIANTS[name]
            sing.make_dataset = variant.data  # type: ignore[assignment]
            options = make_options("sing", {"time_limit": arguments.train, **variant.options})
            begun = time.process_time()
            model = train_with(task, "sing", options, clock=time.process_time)
            took = time.process_time() - begun
            results = [search_from(task, model, state, variant, arguments.expansions) for state in states]
            expanded = sorted(r.statistics.expanded for r in results if r.plan is not None)
            notes = model.info["notes"]
            data = f"{notes.get('samples')} samples of {notes.get('searches')} searches, deepest {notes.get('deepest')}"
            print(
                f"{label} {name}: {len(expanded)} of {len(states)} solved, "
                f"expansions {expanded or '-'}; {data}, {took:.0f} s of training",
                flush=True,
            )


if __name__ == "__main__":
    main()
