"""The programs in ``examples/`` do what they say, with as little of it as possible."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

BRIEF = "--set samples=1000 --set max_epochs=2"
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(name: str, *arguments: str) -> str:
    command = [sys.executable, "-W", "error", EXAMPLES / name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_every_program_is_run_here() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == {
        "demo_table.py",
        "own_heuristic.py",
        "own_network.py",
        "train_and_solve.py",
    }


def test_the_demo_ends_with_a_table_of_plans_with_and_without_the_model(tmp_path: Path) -> None:
    text = (EXAMPLES / "demo.sh").read_text().replace('$(cd "$(dirname "$0")" && pwd)', str(EXAMPLES))
    small = text.replace("rows=4", "rows=2").replace("cols=4", "cols=3").replace("--time-limit 60s", BRIEF)
    assert small.count("rows=2") == small.count("cols=3") == small.count(BRIEF) == 1
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", small], capture_output=True, text=True, check=False, cwd=tmp_path, env=environment
    )
    assert done.returncode == 0, done.stderr
    rows = [re.findall(r"[^\s│|]+", line) for line in done.stdout.splitlines() if re.match(r"[│|] (p\d|median)", line)]
    assert [row[0] for row in rows] == ["p1", "p2", "p3", "p4", "p5", "p6", "median"]
    for _, with_model, seconds, without in rows:
        assert float(with_model) <= float(without), "both are optimal on so small a puzzle"
        assert float(seconds) >= 0


def test_train_and_solve() -> None:
    said = run("train_and_solve.py", "2s")
    solved = re.search(r"^(\d+) of 10 states solved$", said, flags=re.MULTILINE)
    assert solved is not None
    assert int(solved[1]) >= 1, said
    assert re.search(r"^the first plan: \((unstack|grab) ", said, flags=re.MULTILINE)


def test_a_heuristic_of_ones_own() -> None:
    said = run("own_heuristic.py")
    shortest = int(re.search(r"a shortest plan has (\d+) steps", said)[1])  # type: ignore[index]
    lengths = {name: int(steps) for name, steps in re.findall(r"^(\w+) +(\d+) steps", said, flags=re.MULTILINE)}
    assert lengths.keys() == {"manhattan", "ff", "goalcount", "blind"}
    assert all(length >= shortest for length in lengths.values())
    evaluated = {name: int(n) for name, n in re.findall(r"^(\w+) .* (\d+) states evaluated", said, flags=re.MULTILINE)}
    assert evaluated["manhattan"] < evaluated["goalcount"] < evaluated["blind"]
    assert "leads " in said


def test_a_network_of_ones_own() -> None:
    said = run("own_network.py", "2")
    assert "by Pyramid" in said
    errors = [float(error) for error in re.findall(r"mean squared error ([\d.]+)", said)]
    assert errors[1] < errors[0]
    assert len(re.findall(r"<solved", said)) == 6
