"""An agent's side of a webhook: posts as it is told to, and tells what it was answered."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import anyio
from anyio.abc import ByteStream
from seatrial.receiver import Receiver
from seatrial.transcript import Recorder, Transcript
from seatrial.transport.network import Network
from seatrial.wire import http1

LOST = -1
"""In place of a status: the connection ended without an answer."""
REFUSED = -2


@dataclass(slots=True)
class Sender:
    network: Network
    headers: tuple[tuple[str, str], ...] = ()
    responses: list[http1.Response] = field(default_factory=list)

    async def post(self, url: str, body: bytes = b"{}", *, verb: str = "POST", patience: float = 1000) -> int:
        """The status; LOST, REFUSED, or 0 when there was none within `patience` and the sender left."""
        place = urlsplit(url)
        try:
            stream = await self.network.connect(place.hostname or "", place.port or 0)
        except OSError:
            return REFUSED
        async with stream:
            with anyio.move_on_after(patience):
                return await self.post_on(stream, url, body, verb)
        return 0

    async def post_on(self, stream: ByteStream, url: str, body: bytes = b"{}", verb: str = "POST") -> int:
        """On a connection that stays open."""
        headers = (("Host", "receiver"), ("Content-Length", str(len(body))), *self.headers)
        target = url.split("/", 3)[3]
        reader = http1.ResponseReader(verb)
        try:
            await stream.send(http1.request(verb, f"/{target}", headers, body))
            while not reader.done:
                reader.feed(await stream.receive())
        except (anyio.EndOfStream, anyio.BrokenResourceError):
            return LOST
        self.responses.append(reader.response)
        return reader.response.status


@dataclass(slots=True)
class Lines:
    """What was written to a transcript."""

    written: list[str] = field(default_factory=list)

    def recorder(self) -> Recorder:
        return Transcript(anyio.current_time, sink=self.written.append).scope("case")


@asynccontextmanager
async def receiving(network: Network, lines: Lines | None = None) -> AsyncIterator[tuple[Receiver, Sender]]:
    """A receiver for as long as a case, and somebody who sends to it."""
    async with anyio.create_task_group() as tasks:
        receiver = Receiver(network, (lines or Lines()).recorder(), tasks)
        yield receiver, Sender(network)
        await receiver.aclose()
