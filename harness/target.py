"""The server under test: where it is, and how it is started, restarted and doubled."""

from __future__ import annotations

import os
import shlex
import signal
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, TypeVar
from urllib.parse import urljoin, urlsplit

import anyio
from anyio.abc import TaskGroup, TaskStatus

from .config import TargetConfig
from .protocols import protocol_of
from .redaction import inherited
from .stimuli import Stimulus
from .transport.network import Network, Process, Spawner
from .transport.process import OsSpawner
from .transport.skew import CLOCK_SKEW, skewing
from .transport.tcp import TcpNetwork

START_SECONDS = 30.0

T = TypeVar("T")


class StartFailure(Exception):
    """The target could not be started; the text is one sentence for the user."""


@dataclass(slots=True, eq=False)
class Server:
    """A running HTTP endpoint. `process` is None where we did not start it; `again` starts another in its place, once
    it has ended in the way that is asked for."""

    url: str
    process: Process | None = None
    again: Callable[[bool], Awaitable[None]] | None = None

    @property
    def exited(self) -> int | None:
        return self.process.returncode if self.process else None

    async def restart(self, kept: bool) -> None:
        """End the process and start it again on its port: told to end where `kept`, so that it may save what it knows,
        else killed. One that does not come again is simply gone."""
        assert self.again is not None, "somebody else runs this server"
        await self.again(kept)

    def at(self, place: str) -> str:
        """The address of a path on this server's own host and port; a whole URL stays as it is."""
        return urljoin(self.url, place)


class Target(Protocol):
    """What the engine needs of a target.

    An empty `protocol` is found out, empty `versions` and `bindings` are those of the protocol. `listens`: it is, or
    brings, a server of HTTP. `spawnable`: can fresh processes be made?
    """

    name: str
    address: str
    protocol: str
    bindings: tuple[str, ...]
    versions: tuple[str, ...]
    release: str
    milestone: str
    listens: bool
    webhook_host: str
    capabilities_url: str
    contact: str
    stimuli: Mapping[str, Stimulus]
    headers: Mapping[str, str]
    identities: Mapping[str, Mapping[str, str]]
    secrets: tuple[str, ...]
    replicas: tuple[str, ...]
    ca: str
    virtual: bool

    spawnable: bool
    network: Network

    def open(self) -> AbstractAsyncContextManager[None]:
        """An async context manager around the whole run."""
        ...

    def server(self) -> AbstractAsyncContextManager[Server]:
        """An async context manager: a fresh server of HTTP (an attached one: the only one there is)."""
        ...

    async def process(self) -> Process:
        """A fresh process that speaks over stdio. Raises StartFailure."""
        ...

    def skewed(self, seconds: float) -> Target:
        """The same, with processes whose clock is ahead by so many seconds. Raises StartFailure where there is no way
        to tell them."""
        ...


class RealTarget:
    """A target of this machine or of the network, as its owner configured it."""

    virtual = False

    def __init__(self, config: TargetConfig, network: Network | None = None, spawner: Spawner | None = None) -> None:
        self.config = config
        self.network: Network = network or TcpNetwork()
        self.spawner: Spawner = spawner or OsSpawner()
        self.name, self.address, self.spawnable = config.name, config.address, config.spawned
        self.stimuli, self.headers, self.identities = config.stimuli, config.headers, config.identities
        self.secrets = (*config.secrets, *(inherited(os.environ) if config.spawned else ()))
        self.replicas, self.ca = config.replicas, config.ca
        self.protocol = config.protocol or protocol_of(config.url)
        self.bindings, self.versions = config.bindings, config.versions
        self.release, self.milestone, self.listens = config.release, config.milestone, bool(config.url)
        self.webhook_host, self.capabilities_url = config.webhook_host, config.capabilities_url
        self.contact = config.contact

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        yield

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Server]:
        if not self.config.spawned:
            yield Server(self.config.url)
            return
        port = str(free_port()) if "{port}" in self.config.url else str(urlsplit(self.config.url).port or 80)
        command = tuple(word.replace("{port}", port) for word in self.config.command)
        server = Server(self.config.url.replace("{port}", port), await self._spawn(command))
        failure = ""
        try:
            async with anyio.create_task_group() as tasks:
                server.again = partial(self._again, server, command, tasks)
                failure = await self._begun(server, tasks)
                if not failure:
                    yield server
                tasks.cancel_scope.cancel()
        finally:
            assert server.process is not None
            await end(server.process)
        if failure:
            raise StartFailure(failure)

    async def _begun(self, server: Server, tasks: TaskGroup) -> str:
        assert server.process is not None
        tasks.start_soon(_drain, server.process)
        return await self._ready(server)

    async def _again(self, server: Server, command: Sequence[str], tasks: TaskGroup, kept: bool) -> None:
        assert server.process is not None
        await (end(server.process) if kept else server.process.aclose())
        with suppress(StartFailure):
            server.process = await self._spawn(command)
            await self._begun(server, tasks)

    def skewed(self, seconds: float) -> RealTarget:
        env = skewing(seconds, self.config.env)
        if not env:
            why = f"install libfaketime, or name {CLOCK_SKEW} in env if it heeds that"
            raise StartFailure(f"the clock of its processes cannot be shifted: {why}")
        return RealTarget(replace(self.config, env={**self.config.env, **env}), self.network, self.spawner)

    async def process(self) -> Process:
        return await self._spawn(self.config.command)

    async def _spawn(self, command: Sequence[str]) -> Process:
        try:
            return await self.spawner.spawn(command, self.config.env)
        except OSError as error:
            reason = error.strerror or str(error)
            raise StartFailure(f"the command {shlex.join(command)!r} cannot be started: {reason}") from error

    async def _ready(self, server: Server) -> str:
        """Wait until the server accepts connections; why it does not, or "" when it does."""
        parts = urlsplit(server.url)
        with anyio.move_on_after(START_SECONDS):
            while server.exited is None:
                try:
                    stream = await self.network.connect(parts.hostname or "", parts.port or 80)
                except OSError:
                    await anyio.sleep(0.02)
                    continue
                await stream.aclose()
                return ""
        if server.exited is not None:
            return f"the command ended at once with code {server.exited} before it listened on {server.url}"
        return f"nothing listens on {server.url} {START_SECONDS:.0f} s after the command was started"


async def _drain(process: Process) -> None:
    """Read and forget what a server of HTTP prints, so that its pipes never fill."""

    async def pour(stream: Any) -> None:
        try:
            async for _ in stream:
                pass
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pour, process.stdout)
        tasks.start_soon(pour, process.stderr)


async def held(manager: AbstractAsyncContextManager[T], tasks: TaskGroup) -> tuple[T, Callable[[], Awaitable[None]]]:
    """Enter a context in a task of its own, so that it may be left from anywhere: its value, and how to leave it."""
    leave, left = anyio.Event(), anyio.Event()

    async def hold(*, task_status: TaskStatus[T | StartFailure]) -> None:
        try:
            async with manager as value:
                task_status.started(value)
                await leave.wait()
        except StartFailure as failure:
            task_status.started(failure)
        finally:
            left.set()

    async def release() -> None:
        leave.set()
        with anyio.CancelScope(shield=True):
            await left.wait()

    value = await tasks.start(hold)
    if isinstance(value, StartFailure):
        raise value
    return value, release


async def end(process: Process, grace: float = 2.0) -> None:
    """SIGTERM, then SIGKILL after `grace` seconds, also for what it started; returns when it is gone."""
    with anyio.CancelScope(shield=True):
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            with anyio.move_on_after(grace):
                await process.wait()
        await process.aclose()


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def attach(config: TargetConfig) -> RealTarget:
    return RealTarget(config)
