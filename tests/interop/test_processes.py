"""Child processes: they end when their block is left, whatever they do about it."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest
from seatrial import free_port
from seatrial.fixtures.environments import SetupError
from seatrial.fixtures.processes import accepts, await_port, finish, last_line, running

STUBBORN = (
    "import signal, socket, sys\n"
    "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "s = socket.create_server(('127.0.0.1', int(sys.argv[1])))\n"
    "while True: s.accept()\n"
)


def python(program: str, *words: str) -> list[str]:
    return [sys.executable, "-c", program, *words]


def gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def closes(port: int) -> bool:
    """Whether nobody listens there within some seconds: a killed process that is not ours takes a moment to go."""
    deadline = time.monotonic() + 10
    while accepts(port) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not accepts(port)


def test_a_server_that_ignores_sigterm_is_gone_after_its_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seatrial.fixtures.processes.GRACE_SECONDS", 0.2)
    port = free_port()
    with running(python(STUBBORN, str(port)), log=tmp_path / "log") as process:
        await_port(process, port, tmp_path / "log")
    assert gone(process.pid)
    assert not accepts(port)


def test_a_child_that_leads_a_group_of_its_own_goes_with_its_parent(tmp_path: Path) -> None:
    port = free_port()
    program = "import subprocess, sys; subprocess.run(sys.argv[1:], start_new_session=True)"
    with running(python(program, *python(STUBBORN, str(port))), log=tmp_path / "log") as process:
        await_port(process, port, tmp_path / "log")
    assert closes(port)


def test_a_command_is_killed_when_its_time_is_up(tmp_path: Path) -> None:
    ended = finish(python("import threading; threading.Event().wait()"), seconds=0.3, log=tmp_path / "log")
    assert ended.code is None


def test_a_command_that_ends_gives_its_code(tmp_path: Path) -> None:
    assert finish(python("raise SystemExit(3)"), seconds=30, log=tmp_path / "log").code == 3


def test_a_server_that_ends_early_is_quoted(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with running(python("print('no such \\x1b[31moption'); raise SystemExit(1)"), log=log) as process:
        process.wait(30)
        with pytest.raises(SetupError, match=r"code 1: no such \\x1b\[31moption"):
            await_port(process, free_port(), log)


def test_a_server_that_never_listens_is_given_up(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with (
        running(python("import threading; threading.Event().wait()"), log=log) as process,
        pytest.raises(SetupError, match="nothing listens on port"),
    ):
        await_port(process, free_port(), log, seconds=0.2)


def test_a_command_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(SetupError, match="no-such-command cannot be started"),
        running(["no-such-command"], log=tmp_path / "log"),
    ):
        pass


def test_a_silent_log_says_so(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("\n \n", "utf-8")
    assert last_line(tmp_path / "log") == "it said nothing"
