"""Relay: a streaming reverse proxy for HTTP/1.1 that passes everything on as it came, faults aside."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus

import anyio
from anyio.abc import ByteStream, TaskGroup

from ..chance import Chance
from ..faults.exchange import Exchange, HttpRequest, WholeAnswer, header
from ..faults.fault import Armed, Fault, Fired
from ..faults.operation import Operation, Restart, Stop
from ..faults.stage import Action, Chain, Direction, Flow, Framing, Headers, How, Stage
from ..pace import Pace, Withheld
from ..transport.network import Listener
from .link import Dial, Ending, dialer, duplex, end, noting_end
from .message import Channel, Endless, Head, Opaque, Request, ResponseReading, Torn, read_request, written
from .pool import Pool
from .pump import Ended, Left, Operate, Outlet, pump, send_through
from .tap import Seen, Tap

Oversee = Callable[[str, HttpRequest], AbstractContextManager[Seen | None]]
"""Stands around an exchange, by its name and its request as it came, and is shown the bytes that the client gets."""


@contextmanager
def unseen(name: str, request: HttpRequest) -> Iterator[None]:
    """Nobody looks."""
    yield None


@dataclass(slots=True)
class Relay:
    """`dials` are the replicas of the target; more than one serve in turn. `pace` is asked before a request is sent
    another time than its client sent it. `operate` does to the target's processes what faults ask for."""

    dials: Sequence[Dial]
    faults: Sequence[Fault]
    chance: Chance
    fired: Fired
    pace: Pace = field(default_factory=Pace)
    operate: Operate | None = None
    oversee: Oversee = unseen
    armed: list[Armed] = field(init=False)
    pool: Pool = field(init=False)
    operations: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.rearm(self.dials, self.faults)

    def rearm(self, dials: Sequence[Dial], faults: Sequence[Fault]) -> None:
        """From now on, other faults on other ways to the target: each request that comes meets these."""
        self.dials, self.faults = dials, faults
        self.armed = [Armed(fault, self.chance, self.fired) for fault in faults]
        self.pool = Pool(dials, self.armed)

    async def handle(self, client: ByteStream) -> None:
        """One connection of a client, until either side ends it; then the other side is ended likewise."""
        conversation, ending = _Conversation(self, Channel(client)), Ending()
        try:
            with noting_end(ending):
                await conversation.run()
        finally:
            await end(ending.how, *conversation.streams())

    def dialer(self, tasks: TaskGroup) -> Dial:
        """For clients in this process: a connection through the relay without a socket in between."""
        return dialer(self.handle, tasks)

    async def serve(self, listener: Listener, tasks: TaskGroup) -> None:
        await listener.serve(self.handle, tasks)

    async def operated(self, operation: Operation) -> None:
        """What a fault asks for, done. A replica that is stopped gets no more requests."""
        assert self.operate, "nobody runs the target's processes"
        if isinstance(operation, Stop):
            self.pool.gone.add(operation.replica)
        await self.operate(operation)

    def operation(self, verb: str) -> str:
        """The logical name of the next exchange, like `post:3`."""
        self.operations[verb] += 1
        return f"{verb.lower()}:{self.operations[verb]}"


@dataclass(slots=True)
class _Conversation:
    """A client's connection and the target's that belongs to it. Ending is by exception (`noting_end`)."""

    relay: Relay
    client: Channel
    upstream: Channel | None = None
    pool: Pool | None = None
    """Where the upstream is from."""

    def streams(self) -> tuple[ByteStream | None, ...]:
        return self.client.stream, self.upstream.stream if self.upstream else None

    async def run(self) -> None:
        while request := await self._next_request():
            if isinstance(request, Opaque):
                return await self._tunnel(request.raw)
            await self._exchange(request)
        return None

    async def _next_request(self) -> Request | Opaque | None:
        """Meanwhile, the end of an idle upstream is the end of the client's connection."""
        async with anyio.create_task_group() as tasks:
            if self.upstream:
                tasks.start_soon(_watch, self.upstream)
            request = await read_request(self.client)
            tasks.cancel_scope.cancel()
        return request

    async def _exchange(self, request: Request) -> None:
        """Meanwhile, a client that leaves ends the exchange."""
        name = self.relay.operation(request.http.verb)
        with self.relay.oversee(name, request.http) as seen:
            async with anyio.create_task_group() as tasks:
                exchange = _Exchange(self, request, name, tasks, seen)
                tasks.start_soon(_watch, self.client, Left)
                await exchange.run()
                tasks.cancel_scope.cancel()
            if exchange.switched:
                await self._switched(exchange)

    async def _switched(self, exchange: _Exchange) -> None:
        """Another protocol follows on both connections until they have ended."""
        assert self.upstream
        operated = self.relay.operated
        up, down = (exchange.onward(way) for way in (Direction.UP, Direction.DOWN))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(pump, self.client, up, Outlet(self.upstream.stream, operated))
            tasks.start_soon(pump, self.upstream, down, Outlet(exchange.client, operated))
        raise Ended(How.FIN)

    async def _tunnel(self, raw: bytes) -> None:
        upstream = await self.connected("tunnel")
        await upstream.stream.send(raw)
        await duplex(self.client.stream, upstream.stream, Chain(), Chain())

    async def passed_untouched(self, raw: bytes) -> None:
        """A response that is no HTTP/1.1: its bytes, and all that follow until the target ends them."""
        assert self.upstream
        await self.client.stream.send(raw)
        await pump(self.upstream.stream, Chain(), Outlet(self.client.stream))
        raise Ended(How.FIN)

    async def connected(self, operation: str) -> Channel:
        pool = self.relay.pool
        if self.upstream and (pool.per_request or pool is not self.pool):
            await self.disconnected()
        if self.upstream is None:
            self.pool, self.upstream = pool, Channel(await pool.choose(operation)())
        return self.upstream

    async def disconnected(self) -> None:
        """Give up the connection to the target, if there is one: the next request gets another."""
        upstream, self.upstream = self.upstream, None
        if upstream:
            await upstream.stream.aclose()


async def _watch(channel: Channel, end: type[Ended] = Ended) -> None:
    """Raises an end when the peer ends; returns when it said more, which then waits in the channel."""
    if not channel.pending and not await channel.fill():
        raise end(How.FIN)


@dataclass(slots=True)
class _Exchange:
    """One request, and the faults that selected it."""

    conversation: _Conversation
    message: Request
    name: str
    tasks: TaskGroup
    seen: Seen | None = None
    selected: list[Armed] = field(init=False)
    closing: bool = False
    switched: Head | None = None
    """By which the target went on to another protocol."""
    beside: list[anyio.Event] = field(default_factory=list)
    """Set when what was sent beside the request is answered; before that the exchange is not over."""
    _sent: bool = False

    def __post_init__(self) -> None:
        self.selected = [armed for armed in self.conversation.relay.armed if armed.selects(self)]

    @property
    def request(self) -> HttpRequest:
        return self.message.http

    async def run(self) -> None:
        await self._through(self.selected)
        for answered in self.beside:
            await answered.wait()
        if self.closing and not self.switched:
            raise Ended(How.FIN)

    async def _through(self, faults: Sequence[Armed]) -> None:
        if not faults:
            return await self._forward()
        first, rest = faults[0], faults[1:]
        return await first.fault.on_exchange(first, self, partial(self._through, rest))

    async def _admit(self) -> None:
        """Wait for the turn of a request that was sent before. Raises Ended when there is none left."""
        try:
            if self._sent:
                await self.conversation.relay.pace.admit()
        except Withheld:
            raise Ended(How.RESET) from None
        self._sent = True

    async def _forward(self) -> None:
        """Send the request on, and the answer back as it comes: even before all of a request that is held up."""
        await self._admit()
        upstream, chain = await self.conversation.connected(self.name), self._upward()
        if not chain.stages:
            await self._send(upstream, chain)
            return await self._receive(upstream)
        sent = anyio.Event()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._send_meanwhile, upstream, chain, sent)
            await self._receive(upstream)
            if not sent.is_set():
                raise Ended(How.FIN)
        return None

    async def _send(self, upstream: Channel, chain: Chain) -> None:
        await send_through(chain, self.message.raw, Outlet(upstream.stream, self.conversation.relay.operated))
        if self.message.torn:
            await upstream.stream.send_eof()

    async def _send_meanwhile(self, upstream: Channel, chain: Chain, sent: anyio.Event) -> None:
        """A target that takes no more may have answered all the same."""
        with suppress(anyio.BrokenResourceError):
            await self._send(upstream, chain)
            sent.set()

    async def _receive(self, upstream: Channel) -> None:
        response = ResponseReading(upstream, self.request.verb)
        while isinstance(head := await response.head(), Head) and not head.final:
            await self.client.send(head.raw)
            if head.switching:
                self.switched = head
                return None
        if isinstance(head, Opaque):
            return await self.conversation.passed_untouched(head.raw)
        await self._answered(head, response)
        if not response.reusable:
            raise Ended(How.FIN)
        return None

    def onward(self, direction: Direction) -> Chain:
        """What the bytes behind a switch of protocols go through; nothing where that is none that we know."""
        assert self.switched
        known = header(self.switched.headers, "upgrade").lower() == "websocket"
        flow = Flow(self.name, direction, Framing.WEBSOCKET)
        return Chain([stage for armed in self.selected if known for stage in armed.stages(flow)])

    def _upward(self) -> Chain:
        """What the bytes of the request go through."""
        flow = Flow(self.name, Direction.UP, Framing.REQUEST)
        return Chain([stage for armed in self.selected for stage in armed.stages(flow)])

    async def _answered(self, head: Head, response: ResponseReading) -> None:
        head, stages = self._rewritten(head)
        await self.client.send(_closing_head(head.raw) if self.closing else head.raw)
        operated = self.conversation.relay.operated
        outlet = _BodyOutlet(self.client, operated, response=response, framed=head.framed)
        try:
            await pump(response, Chain(stages), outlet)
        except* Torn:
            raise Ended(How.FIN) from None

    def _rewritten(self, head: Head) -> tuple[Head, list[Stage]]:
        """The head as the client gets it, and what the body goes through: each fault sees what the one before left."""
        stages = []
        for armed in sorted(self.selected, key=lambda armed: armed.fault.outward):
            stages += armed.stages(Flow(self.name, Direction.DOWN, head.http.framing, head.headers))
            if rewritten := armed.fault.on_answer(armed, self, head.http):
                head = head.changed(rewritten.answer) if rewritten.answer != head.http else head
                stages += [rewritten.stage] if rewritten.stage else []
        return head, stages

    @property
    def client(self) -> ByteStream:
        stream = self.conversation.client.stream
        return Tap(stream, self.seen) if self.seen else stream

    def change(self, request: HttpRequest) -> None:
        self.message = self.message.changed(request)

    def misframe(self, raw: bytes, *, torn: bool = False) -> None:
        self.message = Request(self.request, raw, torn)

    async def swallow(self, request: HttpRequest | None = None) -> WholeAnswer:
        message = self.message.changed(request) if request else self.message
        (answer,) = await self._asked([message])
        return answer

    def send_beside(self, request: HttpRequest, delay: float) -> None:
        answered = anyio.Event()
        self.beside.append(answered)
        self.tasks.start_soon(self._beside, request, delay, answered)

    async def _beside(self, request: HttpRequest, delay: float, answered: anyio.Event) -> None:
        await anyio.sleep(delay)
        with suppress(Ended, OSError, anyio.BrokenResourceError):
            await self.swallow(request)
        answered.set()

    async def pipeline(self, behind: Sequence[Exchange]) -> list[WholeAnswer]:
        others = [exchange.message for exchange in behind if isinstance(exchange, _Exchange)]
        return await self._asked([self.message, *others])

    async def _asked(self, messages: Sequence[Request]) -> list[WholeAnswer]:
        """Send requests on a connection of their own, and read the answers; what is not answered any more has none."""
        await self._admit()
        stream = await self.conversation.relay.pool.choose(self.name)()
        try:
            await stream.send(b"".join(message.raw for message in messages))
            channel = Channel(stream)
            return [await ResponseReading(channel, message.http.verb).whole() for message in messages]
        except Endless:
            raise Ended(How.RESET) from None
        finally:
            await end(How.FIN, stream)

    async def deliver(self, answer: WholeAnswer) -> None:
        await self.client.send(answer.raw)
        if answer.last:
            raise Ended(How.FIN)

    async def answer(self, status: int, headers: Headers, body: bytes) -> None:
        phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else ""
        if status >= 200 and not any(name.lower() == "content-length" for name, _ in headers):
            headers = (*headers, ("Content-Length", str(len(body))))
        await self.client.send(written(f"HTTP/1.1 {status} {phrase}", headers) + body)

    async def perform(self, action: Action) -> None:
        await Outlet(self.client, self.conversation.relay.operated).perform(action, anyio.current_time())
        if isinstance(action, Restart | Stop):
            await self.conversation.disconnected()

    def close_after(self) -> None:
        self.closing = True


async def _discard(response: ResponseReading) -> None:
    try:
        while True:
            await response.receive()
    except (anyio.EndOfStream, Torn):
        pass


def _closing_head(raw: bytes) -> bytes:
    return raw.removesuffix(b"\r\n") + b"Connection: close\r\n\r\n"


@dataclass(slots=True)
class _BodyOutlet(Outlet):
    """Frames what is left of a body the way in which it came."""

    response: ResponseReading = field(kw_only=True)
    framed: bool = field(kw_only=True)

    async def write(self, data: bytes) -> None:
        await self.stream.send(b"%x\r\n%b\r\n" % (len(data), data) if self.framed else data)

    async def write_eof(self) -> None:
        if self.framed:
            trailers = "".join(f"{name}: {value}\r\n" for name, value in self.response.trailers)
            await self.stream.send(b"0\r\n" + trailers.encode("latin-1") + b"\r\n")
