"""Fixtures of all tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

# Ray pins an older Gymnasium than the rest is tested with; see the marker `rllib`, which fails if
# it finds no test.
collect_ignore = [] if find_spec("ray") else ["training/test_rllib.py", "training/test_on_ray.py"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regenerate-golden",
        action="store_true",
        help="write the golden playthroughs anew instead of comparing with them",
    )


@pytest.fixture(scope="session")
def run_python() -> Callable[..., str]:
    """Run a fresh interpreter with ``arguments``, away from the checkout; gives what it prints."""
    paths = [str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])]

    def run(*arguments: str, cwd: Path | None = None, **environment: str) -> str:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd or tempfile.gettempdir(),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), **environment},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    return run
