"""An in-memory network and in-memory processes, for tests in virtual time.

Streams are bounded, so back-pressure exists; what was sent before a close or a reset can still be read,
as on loopback TCP.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from anyio import (
    BrokenResourceError,
    CancelScope,
    ClosedResourceError,
    EndOfStream,
    Event,
    WouldBlock,
    create_memory_object_stream,
)
from anyio.abc import ByteReceiveStream, ByteSendStream, ByteStream, TaskGroup
from anyio.lowlevel import checkpoint
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

from .network import Abortive, Handler, Process, Waiting, reset
from .suspension import Gate, GatedReceiver, GatedSender

CAPACITY = 64 * 1024
"""Bytes that one direction holds before its sender waits."""


@dataclass(slots=True)
class _Flow:
    """Bytes in one direction. `ended`: the sender said FIN; `broken`: either side reset; `unread`: nobody reads."""

    capacity: int
    buffer: bytearray = field(default_factory=bytearray)
    ended: bool = False
    broken: bool = False
    unread: bool = False
    changed: Event = field(default_factory=Event)

    @property
    def readable(self) -> bool:
        return bool(self.buffer) or self.ended or self.broken

    def notify(self) -> None:
        self.changed.set()
        self.changed = Event()

    async def send(self, data: bytes) -> None:
        await checkpoint()
        rest = memoryview(data)
        while rest:
            self._check_sendable()
            room = self.capacity - len(self.buffer)
            if room > 0:
                self.buffer += rest[:room]
                rest = rest[room:]
                self.notify()
            else:
                await self.changed.wait()

    def _check_sendable(self) -> None:
        if self.ended:
            raise ClosedResourceError
        if self.broken or self.unread:
            raise BrokenResourceError

    async def receive(self, max_bytes: int) -> bytes:
        if self.readable or self.unread:  # otherwise the wait lets others run
            await checkpoint()
        while not self.unread:
            if self.buffer:
                return self._take(max_bytes)
            if self.broken:
                raise BrokenResourceError
            if self.ended:
                raise EndOfStream
            await self.changed.wait()
        raise ClosedResourceError

    def _take(self, max_bytes: int) -> bytes:
        data = bytes(self.buffer[:max_bytes])
        del self.buffer[:max_bytes]
        self.notify()
        return data

    def finish(self, *, ended: bool = False, broken: bool = False, unread: bool = False) -> None:
        self.ended |= ended
        self.broken |= broken
        self.unread |= unread
        self.notify()


@dataclass(slots=True)
class SimSender(ByteSendStream):
    """The writing end of a simulated pipe."""

    flow: _Flow

    async def send(self, item: bytes) -> None:
        await self.flow.send(item)

    async def aclose(self) -> None:
        self.flow.finish(ended=True)
        await checkpoint()


@dataclass(slots=True)
class SimReceiver(ByteReceiveStream):
    """The reading end of a simulated pipe."""

    flow: _Flow

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return await self.flow.receive(max_bytes)

    async def aclose(self) -> None:
        self.flow.finish(unread=True)
        await checkpoint()


def pipe(capacity: int = CAPACITY) -> tuple[SimSender, SimReceiver]:
    flow = _Flow(capacity)
    return SimSender(flow), SimReceiver(flow)


@dataclass(slots=True)
class SimStream(ByteStream):
    """One end of a simulated connection."""

    inward: _Flow
    outward: _Flow

    async def send(self, item: bytes) -> None:
        await self.outward.send(item)

    async def receive(self, max_bytes: int = 65536) -> bytes:
        return await self.inward.receive(max_bytes)

    async def send_eof(self) -> None:
        self.outward.finish(ended=True)
        await checkpoint()

    async def aclose(self) -> None:
        self.outward.finish(ended=True)
        self.inward.finish(unread=True)
        await checkpoint()

    async def _reset(self) -> None:
        self.outward.finish(ended=True, broken=True)
        self.inward.finish(unread=True, broken=True)
        await checkpoint()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return {Abortive.reset: lambda: self._reset, Waiting.readable: lambda: self.inward.readable}


def connection(capacity: int = CAPACITY) -> tuple[SimStream, SimStream]:
    """Both ends of a connection."""
    one, two = _Flow(capacity), _Flow(capacity)
    return SimStream(one, two), SimStream(two, one)


@dataclass(slots=True)
class SimListener:
    """Connections wait here until `serve` accepts them."""

    host: str
    port: int
    _network: SimNetwork
    _arrivals: MemoryObjectSendStream[ByteStream]
    _backlog: MemoryObjectReceiveStream[ByteStream]

    async def serve(self, handler: Handler, tasks: TaskGroup) -> None:
        async for stream in self._backlog:
            tasks.start_soon(_serve, handler, stream)

    async def aclose(self) -> None:
        """Whoever waits to be accepted is reset."""
        self._network.listeners.pop((self.host, self.port), None)
        self._arrivals.close()
        with suppress(WouldBlock, EndOfStream):
            while True:
                await reset(self._backlog.receive_nowait())


async def _serve(handler: Handler, stream: ByteStream) -> None:
    async with stream:
        await handler(stream)


@dataclass(slots=True)
class SimNetwork:
    """A network of its own: nothing outside of it is reachable."""

    capacity: int = CAPACITY
    backlog: int = 128
    listeners: dict[tuple[str, int], SimListener] = field(default_factory=dict)
    _ports: count[int] = field(default_factory=lambda: count(40001))

    async def connect(self, host: str, port: int) -> ByteStream:
        await checkpoint()
        listener = self.listeners.get((_address(host), port)) or self.listeners.get(("0.0.0.0", port))
        if listener is None:
            raise ConnectionRefusedError(f"nobody listens on {host}:{port}")
        near, far = connection(self.capacity)
        try:
            listener._arrivals.send_nowait(far)
        except WouldBlock:
            raise ConnectionRefusedError(f"the backlog of {host}:{port} is full") from None
        return near

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> SimListener:
        await checkpoint()
        place = (_address(host), port or next(self._ports))
        if place in self.listeners:
            raise OSError(f"{host}:{port} is in use")
        arrivals, backlog = create_memory_object_stream[ByteStream](self.backlog)
        self.listeners[place] = listener = SimListener(*place, self, arrivals, backlog)
        return listener

    async def addresses(self, host: str) -> tuple[str, ...]:
        await checkpoint()
        return (_address(host),)


LOOPBACK = frozenset({"localhost", "127.1", "2130706433", "0x7f000001"})
"""Other words for 127.0.0.1, which resolvers understand."""


def _address(host: str) -> str:
    return "127.0.0.1" if host in LOOPBACK else host


Main = Callable[[ByteReceiveStream, ByteSendStream, ByteSendStream], Awaitable[int]]
"""What a simulated process runs: `main(stdin, stdout, stderr)` returns the exit code."""


@dataclass(frozen=True, slots=True)
class Program:
    """A main and its signal handlers; a signal without one ends the process, as SIGKILL always does. SIGSTOP closes
    the gate of its pipes, SIGCONT opens it."""

    main: Main
    handlers: Mapping[int, Callable[[], None]] = field(default_factory=dict)
    gate: Gate = field(default_factory=Gate)


@dataclass(slots=True)
class SimProcess:
    """A process that is a task."""

    program: Program
    pid: int
    stdin: SimSender
    stdout: SimReceiver
    stderr: SimReceiver
    _inner: tuple[SimReceiver, SimSender, SimSender]
    _scope: CancelScope = field(default_factory=CancelScope)
    _code: int | None = None
    _signal: int = 0
    _pending: list[int] = field(default_factory=list)
    """Signals that came while it was stopped."""
    _ended: Event = field(default_factory=Event)

    @property
    def returncode(self) -> int | None:
        return self._code

    def send_signal(self, number: int) -> None:
        """Does nothing once the process has ended."""
        if self._code is not None:
            return
        if number == signal.SIGSTOP:
            self.program.gate.close()
        elif number == signal.SIGCONT:
            self._go_on()
        elif self.program.gate.closed and number != signal.SIGKILL:
            self._pending.append(number)
        else:
            self._take(number)

    def _go_on(self) -> None:
        self.program.gate.open()
        pending, self._pending = self._pending, []
        for number in pending:
            self._take(number)

    def _take(self, number: int) -> None:
        handler = self.program.handlers.get(number) if number != signal.SIGKILL else None
        if handler:
            handler()
        else:
            self._signal = self._signal or number
            self._scope.cancel()

    async def wait(self) -> int:
        await self._ended.wait()
        assert self._code is not None
        return self._code

    async def aclose(self) -> None:
        self.send_signal(signal.SIGKILL)
        with CancelScope(shield=True):
            await self.wait()
            for stream in (self.stdin, self.stdout, self.stderr):
                await stream.aclose()

    async def run(self) -> None:
        code = 1
        try:
            with self._scope:
                code = await self._main()
        finally:
            stdin, stdout, stderr = self._inner
            stdin.flow.finish(unread=True)
            stdout.flow.finish(ended=True)
            stderr.flow.finish(ended=True)
            self._code = -self._signal if self._scope.cancelled_caught else code
            self._ended.set()

    async def _main(self) -> int:
        """A crash prints its traceback and is exit code 1, as an interpreter has it."""
        gate, (stdin, stdout, stderr) = self.program.gate, self._inner
        try:
            return await self.program.main(
                GatedReceiver(stdin, gate), GatedSender(stdout, gate), GatedSender(stderr, gate)
            )
        except Exception:
            await self._inner[2].send(traceback.format_exc()[-4096:].encode())
            return 1


@dataclass(slots=True)
class SimSpawner:
    """Makes simulated processes. `programs` finds the program of a command; it raises OSError for none."""

    tasks: TaskGroup
    programs: Callable[[Sequence[str], Mapping[str, str]], Program]
    capacity: int = CAPACITY
    _pids: count[int] = field(default_factory=lambda: count(1001))

    async def spawn(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> Process:
        await checkpoint()
        program = self.programs(command, env or {})
        (near_in, far_in), (far_out, near_out), (far_err, near_err) = (pipe(self.capacity) for _ in range(3))
        process = SimProcess(program, next(self._pids), near_in, near_out, near_err, (far_in, far_out, far_err))
        self.tasks.start_soon(process.run)
        return process
