"""A look at what goes into a stream."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from anyio.abc import ByteStream

Seen = Callable[[bytes], None]
"""Is shown bytes that were sent."""


@dataclass(slots=True)
class Tap(ByteStream):
    """The stream, whose sending somebody sees."""

    stream: ByteStream
    seen: Seen

    async def send(self, item: bytes) -> None:
        await self.stream.send(item)
        self.seen(item)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return await self.stream.receive(max_bytes)

    async def send_eof(self) -> None:
        await self.stream.send_eof()

    async def aclose(self) -> None:
        await self.stream.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self.stream.extra_attributes
