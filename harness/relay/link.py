"""Link: a TCP-level go-between that pumps bytes both ways through faults."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import anyio
from anyio.abc import ByteStream, TaskGroup

from ..chance import Chance
from ..faults.connect import Blackhole, ConnectFault, Refuse
from ..faults.fault import Armed, Fault, Fired
from ..faults.stage import Chain, Direction, Flow, How
from ..transport.network import Handler, Listener, Network, reset
from ..transport.sim import connection
from .pump import Ended, Outlet, pump

Dial = Callable[[], Awaitable[ByteStream]]
"""Makes a connection to the target. Raises OSError."""


@dataclass(slots=True)
class Ending:
    """How a conversation is to be ended towards both sides."""

    how: How = How.FIN


@contextmanager
def noting_end(ending: Ending) -> Iterator[None]:
    """Turns what ends a conversation into a value: Ended, a reset peer, a refused connection."""
    try:
        yield
    except* Ended as group:
        ending.how = _first(group).how
    except* (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        ending.how = How.RESET


def _first(group: BaseExceptionGroup[Ended]) -> Ended:
    inner = group.exceptions[0]
    return inner if isinstance(inner, Ended) else _first(inner)


LINGER = 0.1
"""Seconds for which what a peer still sends is read before its connection is closed."""


async def end(how: How, *streams: ByteStream | None) -> None:
    """End connections: RST for RESET, FIN otherwise. Not cut short by cancellation."""
    finish = reset if how is How.RESET else _close
    for stream in filter(None, streams):
        with anyio.CancelScope(shield=True):
            await finish(stream)


async def _close(stream: ByteStream) -> None:
    """FIN, and no RST right after it, which closing a TCP socket with unread bytes would send."""
    with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream, OSError):
        await stream.send_eof()
        with anyio.move_on_after(LINGER):
            while True:
                await stream.receive()
    await stream.aclose()


async def duplex(client: ByteStream, target: ByteStream, up: Chain, down: Chain) -> None:
    """Pump both ways until both have ended. Raises groups of Ended and BrokenResourceError."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pump, client, up, Outlet(target))
        tasks.start_soon(pump, target, down, Outlet(client))


def dialer(handler: Callable[[ByteStream], Coroutine[Any, Any, None]], tasks: TaskGroup) -> Dial:
    """A dial whose connections are in memory, the other end given to a handler in `tasks`."""

    async def dial() -> ByteStream:
        near, far = connection()
        tasks.start_soon(handler, far)
        return near

    return dial


@dataclass(slots=True)
class Link:
    """Each connection of a client becomes one to the target, unless a fault meets it; with a `host`, it is his.

    Of those that come through a listener, no more than `most` at once are let in; further ones are reset.
    """

    dial: Dial
    faults: Sequence[Fault]
    chance: Chance
    fired: Fired
    host: Handler | None = None
    most: float = math.inf
    entered: int = 0
    """So many came through a listener and have not ended."""
    _armed: list[Armed] = field(init=False)
    _connections: int = 0
    _shut: float = -math.inf
    """Until when every connection is refused."""

    def __post_init__(self) -> None:
        self.rearm(self.faults)

    def rearm(self, faults: Sequence[Fault]) -> None:
        """From now on, other faults: each connection that comes meets these."""
        self.faults = faults
        self._armed = [Armed(fault, self.chance, self.fired) for fault in faults]

    async def handle(self, client: ByteStream) -> None:
        """One connection, until it has ended both ways. A target that cannot be reached resets the client."""
        name = self._named()
        await self._handle(client, name, self._meeting(name))

    def _named(self) -> str:
        self._connections += 1
        return f"connection:{self._connections}"

    def _meeting(self, name: str) -> ConnectFault | None:
        """The fault that takes effect on a new connection."""
        if anyio.current_time() < self._shut:
            return Refuse()
        for armed in self._armed:
            if isinstance(armed.fault, ConnectFault) and armed.fault.meets(armed, name):
                if isinstance(armed.fault, Refuse):
                    self._shut = anyio.current_time() + armed.fault.seconds
                return armed.fault
        return None

    async def _handle(self, client: ByteStream, name: str, met: ConnectFault | None) -> None:
        if met is None and self.host:
            return await self.host(client)
        target, ending = None, Ending(How.RESET)
        try:
            if isinstance(met, Blackhole):
                await anyio.sleep(met.seconds)
            elif met is None:
                with noting_end(ending):
                    ending.how, target = How.FIN, await self.dial()
                    await duplex(client, target, self._chain(name, Direction.UP), self._chain(name, Direction.DOWN))
        finally:
            await end(ending.how, client, target)
        return None

    def _chain(self, name: str, direction: Direction) -> Chain:
        flow = Flow(name, direction)
        return Chain([stage for armed in self._armed for stage in armed.stages(flow)])

    def dialer(self, tasks: TaskGroup) -> Dial:
        """For clients in this process: a connection through the link without a socket in between."""

        async def dial() -> ByteStream:
            name = self._named()
            met = self._meeting(name)
            if isinstance(met, Refuse):
                raise ConnectionRefusedError(f"{name} was refused by a fault")
            return await dialer(partial(self._handle, name=name, met=met), tasks)()

        return dial

    async def serve(self, listener: Listener, tasks: TaskGroup, network: Network | None = None) -> None:
        """Accept until the listener is closed. With its network, it is closed and opened again as `refuse` says."""

        async def accept(client: ByteStream) -> None:
            if self.entered >= self.most:
                return await reset(client)
            name = self._named()
            met = self._meeting(name)
            if network and anyio.current_time() < self._shut:
                await listener.aclose()
            self.entered += 1
            try:
                await self._handle(client, name, met)
            finally:
                self.entered -= 1
            return None

        await listener.serve(accept, tasks)
        while network and anyio.current_time() < self._shut:
            await anyio.sleep_until(self._shut)
            listener = await network.listen(listener.host, listener.port)
            await listener.serve(accept, tasks)
