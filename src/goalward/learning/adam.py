"""Adam, by PyTorch's own function for one step.

``torch.optim.Adam`` gives the same numbers, but its first step loads PyTorch's compiler, which takes as long as loading
all the rest of PyTorch and is not used here.
"""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch.optim.adam import adam


class Adam:
    """Steps a network's parameters along their gradients; ``learning_rate`` may change between steps.

    ``fused`` does a step in one pass over all parameters; it rounds a little differently.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        learning_rate: float,
        betas: tuple[float, float] = (0.9, 0.999),
        epsilon: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        fused: bool = True,
    ) -> None:
        self.learning_rate = learning_rate
        self.betas = betas
        self.epsilon = epsilon
        self.weight_decay = weight_decay
        self.fused = fused
        self._parameters: list[torch.Tensor] = list(parameters)
        self._means = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._squares = [torch.zeros_like(parameter) for parameter in self._parameters]
        self._steps = [torch.zeros((), device=parameter.device) for parameter in self._parameters]

    def zero_grad(self) -> None:
        """Forget the gradients."""
        for parameter in self._parameters:
            parameter.grad = None

    @torch.no_grad()
    def step(self) -> None:
        """One step of gradient descent; every parameter must have a gradient."""
        gradients = [parameter.grad for parameter in self._parameters]
        adam(
            self._parameters,
            [gradient for gradient in gradients if gradient is not None],
            self._means,
            self._squares,
            [],
            self._steps,
            foreach=False,
            fused=self.fused,
            amsgrad=False,
            beta1=self.betas[0],
            beta2=self.betas[1],
            lr=self.learning_rate,
            weight_decay=self.weight_decay,
            eps=self.epsilon,
            maximize=False,
        )
