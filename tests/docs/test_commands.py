"""Every command that a page shows is one that exists, with options that exist."""

from __future__ import annotations

import re
import tomllib
from configparser import ConfigParser
from datetime import date
from pathlib import Path

import click
import pytest
from seatrial import baseline, pytest_plugin
from seatrial.cli import main
from seatrial.config import parse
from seatrial.document import Document
from seatrial.exploration import saved
from seatrial.fixtures.interop.__main__ import _parser as interop

from .pages import PAGES, ROOT, blocks, commands

SHOWN = [(page, words) for page in PAGES for words in commands(page)]
OTHERS = ("git", "cd", "pip")
"""What belongs to the reader's machine."""


def understood(words: list[str]) -> bool:
    """Whether the program that the words name would take the rest. Raises what it raises when it does not."""
    program, *rest = words
    match program.rpartition("/")[2]:
        case "seatrial":
            return _clicked(rest)
        case "make":
            targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text("utf-8"), re.M)
            return set(rest) <= set(targets)
        case "tox":
            return rest[0] == "-e" and rest[1] in _environments()
        case "python" if rest[:2] == ["-m", "seatrial.fixtures.interop"]:
            return bool(interop().parse_args(rest[2:]))
        case "pytest":
            return {word for word in rest if word.startswith("--seatrial")} <= _pytest_options()
        case other:
            return other in OTHERS


def _clicked(words: list[str]) -> bool:
    if words == ["--help"]:
        return True
    command, rest = main.get_command(click.Context(main), words[0]), words[1:]
    if isinstance(command, click.Group) and rest and rest[0] in command.commands:
        command, rest = command.commands[rest[0]], rest[1:]
    try:
        return command is not None and bool(command.make_context(words[0], rest))
    except click.exceptions.Exit as shown:  # It was asked for its help.
        return shown.exit_code == 0


def _pytest_options() -> set[str]:
    """Those of our plugin."""
    return set(re.findall(r'"(--seatrial[\w-]*)"', Path(pytest_plugin.__file__).read_text("utf-8")))


def _environments() -> set[str]:
    tox = ConfigParser(interpolation=None)
    tox.read(ROOT / "tox.ini")
    return {section.removeprefix("testenv:") for section in tox.sections()} | {"py"}


@pytest.mark.parametrize(("page", "words"), SHOWN, ids=[f"{page.name}: {' '.join(words)}" for page, words in SHOWN])
def test_a_command_of_a_page_is_understood(page: Path, words: list[str]) -> None:
    assert understood(words), f"{page.name}: {' '.join(words)}"


def test_a_wrong_option_is_not_understood() -> None:
    with pytest.raises(click.UsageError):
        understood(["seatrial", "run", "--nosuch"])
    with pytest.raises(click.UsageError):
        understood(["seatrial", "checklist", "sign", "bounds.supply", "--nosuch"])
    assert not understood(["tox", "-e", "nosuch"])
    assert not understood(["make", "nosuch"])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_configuration_of_a_page_is_understood(page: Path) -> None:
    for text in blocks(page, "toml"):
        if text.startswith("[[accepted]]"):
            assert baseline.parse(Document("seatrial.baseline.toml", text), date.min).entries
            continue
        if text.startswith("[[regression]]"):
            assert saved.parse(Document("seatrial.regressions.toml", text))
            continue
        whole = text if "url" in text or "command" in text else f'[target.shop]\nurl = "http://127.0.0.1:8080/"\n{text}'
        tomllib.loads(whole)
        assert parse(Document("seatrial.toml", whole), {"SHOP_TOKEN": "t"})["shop"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_of_a_page_leads_to_a_file(page: Path) -> None:
    for link in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
        assert (page.parent / link).exists(), link
