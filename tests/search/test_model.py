"""The model file: everything comes back, nothing else gets in, and files of this version stay readable."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

import goalward
from goalward.errors import StateMismatchError, StoredFileError, UsageError
from goalward.learning.methods import train_with
from goalward.learning.rsl import PreimageOptions
from goalward.search import search
from goalward.search.learned import load_model
from goalward.search.model import Model, save_model, task_fingerprint, training_notes
from goalward.search.network import Layer, NetworkWeights
from goalward.task.states import StateReader, random_walk_states
from goalward.task.strips import Task
from helpers import make_tiny
from oracle import with_init

DATA = Path(__file__).resolve().parents[1] / "data"

Header = dict[str, Any]
Arrays = dict[str, Any]
Change = Callable[[Header, Arrays], object]


def weights_for(task: Task, seed: int = 0, width: int = 5) -> NetworkWeights:
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return random.standard_normal(shape).astype(np.float32)

    layers = (
        Layer(draw(width, width), draw(width)),
        Layer(draw(width, width), draw(width), skip=0),
        Layer(draw(1, width), draw(1)),
    )
    return NetworkWeights(draw(task.n_atoms, width), draw(width), layers)


@pytest.fixture
def model() -> Model:
    task = make_tiny("lights").task
    return Model(task, weights_for(task), {"method": "rsl", "curve": [[1, 2.5]], "note": "λ → 0", "nothing": None})


@pytest.fixture
def stored(model: Model, tmp_path: Path) -> Path:
    save_model(model, tmp_path / "lights.goalward")
    return tmp_path / "lights.goalward"


def arrays_of(weights: NetworkWeights) -> list[np.ndarray[Any, Any]]:
    return [weights.table, weights.bias, *(a for layer in weights.layers for a in (layer.weights, layer.bias))]


# --- there and back ---


def test_everything_comes_back(model: Model, stored: Path) -> None:
    again = load_model(stored)
    assert again.task.equals(model.task)
    assert again.info == model.info
    assert again.fingerprint == model.fingerprint
    assert [layer.skip for layer in again.weights.layers] == [-1, 0, -1]
    for ours, theirs in zip(arrays_of(model.weights), arrays_of(again.weights), strict=True):
        assert ours.dtype == theirs.dtype == np.float32
        assert np.array_equal(ours, theirs)
    assert again.heuristic().name == "rsl"
    result = search(again.task, again.heuristic())
    assert result.plan == search(model.task, model.heuristic()).plan


def test_what_a_trained_model_says_of_itself_comes_back(tmp_path: Path) -> None:
    options = PreimageOptions(samples=100, length=10, max_epochs=1, sampler="uniform", validation_states=1)
    model = train_with(make_tiny("gripper").task, "n-rsl", options)
    save_model(model, tmp_path / "m.goalward")
    assert load_model(tmp_path / "m.goalward").info == model.info


def test_the_same_model_gives_the_same_bytes(model: Model, stored: Path, tmp_path: Path) -> None:
    first = stored.read_bytes()
    save_model(model, stored)
    assert stored.read_bytes() == first
    reordered = replace(model, info=dict(reversed(model.info.items())))
    save_model(reordered, stored)
    assert stored.read_bytes() == first
    save_model(load_model(stored), tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == ["copy", "lights.goalward"], "nothing is left behind"


def test_a_model_that_cannot_be_written_leaves_the_old_one(model: Model, stored: Path) -> None:
    before = stored.read_bytes()
    with pytest.raises(TypeError):
        save_model(replace(model, info={"set": {1}}), stored)
    assert stored.read_bytes() == before
    with pytest.raises(UsageError, match="there is no directory"):
        save_model(model, stored.parent / "missing" / "m.goalward")


# --- the fingerprint ---


def test_the_fingerprint_is_that_of_the_task_without_its_initial_state() -> None:
    task = make_tiny("blocks").task
    other_init = with_init(task, random_walk_states(task, 1, 7, 0)[0])
    assert task_fingerprint(other_init) == task_fingerprint(task)
    assert task_fingerprint(replace(task, problem_text="; as before\n" + task.problem_text)) == task_fingerprint(task)
    others = [
        make_tiny("blocks", seed=1).task,
        make_tiny("gripper").task,
        replace(task, goal=task.goal[:-1]),
        replace(task, costs=task.costs + 1),
        replace(task, atoms=(*task.atoms[:-1], "(other)")),
        replace(task, domain_name="other"),
    ]
    assert len({task_fingerprint(other) for other in [task, *others]}) == len(others) + 1


def test_a_model_knows_its_domain_whatever_its_layout(model: Model) -> None:
    text = model.task.domain_text
    model.check_domain(text, "domain.pddl")
    model.check_domain("; a comment\n" + text.replace("(and ", "(and\n  "), "domain.pddl")
    model.check_domain(text.upper(), "domain.pddl")
    for other in (text.replace("switch-on", "turn-on"), make_tiny("blocks").task.domain_text):
        with pytest.raises(StateMismatchError, match=r"^domain.pddl: this is not the domain .* \(lights\)$"):
            model.check_domain(other, "domain.pddl")


# --- files that are not what they should be ---


def refuse(path: Path) -> str:
    with pytest.raises(StoredFileError) as caught:
        load_model(path)
    text = str(caught.value)
    assert text.startswith(f"{path}: ")
    assert "\n" not in text
    assert len(text) < 300 + len(str(path))
    return text


def header_of(path: Path) -> Header:
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        return json.loads(json.loads(file.read(length))["__metadata__"]["goalward"])


def changed(path: Path, change: Change) -> Path:
    """A copy of a file with its header or arrays changed."""
    header, arrays = header_of(path), load_file(path)
    change(header, arrays)
    copy = path.with_name("changed.goalward")
    save_file(arrays, copy, metadata={"goalward": json.dumps(header)})
    return copy


def put(name: str, make: Callable[[Any], Any]) -> Change:
    return lambda header, arrays: arrays.update({name: make(arrays[name])})


def without(name: str) -> Change:
    return lambda header, arrays: (header if name in header else arrays).pop(name)


def one_more(array: Any) -> Any:
    return np.concatenate([array, array[:1]])


TAMPERED: dict[str, Change] = {
    "another fingerprint": lambda header, arrays: header.update(fingerprint="0" * 32),
    "no fingerprint": without("fingerprint"),
    "another goal": put("task.goal", lambda a: a[:-1]),
    "another precondition": put("task.pre.values", lambda a: a[::-1].copy()),
    "another cost": put("task.costs", lambda a: a + 1),
    "another atom": put("task.atoms", lambda a: np.where(a == ord("a"), ord("b"), a).astype(np.uint8)),
    "atoms that are not there": put("task.pre.values", lambda a: a + 1000),
    "no init": without("task.init"),
    "an init that is not there": put("task.init", lambda a: a + 1000),
    "an init of another type": put("task.init", lambda a: a.astype(np.int64)),
    "text that is no text": put("task.domain_text", lambda a: np.full_like(a, 0xFF)),
    "no info": without("info"),
    "an unknown use of the network": lambda header, arrays: header["info"].update(network_use="often"),
    "a share of all effort": lambda header, arrays: header["info"].update(network_share=1.0),
    "an unknown lead": lambda header, arrays: header["info"].update(lead="ff"),
    "a head start of nothing": lambda header, arrays: header["info"].update(head_start=0),
    "a head start that is no number": lambda header, arrays: header["info"].update(head_start="1s"),
    "info that is no table": lambda header, arrays: header.update(info=3),
    "no skips": without("skips"),
    "skips that are no numbers": lambda header, arrays: header.update(skips=["a", "b", "c"]),
    "skips that are no list": lambda header, arrays: header.update(skips=3),
    "a layer too few": without("network.layers.1.bias"),
    "no table": without("network.table"),
    "a table for other atoms": put("network.table", one_more),
    "a table in double precision": put("network.table", lambda a: a.astype(np.float64)),
    "a table of one column": put("network.table", lambda a: a[:, 0].copy()),
    "a short bias": put("network.bias", lambda a: a[:-1]),
    "a layer with too many inputs": put("network.layers.1.weights", lambda a: np.concatenate([a, a], axis=1)),
    "a layer with too many outputs": put("network.layers.1.weights", one_more),
    "a layer with a short bias": put("network.layers.1.bias", lambda a: a[:-1]),
    "two outputs": put("network.layers.2.weights", one_more),
    "a skip from nowhere": lambda header, arrays: header.update(skips=[-1, 7, -1]),
    "a skip too few": lambda header, arrays: header.update(skips=[-1, 0]),
    "no layers": lambda header, arrays: header.update(skips=[]),
}


@pytest.mark.parametrize("what", TAMPERED)
def test_a_file_whose_parts_do_not_fit_together_is_refused(stored: Path, what: str) -> None:
    assert "damaged model" in refuse(changed(stored, TAMPERED[what]))


def test_only_unknown_changes_are_harmless(model: Model, stored: Path) -> None:
    copy = changed(stored, lambda header, arrays: header.update(extra=1))
    assert load_model(copy).info == model.info


# --- what loading needs ---

LOAD_AND_SOLVE = """\
import importlib.abc, sys

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in {"torch", "fast_downward"}:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
for name in ("torch", "fast_downward"):
    try:
        __import__(name)
        sys.exit(f"{name} is not blocked")
    except ImportError:
        pass
from goalward.search import search
from goalward.search.learned import load_model
from goalward.task.states import StateReader
model = load_model(sys.argv[1])
init = StateReader(model.task).read(sys.argv[2])
result = search(model.task, model.heuristic(), init=init)
print(result.solved, result.statistics.expanded, result.length)
"""


def test_loading_and_solving_need_neither_pytorch_nor_the_translator() -> None:
    command = [sys.executable, "-c", LOAD_AND_SOLVE, DATA / "blocks4-v1.goalward", DATA / "blocks4-v1" / "p1.pddl"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stdout.split() == ["True", *map(str, RECORDED["p1"])]


def test_no_code_comes_out_of_files() -> None:
    """Nothing in goalward reads or writes pickles, by whatever name."""
    forbidden = {"pickle", "cPickle", "cloudpickle", "dill", "joblib", "marshal", "shelve"}
    calls = {("torch", "load"), ("torch", "save"), ("np", "load"), ("numpy", "load")}
    for path in Path(goalward.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names = {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names = {(node.module or "").split(".")[0]}
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in calls, f"{path.name}:{node.lineno}"
                continue
            elif isinstance(node, ast.keyword):
                assert node.arg != "allow_pickle", path.name
                continue
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                names = {node.func.id} & {"eval", "exec"}
                assert not names, f"{path.name}:{node.lineno}"
                continue
            else:
                continue
            assert not names & forbidden, f"{path.name}:{node.lineno}"


# --- a file of format 1, kept so that later versions read it ---

# State → expanded states and plan length of plain greedy search.
RECORDED = {"p1": (11, 10), "p2": (11, 8), "p3": (10, 8), "p4": (10, 6), "p5": (9, 8)}


@pytest.mark.parametrize("name", RECORDED)
def test_a_model_file_of_format_1_solves_as_it_did(name: str) -> None:
    model = load_model(DATA / "blocks4-v1.goalward")
    init = StateReader(model.task).read(DATA / "blocks4-v1" / f"{name}.pddl")
    result = search(model.task, model.heuristic(), init=init)
    assert (result.statistics.expanded, result.length) == RECORDED[name]


def test_a_model_file_of_format_1_says_what_it_said() -> None:
    path = DATA / "blocks4-v1.goalward"
    assert path.stat().st_size < 200_000
    assert header_of(path)["version"] == 1
    model = load_model(path)
    assert model.fingerprint == "a30022dd889dfbe907ffeae14b416d21"
    assert model.weights.shape == "25 → 16 → 16 → 16 → 16 + skip → 1"
    assert (model.info["method"], model.info["preset"], model.info["sampler"]) == ("n-rsl", "fast", "uniform")
    assert model.heuristic().value(model.task.init) == pytest.approx(18.1095, rel=1e-4)


def test_notes_are_what_the_method_said_and_old_files_name_their_sampler() -> None:
    assert training_notes({"notes": {}, "sampler": None}) == {}
    assert training_notes({"notes": {"walks": 3}}) == {"walks": 3}
    assert training_notes({"sampler": "uniform"}) == {"sampler": "uniform"}
