"""`seatrial init` against servers of this machine: over loopback, over pipes, and at a terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.config import load

from .conftest import Invoke

SERVER = (sys.executable, "-m", "seatrial.fixtures.reference")
Serve = Callable[..., str]


@contextmanager
def running(*words: str) -> Iterator[str]:
    """The URL of a bundled server."""
    process = subprocess.Popen([*SERVER, *words, "--http", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield json.loads(process.stdout.readline())["url"]
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as stack:
        yield lambda *words: stack.enter_context(running(*words))


@pytest.mark.parametrize(
    ("protocol", "role", "said"), [("mcp", "slow", "slow"), ("a2a", "echo", "hello {text}"), ("agui", "chat", "hello")]
)
def test_what_is_tried_over_loopback_is_written(
    invoke: Invoke, place: Path, serve: Serve, protocol: str, role: str, said: str
) -> None:
    url = serve(protocol)
    result = invoke("init", url)
    assert result.exit_code == 0, result.output
    (found,) = load(place / "seatrial.toml", {}).values()
    assert (found.protocol, found.url, found.stimuli[role].name) == (protocol, url, said)
    assert "tried: " in (place / "seatrial.toml").read_text()


def test_a_target_that_wants_credentials_gets_them_typed_and_not_written(
    monkeypatch: pytest.MonkeyPatch, place: Path, serve: Serve
) -> None:
    monkeypatch.setattr("seatrial.cli.init.attended", lambda: True)
    answers = ("Bearer token-1", "", "shop", "", "")
    typed = "".join(f"{answer}\n" for answer in answers)
    result = CliRunner().invoke(main, ["init", serve("mcp", "--protected")], input=typed)
    assert result.exit_code == 0, result.output
    assert "answers 401" in result.output
    assert "It takes SHOP_TOKEN from the environment" in result.output
    assert "token-1" not in (place / "seatrial.toml").read_text() + result.output
    shop = load(place / "seatrial.toml", {"SHOP_TOKEN": "token-1"})["shop"]
    assert shop.headers == {"Authorization": "Bearer token-1"}


def test_credentials_that_nobody_can_give_are_one_sentence(invoke: Invoke, serve: Serve) -> None:
    result = invoke("init", serve("mcp", "--protected"))
    assert result.exit_code == 4
    assert "answers 401" in result.stderr
    assert result.stderr.count("\n") == 1


def test_enter_at_a_real_terminal_is_enough(tmp_path: Path) -> None:
    """A terminal has two ends: this test types at one, `init` reads from the other."""
    near, far = pty.openpty()
    words = [sys.executable, "-m", "seatrial", "init", "--", *SERVER, "mcp", "--stdio"]
    with subprocess.Popen(words, cwd=tmp_path, stdin=far, stdout=far, stderr=far) as process:
        os.close(far)
        os.write(near, b"\n" * 60)
        shown = _everything(near)
        assert process.wait(60) == 0, shown
    os.close(near)
    assert "What do you call it" in shown
    assert "seatrial.toml written." in shown
    (found,) = load(tmp_path / "seatrial.toml", {}).values()
    assert found.command == (*SERVER, "mcp", "--stdio")
    assert found.stimuli["slow"].progress


def _everything(terminal: int) -> str:
    """What is shown until the other end is closed, which Linux tells by an error."""
    shown = b""
    while True:
        try:
            shown += os.read(terminal, 65536)
        except OSError:
            return shown.decode()
