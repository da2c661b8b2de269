"""The stream of a task: its updates in the order in which they came."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..exchange import Departure, Exchange
from ..outcome import Ending, Message, Outcome
from .updates import Update, read


@dataclass(slots=True, eq=False)
class TaskStream:
    """One reader of one task. A plain answer in place of a stream shows as an `outcome` without updates."""

    exchange: Exchange

    @property
    def updates(self) -> list[Update]:
        """Everything but errors, one Update per event; an event that is nothing of A2A has kind ""."""
        events = (m for m in self.exchange.messages if not self.is_error(m))
        return [read(self._carried(m), m.record, m.time) for m in events] if self.is_stream else []

    @property
    def errors(self) -> list[Message]:
        return [m for m in self.exchange.messages if self.is_error(m)]

    def is_error(self, message: Message) -> bool:
        return isinstance(message.payload, dict) and "error" in message.payload

    def _carried(self, message: Message) -> object:
        """The result in its JSON-RPC envelope, or the bare event of HTTP+JSON."""
        enveloped = isinstance(message.payload, dict) and "jsonrpc" in message.payload
        return message.payload.get("result") if enveloped else message.payload

    @property
    def is_stream(self) -> bool:
        return self.exchange.reply.media_type == "text/event-stream"

    @property
    def ending(self) -> Ending:
        return self.exchange.ending

    @property
    def records(self) -> tuple[int, ...]:
        """Those of the request and of what came."""
        return (self.exchange.sent, *(message.record for message in self.exchange.messages))

    @property
    def task_id(self) -> str:
        return next((u.task_id for u in self.updates if u.task_id), "")

    @property
    def context_id(self) -> str:
        return next((u.context_id for u in self.updates if u.context_id), "")

    @property
    def state(self) -> str:
        """The last state that was told."""
        return next((u.state for u in reversed(self.updates) if u.state), "")

    @property
    def chunks(self) -> list[str]:
        """The texts of artifacts in order: those of a snapshot, then those of the updates."""
        return [text for update in self.updates if update.kind in ("task", "artifact") for text in update.texts]

    async def until(self, wanted: Callable[[TaskStream], bool], within: float | None = None) -> bool:
        """Wait until something holds here. False when the stream ends or time is up before."""

        def look(exchange: Exchange) -> bool | None:
            if wanted(self):
                return True
            return False if exchange.ending is not Ending.OPEN else None

        return bool(await self.exchange.until(look, within))

    async def has(self, number: int, within: float | None = None) -> bool:
        """Wait for so many updates."""
        return await self.until(lambda stream: len(stream.updates) >= number, within)

    async def has_chunks(self, number: int, within: float | None = None) -> bool:
        return await self.until(lambda stream: len(stream.chunks) >= number, within)

    async def reaches(self, *states: str, within: float | None = None) -> bool:
        """Wait until one of these states was told."""
        return await self.until(lambda stream: any(u.state in states for u in stream.updates), within)

    async def opened(self, within: float | None = None) -> Outcome:
        """The first event as an Answer, or why there is none."""
        return await self.exchange.outcome(within)

    async def ended(self, within: float | None = None) -> bool:
        """Wait until the stream ends, in whatever way. False while it is still open after `within` seconds."""
        return await self.exchange.finished(within)

    async def leave(self, how: Departure = Departure.FIN) -> None:
        await self.exchange.leave(how)
