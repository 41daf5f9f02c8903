"""A data set for training: states with labels and origins."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from safetensors.numpy import save

from goalward.display import bars, html_table
from goalward.errors import StoredFileError
from goalward.extras import require_torch
from goalward.task.packing import core_atoms, fixed_atoms
from goalward.task.plan_file import write_bytes_atomically
from goalward.task.states import BitRows, from_bits
from goalward.task.store import read_safetensors, require_int, short_message, task_arrays, task_from_arrays
from goalward.task.strips import Ints, Task

if TYPE_CHECKING:
    from torch.utils.data import TensorDataset

FORMAT = "goalward-dataset"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Dataset:
    """States as bit rows, with a label for each.

    ``origin`` is the index of the pre-image that a state was drawn from, or −1 for a random state. ``beyond`` is the
    label of states that contain no pre-image.
    """

    task: Task
    states: BitRows
    labels: npt.NDArray[np.int32]
    origin: Ints
    beyond: int
    sampler: str

    @classmethod
    def of_labelled(cls, task: Task, states: BitRows, labels: Ints, sampler: str) -> Dataset:
        """Make a data set of states with given labels that were not drawn from pre-images."""
        return cls(task, states, labels, np.full(len(labels), -1, dtype=np.int32), int(labels.max()) + 1, sampler)

    def __len__(self) -> int:
        return len(self.labels)

    def __repr__(self) -> str:
        labels = f", labels from {self.labels.min()} to {self.labels.max()}" if len(self) else ""
        return f"<Dataset of {len(self):,} states of {self.task.problem_name} by {self.sampler}{labels}>"

    def _repr_html_(self) -> str:
        if not len(self):
            return html_table(f"Dataset of {self.task.problem_name}", [("samples", 0)])
        facts = self.summary()
        low, middle, high = facts["labels"]
        rows = [
            ("states", f"{facts['samples']:,}"),
            ("sampler", facts["sampler"]),
            ("random share", f"{facts['random share']:.0%}"),
            ("share beyond pre-images", f"{facts['share beyond']:.0%}"),
            ("labels", f"{low} to {high}, median {middle:g}"),
            ("true atoms per state", f"{facts['true atoms per state']:.1f}, {facts['true atoms initially']} initially"),
        ]
        counts = [count for _, _, count in self.histogram(min(40, max(self.beyond, 1)))]
        picture = bars(counts, f"states by label, from 0 to {self.beyond}")
        return html_table(f"Dataset of {self.task.problem_name}", rows, picture)

    def summary(self) -> dict[str, Any]:
        """Statistics of the labels and states, by name."""
        inspected = self.states[: min(len(self), 2000)]
        return {
            "samples": len(self),
            "sampler": self.sampler,
            "random share": float((self.origin < 0).mean()),
            "labels": [int(self.labels.min()), float(np.median(self.labels)), int(self.labels.max())],
            "share beyond": float((self.labels == self.beyond).mean()),
            "label histogram": [count for _, _, count in self.histogram()],
            "beyond": int(self.beyond),
            "true atoms per state": float(from_bits(inspected, self.task.n_atoms).sum(axis=1).mean()),
            "true atoms initially": len(self.task.init),
        }

    def histogram(self, bins: int = 20) -> list[tuple[float, float, int]]:
        """The histogram of the labels: (lower edge, upper edge, count) for each bin."""
        counts, edges = np.histogram(self.labels, bins=bins, range=(0, self.beyond))
        return [(float(a), float(b), int(c)) for a, b, c in zip(edges[:-1], edges[1:], counts, strict=True)]

    def to_torch(self) -> TensorDataset:
        """Convert to PyTorch: states as rows of zeros and ones, and their labels, both float32.

        Atoms that always hold are true, and atoms that the goal cannot depend on are false. Convert a network that was
        trained on this data with ``Model.from_torch(task, network, relevant_only=True)``.

        >>> states, labels = dataset.to_torch().tensors  # doctest: +SKIP
        """
        require_torch("Dataset.to_torch")
        import torch  # noqa: PLC0415 - slow to load
        from torch.utils.data import TensorDataset  # noqa: PLC0415

        truth = from_bits(self.states, self.task.n_atoms) & core_atoms(self.task) | fixed_atoms(self.task)
        return TensorDataset(
            torch.from_numpy(truth.astype(np.float32)), torch.from_numpy(self.labels.astype(np.float32))
        )

    def plot(self, axes: Any = None) -> Any:
        """Plot the label histogram with matplotlib, which must be installed; returns the axes."""
        import matplotlib.pyplot as plt  # noqa: PLC0415

        axes = axes if axes is not None else plt.subplots()[1]
        axes.hist(
            [self.labels[self.origin >= 0], self.labels[self.origin < 0]],
            bins=50, stacked=True, label=["from pre-images", "random"],
        )  # fmt: skip
        axes.set(xlabel="label d(s)", ylabel="states", title=f"{self.task.problem_name}: {self.sampler}")
        axes.legend()
        return axes


def save_dataset(dataset: Dataset, path: str | Path) -> None:
    """Write the data set and its task to one safetensors file."""
    arrays = {f"task.{name}": array for name, array in task_arrays(dataset.task).items()}
    arrays |= {"states": dataset.states, "labels": dataset.labels, "origin": dataset.origin}
    header = {"format": FORMAT, "version": VERSION, "beyond": dataset.beyond, "sampler": dataset.sampler}
    write_bytes_atomically(path, save(arrays, metadata={"goalward": json.dumps(header, sort_keys=True)}))


def load_dataset(path: str | Path) -> Dataset:
    """Read a data set written by :func:`save_dataset`."""
    header, arrays = read_safetensors(path, FORMAT, VERSION, "data set")
    try:
        task = task_from_arrays({name[5:]: array for name, array in arrays.items() if name.startswith("task.")})
        beyond, sampler = require_int(header["beyond"]), header["sampler"]
        if not 0 <= beyond <= 2**31 or not isinstance(sampler, str):
            raise ValueError("its header is not valid")
        dataset = Dataset(task, arrays["states"], arrays["labels"], arrays["origin"], beyond, sampler)
        _check(dataset)
        return dataset
    except (KeyError, ValueError, IndexError, TypeError) as error:
        raise StoredFileError(f"{path}: damaged data set ({short_message(error)})") from None


def _check(dataset: Dataset) -> None:
    """Raise ValueError if types or shapes of the arrays are inconsistent."""
    n, width = len(dataset.labels), -(-dataset.task.n_atoms // 64)
    ok = dataset.states.dtype == np.uint64 and dataset.states.shape == (n, width)
    for array in (dataset.labels, dataset.origin):
        ok = ok and array.dtype == np.int32 and array.shape == (n,)
    unused_bits = width * 64 - dataset.task.n_atoms
    if ok and unused_bits and n:
        ok = not bool((dataset.states[:, -1] >> np.uint64(64 - unused_bits)).any())
    if not ok:
        raise ValueError("arrays do not fit together")
