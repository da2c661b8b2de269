"""Help is quick, and `python -m seatrial` is the command."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest
from seatrial.cli import main

from .conftest import Engine, Invoke

HEAVY = {"httpx", "httpcore", "jsonschema", "rich", "trio"}


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("words", [[], *([name] for name in main.list_commands(click.Context(main)))], ids=" ".join)
def test_help_loads_no_heavy_library(words: list[str]) -> None:
    script = (
        "import sys, seatrial.cli\n"
        f"seatrial.cli.main({[*words, '--help']}, standalone_mode=False)\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    done = python("-c", script)
    assert done.stdout.startswith("Usage:")
    assert not HEAVY & set(done.stderr.split())


def test_the_module_is_the_command() -> None:
    done = python("-m", "seatrial", "--help")
    assert done.stdout.startswith("Usage: seatrial ")
    assert done.returncode == 0


def commands(group: click.Group, *above: str) -> Iterator[tuple[str, ...]]:
    """The words of every command, of the groups too."""
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*above, name)
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, *above, name)


@pytest.mark.parametrize("words", [(), *commands(main)], ids=" ".join)
def test_every_help_fits_a_screen(invoke: Invoke, words: tuple[str, ...]) -> None:
    result = invoke(*words, "--help")
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert len(lines) <= 24, result.stdout
    assert max(map(len, lines)) <= 80


def test_every_command_is_listed_with_what_it_does(invoke: Invoke) -> None:
    told = invoke("--help").stdout
    assert all(re.search(rf"^  {words[0]} +\w", told, re.M) for words in commands(main))


@pytest.mark.parametrize("name", ["run", "demo"])
def test_rare_options_are_told_by_section_where_they_are_asked_for(invoke: Invoke, name: str) -> None:
    short, whole = invoke(name, "--help").stdout, invoke(name, "--help-all").stdout
    assert "--shard" not in short and "--help-all" in short
    assert "\nWhich cases:\n" in whole and "--shard I/N" in whole
    assert set(re.findall(r"--[\w-]+", short)) <= set(re.findall(r"--[\w-]+", whole))
    assert max(map(len, whole.splitlines())) <= 80


def test_an_unknown_command_is_told_with_the_nearest(invoke: Invoke) -> None:
    result = invoke("dmeo")
    assert result.exit_code == 2
    assert 'Error: unknown command "dmeo"; did you mean demo?' in result.stderr


def test_demo_refuses_an_unknown_mutant(invoke: Invoke, engine: Engine) -> None:
    result = invoke("demo", "--break", "cancel.swalowed")
    assert (result.exit_code, engine.options) == (2, None)
    assert result.stderr == 'Error: unknown mutant "cancel.swalowed"; did you mean cancel.swallowed?\n'
