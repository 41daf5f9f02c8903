"""Adam (Kingma and Ba 2015) by PyTorch's function, without the class around it.

``torch.optim.Adam`` loads PyTorch's compiler, which takes as long as loading PyTorch itself and is of no use here.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.optim.adam import adam


class Adam:
    """The parameters of a network, their running averages, and the step that changes them; ``rate`` may change."""

    betas, epsilon = (0.9, 0.999), 1e-8

    def __init__(
        self, parameters: Iterable[torch.nn.Parameter], rate: float, weight_decay: float = 0.0, fused: bool = False
    ) -> None:
        self.rate, self.weight_decay = rate, weight_decay
        self._fused = fused
        self._parameters = [parameter for parameter in parameters if parameter.requires_grad]
        self._means = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self._parameters]
        self.steps = [
            torch.zeros((), dtype=torch.float32, device=p.device if fused else "cpu") for p in self._parameters
        ]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """Change every parameter that has a gradient."""
        parts = zip(self._parameters, self._means, self._squares, self.steps, strict=True)
        having = [(p, p.grad, mean, square, step) for p, mean, square, step in parts if p.grad is not None]
        parameters, gradients, means, squares, steps = (list(column) for column in zip(*having, strict=True))
        adam(
            parameters, gradients, means, squares, [], steps, foreach=False, fused=self._fused, amsgrad=False,
            beta1=self.betas[0], beta2=self.betas[1], lr=self.rate, weight_decay=self.weight_decay, eps=self.epsilon,
            maximize=False,
        )  # fmt: skip
