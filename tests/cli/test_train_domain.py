"""``goalward train-domain``, and what ``plan``, ``solve`` and ``inspect`` make of its model."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from goalward.baselines.hgn_model import DomainModel, DomainOptions, load_domain_model
from goalward.baselines.hgn_training import train_domain
from goalward.cli.main import run
from goalward.task.domains import generate

from .program import (
    PATIENCE,
    PROGRAM,
    Bundled,
    Files,
    Goalward,
    check_live_training,
    environment,
    on_terminal,
    replaced,
)

DATA = Path(__file__).resolve().parents[1] / "data"

SMALL = ("--states-per-problem", "20", "--steps", "3", "--epochs", "3")
ENDLESS = ("--epochs", "100000", "--time-limit", "100s")

LESSONS = r"\[\d+\.\ds\] \S+\.pddl: \d+ states along \d+ optimal plans, steps up to \d+, \d+\.\d\d s"


@pytest.fixture
def blocks(bundled: Bundled) -> list[Files]:
    return [bundled("blocks", n=3), bundled("blocks", n=4)]


@pytest.fixture
def train(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., tuple[int, str, str]]:
    """``train(files, "-o", path)``: exit code, output and errors of the command in this process."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(files: list[Files], *options: str | Path) -> tuple[int, str, str]:
        capfd.readouterr()
        problems = [str(file.problem) for file in files]
        code = run(["train-domain", str(files[0].domain), *problems, *map(str, options)])
        streams = capfd.readouterr()
        assert "Traceback" not in streams.out + streams.err
        assert "\x1b" not in streams.out + streams.err, "an escape sequence without a terminal"
        return code, *streams

    return call


Train = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "blocks.goalward"
    options = DomainOptions(states_per_problem=20, n_steps=3, max_epochs=3)
    train_domain([generate("blocks", n=n).ground() for n in (3, 4)], options).save(path)
    return path


# --- training ---


def test_the_stream_has_a_line_per_problem(train: Train, blocks: list[Files], tmp_path: Path) -> None:
    path = tmp_path / "blocks.goalward"
    code, out, err = train(blocks, "-o", path, *SMALL)
    assert code == 0
    lines = err.splitlines()
    assert [bool(re.fullmatch(LESSONS, line)) for line in lines] == [True, True, False]
    assert re.fullmatch(r"\[\d+\.\ds\] training \d+\.\d\d s; data \d+ states", lines[-1])
    assert [str(file.problem) in line for file, line in zip(blocks, lines, strict=False)] == [True, True]
    data, training, seconds, written = out.splitlines()
    states = sum(problem["states"] for problem in load_domain_model(path).info["problems"])
    assert data == f"Data: {states} states of 2 problems, 0 skipped"
    assert re.fullmatch(r"Training: 3 epochs \(all epochs\), error \d+\.\d steps on held-out states", training)
    assert re.fullmatch(r"Training time: \d+\.\d+ s", seconds)
    assert written == f"Model written to {path}"


def test_options_reach_the_model(train: Train, blocks: list[Files], tmp_path: Path) -> None:
    path = tmp_path / "blocks.goalward"
    options = ("--seed", "7", "--teacher-limit", "5s", "--time-limit", "1m", "--aggregation", "sum", "--costs", "pddl")
    code, _, err = train(blocks, "-o", path, *SMALL, *options)
    assert code == 0
    assert "cost up to" in err
    made = load_domain_model(path).options
    assert (made.n_steps, made.states_per_problem, made.max_epochs, made.seed) == (3, 20, 3, 7)
    assert (made.teacher_limit, made.time_limit, made.aggregation, made.unit_costs) == (5.0, 60.0, "sum", False)


def test_problems_that_are_not_solved_are_named(
    train: Train, blocks: list[Files], tmp_path: Path, unsolvable: Files, trains: Files
) -> None:
    code, _, err = train([unsolvable], "-o", tmp_path / "model")
    assert code == 36
    assert re.search(rf"{unsolvable.problem}: skipped, no optimal plan \(unsolvable\), \d+\.\d\d s\n", err)
    assert "goalward: no problem was solved optimally within 10 s: give smaller problems" in err
    no_way = tmp_path / "no-way.pddl"
    no_way.write_text(replaced(trains.problem.read_text(), "(track b c)", ""))
    code, out, err = train([trains, Files(trains.domain, no_way)], "-o", tmp_path / "model", *SMALL)
    assert code == 0
    assert f"{no_way}: no plan exists" in err
    assert out.startswith("Data: 3 states of 1 problem, 0 skipped\n")
    code, _, err = train([Files(trains.domain, no_way)], "-o", tmp_path / "model")
    assert code == 36
    assert "none of the problems has a plan" in err


def test_a_problem_of_another_domain_is_refused(
    train: Train, blocks: list[Files], bundled: Bundled, tmp_path: Path
) -> None:
    code, out, err = train([*blocks, bundled("gripper")], "-o", tmp_path / "model")
    assert (code, out) == (31, "")
    assert re.fullmatch(r"goalward: \S+: this is a problem of domain \S*gripper\S*, but [^\n]+blocks\S*\n", err)
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--steps", "0"), "--steps must be between 1 and 1000, but is 0"),
        (("--states-per-problem", "0"), "--states-per-problem must be between 1 and 1000000, but is 0"),
        (("--aggregation", "max"), "--aggregation must be one of mean, sum, but is 'max'"),
        (("--teacher-limit", "soon"), "--teacher-limit must be a duration such as 90s, 5m or 1h30m, but is 'soon'"),
        (("--costs", "euro"), "--costs must be unit (steps to the goal) or pddl (their cost), but is 'euro'"),
    ],
)
def test_wrong_options_are_one_line(
    train: Train, blocks: list[Files], tmp_path: Path, options: tuple[str, str], words: str
) -> None:
    code, out, err = train(blocks, "-o", tmp_path / "model", *options)
    assert (code, out) == (36, "")
    assert words in err
    assert re.fullmatch(r"goalward: [^\n]+\n", err), "said at once, before any work"
    assert not (tmp_path / "model").exists()


# --- Ctrl-C, and a terminal ---


def command_line(files: list[Files], output: Path, *options: str) -> list[str | Path]:
    return ["train-domain", files[0].domain, *(file.problem for file in files), "-o", output, *options]


def start(files: list[Files], output: Path, *options: str, **streams: int) -> subprocess.Popen[bytes]:
    command = [PROGRAM, *command_line(files, output, *options)]
    return subprocess.Popen(command, env=environment(PYTHONUNBUFFERED="1", TERM="xterm", COLUMNS="100"), **streams)


def stop_after(mark: bytes, process: subprocess.Popen[bytes]) -> tuple[bytes, bytes]:
    """Ctrl-C once a line holds the mark; what was printed."""
    assert process.stderr is not None
    with process:
        seen = b""
        while mark not in seen:
            line = process.stderr.readline()
            assert line, f"it ended early: {seen.decode()}"
            seen += line
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    return out, seen + err


def test_ctrl_c_ends_training_and_leaves_a_usable_model(blocks: list[Files], tmp_path: Path) -> None:
    output = tmp_path / "model"
    process = start(blocks, output, *SMALL[:-2], *ENDLESS, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = stop_after(b"] training", process)
    assert process.returncode == 0
    assert b"Traceback" not in err
    assert b"(interrupted)" in out
    assert load_domain_model(output).info["end"] == "interrupted"


def test_ctrl_c_while_the_teacher_searches_leaves_nothing(bundled: Bundled, hard: Files, tmp_path: Path) -> None:
    easy = bundled("tiles", rows=2, cols=2)
    limits = ("--states-per-problem", "5", "--teacher-limit", "100s")
    process = start([easy, hard], tmp_path / "model", *limits, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = stop_after(b"optimal plans", process)
    assert process.returncode == 130
    assert out == b""
    assert b"Traceback" not in err
    assert not (tmp_path / "model").exists()


def test_a_terminal_shows_phase_epoch_and_loss(blocks: list[Files], tmp_path: Path) -> None:
    options = ("--steps", "3", "--states-per-problem", "20", "--epochs", "60", "--time-limit", "100s")
    shown = on_terminal(*command_line(blocks, tmp_path / "model", *options))
    check_live_training(shown, r"epoch +(\d+)")
    assert re.search(r"data +\d+ states", shown.text)
    assert " ".join(shown.text.split()).count("optimal plans") == len(blocks)  # whatever the width of the terminal


# --- use ---


def test_plan_takes_the_model_for_any_problem_of_the_domain(goalward: Goalward, model: Path, bundled: Bundled) -> None:
    for files in (bundled("blocks", n=5), bundled("blocks", n=4, seed=8)):
        outcome = goalward("plan", *files.names, "--model", model, "-s", "gbfs", "--batch", "8")
        assert outcome.code == 0
        assert "Plan valid." in outcome.out
        assert "Initial heuristic value for strips-hgn:" in outcome.out


def test_message_steps_change_the_value(goalward: Goalward, model: Path, blocks: list[Files]) -> None:
    def value(*options: str) -> float:
        outcome = goalward("plan", *blocks[1].names, "--model", model, "-s", "gbfs", *options)
        return outcome.number(r"Initial heuristic value for strips-hgn: (\S+)")

    assert value() == value("--message-steps", "3")
    assert value() != value("--message-steps", "8")


def test_message_steps_need_a_model_of_a_domain(goalward: Goalward, model: Path, blocks: list[Files]) -> None:
    def error(*arguments: str | Path) -> str:
        outcome = goalward("plan", *blocks[0].names, *arguments)
        assert outcome.code == 36
        return outcome.error

    alone = error("--message-steps", "3")
    assert alone == "--message-steps goes with --model and a model made by goalward train-domain"
    assert "no setting message_steps" in error("--model", DATA / "blocks4-v1.goalward", "--message-steps", "3")
    wrong = error("--model", model, "--message-steps", "0")
    assert wrong == "message_steps must be between 1 and 1000, but is 0"


def test_plan_refuses_the_model_for_another_domain(goalward: Goalward, model: Path, trains: Files) -> None:
    outcome = goalward("plan", *trains.names, "--model", model)
    assert outcome.code == 31
    assert outcome.error == f"{trains.domain}: this is not the domain that the model was trained for (blocks)"


def test_solve_takes_the_model_for_many_problems_of_the_domain(
    goalward: Goalward, model: Path, bundled: Bundled
) -> None:
    problems = [bundled("blocks", n=n, seed=8).problem for n in (3, 4, 5)]
    outcome = goalward("solve", model, *problems, "--json", "--batch", "8")
    rows = json.loads(outcome.out)["states"]
    assert [(row["state"], row["status"]) for row in rows] == [(str(path), "solved") for path in problems]


def test_inspect_shows_the_model(goalward: Goalward, model: Path) -> None:
    made: DomainModel = load_domain_model(model)
    facts = json.loads(goalward("inspect", model, "--json").out)
    assert (facts["domain"], facts["method"], facts["parameters"]) == ("blocks", "strips-hgn", made.n_parameters)
    assert facts["curve"] == made.info["curve"]
    assert facts["all_problems"] == made.info["problems"]
    assert facts["options"]["n_steps"] == 3
    text = goalward("inspect", model).out
    assert re.search(r"(?m)^ *network +latent size 32, 3 message-passing steps, mean$", text)
    assert "curve" not in text


def test_there_is_no_task_in_the_model_to_store(goalward: Goalward, model: Path, tmp_path: Path) -> None:
    outcome = goalward("inspect", model, "--save", tmp_path / "task")
    assert outcome.code == 36
    assert outcome.error == f"{model}: a model of a whole domain contains no task to store"


def test_plan_with_the_model_of_one_problem_does_not_load_pytorch(blocks: list[Files], tmp_path: Path) -> None:
    path = tmp_path / "one.goalward"
    options = ["--samples", "200", "--length", "10", "--rollouts", "2", "--trials", "1", "--max-epochs", "1"]

    def loaded(module: str, *arguments: str) -> str:
        script = (
            "import sys; from goalward.cli.main import run; "
            f"code = run({[str(argument) for argument in arguments]}); print(code, {module!r} in sys.modules)"
        )
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        return done.stdout.splitlines()[-1]

    compiler = "torch._dynamo"  # to load it takes as long as to load PyTorch
    assert loaded(compiler, "train", *blocks[0].names, "-o", str(path), *options) == "0 False"
    assert loaded("torch", "plan", *blocks[0].names, "--model", str(path)) == "0 False"
