"""The optimiser: step by step that of PyTorch's class."""

from __future__ import annotations

import pytest
import torch

from goalward.learning.adam import Adam

SETTINGS = [(0.9, 0.999, 1e-8, 0.0, True), (0.8, 0.99, 1e-3, 0.0, True), (0.9, 0.999, 1e-8, 0.1, False)]


def network() -> torch.nn.Sequential:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))


@pytest.mark.parametrize(("beta1", "beta2", "epsilon", "decay", "fused"), SETTINGS)
def test_steps_are_those_of_pytorchs_class(
    beta1: float, beta2: float, epsilon: float, decay: float, fused: bool
) -> None:
    ours, theirs = network(), network()
    mine = Adam(ours.parameters(), 0.01, decay, fused)
    mine.betas, mine.epsilon = (beta1, beta2), epsilon
    other = torch.optim.Adam(
        theirs.parameters(), lr=0.01, betas=(beta1, beta2), eps=epsilon, weight_decay=decay, fused=fused
    )
    for number in range(1, 20):
        mine.rate = other.param_groups[0]["lr"] = 0.01 / number
        states = torch.randn(8, 5)
        for net, optimiser in ((ours, mine), (theirs, other)):
            optimiser.zero_grad()
            (net(states) ** 2).mean().backward()
            optimiser.step()
        for one, two in zip(ours.parameters(), theirs.parameters(), strict=True):
            assert torch.equal(one, two)
    assert not torch.equal(ours[0].weight, network()[0].weight)


def test_what_has_no_gradient_stays_as_it_is() -> None:
    still, moved = (torch.nn.Parameter(torch.ones(3)) for _ in range(2))
    optimiser = Adam([still, moved], 0.1)
    moved.sum().backward()
    optimiser.step()
    assert torch.equal(still, torch.ones(3))
    assert (moved < 1).all()
