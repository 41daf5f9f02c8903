"""Fixtures for all rooms: tiny tasks of the bundled domains, Fast Downward, and the public benchmark."""

from __future__ import annotations

import os
import signal
import subprocess
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

from helpers import TINY, FastDownward, Tiny, make_tiny

# A shell that starts the tests in the background makes them deaf to Ctrl-C, and what they start as well.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests run side by side; PyTorch's threads would wait for each other, busily, where there are more of them than cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# How long an example takes says something about the machine, not about the code.
settings.register_profile("goalward", deadline=None)
settings.load_profile("goalward")


SLOW = Path(__file__).with_name("slow.txt")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark as fast what is neither in the list of slow tests nor a property test."""
    patterns = set(SLOW.read_text().splitlines())
    for item in items:
        file = item.path.relative_to(SLOW.parent).as_posix()
        test = getattr(item, "obj", None)
        listed = patterns & {file, f"{file}::{getattr(item, 'originalname', '')}"}
        if not listed and not getattr(test, "is_hypothesis_test", False):
            item.add_marker(pytest.mark.fast)


@pytest.fixture(params=list(TINY))
def tiny(request: pytest.FixtureRequest) -> Tiny:
    """A tiny instance of every bundled domain in turn."""
    return make_tiny(request.param)


@pytest.fixture
def fast_downward(tmp_path: Path) -> FastDownward:
    """Fast Downward from the package up-fast-downward; skips where it is not installed."""
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        pytest.skip("Fast Downward is not installed (pip install up-fast-downward)")
    planner = FastDownward(Path(spec.origin).parent, tmp_path)
    if not planner.binary.is_file():
        pytest.skip(f"up-fast-downward is installed without its search binary {planner.binary.name}")
    return planner


@pytest.fixture(scope="session")
def benchmark() -> Path:
    """The public benchmark, unpacked to a temporary folder; skips where it is absent."""
    unpack = Path(__file__).resolve().parents[1].parent / "shared" / "bench" / "unpack"
    if not unpack.is_file():
        pytest.skip("the public benchmark is absent: no ../shared/bench/unpack beside the repository")
    run = subprocess.run([unpack], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        pytest.skip(f"the public benchmark cannot be unpacked: {run.stderr.strip()}")
    return Path(run.stdout.strip())
