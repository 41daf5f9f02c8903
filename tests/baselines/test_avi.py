"""AVI: labels are Bellman updates by the current network, and values come close to true distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from goalward.baselines import avi
from goalward.baselines.avi import AviOptions
from goalward.baselines.online import OnlineNetwork
from goalward.search.network import NetworkWeights, bind_network
from goalward.task.packing import core_atoms
from goalward.task.states import BitRows, to_bits
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import State, bellman, goal_distances, make_task, reachable_states

from .learners import as_sets, make_trial


class Fits:
    """What the network is trained on, and what it was before."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.before: list[NetworkWeights] = []
        self.states: list[BitRows] = []
        self.labels: list[npt.NDArray[np.float32]] = []
        self.epochs: list[int] = []
        fit = OnlineNetwork.fit

        def noted(network: OnlineNetwork, states: BitRows, labels: npt.NDArray[np.float32], epochs: int = 1) -> float:
            self.before.append(network.weights())
            self.states.append(states)
            self.labels.append(labels)
            self.epochs.append(epochs)
            return fit(network, states, labels, epochs)

        monkeypatch.setattr(OnlineNetwork, "fit", noted)


def brute_labels(task: Task, rows: BitRows, weights: NetworkWeights, depth: int, longest: int) -> list[float]:
    core = core_atoms(task)
    operators = [o for o in range(task.n_operators) if core[task.add[o]].any()]

    def h(state: State) -> float:
        truth = np.zeros((1, task.n_atoms), dtype=bool)
        truth[0, list(state)] = True
        return float(weights.forward(truth)[0])

    return [min(bellman(task, state, depth, h, operators), longest) for state in as_sets(task, rows)]


@pytest.mark.parametrize("name", ["blocks", "lights", "storage", "visitall"])
@pytest.mark.parametrize(("depth", "longest"), [(2, 4), (2, 60), (1, 30)])
def test_labels_are_bellman_updates_by_the_current_network(
    monkeypatch: pytest.MonkeyPatch, name: str, depth: int, longest: int
) -> None:
    task, fits = make_tiny(name).task, Fits(monkeypatch)
    options = AviOptions(length=longest, states=25, depth=depth, epochs=3, max_iterations=5)
    avi.learn(make_trial(task, options))
    assert fits.epochs == [3] * 5
    for weights, states, labels in zip(fits.before, fits.states, fits.labels, strict=True):
        assert len(labels) == 25
        assert labels == pytest.approx(brute_labels(task, states, weights, depth, longest), rel=1e-4, abs=1e-4)
        assert (labels <= longest).all()
    tables = {weights.table.tobytes() for weights in fits.before}
    assert len(tables) == 5  # each update uses the network that the last one made


def test_labels_are_capped_by_the_longest_regression(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Fits(monkeypatch)
    export = OnlineNetwork.weights

    def far(network: OnlineNetwork) -> NetworkWeights:  # everything is a hundred steps away, it says
        weights = export(network)
        weights.layers[-1].bias[:] += 100
        return weights

    monkeypatch.setattr(OnlineNetwork, "weights", far)
    task = make_tiny("blocks").task
    avi.learn(make_trial(task, AviOptions(length=6, states=50, max_iterations=1)))
    (labels,) = fits.labels
    distances = goal_distances(task, as_sets(task, fits.states[0]))
    near = [min(distances[state], 6) for state in as_sets(task, fits.states[0])]
    assert labels.tolist() == [distance if distance <= 2 else 6 for distance in near]
    assert 6 in labels


def test_a_state_without_steps_gets_the_cap(monkeypatch: pytest.MonkeyPatch) -> None:
    fits = Fits(monkeypatch)
    task = make_task(2, [], [0], [0, 1])  # no operator: the only regressed state is a goal, drawn as it is
    avi.learn(make_trial(task, AviOptions(length=7, states=10, max_iterations=2)))
    assert all(np.isfinite(labels).all() for labels in fits.labels)


@pytest.mark.parametrize("name", ["courier", "gripper"])
def test_values_come_close_to_true_distances(name: str) -> None:
    task = make_tiny(name).task
    states = sorted(reachable_states(task), key=sorted)
    assert len(states) <= 200
    distances = goal_distances(task, states)
    truth = np.array([distances[state] for state in states])
    rows = to_bits([np.array(sorted(state), dtype=np.int32) for state in states], task.n_atoms)

    def error(weights: NetworkWeights) -> float:
        return float(np.abs(np.maximum(bind_network(task, weights).evaluate(rows), 0) - truth).mean())

    options = AviOptions(length=30, states=300, max_iterations=70, sampler="reachable")
    trial = make_trial(task, options)
    assert error(avi.learn(trial).weights) < 0.4
    assert error(OnlineNetwork(task, trial.training_options()).weights()) > 3
    assert np.abs(truth - np.median(truth)).mean() > 1.4  # no constant would do


def test_ctrl_c_in_the_first_iteration_leaves_a_model(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(avi, "lookahead", interrupted)
    result = avi.learn(make_trial(make_tiny("blocks").task, AviOptions(max_iterations=3)))
    assert (result.end, result.curve) == ("interrupted", [])
