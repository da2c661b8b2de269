"""A server to be checked, one that fails a check, and the repository of a user."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

SERVER = (sys.executable, "-m", "seatrial.fixtures.reference", "mcp", "--http", "0")


@contextmanager
def serving(*options: str) -> Iterator[str]:
    """The address of the bundled server, or of a mutant of it."""
    with subprocess.Popen([*SERVER, *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


@pytest.fixture(scope="module")
def sound() -> Iterator[str]:
    with serving() as url:
        yield url


@pytest.fixture(scope="module")
def broken() -> Iterator[str]:
    """A server whose initialize result has the wrong shape."""
    with serving("--break", "init.server-without-version") as url:
        yield url


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    return folder
