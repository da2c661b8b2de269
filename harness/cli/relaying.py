"""A relay from the command line: its log, its transcript, its signals and its exit code."""

from __future__ import annotations

import resource
import shlex
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TextIO
from urllib.parse import urlsplit

import anyio
import click
from anyio.abc import TaskStatus

from ..chance import Chance
from ..faults import Fault
from ..faults.profile import Profile
from ..gateway import (
    BINDING,
    PIPES,
    Ends,
    Event,
    Fired,
    Gateway,
    Logged,
    NotRearmed,
    Opened,
    Reading,
    Rearmed,
    Unmountable,
    Upstream,
    mounted,
)
from ..gateway import carry as carried
from ..spelling import printable
from ..transcript import Transcript
from ..transport.network import Listener, Process
from ..transport.process import OsSpawner
from ..transport.standard import StandardInput, StandardOutput
from ..transport.tcp import TcpNetwork
from ..transport.tls import trust
from .refusal import Refused
from .reporting import writable

INTERRUPTED = 130
MOST, OWN, PER_CONNECTION = 65536, 32, 3
"""Files that are asked for, what the program itself needs of them, and one connection of a client."""
COLOURS = {Fired: "yellow", Rearmed: "cyan", NotRearmed: "red", Opened: "blue"}


@dataclass(frozen=True, slots=True)
class Asked:
    """What both kinds of relay are asked."""

    profile: Profile
    seed: int
    transcript: Path | None
    quiet: bool

    @property
    def chance(self) -> Chance:
        return Chance(self.seed).child("relay")

    def mounted(self, binding: str) -> tuple[Fault, ...]:
        """Raises Refused for a fault that has no place."""
        try:
            return mounted(self.profile, binding)
        except Unmountable as error:
            raise Refused(f"--faults: {error}") from None

    @contextmanager
    def logged(self, *, err: bool) -> Iterator[Logged]:
        """Shows what happens, on standard error or output, and keeps the transcript. Raises Refused."""
        tell, begun = partial(_show, quiet=self.quiet, err=err), anyio.current_time()
        if self.transcript is None:
            yield Logged(tell)
            return
        with writable(self.transcript, "the transcript") as lines:
            kept = Transcript(lambda: anyio.current_time() - begun, sink=_Lines(lines).write)
            yield Logged(tell, kept)


@dataclass(slots=True)
class _Lines:
    """The file of the transcript. Where it cannot be written any more, that is said once and the relay goes on."""

    file: TextIO
    failed: bool = False

    def write(self, line: str) -> None:
        try:
            if not self.failed:
                self.file.write(f"{line}\n")
        except OSError as error:
            self.failed = True
            click.echo(f"the transcript ends here: {error.strerror}", err=True)


def _show(event: Event, *, quiet: bool, err: bool) -> None:
    """One line, for whoever still reads it. A plan that was read again is told of in any case."""
    kind = type(event)
    if not quiet or kind in (Rearmed, NotRearmed):
        with suppress(OSError):
            click.echo(click.style(printable(str(event)), fg=COLOURS.get(kind)), err=err)


@dataclass(slots=True)
class _Watch:
    """Waits for signals; `code` is that of the program once one has ended it."""

    code: int = 0

    async def keep(
        self, scope: anyio.CancelScope, hangup: Callable[[], None] | None, *, task_status: TaskStatus[None]
    ) -> None:
        """SIGHUP is `hangup`, where there is one; the first other signal cancels the scope."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
            task_status.started()
            async for number in signals:
                if hangup and number == signal.SIGHUP:
                    hangup()
                    continue
                self.code = INTERRUPTED if number == signal.SIGINT else 0
                scope.cancel()
                return


# HTTP


def serve(asked: Asked, urls: Sequence[str], address: tuple[str, int], keep_host: bool) -> int:
    """Relay HTTP until a signal; the exit code. Raises Refused."""
    asked.mounted(BINDING)
    try:
        upstreams = tuple(Upstream(url, trust() if url.startswith("https:") else None) for url in urls)
    except OSError as error:
        raise Refused(f"the certificates of SSL_CERT_FILE cannot be read: {error}") from None
    return anyio.run(_serve, asked, upstreams, address, keep_host, backend="trio")


async def _serve(asked: Asked, upstreams: Sequence[Upstream], address: tuple[str, int], keep_host: bool) -> int:
    watch, most = _Watch(), max(1, (room() - OWN) // PER_CONNECTION)
    listener = await _listening(*address)
    with asked.logged(err=False) as logged:
        async with anyio.create_task_group() as tasks:
            gateway = Gateway(upstreams, listener, TcpNetwork(), asked.chance, logged, tasks, keep_host, most)
            gateway.arm(asked.profile)
            logged.armed(asked.profile)
            reading = Reading(asked.profile, gateway.arm, logged)
            await tasks.start(watch.keep, tasks.cancel_scope, reading.again)
            tasks.start_soon(reading.watch)
            click.echo(_introduction(listener, upstreams, asked))
            await gateway.serve()
    return watch.code


async def _listening(host: str, port: int) -> Listener:
    try:
        return await TcpNetwork().listen(host, port)
    except OSError as error:
        raise Refused(f"--listen {host}:{port}: nobody can listen there: {error.strerror or error}") from None


def _introduction(listener: Listener, upstreams: Sequence[Upstream], asked: Asked) -> str:
    """Where the client finds it, in one line."""
    host = f"[{listener.host}]" if ":" in listener.host else listener.host
    place = f"http://{host}:{listener.port}{urlsplit(upstreams[0].url).path}"
    faults = "; ".join(map(str, asked.profile.plan)) or "no fault"
    return printable(f"{place} leads to {', '.join(each.url for each in upstreams)}; seed {asked.seed}; {faults}")


def room() -> int:
    """How many files this process may open, after asking for as many as it may ask for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST if hard == resource.RLIM_INFINITY else min(hard, MOST)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return MOST if soft == resource.RLIM_INFINITY else soft
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return wanted


# Pipes


def carry(asked: Asked, command: Sequence[str]) -> int:
    """Start a command and relay its standard streams until it ends; its exit code, or that of a signal to us. Raises
    Refused."""
    return anyio.run(_carry, asked, command, asked.mounted(PIPES), backend="trio")


async def _carry(asked: Asked, command: Sequence[str], faults: Sequence[Fault]) -> int:
    watch, ends = _Watch(), Ends(StandardInput(), StandardOutput(1), StandardOutput(2))
    with asked.logged(err=True) as logged:
        logged.armed(asked.profile)
        process = await _spawned(command)
        async with anyio.create_task_group() as tasks:
            await tasks.start(watch.keep, tasks.cancel_scope, None)
            code = await carried(process, ends, faults, asked.chance, logged)
            watch.code = 128 - code if code < 0 else code
            tasks.cancel_scope.cancel()
    return watch.code


async def _spawned(command: Sequence[str]) -> Process:
    try:
        return await OsSpawner().spawn(command)
    except OSError as error:
        raise Refused(f"the command {shlex.join(command)!r:.200} cannot be started: {error.strerror}") from None
