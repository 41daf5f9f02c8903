"""``goalward solve`` and the other commands that read a model: results, plan files, exit codes and errors."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from goalward.cli import solve as solve_module
from goalward.cli import startup
from goalward.search import SearchOptions, search
from goalward.search.learned import load_model
from goalward.search.model import Model, save_model
from goalward.search.network import Layer, NetworkWeights
from goalward.search.solving import solve_all
from goalward.task.grounding import ground_files
from goalward.task.states import format_problem, from_bits, random_walk_states, states_along
from goalward.task.store import load_task
from goalward.task.strips import Task
from helpers import make_tiny, whole_number_network
from regression.preimages import Oracle, atoms_of

from .program import PATIENCE, PROGRAM, Bundled, Files, Goalward, Outcome, environment, let_work, on_terminal, spawn

DATA = Path(__file__).resolve().parents[1] / "data"
MODEL = DATA / "blocks4-v1.goalward"
STATES = sorted((DATA / "blocks4-v1").iterdir())
# Plain greedy search: expanded states and plan length.
RECORDED = [(11, 10), (11, 8), (10, 8), (10, 6), (9, 8)]

PAPER = ("--search", "gbfs", "--batch", "1")

TIME = r"(\d+\.\d+ (s|ms)|\d+ m \d\d s)"
LINE = re.compile(
    r"(?P<state>.+?)  +(?P<status>[a-z ]+?)  +(?P<length>-|\d+)  +(?P<first>-|\d+)  +(?P<expanded>\d+)"
    rf"  +(?P<search>{TIME})  +(?P<improve>{TIME})  +(?P<total>{TIME})"
)


def rows_of(lines: list[str]) -> list[dict[str, str]]:
    """The cells of the table, without its header."""
    return [match.groupdict() for line in lines if (match := LINE.fullmatch(line))]


def blind_model(task: Task) -> Model:
    """A network that gives every state the same value."""
    flat = Layer(np.zeros((1, 1), dtype=np.float32), np.ones(1, dtype=np.float32))
    return Model(
        task, NetworkWeights(np.zeros((task.n_atoms, 1), dtype=np.float32), np.zeros(1, dtype=np.float32), (flat,))
    )


def write_state(path: Path, task: Task, state: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(format_problem(task, np.array(state, dtype=np.int32), path.stem))
    return path


@pytest.fixture(scope="module")
def task() -> Task:
    return load_model(MODEL).task


@pytest.fixture
def solved_state(task: Task, tmp_path: Path) -> Path:
    """A file with a state in which the goal holds."""
    goal = next(state for state in random_walk_states(task, 3000, 60, 0) if task.is_goal(state))
    return write_state(tmp_path / "states" / "done.pddl", task, goal)


@pytest.fixture
def endless(hard: Files, tmp_path: Path) -> tuple[Path, Path]:
    """A model that knows nothing, and a state that it does not solve in the time any test gives it."""
    save_model(blind_model(ground_files(*hard.names)), tmp_path / "blind.goalward")
    return tmp_path / "blind.goalward", hard.problem


# --- lines ---


def test_every_state_has_a_line_and_then_there_is_a_summary(goalward: Goalward) -> None:
    outcome = goalward("solve", MODEL, *STATES, *PAPER, "--improve", "none")
    assert outcome.code == 0
    loaded, header, *rows, solved, medians, rate, total = outcome.out.splitlines()
    assert re.fullmatch(rf"Loaded {re.escape(str(MODEL))} and 5 states in \d+\.\d\d s", loaded)
    assert header.split() == ["state", "status", "steps", "first", "expanded", "search", "improve", "total"]
    found = rows_of(rows)
    assert [row["state"] for row in found] == [str(state) for state in STATES]
    assert {row["status"] for row in found} == {"solved"}
    assert [(int(row["expanded"]), int(row["length"])) for row in found] == RECORDED
    assert solved == "Solved 5 of 5 states, every plan valid."
    assert medians == "Median plan length 8, median expansions 10."
    assert re.fullmatch(rf"[\d.]+[kM]? evaluations/s; {TIME} of search\.", rate)
    assert re.fullmatch(rf"Total time: {TIME}", total)


def test_one_state_and_a_state_twice(goalward: Goalward) -> None:
    assert "Solved 1 of 1 state," in goalward("solve", MODEL, STATES[0]).out
    assert "Solved 2 of 2 states" in goalward("solve", MODEL, STATES[0], STATES[0]).out


def test_only_the_state_of_a_file_counts(goalward: Goalward, tmp_path: Path) -> None:
    text = STATES[0].read_text()
    other = tmp_path / "other-layout.pddl"
    other.write_text("; the same state\n" + text.upper().replace("BLOCKS-N4-SEED0-WALK-1", "another-name"))
    rows = table(goalward("solve", MODEL, STATES[0], other, "--json"))["states"]
    assert rows[0]["plan_length"] == rows[1]["plan_length"]
    assert rows[0]["expanded"] == rows[1]["expanded"]


# --- tables ---


def table(outcome: Outcome) -> dict[str, Any]:
    """The JSON object that stdout consists of, without NaN or Infinity, which are no JSON."""
    assert outcome.err == ""
    found = json.loads(outcome.out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert found.keys() == {"model", "states", "summary"}
    return dict(found)


def test_json(goalward: Goalward) -> None:
    found = table(goalward("solve", MODEL, *STATES, "--json", *PAPER))
    assert found["model"] == str(MODEL)
    assert [row["state"] for row in found["states"]] == [str(state) for state in STATES]
    assert [(row["expanded"], row["first_plan_length"]) for row in found["states"]] == RECORDED
    assert all(row["plan_length"] <= row["first_plan_length"] for row in found["states"])
    assert {row["status"] for row in found["states"]} == {"solved"}
    assert all(row["cost"] == row["plan_length"] and row["plan_file"] is None for row in found["states"])
    assert all(row["evaluated"] > 0 and row["search_time"] >= 0 for row in found["states"])
    summary = found["summary"]
    assert (summary["states"], summary["tried"], summary["solved"], summary["coverage"]) == (5, 5, 5, 1.0)
    assert (summary["median_expanded"], summary["median_plan_length"]) == (10, 8)
    assert summary["search_time"] == pytest.approx(sum(row["search_time"] for row in found["states"]), abs=1e-5)


def test_csv_says_what_json_says(goalward: Goalward) -> None:
    outcome = goalward("solve", MODEL, *STATES, "--csv", *PAPER)
    assert outcome.code == 0
    rows = list(csv.DictReader(io.StringIO(outcome.out)))
    expected = table(goalward("solve", MODEL, *STATES, "--json", *PAPER))["states"]
    assert list(rows[0]) == list(expected[0])
    for row, wanted in zip(rows, expected, strict=True):
        same = row.keys() - {"search_time", "improve_time", "total_time", "plan_file", "error", "initial_h"}
        assert {name: row[name] for name in same} == {name: str(wanted[name]) for name in same}
        assert float(row["initial_h"]) == pytest.approx(wanted["initial_h"], rel=1e-5)
        assert row["plan_file"] == ""


def test_plans_are_improved_unless_told_otherwise(goalward: Goalward) -> None:
    found = table(goalward("solve", MODEL, STATES[0], "--json", *PAPER))["states"][0]
    as_found = table(goalward("solve", MODEL, STATES[0], "--json", *PAPER, "--improve", "none"))["states"][0]
    assert (as_found["plan_length"], as_found["first_plan_length"], as_found["improve_time"]) == (10, 10, 0)
    assert (found["first_plan_length"], found["plan_length"]) == (10, 8)
    assert found["improve_time"] > 0
    outcome = goalward("solve", MODEL, STATES[0], "--improve", "soon")
    assert (outcome.code, outcome.error) == (36, "--improve must be a duration such as 10s, or none, but is 'soon'")


def test_the_search_is_hybrid_unless_told_otherwise_and_says_what_led_to_the_goal(goalward: Goalward) -> None:
    def row(*options: str) -> dict[str, Any]:
        (found,) = table(goalward("solve", MODEL, STATES[0], "--json", *options))["states"]
        return {name: value for name, value in found.items() if not name.endswith("_time")}

    hybrid, portfolio = row(), row("--search", "portfolio")
    assert hybrid == row("--search", "hybrid")
    assert hybrid["led_by"].startswith("landmarks: "), (
        "what h_FF and landmarks solve at once never waits for the network"
    )
    assert hybrid["led_by"] == portfolio["led_by"]
    assert hybrid["evaluations_by_heuristic"].keys() == {"ff", "landmarks"}
    assert sum(portfolio["expansions_by_queue"].values()) + 1 == portfolio["expanded"] == hybrid["expanded"]
    assert row(*PAPER)["led_by"] == ""
    cells = next(csv.DictReader(io.StringIO(goalward("solve", MODEL, STATES[0], "--csv").out)))
    assert json.loads(cells["expansions_by_queue"]) == hybrid["expansions_by_queue"]


# --- plans ---


def test_plans_are_valid_and_named_after_their_states(goalward: Goalward, task: Task, tmp_path: Path) -> None:
    folder = tmp_path / "some" / "plans"
    outcome = goalward("solve", MODEL, *STATES, "--plans", folder, "--json")
    rows = table(outcome)["states"]
    assert [row["plan_file"] for row in rows] == [str(folder / f"{state.stem}.plan") for state in STATES]
    assert sorted(folder.iterdir()) == [folder / f"{state.stem}.plan" for state in STATES]
    domain = tmp_path / "domain.pddl"
    domain.write_text(task.domain_text)
    for state, row in zip(STATES, rows, strict=True):
        checked = goalward("validate", domain, state, row["plan_file"])
        assert checked.code == 0
        assert checked.number(r"Plan length: (\d+) steps?\.") == row["plan_length"]


@pytest.mark.parametrize("names", [("f0/p.pddl", "f1/p.pddl", "f2/p.pddl"), ("p.pddl", "p.txt")])
def test_states_of_the_same_name_keep_their_plans_apart(
    goalward: Goalward, tmp_path: Path, names: tuple[str, ...]
) -> None:
    for name, state in zip(names, STATES, strict=False):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(state, tmp_path / name)
    copies = [tmp_path / name for name in names]
    rows = table(goalward("solve", MODEL, *copies, "--plans", tmp_path / "plans", "--json"))["states"]
    assert len({row["plan_file"] for row in rows}) == len(names)
    for row in rows:
        assert Path(row["plan_file"]).read_text().count("(") == row["plan_length"] + 1


def test_a_goal_state_has_an_empty_plan(goalward: Goalward, solved_state: Path, tmp_path: Path) -> None:
    outcome = goalward("solve", MODEL, solved_state, "--plans", tmp_path / "plans")
    assert outcome.code == 0
    (row,) = rows_of(outcome.out.splitlines())
    assert (row["status"], row["length"], row["expanded"]) == ("solved", "0", "0")
    assert (tmp_path / "plans" / "done.plan").read_text() == "; cost = 0 (unit cost)\n"


# --- several at once ---


def test_jobs_change_nothing_but_the_time(goalward: Goalward) -> None:
    def rows(jobs: str) -> list[dict[str, Any]]:
        found = table(goalward("solve", MODEL, *STATES * 4, "--json", "--jobs", jobs))["states"]
        return [{name: value for name, value in row.items() if not name.endswith("_time")} for row in found]

    alone = rows("1")
    assert len(alone) == 20
    assert rows("2") == alone
    assert rows("50") == alone


# --- exit codes ---


def test_no_time_for_loading(goalward: Goalward) -> None:
    outcome = goalward("solve", MODEL, *STATES, "--time-limit", "0.0001ms")
    assert outcome.code == 23
    assert outcome.error == "out of time while loading the model and reading the states"


def test_loading_is_shared_by_the_states(goalward: Goalward, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[float | None] = []

    def noted(starts: Any, bind: Any, options: Any, **named: Any) -> Any:
        given.append(options.time_limit)
        return solve_all(starts, bind, options, **named)

    monkeypatch.setattr(solve_module, "solve_all", noted)
    monkeypatch.setattr(startup, "started", lambda: time.monotonic() - 8)
    states = STATES[:4]
    for jobs, share in ((1, 2), (2, 4), (3, 4)):
        assert goalward("solve", MODEL, *states, "--time-limit", "100s", "--jobs", str(jobs)).code == 0
        assert given[-1] is not None
        assert 50 < given[-1] <= 100 - share


def test_the_time_limit_is_for_each_state(goalward: Goalward, endless: tuple[Path, Path], tmp_path: Path) -> None:
    model, state = endless
    task = load_model(model).task
    found = search(task, "ff", SearchOptions("portfolio"))
    states = from_bits(states_along(task, task.init, found.plan or ()), task.n_atoms)
    done = write_state(tmp_path / "done.pddl", task, np.flatnonzero(states[-1]))
    command = ("solve", model, done, state, state, *PAPER, "--time-limit", "300ms", "--plans", tmp_path / "plans")
    outcome = goalward(*command)
    assert outcome.code == 23
    assert [row["status"] for row in rows_of(outcome.out.splitlines())] == ["solved"] + ["out of time"] * 2
    assert "Solved 1 of 3 states, every plan valid.\n" in outcome.out
    assert [path.name for path in (tmp_path / "plans").iterdir()] == ["done.plan"]
    found = table(goalward(*command, "--force", "--json"))
    solved, *others = found["states"]
    assert [(row["status"], row["plan_length"], row["cost"]) for row in others] == [("out of time", None, None)] * 2
    assert [row.keys() for row in others] == [solved.keys()] * 2
    assert found["summary"]["solved"] == 1
    assert found["summary"]["total_time"] >= 2 * 0.3, "loading included"
    assert min(row["search_time"] for row in others) > 0.1


def test_a_state_that_runs_out_of_memory(endless: tuple[Path, Path]) -> None:
    outcome = spawn("solve", *endless, *PAPER, "--memory-limit", "110M", "--time-limit", "60s")
    assert outcome.code == 22
    assert [row["status"] for row in rows_of(outcome.out.splitlines())] == ["out of memory"]
    assert "Solved 0 of 1 state." in outcome.out


def test_a_state_without_any_plan(goalward: Goalward, tmp_path: Path) -> None:
    # A network alone is not to be trusted with proofs: all states were searched, but "exhausted" is all it says.
    task = make_tiny("storage").task
    oracle = Oracle(task)
    dead = min(state for state in oracle.reachable if state not in oracle.goal_distance)
    save_model(blind_model(task), tmp_path / "storage.goalward")
    state = write_state(tmp_path / "dead.pddl", task, atoms_of(dead))
    for options, code, status in ((PAPER, 12, "exhausted"), ((), 11, "unsolvable")):
        outcome = goalward("solve", tmp_path / "storage.goalward", state, *options)
        assert outcome.code == code
        assert [row["status"] for row in rows_of(outcome.out.splitlines())] == [status]
        assert "Solved 0 of 1 state." in outcome.out


def test_ctrl_c_reports_what_was_done(endless: tuple[Path, Path]) -> None:
    command = [PROGRAM, "solve", *endless, endless[1], *PAPER, "--time-limit", "60s"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(PYTHONUNBUFFERED="1")
    )
    assert process.stdout is not None
    with process:
        assert process.stdout.readline().startswith(b"Loaded ")
        let_work(process, 0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, b"")
    assert [row["status"] for row in rows_of(out.decode().splitlines())] == ["cancelled"]
    assert b"Solved 0 of 2 states" in out


# --- errors ---


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("b3 b4 - block", "b3 b4 b5 - block", "object b5"),
        ("(on b1 b2)", "(on b3 b2)", "the goal differs"),
        ("(hand-free)", "(hand-free", "never closed"),
    ],
)
def test_a_file_that_is_no_state_of_the_model_does_not_keep_the_others_from_being_solved(
    tmp_path: Path, old: str, new: str, words: str
) -> None:
    text = STATES[0].read_text()
    assert old in text
    wrong = tmp_path / "wrong.pddl"
    wrong.write_text(text.replace(old, new))
    alone = spawn("solve", MODEL, wrong)
    assert (alone.code, alone.error.startswith(f"{wrong}:"), words in alone.error) == (31, True, True)
    outcome = spawn("solve", MODEL, STATES[1], wrong, STATES[0], "--json")
    assert (outcome.code, outcome.err) == (31, alone.err)
    rows = json.loads(outcome.out)["states"]
    assert [row["status"] for row in rows] == ["solved", "invalid input", "solved"]
    assert (rows[1]["error"], rows[1]["plan_length"]) == (alone.error, None)
    assert [row.keys() for row in rows] == [rows[0].keys()] * 3
    told = spawn("solve", MODEL, STATES[1], wrong)
    assert f"{wrong}  invalid input\nSolved 1 of 2 states, every plan valid.\n" in told.out


def test_a_state_in_which_an_object_has_no_place_gets_a_warning(goalward: Goalward, task: Task, tmp_path: Path) -> None:
    text = STATES[0].read_text()
    place = next(atom for atom in task.state_names(load_model(MODEL).start(text, "").atoms) if "b2" in atom)
    state = tmp_path / "lost.pddl"
    state.write_text(text.replace(place, ""))
    outcome = goalward("solve", MODEL, state)
    assert outcome.code == 11
    warning = r"a fact seems to be missing: one of \(.+ should be true, but none is"
    assert re.fullmatch(rf"goalward: \S+lost\.pddl: warning: {warning}\n", outcome.err)


@pytest.mark.parametrize("command", ["solve", "plan"])
def test_what_is_no_model_is_refused(goalward: Goalward, domain: Path, tmp_path: Path, command: str) -> None:
    damaged, unfit, none = (tmp_path / name for name in ("damaged.goalward", "unfit.goalward", "none"))
    damaged.write_bytes(MODEL.read_bytes()[:-100])
    with safe_open(MODEL, framework="numpy") as file:
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        save_file(arrays | {"network.bias": arrays["network.bias"][:-1]}, unfit, metadata=file.metadata())
    for path, advice in (
        (damaged, "copy it again, or make a model with goalward train"),
        (unfit, "damaged model "),
        (STATES[0], "a text file, not a model stored by goalward: make a model with goalward train"),
        (tmp_path, "is a directory"),
        (none, "no such file"),
    ):
        arguments = (path, STATES[0]) if command == "solve" else (domain, STATES[0], "--model", path)
        outcome = goalward(command, *arguments)
        assert (outcome.code, outcome.error.startswith(f"{path}: "), advice in outcome.error) == (36, True, True)
    outcome = goalward("solve", MODEL, none)
    assert (outcome.code, outcome.error) == (36, f"{none}: no such file")


# --- on a terminal ---


def test_on_a_terminal_every_result_has_a_line_of_its_own_and_progress_leaves_nothing_behind() -> None:
    shown = on_terminal("solve", MODEL, *STATES, whole=True)
    assert shown.code == 0
    assert "1 of 5 states done, 1 solved" in shown.text
    loaded, header, *rows, solved, medians, rate, total = shown.screen
    assert (loaded[:7], header[:5]) == ("Loaded ", "state")
    assert [row["state"] for row in rows_of(rows)] == [str(state) for state in STATES]
    assert solved == "Solved 5 of 5 states, every plan valid."
    assert (medians[:7], rate[-12:], total[:11]) == ("Median ", "improvement.", "Total time:")
    assert shown.cursor_is_back


def test_a_terminal_shows_the_figures_of_a_search_that_takes_a_while(endless: tuple[Path, Path]) -> None:
    shown = on_terminal("solve", *endless, *PAPER, "--time-limit", "3s", whole=True)
    assert shown.code == 23
    assert re.search(r"expanded [\d.]+[kM]? .*best h 1 .*\n0 of 1 state done, 0 solved", shown.text.replace("\r", ""))
    loaded, _, row, solved, _, total = shown.screen
    assert (loaded[:7], solved, total[:11]) == ("Loaded ", "Solved 0 of 1 state.", "Total time:")
    assert [row["status"] for row in rows_of([row])] == ["out of time"]


def test_results_go_to_standard_output_even_if_progress_is_on_a_terminal() -> None:
    # goalward solve … > results.txt
    shown = on_terminal("solve", MODEL, *STATES)
    assert shown.code == 0
    assert "5 of 5 states done, 5 solved" in shown.text
    assert len(rows_of(shown.out.splitlines())) == 5
    assert shown.screen == [""], "progress has gone"


def test_tables_are_not_mixed_with_progress() -> None:
    shown = on_terminal("solve", MODEL, *STATES, "--json")
    assert (shown.code, shown.text) == (0, "")
    assert json.loads(shown.out)["summary"]["solved"] == 5


# --- goalward inspect MODEL ---


def test_inspect_tells_what_a_model_holds(goalward: Goalward) -> None:
    outcome = goalward("inspect", MODEL, "--json")
    assert outcome.code == 0
    facts = json.loads(outcome.out)
    wanted = {
        "domain": "blocks",
        "problem": "blocks-n4-seed0",
        "atoms": 25,
        "operators": 32,
        "method": "n-rsl",
        "preset": "fast",
        "network": "25 → 16 → 16 → 16 → 16 + skip → 1",
        "parameters": 25 * 16 + 16 + 3 * (16 * 16 + 16) + 17,
        "sampler": "uniform",
        "seed": 1,
        "trials": 2,
        "best_epoch": 20,
        "training_ended_by": "all epochs",
        "fingerprint": "a30022dd889dfbe907ffeae14b416d21",
    }
    assert {name: facts[name] for name in wanted} == wanted
    assert len(facts["curve"]) == 20
    assert len(facts["all_trials"]) == 2


def test_inspect_stores_the_task_of_a_model(goalward: Goalward, task: Task, tmp_path: Path) -> None:
    assert goalward("inspect", MODEL, "--save", tmp_path / "task").code == 0
    assert load_task(tmp_path / "task").equals(task)


# --- goalward plan --model ---


@pytest.fixture
def domain(task: Task, tmp_path: Path) -> Path:
    (tmp_path / "domain.pddl").write_text(task.domain_text)
    return tmp_path / "domain.pddl"


def test_plan_searches_with_a_model_as_solve_does(goalward: Goalward, bundled: Bundled, tmp_path: Path) -> None:
    files = bundled("blocks", seed=5, size=5)
    model, plan = tmp_path / "misleading.goalward", tmp_path / "plan"
    task = ground_files(*files.names)
    save_model(Model(task, whole_number_network(task), {"method": "made-up"}), model)
    counts = []
    for options in ((), ("--search", "gbfs"), ("--search", "gbfs", "--batch", "1,32,256"), PAPER):
        (row,) = table(goalward("solve", model, files.problem, "--json", *options))["states"]
        outcome = goalward("plan", *files.names, "--model", model, "-o", plan, *options)
        assert outcome.code == 0
        assert outcome.number(r"Expanded (\d+) state\(s\)\.") == row["expanded"]
        assert outcome.number(r"Plan length: (\d+) step\(s\)\.") == row["plan_length"]
        measured_by = "made-up" if options else "ff"
        assert re.search(rf"(?m)^Initial heuristic value for {measured_by}: -?\d", outcome.out)
        assert goalward("validate", *files.names, plan).code == 0
        counts.append(row["expanded"])
        told = json.loads(goalward("plan", *files.names, "--model", model, "--json", *options).out)
        assert (told["status"], told["heuristic"], told["valid"]) == ("solved", "made-up", True)
    assert counts[1] == counts[2] != counts[3], "three widths take turns unless told otherwise"
    assert counts[0] < min(counts[1:]), "h_FF and landmarks come first"


def test_plan_with_a_model_of_another_domain_or_problem(goalward: Goalward, bundled: Bundled) -> None:
    files = bundled("gripper", balls=2)
    outcome = goalward("plan", *files.names, "--model", MODEL)
    assert outcome.code == 31
    assert outcome.error == f"{files.domain}: this is not the domain that the model was trained for (blocks)"
    files = bundled("blocks", n=5)
    outcome = goalward("plan", *files.names, "--model", MODEL)
    assert outcome.code == 31
    assert outcome.error.startswith(f"{files.problem}: object b5")


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (
            {"network_share": 0.5, "cost_ratio": 0.512, "quality_states": 3},
            "On validation states, plans cost 0.51 of those found without the network in the same time.",
        ),
        (
            {"network_share": 0.0, "cost_ratio": 1.0, "quality_states": 3},
            "On validation states, the network did not make plans cheaper in the same time.",
        ),
        (
            {"network_share": 0.5, "cost_ratio": 1.0, "quality_states": 3},
            "On validation states, plans cost as much as those found without the network in the same time.",
        ),
        ({"network_share": 0.0, "cost_ratio": 1.0, "quality_states": 0}, None),
        ({}, None),
    ],
)
def test_it_says_what_training_found_of_the_cost_of_plans(
    goalward: Goalward, tmp_path: Path, found: dict[str, float], said: str | None
) -> None:
    model = load_model(MODEL)
    assert isinstance(model, Model)
    model.info.update(found)
    save_model(model, tmp_path / "m.goalward")
    outcome = goalward("solve", tmp_path / "m.goalward", STATES[0], "--improve", "none")
    assert outcome.code == 0
    assert [line for line in outcome.out.splitlines() if line.startswith("On validation")] == ([said] if said else [])
