"""The server of the fake model, on any network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
from anyio.abc import TaskGroup

from ..receiver.conversation import Arrival, Conversation
from ..receiver.site import Site
from ..transport.network import Network
from ..wire.json import JsonError, dumps, loads
from .dialect import Chat, Dialect, Responses
from .log import End, Entry, Log
from .script import Asked, Saying, Script, asked

JSON = (("Content-Type", "application/json"),)
STREAM = (("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"))
ACTIVE = 64
"""Requests that are answered at a time."""

DIALECTS: Mapping[str, type[Chat] | type[Responses]] = {
    "/v1/chat/completions": Chat,
    "/v1/responses": Responses,
}


@dataclass(slots=True, eq=False)
class ModelServer:
    """Serves in `tasks` from `open` to `aclose`, or until they are cancelled."""

    network: Network
    tasks: TaskGroup
    host: str = "127.0.0.1"
    port: int = 0
    script: Script = field(default_factory=Script)
    log: Log = field(default_factory=Log)
    _site: Site | None = None

    async def open(self) -> None:
        """Raises OSError when the port cannot be had."""
        self._site = Site(self.network, self.host, self.tasks, self._take, self.port)
        await self._site.open()
        self.port = self._site.port

    async def aclose(self) -> None:
        if self._site:
            await self._site.aclose()

    @property
    def addresses(self) -> dict[str, str]:
        """`url` is the base of the API, `witness` shows all requests, `ledger` the events of those with a key."""
        origin = self._site.origin if self._site else ""
        return {"url": f"{origin}/v1", "witness": f"{origin}/witness", "ledger": f"{origin}/ledger?key={{key}}"}

    async def _take(self, arrival: Arrival, client: Conversation) -> None:
        if not arrival.whole:
            await client.refuse(413 if arrival.oversize else 400)
            return
        place = urlsplit(arrival.http.target)
        key = parse_qs(place.query).get("key", [""])[0]
        match arrival.http.verb, place.path:
            case "POST", path if path in DIALECTS:
                await self._asked(path, arrival.http.body, client)
            case "GET", "/v1/models":
                await _tell(client, {"object": "list", "data": [{"id": "fake", "object": "model", "owned_by": "none"}]})
            case "GET", "/witness":
                await _tell(client, self.log.shown(key))
            case "GET", "/ledger":
                await _tell(client, self.log.story(key))
            case _:
                await _refuse(client, 404, "There is nothing here.")

    async def _asked(self, path: str, body: bytes, client: Conversation) -> None:
        try:
            value = loads(body)
        except JsonError:
            value = None
        if not isinstance(value, dict):
            await _refuse(client, 400, "The body is not a JSON object.")
        elif self.log.active >= ACTIVE:
            await _refuse(client, 503, "Too many requests at a time.")
        else:
            await self._answer(DIALECTS[path], asked(value), client)

    async def _answer(self, dialect: type[Chat] | type[Responses], request: Asked, client: Conversation) -> None:
        """Until all is said, or the client has left."""
        entry, saying = self.log.begin(request.prompt), self.script.saying(request)
        answer = dialect(entry.id, request, saying, int(anyio.current_time()))
        end = End.LEFT
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(_watch, client, group.cancel_scope)
                await self._say(answer, saying, request, entry, client)
                end = End.DONE
                group.cancel_scope.cancel()
        except* (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        finally:
            self.log.close(entry, end)

    async def _say(self, answer: Dialect, saying: Saying, request: Asked, entry: Entry, client: Conversation) -> None:
        if saying.hangs:
            await anyio.sleep_forever()
        if saying.status != 200:
            await _refuse(client, saying.status, f"The fake model answers {saying.status}, as it was asked to.")
        elif request.streams:
            await _stream(answer, saying.gap, entry, client)
        else:
            await anyio.sleep(saying.gap * len(saying.pieces))
            await _tell(client, answer.whole())


async def _stream(answer: Dialect, gap: float, entry: Entry, client: Conversation) -> None:
    await client.begin(200, STREAM)
    await client.say(answer.opening())
    for piece in answer.pieces():
        await anyio.sleep(gap)
        await client.say(piece)
        entry.chunks += 1
    await client.say(answer.closing())
    await client.finish()


async def _watch(client: Conversation, scope: anyio.CancelScope) -> None:
    await client.departure()
    scope.cancel()


async def _tell(client: Conversation, value: Any) -> None:
    await client.answer(200, JSON, dumps(value))


async def _refuse(client: Conversation, status: int, text: str) -> None:
    retry = (("Retry-After", "1"),) if status == 429 else ()
    await client.answer(status, (*JSON, *retry), dumps({"error": {"message": text, "type": "fake", "code": status}}))
