"""A target made ready for one run: its server, its sessions, and what stands between them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from ssl import SSLContext
from typing import Any
from urllib.parse import urlsplit

import anyio
from anyio.abc import TaskGroup

from .chance import Chance
from .claims import Claims
from .conduct import Terms
from .faults import Fault, Mount, ServerFault, failover, harness_jump, mount_for, round_robin, skew
from .model import Column, Reason
from .pace import Pace, Withheld
from .protocols.carrier import Carrier, Guard, unguarded
from .protocols.driver import PIPES, Driver, Manner, Replies, Session
from .protocols.http import HttpCarrier
from .protocols.outcome import Answer, Outcome
from .protocols.websocket.carrier import BINDING as WEBSOCKET
from .protocols.websocket.carrier import WebSocketCarrier
from .relay import Dial, Link, Operate, Relay, Supervisor, layers, piped
from .stimuli import Stimulus
from .target import Server, StartFailure, Target, held
from .tempo import Tempo
from .transcript import Kind, Recorder, Transcript
from .transport.http import HttpClient, Route
from .transport.network import Network, Process
from .transport.proxies import ProxyProblem, proxy_for
from .transport.tls import connect

Fired = Callable[[Fault, str], None]


class Unfit(Exception):
    """A session or a mount that cannot be had; becomes an INCONCLUSIVE case, never a failure of the target."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """How one session is to be made. `identity` names principal headers of the configuration."""

    faults: tuple[Fault, ...] = ()
    capabilities: Mapping[str, Any] = field(default_factory=dict)
    replies: Replies = field(default_factory=dict)
    identity: str = ""
    headers: Mapping[str, str | None] = field(default_factory=dict)
    replicas: int = 2
    """How many servers a `round_robin` among the faults hands the requests to."""
    heeds: bool = True
    """Whether a request that comes too soon for the target is sent again later, as is polite."""
    ambient: bool = True
    """Whether the benign faults around the run surround this session too."""

    @property
    def plain(self) -> bool:
        """Could a lent session serve as well?"""
        asked = self.faults or self.capabilities or self.replies or self.identity or self.headers
        return self.heeds and self.ambient and not asked


@dataclass(slots=True, eq=False)
class Berth:
    """One open target. `tasks` live as long as the run; `pool` holds sessions that are free to lend."""

    target: Target
    driver: Driver
    tempo: Tempo
    chance: Chance
    transcript: Transcript
    tasks: TaskGroup
    ambient: tuple[Fault, ...] = ()
    malign: tuple[Fault, ...] = ()
    """What surrounds the sessions of cases alone, as if each check asked for it."""
    claims: Claims = field(default_factory=Claims)
    main: Server | None = None
    pool: dict[Column, list[Session]] = field(default_factory=dict)
    remembered: dict[Any, Any] = field(default_factory=dict)
    """Measurements of stimuli that several cases share, by column and role."""
    besides: dict[Column, dict[str, Recorder]] = field(default_factory=dict)
    """Recorders of traffic that belongs to no case; monitors judge it too."""
    keys: Counter[str] = field(default_factory=Counter)
    """How many keys and sessions each case has used up, its second run included."""
    spoiled: set[str] = field(default_factory=set)
    """Cases that left a session unfit which another case had used before them: either may have spoiled it."""
    locks: dict[Any, anyio.Lock] = field(default_factory=dict)
    abroad: bool = False
    """The target is not of this machine: proxies may lead to it."""
    terms: Terms = field(default_factory=Terms)
    pace: Pace = field(default_factory=Pace)
    agent: str = "seatrial"
    guard: Guard = unguarded
    stimuli: Mapping[str, Stimulus] = field(init=False)
    """Those that may be played; `barred` are the others."""
    barred: Mapping[str, Stimulus] = field(default_factory=dict)
    starting: anyio.CapacityLimiter = field(default_factory=lambda: anyio.CapacityLimiter(os.cpu_count() or 2))
    _release: Callable[[], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        self.stimuli = self.target.stimuli

    async def moor(self) -> None:
        """Start the main server, where the target speaks HTTP. Raises StartFailure."""
        if self.target.listens:
            self.main, self._release = await held(self.target.server(), self.tasks)

    async def restart(self) -> None:
        """Start the main server again after it died."""
        await self.cast_off()
        await self.moor()

    async def cast_off(self) -> None:
        """Close what is lent and stop the main server."""
        await self._drop_pool()
        if self._release is not None:
            await self._release()
            self.main, self._release = None, None

    async def _drop_pool(self) -> None:
        sessions = [session for lent in self.pool.values() for session in lent]
        self.pool.clear()
        async with anyio.create_task_group() as tasks:
            for session in sessions:
                tasks.start_soon(session.aclose)

    # Sessions

    async def session(
        self,
        version: str,
        binding: str,
        recorder: Recorder,
        tasks: TaskGroup,
        rig: Rig,
        fired: Fired | None = None,
        server: Server | None = None,
    ) -> Session:
        """A session that has sent nothing yet. `server` None: the main one. Raises StartFailure, Unfit.

        `fired` None: each firing is noted for whoever has the session at the time.
        """

        def noted(fault: Fault, where: str) -> None:
            carrier.recorder.note(Kind.FIRED, fault=str(fault), at=where)

        fired = fired or noted
        target, server = await self._shifted(rig, binding, tasks, server)
        if binding == PIPES:
            carrier = self._piped(await target.process(), recorder, tasks, fired, rig)
        else:
            carrier = await self._dialled(binding, recorder, tasks, fired, rig, server or self.main)
        carrier.pace, carrier.guard = self.pace, self.examine
        self.keys[f"{recorder.case}/session"] += 1
        chance = self.chance.child(recorder.case).child(f"session/{self.keys[f'{recorder.case}/session']}")
        manner = Manner(rig.capabilities, rig.replies, chance, self.claims.find(version, binding))
        made: Session = self.driver.session(carrier, version, binding, manner)
        return made

    def examine(self, body: bytes | None, shown: Any) -> None:
        """Raises Withheld for what the guard of the moment does not let pass."""
        self.guard(body, shown)

    def _around(self, rig: Rig) -> Sequence[Fault]:
        """All faults of a session."""
        return (*self.ambient, *rig.faults) if rig.ambient else rig.faults

    async def _shifted(
        self, rig: Rig, binding: str, tasks: TaskGroup, server: Server | None
    ) -> tuple[Target, Server | None]:
        """Whose process serves a session, and with which server: one of its own where its clock is shifted."""
        shift = next((fault.seconds for fault in self._around(rig) if isinstance(fault, skew)), 0.0)
        if not shift:
            return self.target, server
        if not self.target.spawnable:
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, "skew needs a target that Seatrial starts itself")
        try:
            target = self.target.skewed(shift)
        except StartFailure as failure:
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, str(failure)) from None
        return target, None if binding == PIPES else (await held(target.server(), tasks))[0]

    async def _dialled(
        self, binding: str, recorder: Recorder, tasks: TaskGroup, fired: Fired, rig: Rig, server: Server | None
    ) -> Carrier:
        assert server is not None, "no server runs"
        client = self.client(server.url)
        await self._mount(binding, server, client, recorder, tasks, fired, rig)
        given = {**self.target.headers, **self.target.identities.get(rig.identity, {}), **rig.headers}
        headers = {"User-Agent": self.agent, **given}
        kind = WebSocketCarrier if binding == WEBSOCKET else HttpCarrier
        made = kind(binding, server.url, client, tasks, recorder, headers=headers, patience=self.tempo.answer)
        made.heeds = rig.heeds
        return made

    def client(self, url: str) -> HttpClient:
        """What sends requests to the origin of a URL, at the pace of the run. Raises StartFailure."""
        secure, ca = url.startswith("https:"), self.target.ca or None
        try:
            proxy = proxy_for(url) if self.abroad else None
            return HttpClient(self.target.network, ca=ca, secure=secure, pace=self.pace, proxy=proxy)
        except ProxyProblem as error:
            raise StartFailure(str(error)) from error
        except OSError as error:
            raise StartFailure(f"the certificates in {ca} cannot be read: {error}") from error

    async def _mount(
        self,
        binding: str,
        server: Server,
        client: HttpClient,
        recorder: Recorder,
        tasks: TaskGroup,
        fired: Fired,
        rig: Rig,
    ) -> None:
        """Put the faults between a client and its origin: above TLS, but for the tunnel of a proxy."""
        faults = layers(self._around(rig), binding)
        self._refuse_jumps((*faults.octets, *faults.exchange))
        origin = (client.proxy.host, client.proxy.port) if client.proxy else _origin(server.url)
        tls = None if client.proxy else client.trusted
        if client.proxy and client.trusted and faults.exchange:
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, f"{faults.exchange[0]} needs to read HTTP, which TLS hides")
        if not any(faults):
            return
        chance, dial = self.chance.child(recorder.case), _dial(self.target.network, origin, tls)
        if faults.octets:
            dial = Link(dial, faults.octets, chance, fired).dialer(tasks)
        if faults.exchange:
            spread = any(isinstance(fault, round_robin | failover) for fault in faults.exchange)
            replicas = [await self._replica(tasks) for _ in range(rig.replicas - 1 if spread else 0)]
            dials = [dial, *(self._replica_dial(replica.url, tls) for replica in replicas)]
            operate = self._operator([server, *replicas], faults.exchange, tasks)
            dial = Relay(dials, faults.exchange, chance, fired, self.pace, operate).dialer(tasks)
        if faults.connect:
            dial = Link(dial, faults.connect, chance, fired).dialer(tasks)
        client.backend.routes[origin], client.backend.secured = dial, tls is not None

    async def _replica(self, tasks: TaskGroup) -> Server:
        """One more server of the same kind, which lives as long as `tasks`."""
        if self.target.replicas:
            return Server(self.target.replicas[0])
        return (await held(self.target.server(), tasks))[0]

    def _replica_dial(self, url: str, tls: SSLContext | None) -> Dial:
        return _dial(self.target.network, _origin(url), tls if url.startswith("https:") else None)

    def _operator(self, servers: Sequence[Server], faults: Sequence[Fault], tasks: TaskGroup) -> Operate | None:
        """Who does to the processes of servers what faults ask for; None where none does. Raises Unfit."""
        asking = [fault for fault in faults if isinstance(fault, ServerFault)]
        ours = self.target.spawnable and all(server.process for server in servers)
        if asking and not ours:
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, f"{asking[0]} needs a target that Seatrial starts itself")
        if any(isinstance(fault, failover) and fault.replica >= len(servers) for fault in asking):
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, f"there are only {len(servers)} replicas for {asking[0]}")
        return Supervisor(servers, tasks).operate if asking else None

    def _refuse_jumps(self, faults: Sequence[Fault]) -> None:
        """Raises Unfit."""
        jumps = [fault for fault in faults if isinstance(fault, harness_jump)]
        if jumps and not self.target.virtual:
            raise Unfit(Reason.FAULT_NOT_MOUNTABLE, f"{jumps[0]}: only virtual time can jump")

    def _piped(self, process: Process, recorder: Recorder, tasks: TaskGroup, fired: Fired, rig: Rig) -> Carrier:
        faults = [fault for fault in self._around(rig) if mount_for(fault, PIPES) is Mount.PIPE]
        self._refuse_jumps(faults)
        if faults:
            process = piped(process, faults, self.chance.child(recorder.case), fired, tasks)
        return self.driver.piped(process, tasks, recorder, self.tempo.answer)

    # Lending

    @asynccontextmanager
    async def lent(self, column: Column, recorder: Recorder) -> AsyncIterator[Session]:
        """An initialised session without faults, for one case at a time. Raises StartFailure, Unfit."""
        used = await self._free(column)
        session = used or await self._fresh(column)
        session.carrier.lend(recorder)
        session.received.clear()
        try:
            yield session
        finally:
            if session.carrier.idle:
                session.carrier.lend(self._own(column))
                self.pool.setdefault(column, []).append(session)
            else:
                self.spoiled |= {recorder.case} if used and session.carrier.starved else set()
                self.tasks.start_soon(session.aclose)

    async def _free(self, column: Column) -> Session | None:
        while free := self.pool.get(column):
            session = free.pop()
            if session.carrier.idle:
                return session
        return None

    def _own(self, column: Column) -> Recorder:
        """Where the traffic of lent sessions goes that belongs to no case."""
        return self.recorder(column, "session")

    def recorder(self, column: Column, purpose: str) -> Recorder:
        """The one recorder of a column for a purpose beside its cases: session, control."""
        name = f"{self.target.name}/{purpose}[{column}]"
        return self.besides.setdefault(column, {}).setdefault(name, self.transcript.scope(name))

    async def _fresh(self, column: Column) -> Session:
        session = await self.session(column.version, column.binding, self._own(column), self.tasks, Rig())
        opened = False
        try:
            opened = isinstance(await self.begun(session), Answer)
        finally:
            if not opened:
                await session.aclose()
        if not opened:
            raise Unfit(Reason.TARGET_UNHEALTHY, "no session could be opened")
        return session

    async def begun(self, session: Session) -> Outcome:
        """Begin a session. Processes start a few at a time, so that a slow start is not taken for silence."""
        if session.binding != PIPES:
            return await session.open()
        async with self.starting:
            return await session.open()

    async def farewell(self, session: Session, tasks: TaskGroup) -> None:
        """Tell the target that a session whose sockets are gone is over, without caring for the answer."""
        silent = self.transcript.scope(f"{self.target.name}/farewell")
        again = await self.session(session.version, session.binding, silent, tasks, Rig())
        with suppress(Withheld):
            await again.farewell(session)
        await again.aclose()

    @asynccontextmanager
    async def turn(self, name: Any) -> AsyncIterator[None]:
        """One at a time, by name."""
        async with self.locks.setdefault(name, anyio.Lock()):
            yield

    async def sound(self, columns: Sequence[Column]) -> bool:
        """Does the target answer a plain request in each of these columns? The sanity bracket's question.

        A lent session that does not answer is closed, so that nobody gets it again. Where nothing may be asked any
        more, nothing is known against it.
        """
        await self.pace.resumed()
        return all([await self._answers(column) for column in columns])

    async def _answers(self, column: Column) -> bool:
        asked = self._own(column)
        before = len(asked.records)
        try:
            async with self.lent(column, asked) as session:
                if await session.healthy():
                    return True
                await session.aclose()
        except (Unfit, StartFailure, OSError):
            pass
        except Withheld:
            return True
        return any(record.kind is Kind.WITHHELD for record in asked.records[before:])


def _origin(url: str) -> Route:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)


def _dial(network: Network, to: Route, tls: SSLContext | None) -> Dial:
    return lambda: connect(network, *to, tls) if tls else network.connect(*to)
