"""Files of every kind for fuzzers: valid ones, damaged at random, and used.

Each kind makes its valid files once, below a folder. ``KINDS[kind](folder)`` gives a function that takes a random
generator, writes a damaged file and uses it; what it raises beside errors of the one family, and every word too many on
stderr, is a finding. Most inputs go straight to the function behind a command, which is where files are read, used and
shown; one in fifty goes through the command line as a whole.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import re
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import numpy as np

from forged import Forgery
from goalward.baselines.hgn_model import DomainModel, DomainOptions, parameter_shapes
from goalward.cli.experiment import run as run_config
from goalward.cli.experiment import status
from goalward.cli.experiment_report import export, import_, report
from goalward.cli.main import carry_out, run
from goalward.cli.plan import plan
from goalward.cli.validate import validate
from goalward.experiments.store import Result, Store, Unit
from goalward.regression import RolloutOptions, regress
from goalward.sampling import SamplingOptions, make_dataset
from goalward.sampling.dataset import load_dataset, save_dataset
from goalward.search import SearchOptions, search
from goalward.search.learned import load_model
from goalward.search.model import Model
from goalward.search.network import Layer, NetworkWeights
from goalward.task.domains import DOMAINS, generate
from goalward.task.grounding import ground
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.store import load_task, save_task
from mutations import VALUES, changed_bytes, changed_file, changed_json, changed_text

Attempt = Callable[[random.Random], None]

CODES = {0, 1, 10, 11, 12, 22, 23, 31, 34, 36}
WHOLE = 0.02
"""Share of inputs that go through the command line as a whole."""


def command(*arguments: object) -> int:
    """Run the command line here."""
    return checked(lambda: run([str(argument) for argument in arguments]))


def function(work: Callable[..., object] | click.Command, *arguments: object) -> int:
    """Run a function, or one command without the command line around it."""

    def call() -> int:
        if not isinstance(work, click.Command):
            work(*arguments)
            return 0
        with work.make_context("goalward", [str(argument) for argument in arguments]) as context:
            return int(work.invoke(context) or 0)

    return checked(lambda: carry_out(call))


def checked(work: Callable[[], int]) -> int:
    """It must end with a known exit code and at most one sentence, and leave the terminal alone."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = work()
    told = err.getvalue()
    assert code in CODES, (code, told)
    assert re.fullmatch(r"(goalward: [^\n]+\n)?", told), told
    assert len(told) < 2000, f"the message repeats its input: {told[:400]}"
    assert "\x1b" not in out.getvalue() + told, "an escape sequence got through"
    return code


def _texts(name: str) -> tuple[str, str]:
    instance = generate(name, size=1)
    return instance.domain_text, instance.problem_text


def _task(name: str = "gripper") -> Any:
    domain_text, problem_text = _texts(name)
    domain = parse_domain(domain_text, "domain")
    return ground(domain, parse_problem(problem_text, "problem", domain))


def _of_stored(source: Path, use: Callable[[Path], None], shown: Callable[[Path], object]) -> Attempt:
    """Changes to a stored file; ``use`` is quick, the command line is tried now and then."""
    data = source.read_bytes()
    target = source.with_name(f"changed-{source.name}")

    def attempt(chance: random.Random) -> None:
        source.write_bytes(data)
        target.write_bytes(changed_file(Forgery.of(source), chance))
        function(use, target)
        if chance.random() < WHOLE:
            shown(target)

    return attempt


def models(folder: Path) -> Attempt:
    task = _task()
    chance = np.random.default_rng(0)
    floats = lambda *shape: chance.normal(size=shape).astype(np.float32)  # noqa: E731
    layers = (Layer(floats(8, 8), floats(8)), Layer(floats(8, 8), floats(8), 0), Layer(floats(1, 8), floats(1)))
    info = {"method": "n-rsl", "options": {"length": 5}, "curve": [[1, 2.0, 3.0, 0.1]], "trials": [{}], "notes": {}}
    Model(task, NetworkWeights(floats(task.n_atoms, 8), floats(8), layers), info).save(folder / "model.goalward")
    state = folder / "state.pddl"
    state.write_text(task.problem_text)
    limits = SearchOptions(expansion_limit=50, time_limit=5.0, memory_limit=2**31)

    def use(path: Path) -> None:
        model = load_model(path)
        model.summary(details=True)
        if model.task is not None:
            heuristic = model.heuristic(model.task)
            for algorithm in ("gbfs", "hybrid"):
                search(model.task, heuristic, SearchOptions(**{**vars(limits), "algorithm": algorithm}))
            regress(model.task, RolloutOptions(n_rollouts=1, length=5))

    def shown(path: Path) -> object:
        return command("inspect", path), command("solve", path, state, "--time-limit", "1s", "--json")

    return _of_stored(folder / "model.goalward", use, shown)


def domain_models(folder: Path) -> Attempt:
    weights = {name: np.zeros(shape, dtype=np.float32) for name, shape in parameter_shapes(2).items()}
    domain = _texts("gripper")[0]
    info = {"method": "hgn", "problems": [{"states": 3}], "curve": [[1, 2.0, 3.0, 0.1]]}
    DomainModel("gripper", domain, weights, DomainOptions(latent=2), info).save(folder / "domain.goalward")
    return _of_stored(
        folder / "domain.goalward", lambda path: str(load_model(path).summary()), lambda path: command("inspect", path)
    )


def tasks(folder: Path) -> Attempt:
    save_task(_task("lights"), folder / "task.goalward")

    def use(path: Path) -> None:
        task = load_task(path)
        search(task, "ff", SearchOptions(expansion_limit=20, time_limit=5.0, memory_limit=2**31))

    return _of_stored(folder / "task.goalward", use, lambda path: command("inspect", path, "--json"))


def datasets(folder: Path) -> Attempt:
    task = _task()
    rollouts = regress(task, RolloutOptions(n_rollouts=1, length=5))
    save_dataset(make_dataset(task, rollouts, SamplingOptions(n_samples=20)), folder / "data.goalward")

    def use(path: Path) -> None:
        dataset = load_dataset(path)
        if len(dataset):
            dataset.summary()

    return _of_stored(folder / "data.goalward", use, lambda path: command("inspect", path))


def stores(folder: Path) -> Attempt:
    good, bad = folder / "good.sqlite", folder / "changed" / "results.sqlite"
    bad.parent.mkdir()
    with Store(good, create=True) as made:
        searches = [Unit("search", "d", "easy", f"p{i}", "ff", None, "problem") for i in range(4)]
        training = Unit("train", "d", "easy", "p0", "n-rsl", 0)
        made.add_units([*searches, training])
        made.add_many(Result(unit.id, "solved", solved=True, total_time=1.0, plan_length=3) for unit in searches)
        made.add(Result(training.id, "trained", total_time=2.0, extra={"curve": [[1, 2.0, 3.0, 0.1]], "notes": {}}))
        config = {"methods": [{"label": "ff", "method": "ff"}], "benchmark": {"folder": "x"}, "budgets": {"train": 1.0}}
        made.set_meta(name="x", config=config, runs=[{"started": 1.0}], machine={"host": "h"}, versions={"torch": "1"})
    data = good.read_bytes()
    columns = {
        "meta": ["value"],
        "units": ["id", "kind", "domain", "method", "seed", "state"],
        "results": ["unit", "status", "solved", "total_time", "plan_length", "memory", "error", "extra"],
    }
    values = [value for value in VALUES if isinstance(value, (int, float, str)) and value != "\ud800"]
    values = [value for value in values if not isinstance(value, int) or abs(value) < 2**63] + [
        b"\xff\0",
        "{",
        "[]",
        "{}",
    ]

    def attempt(chance: random.Random) -> None:
        for path in bad.parent.iterdir():
            path.unlink()
        if chance.random() < 0.2:
            bad.write_bytes(changed_bytes(data, chance))
        else:
            bad.write_bytes(data)
            table = chance.choice(list(columns))
            database = sqlite3.connect(bad)
            with contextlib.suppress(sqlite3.IntegrityError), database:
                key = chance.choice(columns[table])
                if key in ("extra", "value") and chance.random() < 0.8:
                    (old,) = chance.choice(database.execute(f"SELECT {key} FROM {table} ORDER BY 1").fetchall())
                    new = json.dumps(changed_json(json.loads(old), chance))
                    database.execute(f"UPDATE {table} SET {key} = ? WHERE {key} = ?", (new, old))
                else:
                    database.execute(f"UPDATE {table} SET {key} = ?", (chance.choice(values),))
            database.close()
        function(status, bad.parent)
        kind = chance.random()
        if kind < 0.1:
            function(report, bad.parent, "-o", folder / "report.html", "--force")
        elif kind < 0.5:
            function(export, bad.parent, "--csv", folder / "out.csv", "--force")
        elif kind < 1 - WHOLE:
            function(export, bad.parent, "--lab", folder / "out", "--force")
        else:
            command("experiment", "status", bad.parent, "--json")

    return attempt


def lab_files(folder: Path) -> Attempt:
    run_ = {"domain": "blocks", "problem": "p1.pddl", "algorithm": "lama", "coverage": 1, "cost": 3, "memory": 1000,
            "total_time": 1.5, "error": "success", "seed": 3, "unexplained_errors": ["x"]}  # fmt: skip
    good = {"a": run_, "b": {**run_, "problem": "hard/p2/s1", "coverage": 0, "error": "search-out-of-time"}}

    def attempt(chance: random.Random) -> None:
        shutil.rmtree(folder / "imported", ignore_errors=True)
        text = json.dumps(changed_json(good, chance))
        (folder / "properties").write_text(changed_text(text, text, chance) if chance.random() < 0.1 else text)
        files = folder / "imported", folder / "properties"
        whole = chance.random() < WHOLE
        if (command("experiment", "import", *files) if whole else function(import_, *files)) == 0:
            assert function(status, folder / "imported") == 0

    return attempt


CONFIG = """
name = "x"
seeds = [0, 7]
states = 2
[[generate]]
domain = "blocks"
size = 3
[budgets]
train = "60s"
memory = "4G"
[validation]
states = 2
[[methods]]
method = "n-rsl"
options = { length = 50, samples = 1000 }
search = { batch = [1, 32], improve = "none" }
grid = { sampler = ["uniform", "mixed"] }
[[methods]]
label = "h"
method = "ff"
"""


def configs(folder: Path) -> Attempt:
    path = folder / "config.toml"

    def attempt(chance: random.Random) -> None:
        path.write_text(changed_text(CONFIG, CONFIG, chance), encoding="utf-8", errors="replace")
        never = folder / "never"
        if chance.random() < WHOLE:
            command("experiment", "run", path, "-o", never, "--dry-run")
        else:
            function(run_config, path, "-o", never, "--dry-run")
        assert not never.exists()

    return attempt


def pddl(folder: Path) -> Attempt:
    domain, problem = folder / "domain.pddl", folder / "problem.pddl"
    texts = {name: _texts(name) for name in DOMAINS}

    def attempt(chance: random.Random) -> None:
        mine, theirs = chance.choice(list(texts.values())), chance.choice(list(texts.values()))
        which = chance.randrange(2)
        files = [changed_text(text, theirs[which], chance) if i == which else text for i, text in enumerate(mine)]
        domain.write_text(files[0])
        problem.write_text(files[1])
        if chance.random() < WHOLE:
            command("plan", domain, problem, "-H", "ff", "--time-limit", "1s", "--improve", "none")
        else:
            function(plan, domain, problem, "-H", "ff", "--time-limit", "1s", "--improve", "none")

    return attempt


def plans(folder: Path) -> Attempt:
    domain, problem = _texts("gripper")
    (folder / "d.pddl").write_text(domain)
    (folder / "p.pddl").write_text(problem)
    assert command("plan", folder / "d.pddl", folder / "p.pddl", "-o", folder / "good.plan") == 0
    good = (folder / "good.plan").read_text()

    def attempt(chance: random.Random) -> None:
        (folder / "plan").write_text(changed_text(good, problem, chance))
        files = folder / "d.pddl", folder / "p.pddl", folder / "plan"
        command("validate", *files) if chance.random() < WHOLE else function(validate, *files)

    return attempt


KINDS: dict[str, Callable[[Path], Attempt]] = {
    "models": models,
    "domain models": domain_models,
    "tasks": tasks,
    "data sets": datasets,
    "stores": stores,
    "Lab files": lab_files,
    "configs": configs,
    "PDDL": pddl,
    "plans": plans,
}
