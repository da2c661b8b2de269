"""A client of a WebSocket server: orderly by default, and able to send any frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count
from typing import Any

from ...wire import jsonrpc
from ...wire.json import dumps
from ...wire.websocket import Frame, Opcode
from ..driver import Play
from ..exchange import Exchange
from ..outcome import Answer, Ending, Lost, Message, Outcome, Refusal
from .carrier import KEY, Heard, WebSocketCarrier


@dataclass(slots=True, eq=False)
class Session:
    """One connection, which is all that there is of a session."""

    carrier: WebSocketCarrier
    version: str
    received: list[tuple[Exchange, Message]] = field(default_factory=list)
    _numbers: Any = field(default_factory=lambda: count(1))

    @property
    def binding(self) -> str:
        return self.carrier.binding

    @property
    def lasting(self) -> str:
        return ""

    async def open(self) -> Outcome:
        """The handshake: an Answer when the target switches to RFC 6455."""
        exchange = await self.carrier.connect()
        status, records = exchange.reply.status, (exchange.sent, exchange.end)
        if exchange.ending is Ending.OPEN:
            return Answer({}, Message({}, exchange.end), records, exchange.reply)
        if status is None:
            return Lost(exchange.ending, exchange.why, records, exchange.reply)
        return Refusal(None, f"HTTP {status}", None, records, exchange.reply)

    async def frame(self, opcode: Opcode, payload: bytes = b"", **parts: Any) -> int:
        """Send a frame, masked unless `key` says otherwise; the record that shows it."""
        return await self.carrier.say(Frame(opcode, payload, **{"key": KEY, **parts}))

    async def request(self, method: str, params: dict[str, Any] | None = None) -> Outcome:
        """A JSON-RPC request in a text message, and its end."""
        message = jsonrpc.request(next(self._numbers), method, params)
        exchange = await self.carrier.send(dumps(message), message, {}, message["id"])
        return await exchange.outcome()

    async def pong(self, payload: bytes | None = None, within: float | None = None) -> Heard | None:
        """The first Pong, or the first with this payload; None when none comes in time."""
        return await self._heard(Opcode.PONG, payload, within)

    async def closed(self) -> Heard | None:
        """The Close frame of the target, once the connection has ended; None without one, or while it has not."""
        await self.carrier.connection.finished()
        return await self._heard(Opcode.CLOSE, None, 0)

    async def _heard(self, opcode: Opcode, payload: bytes | None, within: float | None) -> Heard | None:
        def look(exchange: Exchange) -> list[Heard] | None:
            frames = (one for one in self.carrier.heard if one.frame.opcode == opcode)
            found = [one for one in frames if payload is None or one.frame.payload == payload]
            return found if found or exchange.ending is not Ending.OPEN else None

        found = await self.carrier.connection.until(look, within)
        return found[0] if found else None

    async def fence(self, within: float | None = None) -> Outcome:
        """A ping of our own: an Answer when any Pong comes that had not come before."""
        exchange, before = self.carrier.connection, len(self._pongs)
        sent = await self.frame(Opcode.PING, b"fence")
        found = await exchange.until(lambda x: len(self._pongs) > before or x.ending is not Ending.OPEN or None, within)
        if found and len(self._pongs) > before:
            record = self._pongs[-1].record
            return Answer({}, Message({}, record), (sent, record), exchange.reply)
        return Lost(exchange.ending, exchange.why or "no Pong came in time", (sent, exchange.end), exchange.reply)

    @property
    def _pongs(self) -> list[Heard]:
        return [one for one in self.carrier.heard if one.frame.opcode == Opcode.PONG]

    async def healthy(self) -> bool:
        return isinstance(await self.fence(), Answer)

    async def start(self, play: Play) -> Exchange:
        raise ValueError("a WebSocket has no stimuli")

    def take_over(self, other: Session) -> None:
        """Nothing outlives the connection of another."""

    async def farewell(self, other: Session) -> None:
        """Nothing outlives the connection of another."""

    async def aclose(self) -> None:
        await self.carrier.aclose()
