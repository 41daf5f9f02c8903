"""Measures how hypergraph networks trained on small bundled problems generalise to larger, unseen ones.

Trains on small instances of a bundled domain and counts which larger ones a greedy search solves within a
number of expansions: with the network, blind, and with h_FF. One line per trained network and size.
"""

from __future__ import annotations

import argparse
import time
from functools import cache
from statistics import median

from goalward.baselines.hgn_model import DomainOptions
from goalward.baselines.hgn_training import train_domain
from goalward.search import SearchOptions, SearchResult, search
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.strips import Task

FIRST_TEST_SEED = 1000


@cache
def make(domain: str, size: str, seed: int) -> Task:
    """Generate an instance; a size is a number, or parameters such as balls=4,rooms=2."""
    parameters = {key: int(value) for key, value in (part.split("=") for part in size.split(",") if "=" in part)}
    instance = generate(domain, seed=seed, size=None if parameters else int(size), **parameters)
    lifted = parse_domain(instance.domain_text, domain)
    return ground(lifted, parse_problem(instance.problem_text, instance.problem_name, lifted))


def describe(results: list[SearchResult]) -> str:
    solved = [result for result in results if result.solved]
    expanded = f"{median(result.statistics.expanded for result in solved):.0f}" if solved else "-"
    length = f"{median(result.length for result in solved):.0f}" if solved else "-"
    return f"{len(solved)}/{len(results)} | {expanded} | {length}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--domain", default="blocks")
    parser.add_argument("--train", nargs="+", default=["n=4", "n=5", "n=6"], help="sizes to train on")
    parser.add_argument("--test", nargs="+", default=["n=8", "n=10", "n=12"], help="sizes to solve")
    parser.add_argument("--per-size", type=int, default=5, help="training instances of each size")
    parser.add_argument("--instances", type=int, default=10, help="test instances of each size")
    parser.add_argument("--states", type=int, default=60, help="training states of each instance")
    parser.add_argument(
        "--epochs", type=int, default=40, help="maximum number of epochs; the default takes about a minute on one core"
    )
    parser.add_argument("--expansions", type=int, default=1000, help="maximum number of expansions of each search")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0])
    parser.add_argument("--aggregations", nargs="+", default=["mean", "sum"])
    arguments = parser.parse_args()

    limit = SearchOptions(expansion_limit=arguments.expansions)
    tasks = [make(arguments.domain, size, seed) for size in arguments.train for seed in range(arguments.per_size)]
    tests = {
        size: [make(arguments.domain, size, FIRST_TEST_SEED + i) for i in range(arguments.instances)]
        for size in arguments.test
    }
    trained = " ".join(arguments.train)
    print("| heuristic | trained on | seed | CPU s | validation loss | unseen | solved | expanded | length |")
    print("|---|---|---|---|---|---|---|---|---|")
    for heuristic in ("blind", "ff"):
        for size, unseen in tests.items():
            results = [search(task, heuristic, limit) for task in unseen]
            print(f"| {heuristic} | | | | | {size} | {describe(results)} |", flush=True)
    for aggregation in arguments.aggregations:
        for seed in arguments.seeds:
            options = DomainOptions(
                aggregation=aggregation,
                states_per_problem=arguments.states,
                max_epochs=arguments.epochs,
                seed=seed,
            )
            begun = time.process_time()
            model = train_domain(tasks, options)
            seconds = time.process_time() - begun
            loss = model.info["validation_loss"]
            start = f"| strips-hgn, {aggregation} | {trained} | {seed} | {seconds:.0f} | {loss:.2f}"
            for size, unseen in tests.items():
                results = [search(task, model.heuristic(task), limit) for task in unseen]
                print(f"{start} | {size} | {describe(results)} |", flush=True)


if __name__ == "__main__":
    main()
