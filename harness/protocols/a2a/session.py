"""An A2A session from the client's side, in one version over one binding: orderly by default, able to break rules."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import anyio

from ..carrier import Carrier, HeaderPairs
from ..driver import Play
from ..exchange import NO_ID, Exchange, Pulse
from ..http import HttpCarrier
from ..outcome import Answer, Ending, Lost, Message, Outcome, Refusal
from . import messages
from .card import Interface, capabilities, extensions, followed, interfaces, is_card, places
from .settling import settled
from .stream import TaskStream
from .updates import Update, update_in
from .versions import EXTENSIONS_HEADER, JSONRPC, OPERATIONS, V03, VERSION_HEADER

Headers = Mapping[str, str | None]
AUTO: Any = object()
"""The next id of the session, or the one of its own that fits."""

NOWHERE = "00000000-0000-4000-8000-000000000000"
"""The id of a task that does not exist."""


@dataclass(slots=True, eq=False)
class Session:
    """One client of one interface. `card` is the agent card as it was read, from `card_url`; `interface` what it says
    of this column.

    `received` holds every message of every exchange in the order of arrival; `pulse` beats at each.
    """

    carrier: Carrier
    version: str
    idents: Iterator[str]
    form: messages.Form
    card: dict[str, Any] = field(default_factory=dict)
    card_url: str = ""
    interface: Interface | None = None
    received: list[tuple[Exchange, Message]] = field(default_factory=list)
    pulse: Pulse = field(default_factory=Pulse)
    _next_id: int = 0

    def __post_init__(self) -> None:
        self.carrier.listener = self._heard

    async def _heard(self, exchange: Exchange, message: Message) -> None:
        self.received.append((exchange, message))
        self.pulse.beat()

    # What the session is

    @property
    def binding(self) -> str:
        return self.carrier.binding

    @property
    def http(self) -> HttpCarrier:
        assert isinstance(self.carrier, HttpCarrier)
        return self.carrier

    @property
    def patience(self) -> float:
        return self.carrier.patience

    @property
    def lasting(self) -> str:
        return ""

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the card declares, by the names of 1.0."""
        return capabilities(self.card)

    @property
    def url(self) -> str:
        """Where this column's interface is."""
        found = followed(self.interface.url, self.http.url) if self.interface else ""
        return found or self.http.url

    def on(self, operation: str) -> str:
        """What selects the requests of an operation in a fault's `on`."""
        return OPERATIONS[operation].on(self.version, self.binding)

    # Requests

    def next_id(self) -> int:
        self._next_id += 1
        return self._next_id

    async def begin(
        self, operation: str, params: Mapping[str, Any] | None = None, *, id: Any = AUTO, headers: Headers | None = None
    ) -> Exchange:
        """Send the request of an operation, in the shape of this column, and return at once.

        `params` are those of this version's JSON-RPC form; over HTTP+JSON they go to path, query and body.
        """
        if self.binding == JSONRPC:
            return await self.rpc(OPERATIONS[operation].method(self.version), params, id=id, headers=headers)
        verb, path, body = OPERATIONS[operation].route(self.version, params or {})
        return self.rest(verb, path, body if verb == "POST" else None, headers=headers)

    async def call(
        self,
        operation: str,
        params: Mapping[str, Any] | None = None,
        *,
        id: Any = AUTO,
        headers: Headers | None = None,
        within: float | None = None,
    ) -> Outcome:
        """Send the request of an operation and wait for its end, `within` seconds (default: the patience)."""
        return await (await self.begin(operation, params, id=id, headers=headers)).outcome(within)

    async def rpc(
        self, method: str, params: Any = None, *, id: Any = AUTO, headers: Headers | None = None, **members: Any
    ) -> Exchange:
        """A JSON-RPC request of any method. `members` are added to, or replace, those of the envelope."""
        request_id = self.next_id() if id is AUTO else id
        tenant = self.interface.tenant if self.interface else ""
        whole: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if request_id is not NO_ID:
            whole["id"] = request_id
        if params is not None:
            whole["params"] = {**params, "tenant": tenant} if tenant and isinstance(params, Mapping) else params
        return self.post({**whole, **members}, request_id=request_id, headers=headers)

    def post(
        self, body: Any, *, request_id: Any = NO_ID, headers: Headers | None = None, path: str = "", query: str = ""
    ) -> Exchange:
        """POST any JSON value, or any bytes, as it is. `path` is added to the interface's URL."""
        raw = isinstance(body, bytes)
        data = body if raw else json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        shown = body.decode("utf-8", "backslashreplace") if raw else body
        sent = {"Content-Type": "application/json", **self.headers, **(headers or {})}
        place = self.place(path) + query
        exchange = self.http.start("POST", sent, data, shown, request_id, url=place)
        return self._settled(exchange)

    def rest(self, verb: str, path: str, body: Any = None, *, headers: Headers | None = None) -> Exchange:
        """Any request below the interface's URL; `body` None: none is sent."""
        if verb == "POST":
            return self.post({} if body is None else body, headers=headers, path=path)
        found = {**self.headers, **(headers or {})}
        return self._settled(self.http.start(verb, found, url=self.place(path)))

    def raw(
        self, verb: str, url: str, headers: Headers, body: bytes | None = None, *, extra: HeaderPairs = ()
    ) -> Exchange:
        """Any HTTP request to any URL of the target, with no header of this session's own."""
        shown = body.decode("utf-8", "backslashreplace") if body is not None else None
        exchange = self.http.start(verb, headers, body, shown, extra=extra, url=url)
        exchange.settle = settled
        return exchange

    def _settled(self, exchange: Exchange) -> Exchange:
        if self.binding != JSONRPC:
            exchange.settle = settled
        return exchange

    def place(self, path: str) -> str:
        """The URL of a path below the interface."""
        tenant = f"/{self.interface.tenant}" if self.interface and self.interface.tenant and path else ""
        return f"{self.url.rstrip('/')}{tenant}{path}" if path else self.url

    @property
    def headers(self) -> dict[str, str | None]:
        """The version, from 1.0 on (3.6.1); the extensions without which nothing is served (4.6); what we accept."""
        named: dict[str, str | None] = {} if self.version == V03 else {VERSION_HEADER: self.version}
        required = [entry["uri"] for entry in extensions(self.card) if entry.get("required") is True and "uri" in entry]
        if required:
            named[EXTENSIONS_HEADER[self.version]] = ", ".join(map(str, required))
        return {"Accept": "application/json, application/a2a+json, text/event-stream", **named}

    # Messages

    def message(self, said: str | Sequence[Any], *, message_id: str = "", **members: Any) -> dict[str, Any]:
        """A message of the user, with a text or with parts. `task`, `context`: where it belongs."""
        parts = [messages.text_part(self.form, said)] if isinstance(said, str) else said
        ident = message_id if message_id and not message_id.endswith("-") else message_id + self.fresh_id()
        return messages.message(self.form, parts, message_id=ident, **members)

    def fresh_id(self) -> str:
        """An id that nothing else of this run has."""
        return next(self.idents)

    def sending(
        self,
        said: str | Sequence[Any] | Mapping[str, Any],
        *,
        task: str = "",
        context: str = "",
        blocking: bool | None = None,
        push: Mapping[str, Any] | None = None,
        history: int | None = None,
        message_id: str = "",
        **members: Any,
    ) -> dict[str, Any]:
        """The parameters of a send. A mapping is the message itself; `members` are further ones of the message."""
        whole = (
            dict(said)
            if isinstance(said, Mapping)
            else self.message(said, message_id=message_id, task=task, context=context, **members)
        )
        asked = messages.configuration(self.form, blocking=blocking, push=push, history=history)
        if push is not None and self.form is messages.Form.V03 and self.card.get("defaultOutputModes"):
            # Optional in 0.3, but an agent on an SDK of 0.2 takes no configuration without it.
            asked["acceptedOutputModes"] = self.card["defaultOutputModes"]
        return {"message": whole, **({"configuration": asked} if asked else {})}

    async def send(
        self,
        said: str | Sequence[Any] | Mapping[str, Any],
        *,
        headers: Headers | None = None,
        within: float | None = None,
        **options: Any,
    ) -> Outcome:
        """SendMessage, to its end."""
        return await (await self.sent(said, headers=headers, **options)).outcome(within)

    async def sent(
        self, said: str | Sequence[Any] | Mapping[str, Any], *, headers: Headers | None = None, **options: Any
    ) -> Exchange:
        """SendMessage, begun. In 0.3 it is asked to wait too unless `blocking` says otherwise."""
        options.setdefault("blocking", True if self.version == V03 else None)
        return await self.begin("SendMessage", self.sending(said, **options), headers=headers)

    async def stream(
        self, said: str | Sequence[Any] | Mapping[str, Any], *, headers: Headers | None = None, **options: Any
    ) -> TaskStream:
        """SendStreamingMessage, begun."""
        return TaskStream(await self.begin("SendStreamingMessage", self.sending(said, **options), headers=headers))

    async def subscribe(self, task: str, *, headers: Headers | None = None) -> TaskStream:
        """SubscribeToTask (0.3: tasks/resubscribe), begun. Over HTTP+JSON by POST, as the tables say, and by GET, as
        the proto says, where the agent knows no POST."""
        exchange = await self.begin("SubscribeToTask", {"id": task}, headers=headers)
        if self.binding != JSONRPC and await self._misdirected(exchange):
            _, path, _ = OPERATIONS["SubscribeToTask"].route(self.version, {"id": task})
            exchange = self.rest("GET", path, headers=headers)
        return TaskStream(exchange)

    async def _misdirected(self, exchange: Exchange) -> bool:
        """Does the agent, as soon as it says anything, say that there is nothing to be had by this verb?"""
        await exchange.until(lambda x: x.reply.status is not None or x.ending is not Ending.OPEN or None)
        missing = exchange.reply.status == 404 and "json" not in exchange.reply.media_type
        return missing or exchange.reply.status in (405, 501)

    async def get(self, task: str, history: int | None = None, *, within: float | None = None) -> Outcome:
        asked = {"id": task, **({} if history is None else {"historyLength": history})}
        return await self.call("GetTask", asked, within=within)

    async def task(self, task: str) -> Update:
        """The stored task; an Update of kind "" when it is not given."""
        return update_in(await self.get(task))

    async def settles(self, task: str, *states: str, within: float) -> Update:
        """Poll the stored task until it is in one of these states; the last one that was read."""
        deadline = anyio.current_time() + within
        found = await self.task(task)
        while found.state not in states and anyio.current_time() < deadline:
            await anyio.sleep(min(0.1, within / 20))
            found = await self.task(task)
        return found

    async def cancel(self, task: str, *, within: float | None = None, **members: Any) -> Outcome:
        return await self.call("CancelTask", {"id": task, **members}, within=within)

    # Notifications

    def push_config(self, url: str, **options: Any) -> dict[str, Any]:
        """A configuration as this version writes it: id, token, scheme, credentials."""
        return messages.push_config(self.version, url, **options)

    async def create_push(self, task: str, config: Mapping[str, Any]) -> Outcome:
        """Create a configuration of notifications.

        0.3 over HTTP+JSON has two payloads: a `config` by its table (7.5), the configuration itself by the annotation
        in its proto. Where the first is taken for malformed the second follows.
        """
        outcome = await self._create_push(self.config_params(task, config))
        if self.version != V03 or self.binding == JSONRPC or outcome.reply.status != 400:
            return outcome
        bare = await self._create_push(messages.bare_config_params(task, config))
        return outcome if bare.reply.status == 400 else bare

    def config_params(self, task: str, config: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters that create a configuration."""
        return messages.config_params(self.form, task, config)

    async def _create_push(self, params: Mapping[str, Any]) -> Outcome:
        return await self.call("CreateTaskPushNotificationConfig", params)

    async def get_push(self, task: str, ident: str) -> Outcome:
        return await self.call("GetTaskPushNotificationConfig", self._config(task, ident))

    async def list_push(self, task: str, **paging: Any) -> Outcome:
        name = "id" if self.version == V03 else "taskId"
        return await self.call("ListTaskPushNotificationConfigs", {name: task, **paging})

    async def delete_push(self, task: str, ident: str) -> Outcome:
        return await self.call("DeleteTaskPushNotificationConfig", self._config(task, ident))

    def _config(self, task: str, ident: str) -> dict[str, Any]:
        if self.version == V03:
            return {"id": task, "pushNotificationConfigId": ident}
        return {"taskId": task, "id": ident}

    # Lifecycle

    async def fetch_card(self, *, headers: Headers | None = None, url: str = "") -> Outcome:
        """GET the agent card, from `url` or from the first place that has one."""
        found: Outcome | None = None
        for place in (url,) if url else places(self.http.url):
            found = await self.raw("GET", place, {"Accept": "application/json", **(headers or {})}).outcome()
            if isinstance(found, Answer) and is_card(found.result):
                self.card_url = place
                return found
        assert found is not None
        return found

    async def open(self) -> Outcome:
        """Read the card and find this column's interface in it. An Answer when it is there and may be followed."""
        outcome = await self.fetch_card()
        if not isinstance(outcome, Answer) or not is_card(outcome.result):
            return outcome
        self.card = outcome.members
        declared = [i for i in interfaces(self.card) if (i.version, i.binding) == (self.version, self.binding)]
        self.interface = next((i for i in declared if followed(i.url, self.http.url)), None)
        if self.interface is not None:
            return outcome
        why = "names another host" if declared else f"has no interface for {self.version} over {self.binding}"
        return Lost(Ending.CLOSED, f"the agent card {why}", outcome.records, outcome.reply)

    async def start(self, play: Play) -> Exchange:
        """Begin to play a stimulus, by a send that waits."""
        blocking = True if self.version == V03 else None
        params = self.sending(play.params["text"], message_id=play.params["message_id"], blocking=blocking)
        return await self.begin("SendMessage", params)

    async def perform(self, play: Play, **options: Any) -> Outcome:
        """Play a stimulus to its end."""
        return await self.send(**self._played(play, options), within=play.lasts + self.patience)

    async def play_stream(self, play: Play, **options: Any) -> TaskStream:
        """Play a stimulus with a stream of its task."""
        return await self.stream(**self._played(play, options))

    def _played(self, play: Play, options: Mapping[str, Any]) -> dict[str, Any]:
        return {"said": play.params["text"], "message_id": play.params["message_id"], **options}

    async def fence(self, within: float | None = None) -> Outcome:
        """GetTask of a task that does not exist: a refusal is the answer that was wanted, and says that it lives."""
        outcome = await self.get(NOWHERE, within=within)
        if isinstance(outcome, Refusal) and (outcome.message or (outcome.reply.status or 200) < 500):
            return Answer(None, outcome.message or Message(None, outcome.records[-1]), outcome.records, outcome.reply)
        return outcome

    async def healthy(self) -> bool:
        return isinstance(await self.fence(), Answer)

    def take_over(self, other: Session) -> None:
        """Nothing is bound to a session: only the card is known already."""
        self.card, self.card_url, self.interface = other.card, other.card_url, other.interface

    async def farewell(self, other: Session) -> None:
        """No session outlives its sockets."""

    async def aclose(self) -> None:
        await self.carrier.aclose()
