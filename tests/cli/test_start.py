"""Help is quick, and `python -m seatrial` is the command."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .conftest import Engine, Invoke

HEAVY = {"httpx", "httpcore", "h11", "jsonschema", "rich", "anyio", "trio"}


def python(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=60, check=False)


def test_help_loads_no_heavy_library() -> None:
    script = (
        "import sys, seatrial.cli\n"
        "seatrial.cli.main(['--help'], standalone_mode=False)\n"
        "print(*(name for name in sys.modules), file=sys.stderr)"
    )
    done = python("-c", script)
    assert "Commands:" in done.stdout
    assert not HEAVY & set(done.stderr.split())


def test_the_module_is_the_command() -> None:
    done = python("-m", "seatrial", "--help")
    assert done.stdout.startswith("Usage: seatrial ")
    assert done.returncode == 0


@pytest.mark.parametrize("name", ["demo", "run", "list", "explain", "init", "witness"])
def test_every_command_is_listed_and_has_help(invoke: Invoke, name: str) -> None:
    assert f"\n  {name}" in invoke("--help").stdout
    assert invoke(name, "--help").exit_code == 0


def test_an_unknown_command_is_told_with_the_nearest(invoke: Invoke) -> None:
    result = invoke("dmeo")
    assert result.exit_code == 2
    assert 'Error: unknown command "dmeo"; did you mean demo?' in result.stderr


def test_demo_refuses_an_unknown_mutant(invoke: Invoke, engine: Engine) -> None:
    result = invoke("demo", "--break", "cancel.swalowed")
    assert (result.exit_code, engine.options) == (2, None)
    assert result.stderr == 'Error: unknown mutant "cancel.swalowed"; did you mean cancel.swallowed?\n'
