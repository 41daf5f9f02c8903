"""``goalward train``: what it says while it learns, what it leaves behind, and how it ends."""

from __future__ import annotations

import csv
import re
import signal
import subprocess
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

import pytest

from goalward.cli.main import run
from goalward.learning import models
from goalward.learning.selection import WAYS, Attempt, Verdict
from goalward.search import SearchOptions, search
from goalward.search.learned import load_model
from goalward.search.model import Model
from goalward.search.planning import plan
from goalward.search.portfolio import LEADS_WITH_NETWORK
from goalward.task.domains import generate
from locked_rooms import ROOMS, text_of

from .program import PATIENCE, PROGRAM, Bundled, Files, check_live_training, environment, on_terminal, write_files

SMALL = ("--samples", "300", "--length", "20", "--rollouts", "2", "--max-epochs", "8")

LINES = [
    r"Task: \d+ atoms, \d+ operators, grounded in \d+\.\d+ s",
    r"\[\d+\.\ds\] (rollouts|sampling|training|validation) .+",
]


@dataclass(frozen=True)
class Training:
    """How a run ended, what it printed, and what it wrote."""

    code: int
    out: str
    err: str
    output: Path

    def __post_init__(self) -> None:
        assert "Traceback" not in self.out + self.err, self.err
        assert "\x1b" not in self.out + self.err, "an escape sequence without a terminal"

    @property
    def model(self) -> Model:
        assert self.code == 0, self.err
        return load_model(self.output)

    @property
    def trials(self) -> list[str]:
        return re.findall(r"(?m)^(?:Trial \d+ |Training: ).*$", self.out)


Train = Callable[..., Training]


@pytest.fixture
def train(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Train:
    """``train(files, "--seed", "3")``: the command in this process."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(files: Files, *options: str | Path, output: Path | None = None) -> Training:
        output = output or tmp_path / "model.goalward"
        capfd.readouterr()
        code = run(["train", *files.names, "-o", str(output), *map(str, options)])
        return Training(code, *capfd.readouterr(), output)

    return call


@pytest.fixture
def blocks(bundled: Bundled) -> Files:
    return bundled("blocks", n=4)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Training:
    """A training on four blocks that ended as it should."""
    folder, instance = tmp_path_factory.mktemp("small"), generate("blocks", n=4)
    files = write_files(folder, instance.domain_text, instance.problem_text)
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as err:
        code = run(["train", *files.names, "-o", str(folder / "model"), *SMALL])
    return Training(code, out.getvalue(), err.getvalue(), folder / "model")


# --- what it says ---


def test_the_stream_has_a_line_per_phase_and_one_every_few_seconds(small: Training) -> None:
    lines = small.err.splitlines()
    assert [line for line in lines if not any(re.fullmatch(pattern, line) for pattern in LINES)] == []
    phases = [match[1] for line in lines if (match := re.fullmatch(LINES[1], line))]
    assert list(dict.fromkeys(phases)) == ["rollouts", "sampling", "training", "validation"]
    figures = r"validation \d+%, at most \d+ s left; short searches solve (\d+) of 10 validation states; plan cost "
    figures += r"\d\.\d\d of the best known plans; expansions \d+\.\d per step; mean error \d+\.\d steps on held-out "
    assert re.fullmatch(rf"\[\d+\.\ds\] {figures}states; epoch 8", lines[-1])


def test_the_result_is_on_standard_output_and_the_model_solves_the_problem(small: Training) -> None:
    ended, verdict, use, written = small.out.splitlines()
    assert re.fullmatch(r"Training: 8 epochs in \d+\.\d+ s \(all epochs\)", ended)
    assert re.fullmatch(
        r"Of 10 validation states, short searches with the network solve 10, the network alone \d+, and searches "
        r"without it 10\.", verdict,
    )  # fmt: skip
    assert use.startswith(("goalward solve ", "This model is not likely to help"))
    assert written == f"Model written to {small.output}"
    model = small.model
    assert search(model.task, model.heuristic()).solved


def test_with_several_trials_it_says_which_is_kept(train: Train, blocks: Files) -> None:
    training = train(blocks, *SMALL, "--trials", "2")
    info = training.model.info
    assert len(training.trials) == 2
    kept = [line.endswith(", kept") for line in training.trials]
    assert kept == [i == info["chosen_trial"] for i in range(2)]
    for line, trial in zip(training.trials, info["trials"], strict=True):
        assert f"(seed {trial['seed']}): " in line
        assert f"{trial['solved']} of {trial['validation_states']} validation states solved" in line


def judged(monkeypatch: pytest.MonkeyPatch, *, with_network: int, without: int) -> None:
    """Validation searches solve so many of ten states."""
    solved = {way: with_network if way in LEADS_WITH_NETWORK else without for way in WAYS}
    attempts = {way: [Attempt(0.5, 0.5, 20)] * n + [Attempt(0.5, 0.5, None)] * (10 - n) for way, n in solved.items()}
    monkeypatch.setattr(models, "judge", lambda *_: Verdict(attempts))


@pytest.mark.parametrize(
    ("best", "words"),
    [
        ("landmarks", "improves them with it. On validation states, plans cost 0.90 of those found without"),
        ("hybrid", "which did best on them. On validation states, plans cost 0.90 of those found without the network"),
    ],
)
def test_a_model_that_makes_plans_cheaper_is_said_to(
    train: Train, blocks: Files, monkeypatch: pytest.MonkeyPatch, best: str, words: str
) -> None:
    found = Verdict({way: 3 * [Attempt(0.1, 0.1, 9 if way == best else 10)] for way in WAYS})
    monkeypatch.setattr(models, "judge", lambda *_: found)
    said = train(blocks, *SMALL, "--max-epochs", "1").out
    assert words in said
    assert "plans cost 0.90 of those found without the network" in said


def test_searches_without_enough_time_to_tell_are_said_to_be(
    train: Train, blocks: Files, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    judged(monkeypatch, with_network=0, without=0)
    training = train(blocks, *SMALL, "--max-epochs", "1", "--validation-states", "3")
    *_, verdict, doubt, written = training.out.splitlines()
    assert verdict.endswith("solve 0, the network alone 0, and searches without it 0.")
    assert doubt == (
        "There was too little time to tell whether this model helps, so goalward solve will search without it. Try "
        "a longer --time-limit or a longer --set validation_seconds=…, or see how it does: goalward compare."
    )
    assert written.startswith("Model written to ")
    assert run(["solve", str(training.output), blocks.names[1]]) == 0
    assert "Training could not tell whether this model helps: searching without it" in capfd.readouterr().out


def test_a_model_that_is_of_no_use_is_left_out_when_states_are_solved(
    train: Train, blocks: Files, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    judged(monkeypatch, with_network=0, without=10)
    training = train(blocks, *SMALL)
    assert training.model.info["network_use"] == "none"
    assert training.out.splitlines()[-2] == (
        "This model is not likely to help: goalward solve will search without it, unless --search says otherwise. Try "
        "a longer --time-limit, more --trials, another --set sampler=…, or another --method (rsl, tsl, sing, …)."
    )
    capfd.readouterr()
    note = "Training found that this model does not help: searching without it (--search hybrid uses it)."
    assert run(["solve", str(training.output), blocks.names[1]]) == 0
    assert note in capfd.readouterr().out
    assert run(["solve", str(training.output), blocks.names[1], "--search", "hybrid"]) == 0
    assert note not in capfd.readouterr().out
    assert training.model.solve().heuristic == "ff"
    assert training.model.solve(options=SearchOptions("hybrid", time_limit=5)).heuristic == "n-rsl"
    assert plan(training.model.task, training.model).heuristic == "ff"


def test_a_model_knows_all_states_that_it_was_trained_with(
    train: Train, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    domain, shut = tmp_path / "rooms.pddl", tmp_path / "shut.pddl"
    domain.write_text(ROOMS)
    shut.write_text(text_of("shut"))
    (tmp_path / "open.pddl").write_text(text_of("open"))
    one = train(Files(domain, tmp_path / "open.pddl"), *SMALL)
    assert "starts" not in one.model.info
    assert run(["solve", str(one.output), str(shut)]) != 0
    assert "train with it: goalward train DOMAIN PROBLEM STATE" in capfd.readouterr().err
    two = train(Files(domain, tmp_path / "open.pddl"), shut, *SMALL)
    assert "grounded from 2 initial states" in two.err
    assert two.model.info["starts"] == [str(tmp_path / "open.pddl"), str(shut)]
    assert len(two.model.task.inits) == 2
    assert run(["solve", str(two.output), str(shut), str(tmp_path / "open.pddl")]) == 0
    assert "Solved 2 of 2 states" in capfd.readouterr().out
    assert run(["inspect", str(two.output)]) == 0
    shown = capfd.readouterr().out
    assert re.search(r"initial states +2", shown)
    assert re.search(rf"trained from +{tmp_path / 'open.pddl'}, {shut}", shown)


# --- the model ---


def test_the_curve_is_logged_as_csv_and_for_tensorboard(train: Train, blocks: Files, tmp_path: Path) -> None:
    pytest.importorskip("tensorboard", reason="TensorBoard is not installed (pip install 'goalward[tensorboard]')")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator  # noqa: PLC0415

    training = train(blocks, *SMALL, "--log", tmp_path / "log")
    curve = training.model.info["curve"]
    with (tmp_path / "log" / "training.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["epoch"]) for row in rows] == [epoch for epoch, *_ in curve]
    losses = [validation for _, _, validation, _ in curve]
    assert [float(row["validation_loss"]) for row in rows] == pytest.approx(losses)
    assert {row["trial"] for row in rows} == {"1"}
    events = EventAccumulator(str(tmp_path / "log" / "trial-1")).Reload()
    assert [scalar.value for scalar in events.Scalars("loss/validation")] == pytest.approx(losses, rel=1e-5)
    assert "training.csv" in training.out.splitlines()[-1]


def test_a_log_needs_a_folder(train: Train, blocks: Files, tmp_path: Path) -> None:
    (tmp_path / "log").write_text("")
    training = train(blocks, "--log", tmp_path / "log")
    assert (training.code, training.err.count("\n")) == (36, 1)
    assert ": is a file; give a folder" in training.err


def test_options_reach_the_model(train: Train, blocks: Files) -> None:
    options = ("--method", "rsl", "--sampler", "mixed", "--seed", "9", "--random-share", "25%", "--time-limit", "20s")
    options = (*options, "--labels", "min-ff", "--expert", "false")
    info = train(blocks, "--samples", "200", "--length", "12", "--rollouts", "3", *options).model.info
    wanted = {"samples": 200, "length": 12, "rollouts": 3, "random_share": 0.25, "seed": 9}
    assert info["method"] == "rsl"
    assert {name: info["options"][name] for name in wanted} == wanted
    assert (info["options"]["sampler"], info["options"]["time_limit"]) == ("mixed", 20.0)
    assert (info["sampler"], len(info["trials"])) == ("mixed", 1)
    assert (info["notes"]["labels"], info["options"]["expert"]) == ("min-ff", False)


@pytest.mark.parametrize("flag", ["--improve", "--race", "--fresh", "--enough-looks"])
def test_flags_of_earlier_versions_say_what_took_their_place(train: Train, blocks: Files, flag: str) -> None:
    training = train(blocks, flag, "led")
    assert training.code == 36
    assert f"there is no option {flag[2:].replace('-', '_')} any more" in training.err


# --- errors ---


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--method", "tls"), "unknown method 'tls'; did you mean tsl?"),
        (("--method", "lama"), "lama is not learned per instance"),
        (("--preset", "slow"), "--preset must be one of fast, paper, but is 'slow'"),
        (("--sampler", "even"), "--sampler must be one of uniform, reachable, mixed, but is 'even'"),
        (("--method", "sing", "--set", "sampler=mixed"), "--set sampler must be one of"),
        (("--random-share", "150%"), "--random-share must be a share such as 50% or 0.5, but is '150%'"),
        (("--samples", "5"), "--samples must be between 10 and 50000000, but is 5"),
        (("--samples", "many"), "--samples must be a whole number"),
        (("--method", "tsl", "--set", "max_walks=0"), "--set max_walks must be between 1 and"),
        (("--method", "tsl", "--set", "max_walks=many"), "--set max_walks must be a whole number between 1 and"),
        (("--time-limit", "soon"), "--time-limit must be a duration such as 90s, 5m or 1h30m, but is 'soon'"),
        (("--normalise", "perhaps"), "--normalise must be true or false, but is 'perhaps'"),
        (("--epochs", "3"), "--epochs is an option of avi; n-rsl has none of that name"),
        (("--method", "boot", "--rollouts", "3"), "--rollouts is an option of n-rsl, rsl; boot has none of that name"),
        (("--set", "rollout=3"), "n-rsl has no option 'rollout'; did you mean rollouts?"),
        (("--set", "max_walks"), "write it as NAME=VALUE"),
        (("--no-such-flag", "3"), "--no-such-flag"),
    ],
)
def test_wrong_options_are_one_line(train: Train, blocks: Files, options: tuple[str, ...], words: str) -> None:
    training = train(blocks, *options)
    assert (training.code, training.out) == (36, "")
    assert words in training.err
    assert re.fullmatch(r"goalward: [^\n]+\n", training.err), "said at once, before any work"
    assert not training.output.exists()


def test_an_output_must_be_named(blocks: Files, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["train", *blocks.names]) == 36
    assert "--output" in capfd.readouterr().err


def test_a_problem_without_a_plan_is_refused(train: Train, trains: Files) -> None:
    trains.problem.write_text(trains.problem.read_text().replace("(track b c)", ""))
    training = train(trains)
    assert (training.code, training.err.count("\n"), training.output.exists()) == (10, 1, False)


# --- Ctrl-C ---


def start(files: Files, output: Path, *options: str, **streams: int) -> subprocess.Popen[bytes]:
    command = [PROGRAM, "train", *files.names, "-o", str(output), *options]
    return subprocess.Popen(command, env=environment(PYTHONUNBUFFERED="1", TERM="xterm", COLUMNS="100"), **streams)


@pytest.mark.parametrize(("ending", "code"), [(signal.SIGINT, 0), (signal.SIGTERM, 143)])
def test_ctrl_c_or_sigterm_ends_training_and_leaves_a_usable_model(
    blocks: Files, tmp_path: Path, ending: signal.Signals, code: int
) -> None:
    output = tmp_path / "model.goalward"
    endless = ("--samples", "5000", "--length", "60", "--preset", "paper", "--trials", "3")
    process = start(blocks, output, *endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        seen = b""
        while b"] training" not in seen:
            line = process.stderr.readline()
            assert line, f"training ended early: {seen.decode()}"
            seen += line
        process.send_signal(ending)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == code
    assert b"Traceback" not in err
    assert b"(interrupted)" in out
    model = load_model(output)
    assert len(model.info["trials"]) == 1, "no other trial begins"
    assert model.info["end"] == "interrupted"
    assert search(model.task, model.heuristic()).solved


# --- on a terminal ---


def test_a_terminal_shows_phase_epoch_and_loss(blocks: Files, tmp_path: Path) -> None:
    output = tmp_path / "model.goalward"
    options = ("--samples", "20000", "--length", "40", "--sampler", "uniform", "--time-limit", "60s")
    shown = on_terminal("train", *blocks.names, "-o", output, *options)
    check_live_training(shown, r"epoch +(\d+)")
    assert re.search(r"short searches +solve \d+ of \d+ validation states", shown.text)
    assert shown.out.startswith("Training: ")
    assert load_model(output).info["trials"]
