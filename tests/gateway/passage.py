"""A gateway before scripted servers, on a network of the test's choice."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from seatrial.chance import Chance
from seatrial.faults import Fault
from seatrial.faults.profile import Profile
from seatrial.gateway import Event, Gateway, Logged, Upstream
from seatrial.transcript import Transcript
from seatrial.transport.network import Network

from tests.faults.harbour import Client, Script, Server


@dataclass(slots=True)
class Passage:
    """The servers, the gateway before them, and what it told."""

    network: Network
    servers: list[Server]
    gateway: Gateway
    told: list[Event]
    lines: list[str] = field(default_factory=list)

    @property
    def records(self) -> list[dict[str, Any]]:
        return list(map(json.loads, self.lines))

    @property
    def authority(self) -> str:
        listener = self.gateway.listener
        return f"{listener.host}:{listener.port}"

    async def client(self) -> Client:
        listener = self.gateway.listener
        return Client(await self.network.connect(listener.host, listener.port))


@asynccontextmanager
async def passage(
    network: Network, *plan: Fault, scripts: list[Script], keep_host: bool = False, most: int = 1024
) -> AsyncIterator[Passage]:
    told: list[Event] = []
    lines: list[str] = []
    servers, upstreams = [Server(script) for script in scripts], []
    async with anyio.create_task_group() as tasks:
        for server in servers:
            listener = await network.listen()
            tasks.start_soon(listener.serve, server.handle, tasks)
            upstreams.append(Upstream(f"http://{listener.host}:{listener.port}/mcp"))
        logged = Logged(told.append, Transcript(anyio.current_time, sink=lines.append))
        front = await network.listen()
        gateway = Gateway(upstreams, front, network, Chance(7), logged, tasks, keep_host, most)
        gateway.arm(Profile("mine", plan))
        tasks.start_soon(gateway.serve)
        yield Passage(network, servers, gateway, told, lines)
        tasks.cancel_scope.cancel()
