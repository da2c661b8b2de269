"""A server that counts its requests, as a simulated process and as a real one, behind a relay with faults.

An answer is `{"id", "pid", "count", "now"}`: which process it was, the number of the request there, and the server's
clock. The method `stream` gets five events instead. Told to end, the server saves its count, and goes on counting there
when it is started on the same port.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

import anyio
import pytest
from anyio.abc import TaskGroup
from seatrial.chance import Chance
from seatrial.config import TargetConfig
from seatrial.faults import Fault
from seatrial.fixtures.serving import Connection, HttpResponse, ReferenceServer, SimulatedTarget
from seatrial.relay import Dial, Relay, Supervisor
from seatrial.target import RealTarget, Server, Target
from seatrial.transport.skew import CLOCK_SKEW
from seatrial.wire import sse
from seatrial.wire.http1 import request
from seatrial.wire.json import dumps, loads

from tests.clock import real, virtual
from tests.faults.harbour import Client

PROGRAM = Path(__file__).with_name("counting_server.py")
Scenario = Callable[["Port"], Awaitable[None]]
_pids = count(1)


class Counting(ReferenceServer):
    """The simulated one."""

    protocol = "counting"

    def __init__(self, tasks: TaskGroup) -> None:
        super().__init__(tasks)
        self.pid, self.count = next(_pids), 0

    def kept(self) -> int:
        return self.count

    def restore(self, kept: int) -> None:
        self.count = kept

    async def serve(self, connection: Connection) -> None:
        while message := await connection.next_request():
            asked = loads(message.body)
            self.count += 1
            told = {"pid": self.pid, "count": self.count, "now": self.clock.now()}
            answer = {"jsonrpc": "2.0", "id": asked["id"], **told}
            if asked["method"] == "stream":
                await self._stream(connection, answer)
            else:
                await connection.respond(HttpResponse(200, dumps(answer), {"Content-Type": "application/json"}))

    async def _stream(self, connection: Connection, answer: dict[str, Any]) -> None:
        await connection.open_stream([("Content-Type", "text/event-stream")])
        for number in range(5):
            await connection.write(sse.encode(sse.SseEvent(data=dumps({**answer, "number": number}).decode())))
            await anyio.sleep(0.05)
        await connection.close_stream()


@dataclass(slots=True)
class Port:
    """Servers, and the way to them through a relay."""

    target: Target
    stack: AsyncExitStack
    fired: list[str] = field(default_factory=list)
    servers: list[Server] = field(default_factory=list)
    _ids: Any = field(default_factory=lambda: count(1))

    @asynccontextmanager
    async def through(self, *faults: Fault, replicas: int = 1) -> AsyncIterator[Callable[[], Awaitable[Client]]]:
        """Gives connections of a client, each its own."""
        self.servers = [await self.stack.enter_async_context(self.target.server()) for _ in range(replicas)]
        async with anyio.create_task_group() as tasks:
            operate = Supervisor(self.servers, tasks).operate
            note = lambda fault, where: self.fired.append(fault.name)  # noqa: E731
            relay = Relay(self.dials, faults, Chance(7), note, operate=operate).dialer(tasks)

            async def connected() -> Client:
                return Client(await relay())

            yield connected
            tasks.cancel_scope.cancel()

    @property
    def dials(self) -> list[Dial]:
        return [self._dial(server) for server in self.servers]

    def _dial(self, server: Server) -> Dial:
        port = urlsplit(server.url).port or 0
        return lambda: self.target.network.connect("127.0.0.1", port)

    async def ask(self, client: Client) -> dict[str, Any]:
        """The answer to a call; nothing where it is lost or late."""
        body = await self._body(client, "tools/call")
        return dict(loads(body)) if body else {}

    async def stream(self, client: Client) -> list[sse.SseEvent]:
        """The whole events of a stream."""
        return [event for event in sse.SseDecoder().feed(await self._body(client, "stream")) if event.dispatched]

    async def _body(self, client: Client, method: str) -> bytes:
        body = dumps({"jsonrpc": "2.0", "id": next(self._ids), "method": method})
        reader = await client.ask(request("POST", "/", [("Host", "t"), ("Content-Length", str(len(body)))], body))
        return reader.response.body


def play(kind: str, scenario: Scenario) -> None:
    with TemporaryDirectory() as folder:
        target: Target = simulated() if kind == "simulated" else started(folder)

        async def at_port() -> None:
            async with target.open(), AsyncExitStack() as stack:
                await scenario(Port(target, stack))

        (virtual if kind == "simulated" else real)(at_port)()


def on_both_servers(scenario: Scenario) -> Callable[[str], None]:
    """Simulated ones in virtual time, processes in real time."""

    def run(kind: str) -> None:
        play(kind, scenario)

    run.__name__, run.__doc__ = scenario.__name__, scenario.__doc__
    return pytest.mark.parametrize("kind", ["simulated", "real"])(run)


def simulated() -> SimulatedTarget:
    return SimulatedTarget(
        build=Counting, protocol="counting", name="counting", address="in memory", bindings=(), stimuli={}
    )


def started(folder: str) -> RealTarget:
    command = (sys.executable, str(PROGRAM), "{port}", folder)
    return RealTarget(
        TargetConfig(name="counting", url="http://127.0.0.1:{port}/", command=command, env={CLOCK_SKEW: "0"})
    )
