"""What docs/pytest.md shows is run: its examples against the bundled server, its commands as far as collecting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from seatrial import pytest_plugin

from ..docs.pages import ROOT, blocks, commands
from .conftest import Project, Serve

PAGE = ROOT / "docs" / "pytest.md"
COMMANDS = [words[1:] for words in commands(PAGE) if words[0] == "pytest"]


def test_the_examples_hold(project: Project, serve: Serve) -> None:
    shop, fixture, notifier = blocks(PAGE, "python")
    project.describe(serve())
    project.write("test_shop.py", shop)
    project.write("test_notifier.py", notifier)
    project.pytest("-W", "error").assert_outcomes(passed=4)
    (project.path / "seatrial.toml").unlink()
    server = f"\n\n@pytest.fixture\ndef shop_server():\n    return type('Server', (), {{'url': {serve()!r}}})\n"
    project.write("conftest.py", fixture + server)
    project.pytest("test_shop.py").assert_outcomes(passed=3)


def test_the_commands_are_understood(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.write("test_mine.py", "def test_mine():\n    pass\n")
    assert len(COMMANDS) == 5
    for words in COMMANDS:
        more = ("--collect-only", "-q")
        told = project.apart(*words, *more, plugins=("xdist",)) if "-n" in words else project.pytest(*words, *more)
        assert told.ret == pytest.ExitCode.OK, words


def test_every_option_is_told() -> None:
    told = re.findall(r"`(--seatrial[\w-]*)", PAGE.read_text("utf-8"))
    source = Path(pytest_plugin.__file__).read_text("utf-8")
    assert set(told) == set(re.findall(r'"(--seatrial[\w-]*)"', source))
