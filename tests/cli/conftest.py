"""Fixtures: goalward in this process, and problems to run it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from goalward.cli.main import run
from goalward.task.domains import generate

from .program import DOMAIN, KEY_DOMAIN, KEY_PROBLEM, PROBLEM, Bundled, Files, Goalward, Outcome, write_files


@pytest.fixture
def goalward(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Goalward:
    """``goalward("plan", domain, problem)``: the command line in this process."""
    monkeypatch.delenv("FORCE_COLOR", raising=False)

    def call(*arguments: str | Path) -> Outcome:
        capfd.readouterr()
        code = run([str(argument) for argument in arguments])
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture
def trains(tmp_path: Path) -> Files:
    """Two steps, costs 5 and 7."""
    return write_files(tmp_path / "trains", DOMAIN, PROBLEM)


@pytest.fixture
def unsolvable(tmp_path: Path) -> Files:
    """A problem that only search proves unsolvable."""
    return write_files(tmp_path / "keys", KEY_DOMAIN, KEY_PROBLEM)


@pytest.fixture
def bundled(tmp_path: Path) -> Bundled:
    """``bundled("blocks", n=5)``: files of a generated instance."""

    def make(domain: str, seed: int = 0, **parameters: int) -> Files:
        instance = generate(domain, seed=seed, **parameters)
        return write_files(tmp_path / instance.problem_name, instance.domain_text, instance.problem_text)

    return make


@pytest.fixture
def hard(bundled: Bundled) -> Files:
    """A problem that is grounded at once and that blind search does not solve in minutes."""
    return bundled("tiles", rows=4, cols=4)


@pytest.fixture
def large(bundled: Bundled) -> Files:
    """A problem that takes many seconds to ground."""
    return bundled("blocks", n=200)
