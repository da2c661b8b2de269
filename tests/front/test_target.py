"""The endpoint as a target of its own, as a mutant, and as a process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

import pytest
from seatrial import Role
from seatrial.fixtures.front import Front, Runs
from seatrial.fixtures.front.run import Run
from seatrial.fixtures.front.stimuli import STIMULI
from seatrial.fixtures.front.target import early, simulated
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.stimuli import ROLES

from ..clock import virtual
from .client import Client, Event, types


class Silent(Runs):
    """Ends no run."""

    async def finish(self, run: Run, outcome: Event) -> None:
        pass


async def played(target: SimulatedTarget, prompt: str) -> list[Event]:
    async with target.open(), target.server() as server:
        return await Client(target.network, urlsplit(server.url).port or 0).run(prompt)


@virtual
async def test_a_target_speaks_the_column_it_is_asked_for() -> None:
    declared = [(await played(target, "hello"))[0].get("protocolVersion") for target in (simulated(), early())]
    assert declared == ["1.0", None]
    moved = simulated()
    moved.versions = ("0.1",)
    assert "protocolVersion" not in (await played(moved, "hello"))[0]


@pytest.mark.parametrize("simulate", [simulated, early])
@virtual
async def test_a_mutant_is_made_of_one_part_in_either_column(simulate: Callable[..., SimulatedTarget]) -> None:
    assert types(await played(simulate(build_of(Silent)), "hello"))[-1] == "TEXT_MESSAGE_END"
    assert types(await played(simulate(Front), "hello"))[-1] == "RUN_FINISHED"


def test_every_role_is_played() -> None:
    assert set(STIMULI) == set(ROLES["agui"])


@virtual
async def test_a_stimulus_is_a_prompt_of_the_agent() -> None:
    spoken = {role: s.fill(key="k", text="429").name for role, s in STIMULI.items() if s.verb == "prompt"}
    ends = {role: types(await played(simulated(), text)) for role, text in spoken.items() if role != Role.MODEL_HANG}
    failing = {role for role, events in ends.items() if events[-1] == "RUN_ERROR"}
    assert failing == {Role.BOOM, Role.MODEL_ERROR}


def test_the_process_serves() -> None:
    command = [sys.executable, "-m", "seatrial.fixtures.reference", "agui", "--http", "0"]
    body = {"threadId": "t", "runId": "r", "messages": [{"id": "m", "role": "user", "content": "hello"}]}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = json.loads(process.stdout.readline())["url"]
        request = Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urlopen(request, timeout=20) as response:
            stream = response.read()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert stream.count(b"RUN_FINISHED") == 1
