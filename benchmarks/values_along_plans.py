"""Values of networks along improved plans, beside the cost to go: how well is a model calibrated?

    python benchmarks/values_along_plans.py before=old.goalward now=new.goalward --states states/*.pddl --picture v.png

The models are of the same problem. Every state is solved without a network, and the plan is improved for ``--improve``
seconds with the last model. Then each model evaluates all states of these plans. The table has the mean value of goal
states, the mean error (value less cost to go), and the mean absolute error by quarters of the plans, from the goal on.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt

from goalward.search import bind_heuristic, search
from goalward.search.improve import Improver
from goalward.search.learned import load_model
from goalward.search.strategy import PLAIN
from goalward.task.states import StateReader, states_along

QUARTERS = 4


def draw(points: dict[str, npt.NDArray[np.float64]], to_go: npt.NDArray[np.float64], title: str, file: Path) -> None:
    import matplotlib as mpl  # noqa: PLC0415 - only if a picture is wanted

    mpl.use("agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, axes = plt.subplots(figsize=(6, 4.2))
    for name, values in points.items():
        axes.plot(to_go, values, ".", markersize=4, alpha=0.6, label=name)
    axes.plot([0, to_go.max()], [0, to_go.max()], color="black", linewidth=0.8, label="value = cost to go")
    axes.set(xlabel="cost to go along the plan", ylabel="value", title=title)
    axes.legend(fontsize=8)
    axes.grid(alpha=0.3)
    figure.tight_layout()
    figure.savefig(file)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="+", metavar="NAME=FILE")
    parser.add_argument("--states", type=Path, nargs="+", required=True)
    parser.add_argument("--improve", type=float, default=2.0, help="seconds for each plan")
    parser.add_argument("--title", default="")
    parser.add_argument("--picture", type=Path, help="PNG or SVG")
    options = parser.parse_args()
    models = {name: load_model(file) for name, _, file in (word.partition("=") for word in options.models)}
    *_, last = models.values()
    task, network = last.task, last.heuristic(last.task)
    rows, to_go = [], []
    for file in options.states:
        init = StateReader(task).read(file)
        found = search(task, bind_heuristic(task, "ff"), PLAIN, init=init)
        plan = Improver(task, heuristic=network, network_share=0.7).improve(
            found.plan or (), init=init, time_limit=options.improve
        )
        costs = np.ones(len(plan.plan)) if network.unit_costs is not False else task.costs[list(plan.plan)]
        rows.append(states_along(task, init, plan.plan))
        to_go.append(np.concatenate([np.cumsum(costs[::-1])[::-1], [0]]))
    states, costs_to_go = np.concatenate(rows), np.concatenate(to_go)
    points = {name: model.heuristic(task).evaluate(states).astype(np.float64) for name, model in models.items()}
    quarter = np.minimum((costs_to_go * QUARTERS / max(costs_to_go.max(), 1)).astype(int), QUARTERS - 1)
    print(f"{len(options.states)} plans, mean cost {np.mean([part[0] for part in to_go]):.1f}")
    print(f"{'model':12} {'goal states':>12} {'mean error':>11}  absolute error by quarter, from the goal on")
    for name, values in points.items():
        errors = values - costs_to_go
        by_quarter = " ".join(f"{np.abs(errors[quarter == q]).mean():8.1f}" for q in range(QUARTERS))
        print(f"{name:12} {values[costs_to_go == 0].mean():12.2f} {errors.mean():11.2f}  {by_quarter}")
    if options.picture:
        draw(points, costs_to_go, options.title, options.picture)


if __name__ == "__main__":
    main()
