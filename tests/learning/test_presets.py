"""The presets: `paper` is the paper's to the letter, `fast` fits the same function."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from goalward.errors import UsageError
from goalward.learning import options
from goalward.learning.adam import Adam
from goalward.learning.budget import Budget
from goalward.learning.methods import learned_methods, make_options, train_with
from goalward.learning.options import ENDLESS, NetworkShape, TrainingOptions
from goalward.learning.rsl import ROUNDS, PreimageOptions
from goalward.learning.state_network import StateNetwork
from goalward.learning.trainer import _Run, train_network
from goalward.regression import RolloutOptions, regress
from goalward.sampling import Dataset, SamplingOptions, make_dataset
from goalward.task.domains import generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.states import from_bits

PRESETS = {name: TrainingOptions(preset=name).resolved() for name in options.PRESETS}
PAPER, FAST = PRESETS["paper"], PRESETS["fast"]


def begin(dataset: Dataset, options: TrainingOptions) -> _Run:
    """A training that has not begun."""
    return _Run(dataset, options, Budget())


# --- the paper's preset ---


def test_the_papers_numbers() -> None:
    assert PAPER.batch_size == 64
    assert PAPER.learning_rate == 1e-4
    assert (PAPER.max_epochs, PAPER.patience) == (1000, 2)
    assert PAPER.validation_share == 0.2
    assert PAPER.schedule == "constant"
    assert not PAPER.normalise, "labels as they are"
    assert PAPER.shape == NetworkShape(width=250, plain_layers=2, residual_blocks=1)
    assert PAPER.time_limit is None


@pytest.mark.parametrize(("preset", "width"), [("paper", 250), ("fast", 64)])
def test_learning_from_preimages_has_a_width_for_each_preset_and_other_methods_have_the_papers(
    preset: str, width: int
) -> None:
    assert PreimageOptions(preset=preset).resolved().shape == NetworkShape(width, plain_layers=2, residual_blocks=1)
    assert PreimageOptions(preset=preset, width=9).resolved().shape.width == 9
    for method in set(learned_methods()) - {"n-rsl", "rsl"}:
        assert make_options(method, {"preset": preset}).resolved().shape.width == 250


def test_the_papers_data() -> None:
    options = PreimageOptions(preset="paper").resolved()
    assert (options.samples, options.random_share, options.rollouts, options.length) == (100_000, 0.5, 5, 500)
    assert (options.sampler, options.labels, options.trials) == ("uniform", "d", 1)
    assert not options.expert, "one data set, and no more"


def test_the_papers_preset_gives_the_networks_that_it_always_gave() -> None:
    # Pinned before there were other kinds of labels, rollouts by the task and expert iteration. States and labels are
    # integers and equal everywhere; losses are sums of floats, whose last digits depend on the machine.
    instance = generate("blocks", n=5, seed=1)
    domain = parse_domain(instance.domain_text, "domain")
    task = ground(domain, parse_problem(instance.problem_text, "problem", domain))
    data = make_dataset(task, regress(task, RolloutOptions("n-rsl", 5, 500, 5)), SamplingOptions(3000, seed=5))
    digest = hashlib.sha256(data.states.tobytes() + data.labels.tobytes()).hexdigest()
    assert digest.startswith("53d70d82da8e62d3")
    settings = {"preset": "paper", "samples": 3000, "max_epochs": 3, "validation_states": 0, "seed": 5}
    model = train_with(task, "n-rsl", make_options("n-rsl", settings))
    losses = [(row[1], row[2]) for row in model.info["curve"]]
    pinned = [(153384.3246, 144968.8133), (152083.38, 142023.04), (142750.6677, 122549.9333)]
    assert losses == [pytest.approx(pair, rel=1e-4) for pair in pinned]
    table, bias, first = model.weights.table, model.weights.bias, model.weights.layers[0].weights
    sums = [float((part * np.cos(np.arange(part.size)).reshape(part.shape)).sum()) for part in (table, bias, first)]
    assert sums == pytest.approx([-9.301916, 1.25683, -7.842647], rel=1e-3), "a checksum of the weights"


def test_the_optimiser_is_adam_and_nothing_more(dataset: Dataset) -> None:
    optimiser = begin(dataset, PAPER).optimiser
    assert type(optimiser) is Adam
    assert (optimiser.rate, optimiser.betas, optimiser.epsilon) == (1e-4, (0.9, 0.999), 1e-8)
    assert optimiser.weight_decay == 0


@pytest.mark.parametrize("n_atoms", [1, 25, 400])
def test_the_papers_network_has_its_layers_and_parameters(n_atoms: int) -> None:
    network = StateNetwork(n_atoms, PAPER.shape, torch.Generator().manual_seed(0))
    square = 250 * 250 + 250
    expected = n_atoms * 250 + 250 + 3 * square + 250 + 1
    assert sum(parameter.numel() for parameter in network.parameters()) == expected
    weights = network.export()
    assert weights.n_parameters == expected
    assert weights.table.shape == (n_atoms, 250)
    assert [layer.weights.shape for layer in weights.layers] == [(250, 250)] * 3 + [(1, 250)]
    # The block's second layer adds what went into its first: the second plain layer's activation.
    assert [layer.skip for layer in weights.layers] == [-1, -1, 1, -1]
    assert weights.shape == f"{n_atoms} → 250 → 250 → 250 → 250 + skip → 1"


def test_an_epoch_is_one_step_per_batch_of_64(dataset: Dataset) -> None:
    run = begin(dataset, replace(PAPER, max_epochs=1))
    assert run.train() == "all epochs"
    steps = {int(step) for step in run.optimiser.steps}
    assert steps == {math.ceil(800 / 64)}


def test_the_learning_rate_stays(dataset: Dataset) -> None:
    result = train_network(dataset, replace(PAPER, max_epochs=4, patience=10))
    assert {epoch.learning_rate for epoch in result.curve} == {1e-4}


# --- the split ---


@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize(("n", "held_out"), [(10, 2), (12, 2), (13, 3), (999, 200), (1000, 200)])
def test_a_fifth_is_held_out_and_no_row_is_in_both_parts(dataset: Dataset, preset: str, n: int, held_out: int) -> None:
    part = replace(dataset, states=dataset.states[:n], labels=dataset.labels[:n], origin=dataset.origin[:n])
    run = begin(part, PRESETS[preset])
    assert len(run.validation_rows) == held_out
    assert len(run.train_rows) == n - held_out
    assert sorted([*run.validation_rows.tolist(), *run.train_rows.tolist()]) == list(range(n))


def test_the_split_is_random_and_follows_the_seed(dataset: Dataset) -> None:
    first = begin(dataset, PAPER).validation_rows
    assert first.tolist() != list(range(200))
    assert np.array_equal(begin(dataset, PAPER).validation_rows, first)
    assert not np.array_equal(begin(dataset, replace(PAPER, seed=1)).validation_rows, first)


def test_training_never_sees_the_rows_that_are_held_out(dataset: Dataset) -> None:
    # Labels of held-out rows do not matter for the weights: change them and train again.
    options = replace(PAPER, max_epochs=2, patience=10, width=8)
    held_out = begin(dataset, options).validation_rows
    labels = dataset.labels.copy()
    labels[held_out] = 0
    ours = train_network(dataset, options)
    other = train_network(replace(dataset, labels=labels), options)
    assert [epoch.train_loss for epoch in ours.curve] == [epoch.train_loss for epoch in other.curve]
    assert [epoch.validation_loss for epoch in ours.curve] != [epoch.validation_loss for epoch in other.curve]


# --- the loss ---


@pytest.mark.parametrize("preset", PRESETS)
def test_losses_are_mean_squared_errors_in_squared_steps(dataset: Dataset, preset: str) -> None:
    options = replace(PRESETS[preset], max_epochs=1, width=30)
    held_out = begin(dataset, options).validation_rows
    result = train_network(dataset, options)
    values = result.weights.forward(from_bits(dataset.states[held_out], dataset.task.n_atoms))
    expected = float(((values - dataset.labels[held_out]) ** 2).mean())
    assert result.curve[0].validation_loss == pytest.approx(expected, rel=1e-4)
    assert result.validation_loss == result.curve[0].validation_loss


def test_one_small_step_of_the_paper_is_adam_on_the_mean_squared_error(dataset: Dataset) -> None:
    part = replace(dataset, states=dataset.states[:80], labels=dataset.labels[:80], origin=dataset.origin[:80])
    options = replace(PAPER, max_epochs=1, width=6)
    run = begin(part, options)
    start = run.network.export()
    truth = from_bits(part.states[run.train_rows], part.task.n_atoms)
    errors = start.forward(truth) - part.labels[run.train_rows]
    assert run.train() == "all epochs"
    after = run.network.export()
    # 64 training rows are one batch; Adam's first step moves every weight by the learning rate against its gradient.
    assert run.curve[0].train_loss == pytest.approx(float((errors**2).mean()), rel=1e-4)
    step = float(after.layers[-1].bias[0] - start.layers[-1].bias[0])
    assert step == pytest.approx(-1e-4 * np.sign(errors.mean()), rel=1e-2)


# --- the fast preset ---


def test_the_fast_preset_lets_the_rate_fall_to_one_percent(dataset: Dataset) -> None:
    result = train_network(dataset, replace(FAST, max_epochs=8, patience=20, batch_size=100))
    rates = [epoch.learning_rate for epoch in result.curve]
    assert len(rates) == 8
    assert rates == sorted(rates, reverse=True)
    # The rate of an epoch is that of its last batch, which begins 7/8 through the epoch.
    expected = [1e-3 * (0.01 + 0.99 * (1 + math.cos(math.pi * (i + 7 / 8) / 8)) / 2) for i in range(8)]
    assert rates == pytest.approx(expected, rel=1e-6)


def test_the_fast_preset_starts_at_the_mean_of_the_labels(dataset: Dataset) -> None:
    run = begin(dataset, FAST)
    values = run.current_weights().forward(from_bits(dataset.states, dataset.task.n_atoms))
    assert values.mean() == pytest.approx(dataset.labels.mean(), abs=dataset.labels.std())
    assert 0.02 < values.std() / dataset.labels.std() < 3


def test_the_fast_presets_data() -> None:
    options = PreimageOptions().resolved()
    assert (options.sampler, options.labels, options.expert, options.trials) == ("mixed", "d", True, 1)
    assert (options.rollouts, options.length) == (0, 0), "by the task"


def test_only_the_clock_ends_expert_iteration_if_there_is_one() -> None:
    assert PreimageOptions(time_limit=60).resolved().max_epochs == ENDLESS
    assert PreimageOptions(time_limit=60, max_epochs=7).resolved().max_epochs == 7
    assert PreimageOptions(time_limit=60, expert=False).resolved().max_epochs == FAST.max_epochs
    assert PreimageOptions().resolved().max_epochs == ROUNDS
    assert PreimageOptions(time_limit=60, preset="paper").resolved().max_epochs == PAPER.max_epochs


def test_atoms_that_do_not_matter_have_no_weight(dataset: Dataset) -> None:
    # Search leaves them out of states, so the network must not count them.
    from goalward.task.packing import core_atoms  # noqa: PLC0415
    from helpers import make_tiny  # noqa: PLC0415

    del dataset
    task = make_tiny("visitall").task
    outside = ~core_atoms(task)
    assert outside.any()
    states = np.zeros((20, 1), dtype=np.uint64)
    data = Dataset(task, states, np.arange(20, dtype=np.int32), np.zeros(20, dtype=np.int32), 20, "uniform")
    for preset in PRESETS.values():
        table = begin(data, preset).current_weights().table
        assert not table[outside].any()
        assert table[~outside].any()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ({"width": 0}, "width must be between 1 and 8192"),
        ({"width": 8193}, "width must be between 1 and 8192"),
        ({"plain_layers": 0}, "plain_layers must be between 1 and 32"),
        ({"residual_blocks": 33}, "residual_blocks must be between 0 and 32"),
    ],
)
def test_shapes_out_of_bounds_are_refused(shape: dict[str, int], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        NetworkShape(**shape)
