"""One random change after another to the parts of a file: JSON, arrays with a forged fingerprint, bytes, words."""

from __future__ import annotations

import contextlib
import json
import random
import re
from typing import Any

import numpy as np

from forged import Array, Forgery

NUMBERS = [
    0, 1, -1, 2, 7, 63, 64, 255, 2**31 - 1, -(2**31), 2**31, 2**32, 2**53 + 1, 2**63, -(2**63) - 1, 2**70, 10**400,
]  # fmt: skip
VALUES: list[Any] = [
    *NUMBERS, None, True, 0.5, 1e30, float("inf"), float("nan"), "", "a", "\x1b[2J", "\ud800", "[/b]", "../x", "=1+1",
    "9" * 5000, [], {}, [1], {"a": 1}, [[[[[]]]]],
]  # fmt: skip
WORDS = [
    "(",
    ")",
    "",
    "\0",
    "\x1b",
    "and",
    "not",
    "?x",
    "0",
    "-1",
    "1e999",
    "9" * 400,
    "[",
    "]",
    "=",
    "'",
    '"',
    "#",
    "ä",
]


def changed_json(value: Any, chance: random.Random) -> Any:
    """One leaf, entry or key is another one, or gone, or there twice."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        kind = chance.random()
        if kind < 0.1:
            return {name: entry for name, entry in value.items() if name != key}
        if kind < 0.2:
            return {(chance.choice(["", "x", "\x1b[2J", "\ud800"]) if n == key else n): e for n, e in value.items()}
        return {**value, key: changed_json(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        place = chance.randrange(len(value))
        kind = chance.random()
        if kind < 0.1:
            return value[:place] + value[place + 1 :]
        if kind < 0.2:
            return [*value, *value]
        return [*value[:place], changed_json(value[place], chance), *value[place + 1 :]]
    return chance.choice(VALUES)


def changed_numbers(numbers: np.ndarray, chance: random.Random) -> np.ndarray:
    flat = numbers.reshape(-1)
    kind = chance.random()
    if not flat.size or kind < 0.1:
        return np.append(flat, flat.dtype.type(chance.choice([0, 1, 5])))
    if kind < 0.2:
        return flat[:-1]
    if kind < 0.3:
        return flat[::-1].copy()
    place = chance.randrange(flat.size)
    flat = flat.copy()
    if kind < 0.4:
        other = chance.randrange(flat.size)
        flat[[place, other]] = flat[[other, place]]
    elif flat.dtype.kind == "f":
        flat[place] = chance.choice([0.0, -1e38, 1e38, np.inf, -np.inf, np.nan])
    else:
        bounds = np.iinfo(flat.dtype)
        wanted = chance.choice([*NUMBERS, int(flat[place]) + 1, int(flat[place]) - 1, flat.size])
        flat[place] = min(max(wanted, bounds.min), bounds.max)
    return flat.reshape(numbers.shape)


def changed_file(forgery: Forgery, chance: random.Random) -> bytes:
    """A safetensors file with up to three changes; the fingerprint mostly fits."""
    for _ in range(chance.randint(1, 3)):
        kind = chance.random()
        name = chance.choice(list(forgery.arrays))
        array = forgery.arrays[name]
        if kind < 0.5:
            with contextlib.suppress(KeyError, ValueError):  # an earlier change made what NumPy does not have
                array.put(changed_numbers(array.numbers, chance))
        elif kind < 0.8:
            forgery.header = changed_json(forgery.header, chance)
            if not isinstance(forgery.header, dict):
                forgery.raw_header = json.dumps(forgery.header)
                forgery.header = {}
        elif kind < 0.85:
            array.shape = [chance.choice([0, 1, 2**31, 2**62, *array.shape]) for _ in range(chance.randint(0, 3))]
        elif kind < 0.9:
            array.dtype = chance.choice(["F32", "I32", "U8", "I64", "U64", "BOOL", "BF16", "F8_E4M3", "F64", "X"])
        elif kind < 0.95:
            del forgery.arrays[name]
            if not forgery.arrays:
                break
        else:
            forgery.arrays[chance.choice([*forgery.arrays, "other"])] = Array(array.dtype, array.shape, array.data)
    if "fingerprint" in forgery.header and chance.random() < 0.95:
        forgery.fit_fingerprint()
    return changed_bytes(forgery.to_bytes(), chance) if chance.random() < 0.05 else forgery.to_bytes()


def changed_bytes(data: bytes, chance: random.Random) -> bytes:
    place = chance.randrange(len(data) + 1)
    if chance.random() < 0.3:
        return data[:place]
    return data[:place] + chance.randbytes(chance.choice([1, 1, 4, 64])) + data[place + 1 :]


def changed_text(text: str, other: str, chance: random.Random) -> str:
    """Up to three pieces are gone, there twice, swapped, or another one."""
    pieces, others = (re.findall(r"\s+|[()\[\]{}=,]|[^\s()\[\]{}=,]+", part) for part in (text, other))
    for _ in range(chance.randint(1, 3)):
        if not pieces:
            break
        i, j = chance.randrange(len(pieces)), chance.randrange(len(pieces))
        kind = chance.randrange(6)
        if kind == 0:
            pieces[i : i + chance.randint(1, 6)] = []
        elif kind == 1:
            pieces[i:i] = pieces[j : j + chance.randint(1, 12)]
        elif kind == 2:
            pieces[i], pieces[j] = pieces[j], pieces[i]
        elif kind == 3:
            pieces[i] = chance.choice(WORDS)
        elif kind == 4:
            pieces[i] = chance.choice(others)
        else:
            pieces[i:] = pieces[i : i + chance.randint(0, 50)]
    return "".join(pieces)
