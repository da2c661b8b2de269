"""An AG-UI client: it asks for runs, orderly by default, and is able to break every rule."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urljoin

from ...stimuli import Stimulus
from ..carrier import Carrier, HeaderPairs
from ..driver import Play
from ..exchange import NO_ID, Exchange, Pulse
from ..http import HttpCarrier
from ..outcome import Answer, Ending, Lost, Message, Outcome, Refusal
from .asking import Wish, user
from .run import Run, settled
from .versions import EVENT_STREAM

HeaderChanges = Mapping[str, str | None]


@dataclass(slots=True, eq=False)
class Session:
    """A client of one endpoint. AG-UI has no sessions of its own: what lasts is the thread, which each run names.

    `received` holds every message of every exchange in the order of arrival; `pulse` beats at each.
    """

    carrier: Carrier
    version: str
    idents: Iterator[str]
    received: list[tuple[Exchange, Message]] = field(default_factory=list)
    pulse: Pulse = field(default_factory=Pulse)

    def __post_init__(self) -> None:
        self.carrier.listener = self._heard

    async def _heard(self, exchange: Exchange, message: Message) -> None:
        self.received.append((exchange, message))
        self.pulse.beat()

    @property
    def binding(self) -> str:
        return self.carrier.binding

    @property
    def http(self) -> HttpCarrier:
        assert isinstance(self.carrier, HttpCarrier), "AG-UI is spoken over HTTP"
        return self.carrier

    @property
    def patience(self) -> float:
        return self.carrier.patience

    @property
    def lasting(self) -> str:
        return ""

    # Runs

    def fresh(self) -> str:
        """An id that nothing else of the run has: of a thread, a run or a message."""
        return next(self.idents)

    async def run(
        self,
        prompt: Any = None,
        *,
        thread: str | None = None,
        run: str | None = None,
        messages: Sequence[Any] = (),
        headers: HeaderChanges | None = None,
        accept: str | None = EVENT_STREAM,
        **wishes: Any,
    ) -> Run:
        """Ask for a run and return at once.

        `prompt` is what the user says, text or content parts, after `messages`; None: the user says nothing more.
        The ids are fresh where none are given. `wishes` are the other fields of a Wish: state, tools, context,
        forwarded, resume, version, without, extra.
        """
        said = [*messages, *([] if prompt is None else [user(prompt, self.fresh())])]
        wish = Wish(thread=thread or self.fresh(), run=run or self.fresh(), messages=said, **wishes)
        return self.ask(wish.input(self.version), headers={"Accept": accept, **(headers or {})})

    async def play(self, play: Play, **wishes: Any) -> Run:
        """Ask for the run that plays a stimulus. `wishes` are the keywords of `run`."""
        return await self.run(play.params["prompt"], **wishes)

    async def start(self, play: Play) -> Exchange:
        return (await self.play(play)).exchange

    async def perform(self, play: Play, **wishes: Any) -> Run:
        """Play a stimulus to its end."""
        run = await self.play(play, **wishes)
        await run.conclude(max(play.lasts, 0.0) + 2 * self.patience)
        return run

    def ask(self, input: Mapping[str, Any], *, headers: HeaderChanges | None = None) -> Run:
        """Send an input as it is."""
        exchange = self.post(input, headers=headers)
        run = input.get("runId")
        exchange.settle = lambda x: settled(x, run if isinstance(run, str) else None)
        return Run(exchange, dict(input))

    # Whatever else

    def post(self, body: Any, *, headers: HeaderChanges | None = None) -> Exchange:
        """Send any JSON value, or any bytes, as it is. Its end is told as that of a run; a refusal is an HTTP error."""
        raw = isinstance(body, bytes)
        whole = body if raw else json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
        shown = body.decode("utf-8", "backslashreplace") if raw else body
        own = {"Content-Type": "application/json", "Accept": EVENT_STREAM}
        exchange = self.http.start("POST", {**own, **(headers or {})}, whole, shown)
        exchange.settle = lambda x: settled(x, None)
        return exchange

    def raw(
        self,
        verb: str,
        headers: HeaderChanges,
        body: bytes | None = None,
        *,
        path: str = "",
        extra: HeaderPairs = (),
    ) -> Exchange:
        """Any HTTP request, to the endpoint or to a path of its origin, or to another URL."""
        shown = body.decode("utf-8", "backslashreplace") if body is not None else None
        exchange = self.http.start(verb, headers, body, shown, NO_ID, None, extra, self._place(path))
        exchange.settle = _whole
        return exchange

    def get(self, path: str = "", *, headers: HeaderChanges | None = None) -> Exchange:
        """GET a path of the endpoint's origin; the endpoint itself by default."""
        return self.raw("GET", {"Accept": "application/json", **(headers or {})}, path=path)

    def stop(self, stimulus: Stimulus, run: Run) -> Exchange:
        """Ask the route of the role `stop` to stop a run. Its end is an Answer for a status of success."""
        filled = stimulus.fill(thread=quote(str(run.thread), safe=""), run=quote(str(run.run_id), safe=""))
        posts = filled.verb == "post"
        kind = {"Content-Type": "application/json"} if posts else {}
        return self.raw(filled.verb.upper(), kind, b"{}" if posts else None, path=filled.name)

    def _place(self, path: str) -> str:
        return urljoin(self.http.url, path) if path else ""

    # Lifecycle

    async def open(self) -> Outcome:
        """There is no handshake: what is made is open, and no run is spent on it."""
        return Answer({}, Message({}, 0), ())

    async def fence(self, within: float | None = None) -> Outcome:
        """An input that no server may take: an Answer when it is refused, or served, without a fault of the server."""
        exchange = self.post({})
        exchange.settle = _alive
        outcome = await exchange.outcome(within)
        await exchange.leave()
        return outcome

    async def healthy(self) -> bool:
        """Does the endpoint still answer?"""
        return isinstance(await self.fence(), Answer)

    def take_over(self, other: Session) -> None:
        """Nothing outlives the sockets of another."""

    async def farewell(self, other: Session) -> None:
        """Nothing outlives the sockets of another."""

    async def aclose(self) -> None:
        await self.carrier.aclose()


def _whole(exchange: Exchange) -> Outcome | None:
    """The end of a plain HTTP exchange: the JSON of its body, or its text."""
    if exchange.ending is Ending.OPEN:
        return None
    reply, status = exchange.reply, exchange.reply.status
    record = exchange.messages[0].record if exchange.messages else exchange.end
    if status is None or exchange.ending is not Ending.CLOSED:
        return Lost(exchange.ending, exchange.why or "no answer came", (exchange.sent, exchange.end), reply)
    value = exchange.messages[0].payload if exchange.messages else reply.body.decode("utf-8", "replace")
    if status >= 300:
        return Refusal(None, f"HTTP {status}", value, (exchange.sent, record), reply)
    return Answer(value, Message(value, record), (exchange.sent, record), reply)


def _alive(exchange: Exchange) -> Outcome | None:
    """Any HTTP answer below 500 is a sign of life; a stream that begins is one at once."""
    status = exchange.reply.status
    streams = exchange.reply.media_type == EVENT_STREAM
    if exchange.ending is Ending.OPEN and not (streams and status):
        return None
    if status is None or status >= 500:
        return _whole(exchange) or Lost(exchange.ending, f"HTTP {status}", (exchange.sent,), exchange.reply)
    return Answer({}, Message({}, exchange.sent), (exchange.sent, exchange.end or exchange.sent), exchange.reply)
