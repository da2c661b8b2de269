"""A project of somebody else with our plugin, and real servers on loopback."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import seatrial.pytest_plugin.cases
import seatrial.pytest_plugin.own
import tomli_w
from seatrial.discovery import load_suites

PLUGIN = seatrial.pytest_plugin.__name__
load_suites()
"""What is loaded now is not loaded again by each session inside a test."""

Serve = Callable[..., str]


@contextmanager
def serving(protocol: str, mutant: str) -> Iterator[str]:
    """The URL of a bundled server, or of a mutant of it."""
    words = [sys.executable, "-m", "seatrial.fixtures.reference", protocol, "--http", "0"]
    words += ["--break", mutant] if mutant else []
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield json.loads(process.stdout.readline())["url"]
        finally:
            process.terminate()


@pytest.fixture(scope="session")
def serve() -> Iterator[Serve]:
    """`serve(protocol, mutant)` gives a URL; each server is started once."""
    with ExitStack() as stack:
        yield cache(lambda protocol="mcp", mutant="": stack.enter_context(serving(protocol, mutant)))


@dataclass(frozen=True, slots=True)
class Project:
    """Files in an empty folder, and pytest run there with our plugin alone."""

    pytester: pytest.Pytester

    @property
    def path(self) -> Path:
        return self.pytester.path

    def describe(self, url: str, **keys: Any) -> None:
        """Write seatrial.toml with one small target."""
        target = {"protocol": "mcp", "url": url, "versions": ["2025-11-25"], **keys}
        (self.path / "seatrial.toml").write_text(tomli_w.dumps({"target": {"shop": target}}), encoding="utf-8")

    def write(self, name: str, text: str) -> None:
        (self.path / name).write_text(text, encoding="utf-8")

    def pytest(self, *arguments: str) -> pytest.RunResult:
        """What pytest makes of it."""
        return self.pytester.runpytest_inprocess(*arguments, plugins=[seatrial.pytest_plugin])

    def cases(self, *arguments: str) -> pytest.RunResult:
        """What it makes of the cases of the target."""
        return self.pytest("--seatrial", "seatrial.toml", *arguments)

    def apart(self, *arguments: str, plugins: tuple[str, ...] = ()) -> pytest.RunResult:
        """What it makes of it in a process of its own. Further plugins have to be named."""
        named = (word for name in (PLUGIN, *plugins) for word in ("-p", name))
        return self.pytester.runpytest_subprocess(*named, *arguments)


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)
    return Project(pytester)
