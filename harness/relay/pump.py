"""Moves bytes in one direction through a chain of stages, and performs what they ask for."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import anyio
from anyio.abc import ByteSendStream, ByteStream
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from ..faults.operation import Jump, Operation
from ..faults.stage import Action, Chain, End, Gap, HalfClose, How, Lag, Take
from ..transport.clock import jump

Chunk = tuple[float, bytes | Exception | None]
"""Arrival time, and bytes or what ended them: a loss is passed on after all that came before it. None: a stage woke the
pump."""


class Ended(Exception):
    """The connection is to end towards both sides."""

    def __init__(self, how: How) -> None:
        super().__init__(how)
        self.how = how


class Left(Ended):
    """The client ended its connection."""


Operate = Callable[[Operation], Awaitable[None]]
"""Does to the target's process what a fault asks for."""


class Source(Protocol):
    async def receive(self) -> bytes:
        """Raises EndOfStream at the end, BrokenResourceError after a reset."""
        ...


@dataclass(slots=True)
class Outlet:
    """Where a pump's bytes go."""

    stream: ByteSendStream
    operate: Operate | None = None
    muted: bool = False

    async def perform(self, action: Action, arrived: float) -> None:
        """Raises Ended when the action is an end."""
        match action:
            case bytes():
                await self._send(action)
            case Gap(seconds):
                await anyio.sleep(seconds)
            case Lag(seconds):
                await anyio.sleep_until(arrived + seconds)
            case Take(bucket, size):
                if wait := bucket.take(size, anyio.current_time()):
                    await anyio.sleep(wait)
            case End(how):
                raise Ended(how)
            case HalfClose():
                await self.finish()
            case Jump(seconds):
                jump(seconds)
            case _ if self.operate:
                await self.operate(action)

    async def _send(self, data: bytes) -> None:
        if not self.muted:
            await self.write(data)

    async def finish(self) -> None:
        """End sending, once."""
        if not self.muted:
            self.muted = True
            await self.write_eof()

    async def write(self, data: bytes) -> None:
        await self.stream.send(data)

    async def write_eof(self) -> None:
        await (self.stream.send_eof() if isinstance(self.stream, ByteStream) else self.stream.aclose())


@dataclass(slots=True)
class _Room:
    """For bytes that are read ahead. Who has filled it waits until there is room again."""

    left: float
    freed: anyio.Event = field(default_factory=anyio.Event)

    async def take(self, data: bytes) -> None:
        self.left -= len(data)
        while self.left <= 0:
            await self.freed.wait()

    def free(self, data: bytes) -> None:
        full = self.left <= 0
        self.left += len(data)
        if full:
            self.freed.set()
            self.freed = anyio.Event()


async def pump(source: Source, chain: Chain, outlet: Outlet) -> None:
    """Until the source ends. Raises Ended, what the source raises, BrokenResourceError when the outlet was reset."""
    if not chain.stages:
        return await _pass(source, outlet)
    room = _Room(chain.room)
    ahead, chunks = anyio.create_memory_object_stream[Chunk](chain.ahead)
    with ahead, chunks:
        chain.attach(partial(_wake, ahead))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_read, source, ahead, room)
            await _write(chunks, chain, outlet, room)
    return None


async def _pass(source: Source, outlet: Outlet) -> None:
    """What no fault touches goes from hand to hand."""
    while True:
        try:
            data = await source.receive()
        except anyio.EndOfStream:
            return await outlet.finish()
        if data:
            await outlet.perform(data, 0.0)


async def send_through(chain: Chain, data: bytes, outlet: Outlet) -> None:
    """A whole message through a chain. Raises Ended, BrokenResourceError when the outlet was reset."""
    arrived = anyio.current_time()
    for actions in (chain.feed(b""), chain.feed(data), chain.eof()):
        await _perform(actions, outlet, arrived)


def _wake(ahead: MemoryObjectSendStream[Chunk]) -> None:
    """Nothing after the end; where a chunk waits already, that wakes the pump."""
    with suppress(anyio.WouldBlock, anyio.ClosedResourceError, anyio.BrokenResourceError):
        ahead.send_nowait((anyio.current_time(), None))


async def _read(source: Source, ahead: MemoryObjectSendStream[Chunk], room: _Room) -> None:
    while True:
        try:
            data = await source.receive()
        except anyio.EndOfStream:
            return ahead.close()
        except Exception as error:
            return await ahead.send((anyio.current_time(), error))
        await ahead.send((anyio.current_time(), data))
        await room.take(data)


async def _write(chunks: MemoryObjectReceiveStream[Chunk], chain: Chain, outlet: Outlet, room: _Room) -> None:
    await _perform(chain.feed(b""), outlet)
    while True:
        try:
            chunk = await _next(chunks, chain.patience)
        except anyio.EndOfStream:
            break
        if chunk is None:
            await _perform(chain.idle(), outlet)
            continue
        arrived, data = chunk
        if isinstance(data, Exception):
            raise data
        room.free(data or b"")
        await _perform(chain.woken() if data is None else chain.feed(data), outlet, arrived)
    await _perform(chain.eof(), outlet)
    await outlet.finish()


async def _next(chunks: MemoryObjectReceiveStream[Chunk], patience: float) -> Chunk | None:
    """None after so many seconds of silence. Raises EndOfStream."""
    if patience == math.inf:
        return await chunks.receive()
    with anyio.move_on_after(patience):
        return await chunks.receive()
    return None


async def _perform(actions: Iterator[Action], outlet: Outlet, arrived: float = -math.inf) -> None:
    for action in actions:
        await outlet.perform(action, arrived)
