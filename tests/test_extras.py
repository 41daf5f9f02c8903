"""What goalward does without PyTorch, which only ``goalward[train]`` installs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DATA = Path(__file__).parent / "data"
MODEL = DATA / "blocks4-v1.goalward"
STATE = DATA / "blocks4-v1" / "p1.pddl"

WITHOUT_TORCH = """\
import importlib.abc, sys

class NotInstalled(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name="torch")

sys.meta_path.insert(0, NotInstalled())
"""


def without_torch(code: str, *arguments: str | Path, folder: Path) -> str:
    """What a program prints in whose Python there is no PyTorch."""
    command = [sys.executable, "-c", WITHOUT_TORCH + code, *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert run.returncode == 0, run.stderr + run.stdout
    return run.stdout


EVERYDAY = """
from goalward.cli.main import run
model, state = sys.argv[1:]
for line in (
    "generate blocks --set n=4 --seed 1 -o blocks",
    "plan blocks/domain.pddl blocks/problem.pddl -o plan",
    "improve blocks/domain.pddl blocks/problem.pddl plan -o better --time-limit 10s",
    "validate blocks/domain.pddl blocks/problem.pddl better",
    "inspect blocks/domain.pddl blocks/problem.pddl",
    f"inspect {model}",
    f"solve {model} {state}",
    "methods boot",
):
    code = run(line.split())
    assert code == 0, (line, code)
import goalward
task = goalward.ground_files("blocks/domain.pddl", "blocks/problem.pddl")
assert goalward.plan(task).plan
assert goalward.load_model(model).solve(state).plan
"""


def test_all_but_training_works_without_pytorch(tmp_path: Path) -> None:
    assert "solved" in without_torch(EVERYDAY, MODEL, STATE, folder=tmp_path)


NEEDS_IT = {
    "goalward train": "run(['train', 'd.pddl', 'p.pddl', '-o', 'm.goalward'])",
    "goalward train-domain": "run(['train-domain', 'd.pddl', 'p.pddl', '-o', 'm.goalward'])",
    "n-rsl": f"run(['compare', 'd.pddl', 'p.pddl', {str(STATE)!r}, '--methods', 'ff,n-rsl'])",
    "learning in an experiment": "run(['experiment', 'run', 'smoke', '-o', 'out'])",
    "training": "said(lambda: goalward.train(goalward.load_model(sys.argv[1]).task))",
    "train_network": "said(lambda: goalward.train_network)",
    "Model.to_torch": "said(goalward.load_model(sys.argv[1]).to_torch)",
}


@pytest.mark.parametrize("what", NEEDS_IT)
def test_what_needs_pytorch_says_so_in_one_sentence(what: str, tmp_path: Path) -> None:
    code = f"""
import contextlib, goalward
from goalward.cli.main import run

def said(call):
    try:
        call()
    except goalward.UsageError as error:
        print("goalward:", error)

with contextlib.redirect_stderr(sys.stdout):
    {NEEDS_IT[what]}
"""
    sentence = f"goalward: {what} needs PyTorch, which is not installed: pip install 'goalward[train]'\n"
    assert without_torch(code, MODEL, folder=tmp_path) == sentence
