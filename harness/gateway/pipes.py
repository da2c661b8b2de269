"""The fault plane between a client that starts a process and that process."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream

from ..chance import Chance
from ..faults import Fault
from ..relay import piped
from ..target import end
from ..transcript import Kind
from ..transport.network import Process
from ..wire import jsonrpc
from ..wire.json import JsonError, loads
from ..wire.lines import LineDecoder, LineTooLong
from .traffic import Logged, Said

BINDING, OPERATION = "stdio", "stdio:1"
GRACE = 30.0
"""Seconds that a process has to end by itself once its client says nothing more."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The client's ends of three pipes: what it says, what it hears, and where errors are told."""

    said: ByteReceiveStream
    heard: ByteSendStream
    errors: ByteSendStream


async def carry(process: Process, ends: Ends, faults: Sequence[Fault], chance: Chance, logged: Logged) -> int:
    """All that the two say to each other, until the process has ended: the code with which it did."""
    try:
        async with anyio.create_task_group() as tasks:
            seen = piped(process, faults, chance, logged.fired, tasks)
            tasks.start_soon(_upwards, ends.said, seen, process, _Lines(logged, up=True))
            async with anyio.create_task_group() as downwards:
                hear = _Lines(logged, up=False)
                downwards.start_soon(_passed, seen.stdout, ends.heard, hear, partial(end, process))
                downwards.start_soon(_passed, seen.stderr, ends.errors, None, partial(end, process))
            code = await process.wait()
            tasks.cancel_scope.cancel()
    finally:
        await end(process)
    logged.note(Kind.PROCESS, OPERATION, event="exited", pid=process.pid, code=code)
    return code


async def _upwards(said: ByteReceiveStream, seen: Process, process: Process, lines: _Lines) -> None:
    """What the client says; once it says nothing more, the process has some time to end."""
    await _passed(said, seen.stdin, lines, None)
    await seen.stdin.aclose()
    await anyio.sleep(GRACE)
    await end(process)


async def _passed(
    source: ByteReceiveStream,
    outlet: ByteSendStream,
    lines: _Lines | None,
    unheard: Callable[[], Awaitable[None]] | None,
) -> None:
    """Bytes as they come, until they end or nobody wants them any more: then `unheard` is called."""
    try:
        async for data in source:
            if lines:
                lines.take(data)
            await outlet.send(data)
    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
        if unheard:
            await unheard()


@dataclass(slots=True)
class _Lines:
    """Tells and records the lines of one direction, as the client says and hears them."""

    logged: Logged
    up: bool
    _decoder: LineDecoder | None = field(default_factory=LineDecoder)

    def take(self, data: bytes) -> None:
        try:
            for line in self._decoder.feed(data) if self._decoder else ():
                self._told(line)
        except LineTooLong as error:
            self._decoder = None
            self.logged.note(Kind.NOTE, OPERATION, text=f"lines are not read further: {error}")

    def _told(self, line: bytes) -> None:
        kind = Kind.SENT if self.up else Kind.RECEIVED
        head = {"verb": "line", "url": "", "headers": ()} if self.up else {}
        try:
            value = loads(line)
            self.logged.note(kind, OPERATION, **head, message=value)
        except JsonError:
            value = None
            self.logged.note(kind, OPERATION, **head, raw=line.decode("utf-8", "replace"))
        self.logged.tell(Said(self.up, about(value), len(line)))


def about(value: object) -> str:
    """A line in short."""
    match jsonrpc.classify(value):
        case jsonrpc.Request(id=ident, method=method):
            return f"{method} {ident!r:.40}"
        case jsonrpc.Notification(method=method):
            return method
        case jsonrpc.Response(id=ident) | jsonrpc.ErrorResponse(id=ident):
            return f"answers {ident!r:.40}"
        case _:
            return "a line that is no message"
