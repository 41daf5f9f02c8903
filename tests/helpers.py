"""Tiny tasks of the bundled domains, and Fast Downward; the fixtures in ``conftest.py`` hand them out."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from goalward.search.network import Layer, NetworkWeights
from goalward.task.domains import Instance, generate
from goalward.task.grounding import ground
from goalward.task.lifted import Domain, Problem
from goalward.task.lifted_reader import parse_domain, parse_problem
from goalward.task.packing import core_atoms
from goalward.task.strips import Task

# Small enough for brute force: at most a few thousand reachable states each.
TINY: dict[str, dict[str, int]] = {
    "blocks": {"n": 4},
    "courier": {"riders": 1, "letters": 2, "towns": 4},
    "delivery": {"trucks": 2, "packages": 2, "towns": 3, "capacity": 1},
    "gripper": {"balls": 3, "rooms": 2, "grippers": 2},
    "lights": {"rooms": 3, "locks": 50},
    "painters": {"rows": 2, "cols": 2, "robots": 1, "done": 0},
    "storage": {"rows": 3, "cols": 3, "crates": 1, "pillars": 0},
    "tiles": {"rows": 2, "cols": 3},
    "visitall": {"rows": 3, "cols": 3, "missing": 20},
}


# Options with which each method learns in a moment. Ends that are no times give the same results on every machine.
BRIEF: dict[str, dict[str, Any]] = {
    "n-rsl": {"samples": 300, "length": 20, "rollouts": 2, "max_epochs": 2},
    "rsl": {"samples": 300, "length": 20, "rollouts": 2, "max_epochs": 2},
    "tsl": {"max_walks": 20, "max_epochs": 2},
    "sing": {"searches": 5, "samples": 40, "max_epochs": 2},
    "fsm": {"samples": 300, "length": 20, "max_epochs": 2},
    "boot": {"max_rounds": 4, "states": 20},
    "bexp": {"max_rounds": 4, "states": 20},
    "avi": {"max_iterations": 4, "states": 50, "length": 20},
}


@dataclass(frozen=True)
class Tiny:
    """A tiny instance of a bundled domain: its text, what is read from it, and what it is grounded to."""

    instance: Instance
    domain: Domain
    problem: Problem
    task: Task


def read_texts(domain_text: str, problem_text: str) -> tuple[Domain, Problem]:
    domain = parse_domain(domain_text, "domain.pddl")
    return domain, parse_problem(problem_text, "problem.pddl", domain)


def ground_texts(domain_text: str, problem_text: str) -> Task:
    return ground(*read_texts(domain_text, problem_text))


@cache
def make_tiny(name: str, seed: int = 0) -> Tiny:
    instance = generate(name, seed=seed, **TINY[name])
    domain, problem = read_texts(instance.domain_text, instance.problem_text)
    return Tiny(instance, domain, problem, ground(domain, problem))


def whole_number_network(task: Task) -> NetworkWeights:
    """A network of no merit whose weights are small whole numbers: its sums are exact, so it is the same everywhere.

    As the ones that are learned, it has no weights for atoms that search leaves out.
    """
    random = np.random.default_rng(7)

    def draw(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return random.integers(-2, 3, shape).astype(np.float32)

    layers = (Layer(draw(12, 12), draw(12)), Layer(draw(12, 12), draw(12), skip=0), Layer(draw(1, 12), draw(1)))
    table, bias = draw(task.n_atoms, 12), draw(12)
    table[~core_atoms(task)] = 0
    return NetworkWeights(table, bias, layers)


class FastDownward:
    """Fast Downward's translator and search binary."""

    def __init__(self, package: Path, folder: Path) -> None:
        self.driver = package / "downward" / "fast-downward.py"
        self.binary = package / "downward" / "builds" / "release" / "bin" / "downward"
        self.folder = folder

    def translate(self, domain_text: str, problem_text: str) -> Path:
        """The translated task as a file."""
        domain, problem, sas = (self.folder / name for name in ("domain.pddl", "problem.pddl", "task.sas"))
        domain.write_text(domain_text)
        problem.write_text(problem_text)
        command = [sys.executable, "-m", "fast_downward.translate", domain, problem, "--sas-file", sas]
        subprocess.run(command, capture_output=True, check=True)
        return sas

    def search(self, sas: Path, search: str) -> str:
        """What the search prints."""
        with sas.open() as task:
            command = [self.binary, "--search", search, "--internal-plan-file", self.folder / "plan"]
            run = subprocess.run(command, stdin=task, capture_output=True, text=True, check=False)
        assert run.returncode in {0, 11, 12}, run.stdout + run.stderr
        return run.stdout

    def initial_values(self, sas: Path, evaluators: list[str]) -> dict[str, float]:
        """The initial values of evaluators, by the names that Fast Downward prints."""
        log = self.search(sas, f"eager_greedy([{','.join(evaluators)}],cost_type=one,max_time=0)")
        return {name: float(h) for name, h in re.findall(r"Initial heuristic value for (\w+): (\d+)", log)}

    def optimal_cost(self, sas: Path) -> int:
        """The cost of an optimal plan."""
        found = re.search(r"Plan cost: (\d+)", self.search(sas, "astar(lmcut())"))
        assert found, "Fast Downward finds no plan"
        return int(found[1])
