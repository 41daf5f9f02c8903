"""Files as an attacker would write them: any header, any array, and a fingerprint that fits."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

_NAMES = {"float32": "F32", "int32": "I32", "int64": "I64", "uint8": "U8", "uint64": "U64", "bool": "BOOL"}
_TYPES = {short: np.dtype(long) for long, short in _NAMES.items()}
NOT_IN_FINGERPRINT = {"init", "other_inits", "domain_text", "problem_text", "problem_name"}


@dataclass
class Array:
    """An array as the file describes it, true or not."""

    dtype: str
    shape: list[int]
    data: bytes

    @property
    def numbers(self) -> np.ndarray:
        """A copy that can be changed; :meth:`put` puts it back."""
        return np.frombuffer(self.data, dtype=_TYPES[self.dtype]).reshape(self.shape).copy()

    def put(self, numbers: np.ndarray) -> None:
        self.dtype, self.shape, self.data = _NAMES[numbers.dtype.name], list(numbers.shape), numbers.tobytes()


@dataclass
class Forgery:
    """A safetensors file of goalward in its parts."""

    header: dict[str, Any]
    arrays: dict[str, Array] = field(default_factory=dict)
    raw_header: str | None = None
    """The text of the header, where it is not what JSON makes of ``header``."""

    @classmethod
    def of(cls, path: Path) -> Forgery:
        data = path.read_bytes()
        length = int.from_bytes(data[:8], "little")
        described = json.loads(data[8 : 8 + length])
        header = json.loads(described.pop("__metadata__")["goalward"])
        body = data[8 + length :]
        return cls(
            header,
            {name: Array(a["dtype"], a["shape"], body[slice(*a["data_offsets"])]) for name, a in described.items()},
        )

    def fit_fingerprint(self) -> None:
        """Make the fingerprint that of the task in the file, written from its definition."""
        digest = hashlib.sha256()
        for name in sorted(self.arrays):
            if name.startswith("task.") and name.split(".")[1] not in NOT_IN_FINGERPRINT:
                array = self.arrays[name]
                shape = f"({', '.join(map(str, array.shape))}{',' if len(array.shape) == 1 else ''})"
                digest.update(name.removeprefix("task.").encode() + shape.encode() + array.data)
        self.header["fingerprint"] = digest.hexdigest()[:32]

    def to_bytes(self) -> bytes:
        text = json.dumps(self.header) if self.raw_header is None else self.raw_header
        described: dict[str, Any] = {"__metadata__": {"goalward": text}}
        body = b""
        for name, array in self.arrays.items():
            ends = [len(body), len(body) + len(array.data)]
            described[name] = {"dtype": array.dtype, "shape": array.shape, "data_offsets": ends}
            body += array.data
        top = json.dumps(described).encode()
        return len(top).to_bytes(8, "little") + top + body

    def write(self, path: Path) -> Path:
        path.write_bytes(self.to_bytes())
        return path


def forged(source: Path, target: Path, change: Callable[[Forgery], None]) -> Path:
    """A copy of a file with something done to it and a fingerprint that fits."""
    forgery = Forgery.of(source)
    change(forgery)
    if "fingerprint" in forgery.header:
        forgery.fit_fingerprint()
    return forgery.write(target)
