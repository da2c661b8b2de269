"""A small client of the A2A agent, independent of the engine's sessions."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import urlencode

import anyio
from anyio.abc import ByteStream
from seatrial import SimNetwork
from seatrial.fixtures.agent import Agent
from seatrial.fixtures.agent.methods import NEW, OLD
from seatrial.fixtures.serving import Connection, HttpRequest, HttpResponse

from tests.reference.client import Client, Exchange, Headers, Reply, virtual

__all__ = ["NEW", "OLD", "Exchange", "Receiver", "Reply", "Talker", "meeting", "said", "texts", "virtual"]

_ids = count(1)


def said(text: str, version: str = NEW, **members: Any) -> dict[str, Any]:
    """A message of a user."""
    message: dict[str, Any] = {"messageId": f"message-{next(_ids)}"}
    if version == NEW:
        return message | {"role": "ROLE_USER", "parts": [{"text": text}]} | members
    return message | {"kind": "message", "role": "user", "parts": [{"kind": "text", "text": text}]} | members


def texts(artifact: Mapping[str, Any]) -> str:
    return "".join(part["text"] for part in artifact["parts"])


@dataclass(slots=True, kw_only=True)
class Talker(Client):
    """A client that speaks A2A."""

    def version(self, version: str) -> dict[str, str | None]:
        return {"A2A-Version": version} if version else {}

    async def begin_call(
        self, method: str, params: Any = None, version: str = NEW, headers: Headers | None = None
    ) -> Exchange:
        message = {"jsonrpc": "2.0", "id": next(_ids), "method": method}
        message |= {} if params is None else {"params": params}
        body = json.dumps(message).encode()
        return await self.send("POST", body, {**self.version(version), **(headers or {})}, "/")

    async def call(self, method: str, params: Any = None, version: str = NEW, headers: Headers | None = None) -> Any:
        """The response, result or error."""
        exchange = await self.begin_call(method, params, version, headers)
        return (await exchange.reply()).json

    async def result(self, method: str, params: Any = None, version: str = NEW) -> Any:
        answer = await self.call(method, params, version)
        assert "result" in answer, answer
        return answer["result"]

    async def error(self, method: str, params: Any = None, version: str = NEW) -> Any:
        answer = await self.call(method, params, version)
        assert "error" in answer, answer
        return answer["error"]

    async def say(self, text: str, configuration: Any = None, **members: Any) -> Any:
        """The Task, or the Message, with which 1.0 answers."""
        params = {"message": said(text, **members)} | ({"configuration": configuration} if configuration else {})
        return next(iter((await self.result("SendMessage", params)).values()))

    async def start_task(self, text: str) -> Any:
        return await self.say(text, {"returnImmediately": True})

    async def stream(self, text: str, configuration: Any = None, **members: Any) -> Exchange:
        params = {"message": said(text, **members)} | ({"configuration": configuration} if configuration else {})
        return await self.begin_call("SendStreamingMessage", params)

    async def task(self, id: str) -> Any:
        return await self.result("GetTask", {"id": id})

    async def rest(
        self,
        verb: str,
        path: str,
        body: Any = None,
        version: str = NEW,
        headers: Headers | None = None,
    ) -> Reply:
        return await (await self.begin_rest(verb, path, body, version, headers)).reply()

    async def begin_rest(
        self,
        verb: str,
        path: str,
        body: Any = None,
        version: str = NEW,
        headers: Headers | None = None,
    ) -> Exchange:
        data = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        return await self.send(verb, data, {**self.version(version), **(headers or {})}, "/rest" + path)

    async def witness(self, key: str) -> list[str]:
        reply = await (await self.send("GET", b"", {}, "/_ledger?" + urlencode({"key": key}))).reply()
        found: list[str] = reply.json
        return found


@dataclass(slots=True)
class Receiver:
    """A webhook: `answers` are its statuses in turn, the last for good; None: it never answers."""

    answers: tuple[int | None, ...] = (200,)
    url: str = ""
    requests: list[HttpRequest] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    async def serve(self, stream: ByteStream) -> None:
        connection = Connection(stream)
        if (request := await connection.next_request()) is None:
            return
        self.requests.append(request)
        self.times.append(anyio.current_time())
        answer = self.answers[min(len(self.requests), len(self.answers)) - 1]
        if answer is None:
            await connection.watch()
        else:
            await connection.respond(HttpResponse(answer, b"", {"Location": self.url}))

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.body) for request in self.requests]

    @property
    def gaps(self) -> list[float]:
        return [later - earlier for earlier, later in zip(self.times, self.times[1:], strict=False)]


@dataclass(slots=True)
class Meeting:
    """An agent, a client of it, and the network on which both are."""

    agent: Agent
    talker: Talker
    network: SimNetwork
    tasks: anyio.abc.TaskGroup

    async def receiver(self, *answers: int | None) -> Receiver:
        receiver = Receiver(answers or (200,))
        listener = await self.network.listen()
        receiver.url = f"http://127.0.0.1:{listener.port}/hook"
        self.tasks.start_soon(listener.serve, receiver.serve, self.tasks)
        return receiver


@asynccontextmanager
async def meeting(build: Any = Agent, *, protected: bool = False, token: str = "") -> AsyncIterator[Meeting]:
    network = SimNetwork()
    listener = await network.listen()
    async with anyio.create_task_group() as tasks:
        agent = build(tasks)
        agent.network, agent.protected = network, protected
        tasks.start_soon(listener.serve, agent.serve_connection, tasks)
        session: dict[str, str | None] = {"Authorization": f"Bearer {token}"} if token else {}
        yield Meeting(agent, Talker(network, listener.port, session), network, tasks)
        tasks.cancel_scope.cancel()
    await listener.aclose()
