"""WebSocket on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main

URL = "ws://127.0.0.1:1/"


def typed(*words: str) -> Result:
    return CliRunner().invoke(main, [*words])


def test_a_mutant_is_shown(tmp_path: Path) -> None:
    result = typed("demo", "--break", "close.unanswered", "--output", str(tmp_path / "run"))
    assert result.exit_code == 1
    assert "no Close frame came" in result.output
    assert "rfc6455#section-5.5.1" in result.output


@pytest.mark.parametrize(("checks", "shown"), [(["websocket.*"], True), (["websocket.*", "agui.err.bad-json"], False)])
def test_the_demo_shows_it_where_nothing_else_is_asked_for(checks: list[str], shown: bool, tmp_path: Path) -> None:
    asked = [word for check in checks for word in ("--check", check)]
    result = typed("demo", *asked, "--output", str(tmp_path / "run"))
    assert (result.exit_code, "the bundled WebSocket server" in result.output) == (0, shown), result.output


def test_a_run_is_counted_with_the_bundled_server() -> None:
    result = typed("run", URL, "--dry-run")
    assert result.exit_code == 0, result.output
    assert "a frame: ping" in result.output
    assert "Counted with the bundled WebSocket server" in result.output


def test_nobody_there_is_one_finding(tmp_path: Path) -> None:
    result = typed("run", URL, "--output", str(tmp_path / "run"))
    assert result.exit_code == 4
    assert "takes no WebSocket handshake: no connection" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [(("init", URL), "a WebSocket has no stimuli"), (("run", "wss://127.0.0.1:1/"), "must be an address such as")],
)
def test_what_cannot_be_is_refused_in_a_sentence(words: tuple[str, ...], told: str) -> None:
    result = typed(*words)
    assert (result.exit_code, told in result.output) == (2, True), result.output


def test_a_library_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("seatrial.fixtures.websocket.target.find_spec", lambda name: None)
    result = typed("demo", "--check", "websocket.*", "--output", str(tmp_path / "run"))
    assert (result.exit_code, "install seatrial with the extra ws" in result.output) == (2, True), result.output
