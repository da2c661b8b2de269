"""An AG-UI endpoint that plays what a test wrote, in memory and virtual time."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anyio
from anyio.abc import ByteStream
from seatrial.fixtures.serving import Connection, HttpRequest, HttpResponse
from seatrial.protocols.agui.driver import Agui
from seatrial.protocols.agui.session import Session
from seatrial.protocols.driver import Inquiry, Manner, Opener
from seatrial.protocols.http import HttpCarrier
from seatrial.transcript import Transcript
from seatrial.transport.http import HttpClient
from seatrial.transport.sim import SimNetwork

Event = dict[str, Any]
Serve = Callable[[HttpRequest, Connection], Awaitable[None]]


def started(body: Event, **members: Any) -> Event:
    return {"type": "RUN_STARTED", "threadId": body.get("threadId"), "runId": body.get("runId"), **members}


def finished(body: Event, **members: Any) -> Event:
    return {"type": "RUN_FINISHED", "threadId": body.get("threadId"), "runId": body.get("runId"), **members}


def said(text: str, ident: str = "m1") -> list[Event]:
    """A text message in one piece."""
    return [
        {"type": "TEXT_MESSAGE_START", "messageId": ident, "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": ident, "delta": text},
        {"type": "TEXT_MESSAGE_END", "messageId": ident},
    ]


def streamed(*events: Event | Callable[[Event], Event], ends: bool = True) -> Serve:
    """A stream of these events, functions of the input among them. `ends` false: the body stays open."""

    async def serve(request: HttpRequest, connection: Connection) -> None:
        body = json.loads(request.body)
        await connection.open_stream([("Content-Type", "text/event-stream")])
        for event in events:
            payload = event(body) if callable(event) else event
            await connection.write(f"data: {json.dumps(payload)}\n\n".encode())
        if not ends:
            await anyio.sleep_forever()
        await connection.close_stream()

    return serve


def answered(status: int, body: bytes = b"", media: str = "application/json") -> Serve:
    """A plain response."""

    async def serve(request: HttpRequest, connection: Connection) -> None:
        await connection.respond(HttpResponse(status, body, {"Content-Type": media}))

    return serve


@dataclass(slots=True)
class Endpoint:
    """Plays one script after the other, the last one again and again; `requests` is what it was asked."""

    scripts: Sequence[Serve]
    requests: list[HttpRequest] = field(default_factory=list)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.body) for request in self.requests if request.body]

    async def handle(self, stream: ByteStream) -> None:
        connection = Connection(stream)
        while request := await connection.next_request():
            script = self.scripts[min(len(self.requests), len(self.scripts) - 1)]
            self.requests.append(request)
            await script(request, connection)


@dataclass(slots=True)
class Meeting:
    """An endpoint, and what opens sessions with it."""

    endpoint: Endpoint
    opener: Opener

    async def discover(self, *versions: str, **inquiry: Any) -> Any:
        """Claims and failures of the driver's discovery."""
        return await Agui().discover(Inquiry(versions or Agui.versions, ("sse",), **inquiry), self.opener)


@asynccontextmanager
async def meeting(*scripts: Serve) -> AsyncIterator[Meeting]:
    endpoint, network = Endpoint(scripts), SimNetwork()
    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, endpoint.handle, tasks)
        recorder = Transcript(anyio.current_time).scope("test")

        @asynccontextmanager
        async def opener(version: str, binding: str) -> AsyncIterator[Session]:
            url = f"http://127.0.0.1:{listener.port}/agent"
            carrier = HttpCarrier(binding, url, HttpClient(network), tasks, recorder)
            session = Agui().session(carrier, version, binding, Manner())
            try:
                yield session
            finally:
                await session.aclose()

        yield Meeting(endpoint, opener)
        tasks.cancel_scope.cancel()


@asynccontextmanager
async def talking(*scripts: Serve, version: str = "1.0") -> AsyncIterator[tuple[Session, Endpoint]]:
    """A session with an endpoint of these scripts."""
    async with meeting(*scripts) as met, met.opener(version, "sse") as session:
        yield session, met.endpoint
