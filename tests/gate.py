"""Bundled servers behind a gate that counts what comes, and lets clients wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import anyio
from anyio.abc import ByteStream
from seatrial.fixtures import agent, front, reference
from seatrial.fixtures.serving import Connection, HttpRequest, HttpResponse, ReferenceServer

SERVERS: Mapping[str, type[ReferenceServer]] = {
    "mcp": reference.Reference,
    "a2a": agent.Agent,
    "agui": front.Front,
}


@dataclass(slots=True, eq=False)
class Gate:
    """Counts the requests of all connections. `refuses`: how the request with that number, from 1 on, is refused."""

    refuses: Callable[[int], HttpResponse | None] = lambda number: None
    requests: list[HttpRequest] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def before(self, server: type[ReferenceServer]) -> type[ReferenceServer]:
        """A server whose requests over HTTP come through here."""
        gate = self

        class Gated(server):  # type: ignore[misc, valid-type]
            async def serve_connection(self, stream: ByteStream) -> None:
                async with stream:
                    await self.serve(_Gated(stream, gate, body_limit=self.body_limit))

        return Gated


class _Gated(Connection):
    def __init__(self, stream: ByteStream, gate: Gate, *, body_limit: int) -> None:
        super().__init__(stream, body_limit=body_limit)
        self._gate = gate

    async def next_request(self) -> HttpRequest | None:
        while (request := await super().next_request()) is not None:
            self._gate.requests.append(request)
            self._gate.times.append(anyio.current_time())
            refusal = self._gate.refuses(len(self._gate.requests))
            if refusal is None:
                return request
            await self.respond(refusal)
        return None
