"""Files made to do harm: each is refused with one sentence, or shown without being obeyed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from forged import Array, Forgery, forged
from goalward.baselines.hgn_model import DomainModel, DomainOptions, parameter_shapes
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.grounding import ground_files

from .program import DOMAIN, Files, Goalward, on_terminal, replaced


@pytest.fixture
def model(trains: Files, tmp_path: Path) -> Path:
    task = ground_files(*trains.names)
    numbers = np.random.default_rng(0)
    floats = lambda *shape: numbers.normal(size=shape).astype(np.float32)  # noqa: E731
    layers = (Layer(floats(4, 4), floats(4)), Layer(floats(4, 4), floats(4), 0), Layer(floats(1, 4), floats(1)))
    weights = NetworkWeights(floats(task.n_atoms, 4), floats(4), layers)
    Model(task, weights, {"method": "n-rsl", "notes": {"sampler": "uniform"}}).save(tmp_path / "good.goalward")
    return tmp_path / "good.goalward"


@pytest.fixture
def domain_model(tmp_path: Path) -> Path:
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in parameter_shapes(2).items()}
    made = DomainModel("trains", DOMAIN, weights, DomainOptions(latent=2), {"problems": []})
    made.save(tmp_path / "domain.goalward")
    return tmp_path / "domain.goalward"


def header(key: str, value: Any) -> Callable[[Forgery], None]:
    return lambda file: file.header.update({key: value})


def raw_header(old: str, new: str) -> Callable[[Forgery], None]:
    def change(file: Forgery) -> None:
        file.fit_fingerprint()
        file.raw_header = replaced(json.dumps(file.header), old, new)

    return change


def array(name: str, dtype: str, shape: list[int], data: bytes) -> Callable[[Forgery], None]:
    return lambda file: file.arrays.update({name: Array(dtype, shape, data)})


def width_zero(file: Forgery) -> None:
    n_atoms = file.arrays["network.table"].shape[0]
    for name, shape in (
        ("table", [n_atoms, 0]), ("bias", [0]), ("layers.0.weights", [0, 0]), ("layers.0.bias", [0]),
        ("layers.1.weights", [0, 0]), ("layers.1.bias", [0]), ("layers.2.weights", [1, 0]),
    ):  # fmt: skip
        file.arrays[f"network.{name}"] = Array("F32", shape, b"")


def wrapped_offsets(file: Forgery) -> None:
    rows = file.arrays["task.pre.offsets"]
    numbers = rows.numbers
    numbers[1:-1] = np.resize(np.array([2**31 - 1, -(2**31), -1], dtype=np.int32), len(numbers) - 2)
    rows.put(numbers)


def atoms_that_exclude_each_other(file: Forgery) -> None:
    group = file.arrays["task.mutex_groups.offsets"].numbers
    file.arrays["task.init"].put(np.sort(file.arrays["task.mutex_groups.values"].numbers[: group[1]][:2]))


MODELS: dict[str, Callable[[Forgery], None]] = {
    "width 0": width_zero,
    "bf16": array("network.bias", "BF16", [4], bytes(8)),
    "f8": array("network.bias", "F8_E4M3", [4], bytes(4)),
    "an array that nobody asked for": array("other", "F8_E5M2", [4], bytes(4)),
    "huge shape": array("network.bias", "F32", [2**62, 0], b""),
    "shape beyond 64 bits": array("network.bias", "F32", [2**70], b""),
    "offsets that wrap around": wrapped_offsets,
    "5,000 digits": raw_header('"skips": [-1, 0, -1]', f'"skips": [-1, {"9" * 5000}, -1]'),
    "skip 1e999": raw_header('"skips": [-1, 0, -1]', '"skips": [-1, 1e999, -1]'),
    "skip 0.5": header("skips", [-1, 0.5, -1]),
    "skip far ahead": header("skips", [-1, 2**40, -1]),
    "skip far behind": header("skips", [-1, -(2**40), -1]),
    "100,000 deep": raw_header('"skips": [-1, 0, -1]', f'"skips": {"[" * 100_000}'),
    "no record": header("info", 7),
    "trials is a number": header("info", {"trials": 3}),
    "options is a list": header("info", {"options": [1]}),
    "a curve of texts": header("info", {"curve": ["abc"]}),
    "a format that is a list": header("format", ["goalward-model"]),
    "a version of 5,000 digits": header("version", "9" * 5000),
    "an initial state that is none": atoms_that_exclude_each_other,
}


@pytest.mark.parametrize("change", MODELS.values(), ids=MODELS)
def test_a_hostile_model_is_refused(
    goalward: Goalward, model: Path, trains: Files, tmp_path: Path, change: Callable[[Forgery], None]
) -> None:
    bad = forged(model, tmp_path / "bad.goalward", change)
    for command in (["inspect", bad], ["solve", bad, trains.problem]):
        outcome = goalward(*command)
        assert outcome.code == 36, outcome
        assert outcome.error.startswith(f"{bad}: "), outcome.error
        assert len(outcome.error) < 1000, "the message repeats its input"


DOMAIN_MODELS: dict[str, Callable[[Forgery], None]] = {
    "1.5 steps": lambda file: file.header["options"].update(n_steps=1.5),
    "10**9 latent numbers": lambda file: file.header["options"].update(latent=10**9),
    "an unknown option": lambda file: file.header["options"].update(x=1),
    "options in a list": header("options", [1]),
    "problems that are numbers": header("info", {"problems": [1, 2]}),
    "weights that are none": array("network.output.bias", "F32", [1], np.float32("nan").tobytes()),
}


@pytest.mark.parametrize("change", DOMAIN_MODELS.values(), ids=DOMAIN_MODELS)
def test_a_hostile_domain_model_is_refused(
    goalward: Goalward, domain_model: Path, trains: Files, tmp_path: Path, change: Callable[[Forgery], None]
) -> None:
    bad = forged(domain_model, tmp_path / "bad.goalward", change)
    for command in (["inspect", bad], ["plan", *trains.names, "--model", bad]):
        outcome = goalward(*command)
        assert outcome.code == 36, outcome
        assert outcome.error.startswith(f"{bad}: "), outcome.error


def test_a_model_whose_operators_its_pddl_does_not_have_is_refused(
    goalward: Goalward, model: Path, trains: Files, tmp_path: Path
) -> None:
    def rename(file: Forgery) -> None:
        names = file.arrays["task.operators"]
        names.put(np.frombuffer(names.data.replace(b"(drive ", b"(fly "), dtype=np.uint8))

    outcome = goalward("solve", forged(model, tmp_path / "bad.goalward", rename), trains.problem, "--json")
    assert outcome.code == 36, outcome
    assert "the model's operators contradict its PDDL" in outcome.error


def test_the_forger_changes_nothing_by_itself(goalward: Goalward, model: Path, trains: Files, tmp_path: Path) -> None:
    same = forged(model, tmp_path / "same.goalward", lambda file: None)
    outcome = goalward("solve", same, trains.problem, "--json")
    assert json.loads(outcome.out)["summary"]["solved"] == 1


def test_values_that_are_not_finite_leave_json_whole(
    goalward: Goalward, model: Path, trains: Files, tmp_path: Path
) -> None:
    def to_minus_infinity(file: Forgery) -> None:
        file.arrays["network.layers.2.bias"].put(np.array([-np.inf], dtype=np.float32))
        file.header["info"]["seconds"] = float("-inf")

    bad = forged(model, tmp_path / "bad.goalward", to_minus_infinity)

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    for command in (["solve", bad, trains.problem, "-s", "gbfs", "--json"], ["inspect", bad, "--json"]):
        json.loads(goalward(*command).out, parse_constant=refuse)


def test_escape_sequences_in_a_model_are_shown_and_not_obeyed(model: Path, tmp_path: Path) -> None:
    def add_escapes(file: Forgery) -> None:
        file.header["info"] |= {"method": "\x1b[2J\x1b]0;owned\x07", "notes": {"\x1b[31mred": {"\x1b[1m": "[bold]"}}}
        name = file.arrays["task.problem_name"]
        name.put(np.frombuffer(b"two\x1b[2Jtracks", dtype=np.uint8))

    shown = on_terminal("inspect", forged(model, tmp_path / "bad.goalward", add_escapes), whole=True)
    assert shown.code == 0
    for sequence in ("\x1b[2J", "\x1b]0", "\x1b[31m", "\x07"):
        assert sequence not in shown.terminal
    assert "\\x1b[2Jtracks" in shown.terminal
    assert "[bold]" in shown.terminal


def test_escape_sequences_in_an_error_are_shown_and_not_obeyed(goalward: Goalward, tmp_path: Path) -> None:
    outcome = goalward("plan", tmp_path / "a\x1b[2Jb.pddl", tmp_path / "none")
    assert outcome.code == 36
    assert "a\\x1b[2Jb.pddl" in outcome.error


def test_an_empty_fact_in_a_state_is_refused(goalward: Goalward, model: Path, trains: Files, tmp_path: Path) -> None:
    state = tmp_path / "state.pddl"
    state.write_text(replaced(trains.problem.read_text(), "(:init (at t1 a)", "(:init () (at t1 a)"))
    outcome = goalward("solve", model, state)
    assert outcome.code == 31
    assert outcome.error.startswith(f"{state}:")
