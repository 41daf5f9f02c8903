"""Files and stand-ins for programs that the tests of this room run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from .drivers import DOMAIN, PROBLEM, Fake, Files, WriteFiles


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Where temporary folders go; a test that uses this must leave none."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def write(tmp_path: Path) -> WriteFiles:
    def write_files(domain: str, problem: str) -> Files:
        paths = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
        for path, text in zip(paths, (domain, problem), strict=True):
            path.write_text(text)
        return paths

    return write_files


@pytest.fixture
def lamp(write: WriteFiles) -> Files:
    """One plan: (press), at cost 3."""
    return write(DOMAIN, PROBLEM.format("(on)"))


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    """``fake(code)``: a stand-in for Fast Downward's driver."""

    def write_driver(code: str) -> Path:
        path = tmp_path / "fake-driver.py"
        path.write_text(f"import os, signal, subprocess, sys, time\n{code}\n")
        return path

    return write_driver
