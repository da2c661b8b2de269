"""The reference as a target of the engine: processes that obey signals."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from typing import ClassVar
from urllib.parse import urlsplit

import anyio
import h11
import pytest
from seatrial import SimNetwork, dumps, loads
from seatrial.fixtures.reference import Calls, Endpoint, Part, Reference
from seatrial.fixtures.reference.errors import Refusal
from seatrial.fixtures.reference.stimuli import STIMULI
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import Ledger, Life

from .client import Client, modern, serving, talking, virtual

TOKEN = {"Authorization": "Bearer token-1"}


class Fragile(Endpoint):
    def on_bug(self, error: Exception) -> Refusal:
        raise error


class Buggy(Calls):
    def check_params(self, request: object) -> None:
        raise SystemError("a bug")


class Robust(Reference):
    replaced: ClassVar[Mapping[type[Part], type[Part]]] = {Calls: Buggy}


class Mortal(Reference):
    replaced: ClassVar[Mapping[type[Part], type[Part]]] = {Calls: Buggy, Endpoint: Fragile}


@virtual
async def test_a_server_ends_its_subscriptions_on_sigterm() -> None:
    target = simulated()
    async with target.open(), target.server() as server:
        assert server.process
        client = Client(target.network, urlsplit(server.url).port or 0)
        listening = await client.start_modern(modern("s", "subscriptions/listen", {"notifications": {}}), TOKEN)
        await listening.messages(1)
        server.process.send_signal(signal.SIGTERM)
        assert (await listening.reply()).answer["id"] == "s"
        assert await server.process.wait() == 0


@virtual
async def test_a_process_ends_its_subscriptions_on_sigterm() -> None:
    target = simulated()
    async with target.open():
        process = await target.process()
        await process.stdin.send(dumps(modern("s", "subscriptions/listen", {"notifications": {}})) + b"\n")
        text = await process.stdout.receive()
        process.send_signal(signal.SIGTERM)
        with anyio.fail_after(2):
            assert await process.wait() == 0
        text += await process.stdout.receive()
        assert loads(text.splitlines()[-1])["id"] == "s"


@virtual
async def test_a_server_that_dies_is_seen_to_have_died() -> None:
    target = simulated(Mortal)
    async with target.open(), target.server() as server:
        client = Client(target.network, urlsplit(server.url).port or 0)
        with pytest.raises(h11.RemoteProtocolError):
            await client.modern(modern(1, "tools/list"), TOKEN)
        assert server.process
        assert await server.process.wait() == 1
        assert server.exited == 1


@virtual
async def test_a_witness_sees_every_replica() -> None:
    target = simulated()
    async with target.open(), target.server() as one, target.server() as two:
        first, second = (Client(target.network, urlsplit(server.url).port or 0, dict(TOKEN)) for server in (one, two))
        await first.tool("executions", key="k")
        assert await second.tool("tally", key="k") == "1"


@virtual
async def test_a_bug_of_the_server_does_not_end_it() -> None:
    async with serving(Robust) as client:
        for _ in range(2):
            reply = await client.modern(modern(1, "tools/list"))
            assert (reply.status, reply.json["error"]["code"]) == (500, -32603)
    async with talking(Robust) as console:
        await console.write(modern(1, "tools/list"), modern(2, "tools/list"))
        assert [message["error"]["code"] for message in await console.read(2)] == [-32603] * 2


@virtual
async def test_every_stimulus_names_something_that_exists() -> None:
    async with anyio.create_task_group() as tasks:
        reference = Life(Reference, SimNetwork(), Ledger()).begin(tasks)
        tools = {tool.name: tool for tool in reference.toolbox.tools()}
        for stimulus in STIMULI.values():
            if stimulus.verb == "tool":
                filled = stimulus.fill()
                assert reference.tools.invalid(tools[filled.name], filled.arguments) == ""
