"""Trains your own PyTorch network on goalward's data, and searches with it in native code.

python examples/own_network.py           # 20 epochs
python examples/own_network.py 2         # fewer
"""

import sys

import torch
from torch import nn
from torch.utils.data import DataLoader

from goalward import (
    Model,
    RolloutOptions,
    SamplingOptions,
    generate,
    make_dataset,
    plan,
    random_walk_states,
    regress,
)

epochs = int(sys.argv[1]) if len(sys.argv) > 1 else 20
torch.manual_seed(0)
torch.set_num_threads(1)  # more threads do not help a network this small

task = generate("gripper", balls=4, rooms=3, grippers=2, seed=2).ground()
print(task)

# Regress from the goal, sample states from the pre-images, and label them; all data are arrays.
rollouts = regress(task, RolloutOptions(n_rollouts=5, length=50, seed=0))
dataset = make_dataset(task, rollouts, SamplingOptions(n_samples=5_000, seed=0))
print(dataset)


class Pyramid(nn.Module):
    """Layers of decreasing width; each also gets the outputs of all earlier layers."""

    def __init__(self, n_atoms):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(n_atoms, 64), nn.Linear(64, 32), nn.Linear(96, 16)])
        self.output = nn.Linear(112, 1)

    def forward(self, states):
        seen = torch.relu(self.layers[0](states))
        for layer in self.layers[1:]:
            seen = torch.cat([seen, nn.functional.leaky_relu(layer(seen))], dim=1)
        return self.output(seen).squeeze(1)


network = Pyramid(task.n_atoms)
optimiser = torch.optim.Adam(network.parameters(), lr=1e-3)
for epoch in range(1, epochs + 1):
    total = 0.0
    for states, labels in DataLoader(dataset.to_torch(), batch_size=128, shuffle=True):
        loss = nn.functional.mse_loss(network(states), labels)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        total += float(loss.detach()) * len(labels)
    print(f"epoch {epoch}: mean squared error {total / len(dataset):.2f}")

# Convert the network for native search, which does not call PyTorch.
model = Model.from_torch(task, network, relevant_only=True)
print(model)
for outcome in model.solve(random_walk_states(task, 5, steps=100, seed=1), time_limit="10s"):
    print(outcome)
print("the problem itself:", plan(task, model, time_limit="10s"))
