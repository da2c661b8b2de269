"""A raw client of the endpoint: it sends what no SDK would, and reads the events as they are."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import anyio
from seatrial import Network, SimNetwork
from seatrial.fixtures.front import Front
from seatrial.fixtures.serving import Build

from ..reference import client as http

Event = dict[str, Any]


def user(text: Any, id: str = "u1") -> Event:
    return {"id": id, "role": "user", "content": text}


def types(events: Sequence[Event]) -> list[str]:
    return [event["type"] for event in events]


def only(events: Sequence[Event], *wanted: str) -> list[Event]:
    return [event for event in events if event["type"] in wanted]


def text(events: Sequence[Event]) -> str:
    """What all text messages say."""
    return "".join(event["delta"] for event in only(events, "TEXT_MESSAGE_CONTENT"))


def seen(reply: http.Reply) -> list[Event]:
    return [json.loads(event.data) for event in reply.events if event.data]


@dataclass(slots=True)
class Client(http.Client):
    """Every run has ids of its own unless they are given."""

    server: Front | None = None
    numbers: count[int] | None = None

    def body(self, prompt: Any, **fields: Any) -> Event:
        number = next(self.numbers) if self.numbers else 0
        base = {"threadId": f"t{number}", "runId": f"r{number}", "protocolVersion": "1.0", "state": {}}
        return {**base, "messages": [user(prompt)], "tools": [], "context": [], "forwardedProps": {}, **fields}

    async def begin(self, body: Any, headers: Mapping[str, str | None] | None = None) -> http.Exchange:  # type: ignore[override]
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.send("POST", raw, headers, path="/agent")

    async def run(self, prompt: str, **fields: Any) -> list[Event]:
        """All events of a run that is served to its end."""
        reply = await (await self.begin(self.body(prompt, **fields))).reply()
        assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream"), reply
        return seen(reply)

    async def refused(self, body: Any, headers: Mapping[str, str | None] | None = None) -> int:
        """The status of an input that starts no run."""
        reply = await (await self.begin(body, headers)).reply()
        assert reply.headers["content-type"] == "application/json"
        assert set(reply.json) == {"error"}
        return reply.status

    async def ledger(self, key: str) -> list[str]:
        reply = await (await self.send("GET", path=f"/_ledger?key={key}")).reply()
        return list(reply.json)

    async def stop(self, thread: str) -> int:
        return (await (await self.send("POST", path=f"/stop/{thread}")).reply()).status


@asynccontextmanager
async def serving(build: Build = Front, network: Network | None = None) -> AsyncIterator[Client]:
    network = network or SimNetwork()
    listener = await network.listen()
    async with anyio.create_task_group() as tasks:
        server = build(tasks)
        assert isinstance(server, Front)
        tasks.start_soon(listener.serve, server.serve_connection, tasks)
        yield Client(network, listener.port, server=server, numbers=count(1))
        tasks.cancel_scope.cancel()
    await listener.aclose()
