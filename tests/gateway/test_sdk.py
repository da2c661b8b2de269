"""The relay between the official Python client and a server made with the same package: both for real."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from seatrial import free_port
from seatrial.fixtures.environments import default_cache
from seatrial.fixtures.interop.__main__ import install
from seatrial.fixtures.interop.manifest import Installation, load
from seatrial.fixtures.processes import await_port, running

pytestmark = [pytest.mark.interop, pytest.mark.timeout(600)]
CLIENT = Path(__file__).with_name("sdk_client.py")
RELAY = (sys.executable, "-m", "seatrial", "relay")


@pytest.fixture(params=["mcp-py-1", "mcp-py-2"], scope="module")
def installed(request: pytest.FixtureRequest) -> Installation:
    return install(load(request.param), default_cache())


def called(installed: Installation, *words: str) -> Any:
    """What the client says of its calls."""
    python = str(installed.home / "bin" / "python")
    ended = subprocess.run([python, str(CLIENT), *words], capture_output=True, text=True, timeout=60, check=False)
    return json.loads(ended.stdout)


@pytest.fixture
def through(installed: Installation, tmp_path: Path) -> Iterator[Any]:
    """`through(PLAN)`: what the client says of two calls of a tool through a relay, and the records of the relay."""
    with ExitStack() as stack:
        port = free_port()
        log = tmp_path / "server"
        await_port(stack.enter_context(running(installed.argv("http", port), log=log)), port, log)

        def call(plan: str) -> tuple[Any, list[Any]]:
            front, relay, kept = free_port(), tmp_path / "relay", tmp_path / "transcript"
            words = [installed.url("http", port), "--listen", f"127.0.0.1:{front}", "--faults", plan]
            with running([*RELAY, *words, "--transcript", str(kept)], log=relay) as process:
                await_port(process, front, relay)
                said = called(installed, f"http://127.0.0.1:{front}/mcp")
            return said, list(map(json.loads, kept.read_text().splitlines()))

        yield call


def test_a_tool_call_succeeds(through: Any) -> None:
    said, records = through("none")
    assert said == {"outcome": "result", "said": "ahoy", "again": "result"}
    calls = [one for one in records if (one["data"].get("message") or {}).get("method") == "tools/call"]
    assert [one["data"]["message"]["params"]["name"] for one in calls] == ["echo", "echo"]


@pytest.mark.parametrize(("how", "raised"), [("reset", "ReadError"), ("fin", "RemoteProtocolError")])
def test_a_lost_answer_breaks_the_whole_session_of_the_client(through: Any, how: str, raised: str) -> None:
    """The client neither asks again nor tells the one who called: its session ends in an exception of HTTP."""
    said, records = through(f'drop_response(on="tools/call", how={how})')
    assert said == {"outcome": "lost", "said": raised, "again": "lost"}
    assert [one["data"]["fault"].partition("(")[0] for one in records if one["kind"] == "fired"] == ["drop_response"]


def test_a_call_that_is_never_answered_waits_and_the_next_one_is_answered(through: Any) -> None:
    said, _ = through('stall(on="tools/call")')
    assert (said["outcome"], said["again"]) == ("waiting", "result")


def test_over_pipes_a_tool_call_succeeds_amid_split_lines_and_foreign_ones(installed: Installation) -> None:
    plan = 'pipe_split(times=0); stdout_garbage(text="ahem", after=messages(2))'
    said = called(installed, "--", *RELAY, "--quiet", "--faults", plan, "--", *installed.argv("stdio"))
    assert said == {"outcome": "result", "said": "ahoy", "again": "result"}
