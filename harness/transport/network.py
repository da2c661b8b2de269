"""The seam below every protocol: byte streams, listeners and processes, real or simulated."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from anyio import TypedAttributeSet, typed_attribute
from anyio.abc import ByteReceiveStream, ByteSendStream, ByteStream, TaskGroup

Handler = Callable[[ByteStream], Awaitable[None]]


class Abortive(TypedAttributeSet):
    """What a stream offers beside anyio's interface. Wrappers forward it as `extra_attributes`."""

    reset: Callable[[], Awaitable[None]] = typed_attribute()
    """Ends the connection abortively: RST on TCP, BrokenResourceError for a simulated peer."""


class Waiting(TypedAttributeSet):
    """What can be known of a connection that nobody reads from at the moment."""

    readable: bool = typed_attribute()
    """Whether bytes, or the end, have come: an idle connection that is readable cannot be used any more."""


async def reset(stream: ByteStream) -> None:
    """End a connection abortively; an orderly close where the stream cannot do better."""
    abort = stream.extra(Abortive.reset, None)
    await (abort() if abort else stream.aclose())


class Listener(Protocol):
    """A bound listener. `serve` accepts until cancelled or closed, one task of `tasks` per connection."""

    host: str
    port: int

    async def serve(self, handler: Handler, tasks: TaskGroup) -> None: ...
    async def aclose(self) -> None: ...


class Network(Protocol):
    """Where connections are made: TCP, or the in-memory network of our own tests.

    `capacity`: bytes that one direction of a connection may hold between a sender and a peer that does not read.
    """

    capacity: int

    async def connect(self, host: str, port: int) -> ByteStream:
        """Raises OSError when nobody listens there, as TCP does."""
        ...

    async def listen(self, host: str = "127.0.0.1", port: int = 0) -> Listener: ...

    async def addresses(self, host: str) -> tuple[str, ...]:
        """The IP addresses of a host; none where its name cannot be resolved."""
        ...


class Process(Protocol):
    """A process on three pipes. `returncode` is None while it runs, -N after signal N."""

    @property
    def stdin(self) -> ByteSendStream: ...
    @property
    def stdout(self) -> ByteReceiveStream: ...
    @property
    def stderr(self) -> ByteReceiveStream: ...
    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    def send_signal(self, number: int) -> None: ...
    async def wait(self) -> int: ...
    async def aclose(self) -> None:
        """End what still runs of it by SIGKILL, reap it, close the pipes."""
        ...


class Spawner(Protocol):
    """How processes are made."""

    async def spawn(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> Process:
        """Raises OSError when the command cannot be started."""
        ...
