"""Symbolic tensors: running a PyTorch module on them records its operations as affine functions and ReLUs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from goalward.errors import UsageError
from goalward.search.network_layout import Affine

_BATCH = 7919  # the made-up batch size of a symbol: an unlikely number, so that reshapes can recognise it


class Tape:
    """Records the activations so far, and the current part of the module for error messages."""

    def __init__(self, n_atoms: int) -> None:
        self.n_atoms = n_atoms
        self.activations: list[Affine] = []  # the arguments of the ReLUs; number i gives activation i + 1
        self.where = "the network"

    def enter(self, name: str) -> Callable[[nn.Module, Any], None]:
        """A forward hook that records the current part of the module."""

        def hook(module: nn.Module, _: Any) -> None:
            self.where = f"{name} ({type(module).__name__})" if name else type(module).__name__

        return hook

    def relu(self, value: Affine) -> Affine:
        """Record a ReLU and return the new activation."""
        if value.activation:  # a ReLU of a ReLU
            return value
        self.activations.append(value)
        return Affine.of_activation(len(self.activations), value.width)

    def refuse(self, why: str) -> UsageError:
        """An error that names the current part of the module and says why it cannot be converted."""
        return UsageError(f"cannot convert {self.where}: {why}")


class Symbol:
    """A symbolic tensor with one row per state, represented as an affine function of activations.

    ``flat`` is true if its shape is (n,) instead of (n, 1).
    """

    def __init__(self, tape: Tape, value: Affine, *, flat: bool = False) -> None:
        self.tape = tape
        self.value = value
        self.flat = flat

    @classmethod
    def __torch_function__(
        cls, function: Any, _: Any, arguments: Sequence[Any] = (), options: dict[str, Any] | None = None
    ) -> Any:
        name = getattr(function, "__name__", str(function))
        symbol = next(a for a in _flattened([*arguments, *(options or {}).values()]) if isinstance(a, Symbol))
        return symbol.operation(name)(*arguments, **(options or {}))

    def operation(self, name: str) -> Callable[..., Any]:
        """The implementation for symbols of PyTorch's function or method of that name."""
        plain = name.strip("_")
        if plain not in OPERATIONS:
            known = "linear layers, ReLU and LeakyReLU, clamps, sums, concatenations, batch normalisation and dropout"
            raise self.tape.refuse(
                f"{plain} is not supported in native search, only {known}; "
                "use the network as a heuristic function instead"
            )
        operation = OPERATIONS[plain]
        in_place = name.endswith("_") and not name.startswith("_")
        return partial(_in_place, operation) if in_place else operation

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return partial(self.operation(name), self)

    @property
    def shape(self) -> torch.Size:
        """The shape as for a tensor, with a made-up number of states."""
        return torch.Size((_BATCH,) if self.flat else (_BATCH, self.value.width))

    @property
    def dtype(self) -> torch.dtype:
        """The same as for a tensor."""
        return torch.float32

    @property
    def device(self) -> torch.device:
        """The same as for a tensor."""
        return torch.device("cpu")

    def dim(self) -> int:
        """The same as for a tensor."""
        return len(self.shape)

    def size(self, dimension: int | None = None) -> Any:
        """The same as for a tensor."""
        return self.shape if dimension is None else self.shape[dimension]

    def __len__(self) -> int:
        return _BATCH

    def __add__(self, other: Any) -> Symbol:
        return _add(self, other)

    def __radd__(self, other: Any) -> Symbol:
        return _add(self, other)

    def __sub__(self, other: Any) -> Symbol:
        return _subtract(self, other)

    def __rsub__(self, other: Any) -> Symbol:
        return _subtract(other, self)

    def __mul__(self, other: Any) -> Symbol:
        return _multiply(self, other)

    def __rmul__(self, other: Any) -> Symbol:
        return _multiply(self, other)

    def __truediv__(self, other: Any) -> Symbol:
        return _divide(self, other)

    def __neg__(self) -> Symbol:
        return _multiply(self, -1)

    def __matmul__(self, other: Any) -> Symbol:
        return _matmul(self, other)

    def __iadd__(self, other: Any) -> Symbol:
        return _in_place(_add, self, other)

    def __getitem__(self, index: Any) -> Symbol:
        return _select(self, index)

    def like(self, value: Affine) -> Symbol:
        """A symbol of the same form with another value."""
        return Symbol(self.tape, value, flat=self.flat)


def _flattened(values: Iterable[Any]) -> list[Any]:
    return [part for value in values for part in (_flattened(value) if isinstance(value, (list, tuple)) else [value])]


def _in_place(operation: Callable[..., Symbol], symbol: Symbol, *arguments: Any, **options: Any) -> Symbol:
    """Apply an operation such as ``relu_`` that changes its argument in place."""
    result = operation(symbol, *arguments, **options)
    symbol.value = result.value
    return symbol


def _array(tensor: torch.Tensor) -> npt.NDArray[np.float64]:
    return tensor.detach().cpu().to(torch.float64).numpy()


def _row(symbol: Symbol, other: Any) -> npt.NDArray[np.float64]:
    """Broadcast a number, or a tensor with one number per column, to one row."""
    values = _array(other) if isinstance(other, torch.Tensor) else np.asarray(other, dtype=np.float64)
    if values.size not in (1, symbol.value.width) or values.size != (values.shape[-1] if values.ndim else 1):
        raise symbol.tape.refuse(f"shapes {values.shape} and (n, {symbol.value.width}) do not match")
    return np.broadcast_to(values.reshape(-1), (symbol.value.width,))


def _linear(x: Symbol, weight: torch.Tensor, bias: torch.Tensor | None = None) -> Symbol:
    if not isinstance(x, Symbol) or x.flat or weight.shape[-1] != x.value.width:
        width = x.value.width if isinstance(x, Symbol) else "other"
        hint = f" (a state of this task has {x.tape.n_atoms} atoms)" if isinstance(x, Symbol) else ""
        raise _tape_of(x, weight).refuse(f"it expects {weight.shape[-1]} numbers, but gets {width}{hint}")
    offset = np.zeros(len(weight)) if bias is None else _array(bias)
    return x.like(x.value.through(_array(weight), offset))


def _tape_of(*values: Any) -> Tape:
    return next(value.tape for value in values if isinstance(value, Symbol))


def _matmul(x: Any, y: Any) -> Symbol:
    if not isinstance(x, Symbol) or not isinstance(y, torch.Tensor) or y.dim() != 2:
        raise _tape_of(x, y).refuse("only a product of states and a fixed matrix is linear")
    return _linear(x, y.T)


def _relu(x: Symbol, inplace: bool = False) -> Symbol:
    return _in_place(_relu, x) if inplace else x.like(x.tape.relu(x.value))


def _leaky_relu(x: Symbol, negative_slope: float = 0.01, inplace: bool = False) -> Symbol:
    if inplace:
        return _in_place(_leaky_relu, x, negative_slope)
    return _subtract(_relu(x), _multiply(_relu(_multiply(x, -1)), negative_slope))


def _clamp(x: Symbol, min: float | None = None, max: float | None = None) -> Symbol:
    if min is not None:
        x = _add(_relu(_subtract(x, min)), min)
    return x if max is None else _subtract(max, _relu(_subtract(max, x)))


def _add(x: Any, y: Any, alpha: float = 1) -> Symbol:
    if not isinstance(x, Symbol):
        return _add(_multiply(y, alpha), x)
    if not isinstance(y, Symbol):
        return x.like(x.value.scaled(1.0, _row(x, y) * alpha))
    if x.shape != y.shape:
        raise x.tape.refuse(f"values of {x.value.width} and of {y.value.width} numbers per state cannot be added")
    return x.like(x.value.plus(y.value.scaled(alpha)))


def _subtract(x: Any, y: Any, alpha: float = 1) -> Symbol:
    return _add(x, _multiply(y, -alpha) if isinstance(y, Symbol) else -1 * y * alpha)


def _multiply(x: Any, y: Any) -> Symbol:
    if isinstance(x, Symbol) and isinstance(y, Symbol):
        raise x.tape.refuse("a product of two values that depend on the state is not linear")
    symbol, factor = (x, y) if isinstance(x, Symbol) else (y, x)
    return symbol.like(symbol.value.scaled(_row(symbol, factor)))


def _divide(x: Any, y: Any) -> Symbol:
    if not isinstance(x, Symbol) or isinstance(y, Symbol):
        raise _tape_of(x, y).refuse("a division by something that depends on the state is not linear")
    return _multiply(x, 1 / _row(x, y))


def _concatenate(values: Sequence[Any], dim: int = 0) -> Symbol:
    tape = _tape_of(*values)
    if dim not in (1, -1) or not all(isinstance(value, Symbol) and not value.flat for value in values):
        raise tape.refuse("tensors can be concatenated along dimension 1 only")
    return Symbol(tape, Affine.joined([value.value for value in values]))


def _dropout(x: Symbol, p: float = 0.5, training: bool = False, inplace: bool = False) -> Symbol:
    if training:
        raise x.tape.refuse("dropout in evaluation mode is not a function of the state")
    return x


def _batch_norm(
    x: Symbol,
    running_mean: torch.Tensor | None,
    running_var: torch.Tensor | None,
    weight: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-5,
) -> Symbol:
    if training or running_mean is None or running_var is None:
        raise x.tape.refuse("batch normalisation needs running statistics")
    scale = (1.0 if weight is None else _array(weight)) / np.sqrt(_array(running_var) + eps)
    offset = (0.0 if bias is None else _array(bias)) - _array(running_mean) * scale
    return x.like(x.value.scaled(scale, np.broadcast_to(offset, (x.value.width,))))


def _reshape(x: Symbol, *shape: Any) -> Symbol:
    wanted = tuple(_flattened(shape))
    width = x.value.width
    if wanted in {(-1, width), (_BATCH, width), (_BATCH, -1)}:
        return Symbol(x.tape, x.value)
    if wanted in {(-1,), (_BATCH,)} and width == 1:
        return Symbol(x.tape, x.value, flat=True)
    raise x.tape.refuse("only the output can be reshaped, to one number per state")


def _flatten(x: Symbol, start_dim: int = 0, end_dim: int = -1) -> Symbol:
    return _reshape(x, -1) if start_dim == 0 else x


def _squeeze(x: Symbol, dim: int | None = None) -> Symbol:
    return x if x.value.width != 1 or dim == 0 else Symbol(x.tape, x.value, flat=True)


def _unsqueeze(x: Symbol, dim: int) -> Symbol:
    if not x.flat or dim not in (1, -1):
        raise x.tape.refuse("only a flat tensor can be unsqueezed, to one column")
    return Symbol(x.tape, x.value)


def _select(x: Symbol, index: Any) -> Symbol:
    """Columns of a tensor, ``x[:, index]``; a single column is flat."""
    places = index if isinstance(index, tuple) else (index,)
    if x.flat or len(places) != 2 or places[0] not in (slice(None), Ellipsis):
        raise x.tape.refuse("only columns can be selected, as in x[:, 0]")
    columns = np.atleast_1d(np.arange(x.value.width)[places[1]])
    return Symbol(x.tape, x.value.rows(columns), flat=isinstance(places[1], int))


def _same(x: Symbol, *_: Any, **__: Any) -> Symbol:
    return x


# By PyTorch's names of functions, methods and operators; names with a final _ are the same in place.
OPERATIONS: dict[str, Callable[..., Any]] = {
    "linear": _linear,
    "relu": _relu,
    "leaky_relu": _leaky_relu,
    "relu6": lambda x, inplace=False: _clamp(x, 0, 6),
    "hardtanh": lambda x, min_val=-1.0, max_val=1.0, inplace=False: _clamp(x, min_val, max_val),
    "batch_norm": _batch_norm,
    "dropout": _dropout,
    "neg": lambda x: _multiply(x, -1),
    "rsub": lambda x, y: _subtract(y, x),
    "flatten": _flatten,
    "squeeze": _squeeze,
    "unsqueeze": _unsqueeze,
    **dict.fromkeys(["matmul", "mm"], _matmul),
    **dict.fromkeys(["clamp", "clip", "clamp_min"], _clamp),
    **dict.fromkeys(["add", "radd", "iadd"], _add),
    **dict.fromkeys(["sub", "subtract"], _subtract),
    **dict.fromkeys(["mul", "rmul", "multiply"], _multiply),
    **dict.fromkeys(["div", "divide", "truediv"], _divide),
    **dict.fromkeys(["cat", "concat", "concatenate"], _concatenate),
    **dict.fromkeys(["reshape", "view"], _reshape),
    **dict.fromkeys(["float", "to", "type", "contiguous", "clone", "detach", "cpu"], _same),
}
