"""An MCP session from the client's side, of either era and binding: orderly by default, able to break every rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ...stimuli import Filled
from ..carrier import Carrier, HeaderPairs
from ..driver import Play, Replies
from ..exchange import NO_ID, Departure, Exchange, Pulse, is_response
from ..http import GET_HEADERS, HttpCarrier
from ..outcome import Answer, Lost, Message, Outcome, Refusal
from .codes import METHOD_NOT_FOUND
from .envelope import CLIENT, StatefulEnvelope, StatelessEnvelope, envelope
from .stdio import StdioCarrier
from .versions import HTTP, Era, era

Params = Mapping[str, Any] | None
HeaderChanges = Mapping[str, str | None]
SILENT = object()
"""A reply that never comes."""

AUTO = object()
"""The next id of the session."""


METHODS = {"tool": "tools/call", "prompt_name": "prompts/get", "resource": "resources/read"}
"""The request that plays a stimulus, by its verb."""


def request_for(filled: Filled) -> tuple[str, dict[str, Any]]:
    """The MCP request of a filled stimulus. Raises KeyError for a verb that MCP does not have."""
    method = METHODS[filled.verb]
    if method == "resources/read":
        return method, {"uri": filled.name}
    return method, {"name": filled.name, "arguments": dict(filled.arguments)}


@dataclass(slots=True, eq=False)
class Session:
    """One protocol lifecycle with the target.

    `server` is the initialize or discover result. `received` holds every message of every stream in the
    order of arrival, each with its exchange; `pulse` beats at each. Requests of the server are answered from `replies`
    (default: ping with an empty result, all others with -32601).
    """

    carrier: Carrier
    version: str
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    replies: Replies = field(default_factory=dict)
    server: dict[str, Any] = field(default_factory=dict)
    received: list[tuple[Exchange, Message]] = field(default_factory=list)
    pulse: Pulse = field(default_factory=Pulse)
    envelope: StatefulEnvelope | StatelessEnvelope = field(init=False)
    _next_id: int = 0

    def __post_init__(self) -> None:
        self.envelope = envelope(self.version, self.capabilities)
        self.carrier.listener = self._heard

    # What the session is

    @property
    def era(self) -> Era:
        return era(self.version)

    @property
    def binding(self) -> str:
        return self.carrier.binding

    @property
    def http(self) -> HttpCarrier:
        """The carrier, where the column is Streamable HTTP."""
        assert isinstance(self.carrier, HttpCarrier), "this check needs Streamable HTTP"
        return self.carrier

    @property
    def stdio(self) -> StdioCarrier:
        """The carrier, where the column is stdio."""
        assert isinstance(self.carrier, StdioCarrier), "this check needs stdio"
        return self.carrier

    @property
    def session_id(self) -> str | None:
        return self.envelope.session_id if isinstance(self.envelope, StatefulEnvelope) else None

    @session_id.setter
    def session_id(self, value: str | None) -> None:
        assert isinstance(self.envelope, StatefulEnvelope), "2026-07-28 has no sessions"
        self.envelope.session_id = value

    @property
    def lasting(self) -> str:
        return self.session_id or ""

    @property
    def declared(self) -> dict[str, Any]:
        """The capabilities that the server declared."""
        found = self.server.get("capabilities")
        return found if isinstance(found, dict) else {}

    # Requests

    def next_id(self) -> int:
        self._next_id += 1
        return self._next_id

    def message(self, method: str, params: Params = None, *, id: Any = NO_ID) -> dict[str, Any]:
        """A JSON-RPC message with this version's envelope around its parameters (a notification without id)."""
        if id is NO_ID:
            return {"jsonrpc": "2.0", "method": method, **({"params": dict(params)} if params else {})}
        wrapped = self.envelope.params(params)
        return {"jsonrpc": "2.0", "id": id, "method": method, **({} if wrapped is None else {"params": wrapped})}

    async def begin(
        self,
        method: str,
        params: Params = None,
        *,
        id: Any = AUTO,
        token: Any = None,
        headers: HeaderChanges | None = None,
    ) -> Exchange:
        """Send a request and return at once. `token` is its progress token; a header of None is left out."""
        request_id = self.next_id() if id is AUTO else id
        if token is not None:
            meta = {**((params or {}).get("_meta") or {}), "progressToken": token}
            params = {**(params or {}), "_meta": meta}
        message = self.message(method, params, id=request_id)
        return await self.send(message, headers=headers, request_id=request_id, token=token)

    async def request(
        self,
        method: str,
        params: Params = None,
        *,
        id: Any = AUTO,
        token: Any = None,
        headers: HeaderChanges | None = None,
        within: float | None = None,
    ) -> Outcome:
        """Send a request and wait for its end, `within` seconds (default: the session's patience)."""
        exchange = await self.begin(method, params, id=id, token=token, headers=headers)
        return await exchange.outcome(within)

    async def perform(self, play: Play, *, token: Any = None, id: Any = AUTO) -> Outcome:
        """Play a stimulus to its end."""
        exchange = await self.start(play, token=token, id=id)
        return await exchange.outcome(play.lasts + self.carrier_patience)

    async def start(self, play: Play, *, token: Any = None, id: Any = AUTO) -> Exchange:
        """Begin to play a stimulus."""
        return await self.begin(play.method, play.params, token=token, id=id)

    @property
    def _first_patience(self) -> float:
        """A process may still be starting when it gets its first message."""
        return self.carrier_patience * (1 if self.binding == HTTP or self._next_id > 1 else 4)

    @property
    def carrier_patience(self) -> float:
        return self.carrier.patience

    async def notify(self, method: str, params: Params = None, *, headers: HeaderChanges | None = None) -> Exchange:
        """Send a notification. Over HTTP its exchange ends with 202; over stdio nothing comes back."""
        return await self.send(self.message(method, params), headers=headers)

    async def respond(self, request: Message, result: Any = None, error: Mapping[str, Any] | None = None) -> Exchange:
        """Answer a request of the server."""
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": request.payload.get("id")}
        return await self.send({**body, **({"error": dict(error)} if error else {"result": result})})

    async def send(
        self, message: Any, *, headers: HeaderChanges | None = None, request_id: Any = NO_ID, token: Any = None
    ) -> Exchange:
        """Send any JSON value, or any bytes, as it is, with this version's headers where a method can be read.

        `request_id` is the id whose response the exchange awaits.
        """
        raw = isinstance(message, bytes)
        body = message if raw else json.dumps(message, ensure_ascii=False).encode("utf-8", "backslashreplace")
        shown = message.decode("utf-8", "backslashreplace") if raw else message
        found = {**self._headers(message), **(headers or {})}
        return await self.carrier.send(body, shown, found, request_id, token)

    def _headers(self, message: Any) -> dict[str, str]:
        known = message if isinstance(message, dict) else {}
        method, params = known.get("method"), known.get("params")
        shape = params if isinstance(params, dict) else None
        return self.envelope.headers(method if isinstance(method, str) else "", shape)

    async def cancel(
        self, exchange: Exchange, reason: str | None = "seatrial", *, request_id: Any = AUTO
    ) -> Exchange | None:
        """Cancel as the column demands: by notification, or over HTTP from 2026-07-28 on by closing the stream."""
        if self.era is Era.STATELESS and self.binding == HTTP:
            await exchange.leave(Departure.FIN)
            return None
        ident = exchange.request_id if request_id is AUTO else request_id
        params = {"requestId": ident, **({"reason": reason} if reason is not None else {})}
        return await self.notify("notifications/cancelled", params)

    async def provoke(self, message: Any, *, headers: HeaderChanges | None = None, request_id: Any = NO_ID) -> Outcome:
        """Send what the target may not be able to read, and wait for what it makes of it.

        Over stdio a response that belongs to no request counts too. What a later request overtakes, and two fifths
        of the patience do not bring, is Lost.
        """
        before = len(self.received)
        exchange = await self.send(message, headers=headers, request_id=request_id)
        if self.binding == HTTP:
            return await exchange.outcome()
        await self.fence(self._first_patience)
        found = await exchange.outcome(self.carrier_patience * 0.4)
        inbox = self.stdio.inbox
        strays = [m for owner, m in self.received[before:] if owner is inbox and is_response(m)]
        return exchange.answered_by(strays[0]) if isinstance(found, Lost) and strays else found

    @property
    def cheap(self) -> str:
        """The method of a request that costs nothing."""
        return "ping" if self.era is Era.STATEFUL else "server/discover"

    async def fence(self, within: float | None = None) -> Outcome:
        """A cheap request on the same channel: what the target was going to say before it, it has said."""
        return await self.request(self.cheap, within=within)

    async def healthy(self) -> bool:
        """Does the session still answer?"""
        outcome = await self.fence()
        unserved = isinstance(outcome, Refusal) and outcome.code == METHOD_NOT_FOUND  # an answer all the same
        return isinstance(outcome, Answer) or unserved

    # Lifecycle

    async def initialize(self, version: str | None = None, params: Params = None, *, announce: bool = True) -> Outcome:
        """The handshake of the older era; remembers session id and server. `params` replaces all of its own."""
        assert isinstance(self.envelope, StatefulEnvelope), "2026-07-28 has no initialize"
        own = {
            "protocolVersion": version or self.version,
            "capabilities": dict(self.capabilities),
            "clientInfo": CLIENT,
        }
        outcome = await self.request("initialize", own if params is None else params, within=self._first_patience)
        if isinstance(outcome, Answer) and isinstance(outcome.result, dict):
            self.envelope.session_id = outcome.reply.header("mcp-session-id")
            self.envelope.negotiated = True
            self.server = outcome.result
            if announce:
                await self.announce()
        return outcome

    def take_over(self, other: Session) -> None:
        """Go on with the session of another, negotiated there: under its id and its count of requests (older era)."""
        assert isinstance(self.envelope, StatefulEnvelope), "2026-07-28 has no sessions"
        self.envelope.session_id, self.envelope.negotiated = other.session_id, True
        self.server, self._next_id = other.server, other._next_id

    async def farewell(self, other: Session) -> None:
        self.session_id = other.session_id
        await self.end().finished(1.0)

    async def announce(self) -> None:
        """Send notifications/initialized and, over HTTP, wait until it was taken."""
        exchange = await self.notify("notifications/initialized")
        if self.binding == HTTP:
            await exchange.finished()

    async def discover(self) -> Outcome:
        """server/discover of the modern era; remembers the server."""
        outcome = await self.request("server/discover", within=self._first_patience)
        if isinstance(outcome, Answer) and isinstance(outcome.result, dict):
            self.server = outcome.result
        return outcome

    async def open(self) -> Outcome:
        """Begin the session as its era does.

        A modern server must answer server/discover; one that does not but serves a list in that era's way is open too.
        """
        if self.era is Era.STATEFUL:
            return await self.initialize()
        outcome = await self.discover()
        return outcome if isinstance(outcome, Answer | Lost) else await self.served() or outcome

    async def served(self) -> Answer | None:
        """The answer to tools/list, where it is one of the modern era (basic/index#resulttype)."""
        outcome = await self.request("tools/list")
        return outcome if isinstance(outcome, Answer) and "resultType" in outcome.members else None

    # Streams (Streamable HTTP)

    def open_stream(self, last_event_id: str | None = None, *, headers: HeaderChanges | None = None) -> Exchange:
        """GET: the stream of what belongs to no request, or the rest of a stream after `last_event_id` (in UTF-8)."""
        own = {**GET_HEADERS, **self.envelope.headers("", None)}
        if last_event_id is not None:
            own["Last-Event-ID"] = last_event_id.encode("utf-8").decode("latin-1")
        return self.http.start("GET", {**own, **(headers or {})})

    def resume(self, exchange: Exchange, after: str | None = None) -> Exchange:
        """Resume the stream of a lost exchange; its response is awaited here."""
        resumed = self.open_stream(after if after is not None else exchange.last_event_id)
        resumed.request_id, resumed.token = exchange.request_id, exchange.token
        return resumed

    async def listen(self, filter: Mapping[str, Any] | None = None, *, id: Any = AUTO) -> Exchange:
        """The channel for what belongs to no request: subscriptions/listen, a GET stream, or stdio's inbox."""
        if self.era is Era.STATELESS:
            return await self.begin("subscriptions/listen", {"notifications": dict(filter or {})}, id=id)
        return self.open_stream() if self.binding == HTTP else self.stdio.inbox

    def end(self, *, headers: HeaderChanges | None = None) -> Exchange:
        """DELETE: end the session."""
        return self.http.start("DELETE", {**self.envelope.headers("", None), **(headers or {})})

    def raw(
        self,
        verb: str,
        headers: HeaderChanges,
        body: bytes | None = None,
        *,
        request_id: Any = NO_ID,
        extra: HeaderPairs = (),
    ) -> Exchange:
        """Any HTTP request to the endpoint. `extra` headers are sent beside others of the same name."""
        shown = body.decode("utf-8", "backslashreplace") if body is not None else None
        return self.http.start(verb, headers, body, shown, request_id, extra=extra)

    # What the server says

    def heard(self, method: str) -> list[Message]:
        """Every message of this method on any stream of the session."""
        return [message for _, message in self.received if message.method == method]

    async def hears(self, method: str, within: float | None = None) -> Message | None:
        """The first message of this method on any stream; None after `within` seconds (default: patience)."""
        patience = self.carrier_patience if within is None else within
        return await self.pulse.until(lambda: next(iter(self.heard(method)), None), patience)

    async def _heard(self, exchange: Exchange, message: Message) -> None:
        self.received.append((exchange, message))
        self.pulse.beat()
        if message.method is not None and "id" in message.payload and exchange.reply.status in (None, 200):
            await self._answer(message)

    async def _answer(self, request: Message) -> None:
        reply = self.replies.get(str(request.method), {} if request.method == "ping" else None)
        if reply is SILENT:
            return
        if reply is None:
            await self.respond(request, error={"code": -32601, "message": "Method not found"})
            return
        await self.respond(request, reply(request.params) if callable(reply) else reply)

    async def aclose(self) -> None:
        await self.carrier.aclose()
