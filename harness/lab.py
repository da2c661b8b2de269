"""What a check receives: sessions, stimuli, a witness, and somewhere to say what was expected."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar, cast

import anyio
from anyio.abc import TaskGroup

from .berth import Berth, Rig
from .claims import Spoken
from .effects import Effects
from .expect import cited
from .faults import Fault, ServerFault
from .judge.operations import Histories
from .model import Case, Feature, Isolation, Reason, Requirement, Violation
from .protocols.driver import PIPES, Replies, Session
from .protocols.exchange import Pulse
from .protocols.outcome import Answer, Outcome
from .receiver import Act, Hook, Program, Receiver
from .target import Server, held
from .tempo import Tempo
from .transcript import Kind, Recorder

S = TypeVar("S", bound=Session)


class Stopped(Exception):
    """Ends a check early. Subclasses say what that means."""


class Broken(Stopped):
    """A claim without which the rest of the check has no sense did not hold; the violation is recorded."""


@dataclass
class Inconclusive(Stopped):
    """The claim could not be judged."""

    reason: Reason
    detail: str
    records: tuple[int, ...] = ()


@dataclass
class NotApplicable(Stopped):
    """The target does not claim what the check is about; `records` show its absence."""

    detail: str
    records: tuple[int, ...] = ()


@dataclass(slots=True)
class Ledger:
    """What the expectations of one case found, by requirement."""

    violations: list[Violation] = field(default_factory=list)
    notes: list[Violation] = field(default_factory=list)
    exercised: set[str] = field(default_factory=set)
    waived: dict[str, str] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Lab(Generic[S]):
    """One case at work, with sessions of its protocol. Durations are in seconds and already scaled by the tempo."""

    case: Case
    berth: Berth
    recorder: Recorder
    tasks: TaskGroup
    ledger: Ledger = field(default_factory=Ledger)
    effects: Effects = field(init=False)
    declared_faults: list[Fault] = field(default_factory=list)
    firings: dict[Fault, int] = field(default_factory=dict)
    deaths: list[int] = field(default_factory=list)
    server: Server | None = None
    hooks: list[tuple[Hook, tuple[Act, ...]]] = field(default_factory=list)
    _firing: Pulse = field(default_factory=Pulse)
    _receiver: Receiver | None = None
    _ends: list[S] = field(default_factory=list)
    _release: Callable[[], Awaitable[None]] | None = None

    def __post_init__(self) -> None:
        self.effects = Effects(self.berth, self.case.column, self.recorder)

    @property
    def version(self) -> str:
        return self.case.column.version

    @property
    def binding(self) -> str:
        return self.case.column.binding

    @property
    def over_http(self) -> bool:
        return self.binding != PIPES

    @property
    def tempo(self) -> Tempo:
        return self.berth.tempo

    @property
    def spoken(self) -> Spoken:
        """What the target claims in this column."""
        found = self.berth.claims.find(self.version, self.binding)
        return found or Spoken(self.version, self.binding, {}, 0)

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]:
        """The headers of the principals that the target's owner gave, by name."""
        return self.berth.target.identities

    @property
    def claimed(self) -> Mapping[str, Any]:
        """What the target declared of itself in this column: the initialize or discover result, the agent card."""
        return self.spoken.server

    def declares(self, feature: Feature) -> bool:
        return self.spoken.declares(feature)

    @property
    def histories(self) -> Histories:
        """The records of this case so far, as a monitor gets those of a run."""
        return {self.case.id: self.recorder.records}

    @property
    def claim_record(self) -> int:
        """The record in which the target declared its capabilities."""
        return self.spoken.record

    # Sessions

    @asynccontextmanager
    async def session(
        self,
        *faults: Fault,
        version: str | None = None,
        binding: str | None = None,
        capabilities: Mapping[str, Any] | None = None,
        replies: Replies | None = None,
        identity: str = "",
        headers: Mapping[str, str | None] | None = None,
        replicas: int = 2,
        resuming: S | None = None,
        opened: bool = True,
        ambient: bool = True,
    ) -> AsyncIterator[S]:
        """A session with the target, through `faults`. Leaving it abandons its sockets.

        Plain and in a check of isolation `shared` it is a lent one. `opened` false: nothing is sent yet. The malign
        faults that surround the run come before the others.
        `ambient` false: the benign faults around the run are left out, for a check that itself sets what they would.
        `replicas` is how many servers a `round_robin` among the faults hands requests to.
        `resuming` continues where another session stands (MCP over HTTP, older era: under its id). `version` and
        `binding` are those of the column unless others are named.
        Raises Inconclusive when no session can be opened.
        """
        rig = Rig(
            faults=(*self.berth.malign, *faults),
            capabilities=capabilities or {},
            replies=replies or {},
            identity=identity,
            headers=headers or {},
            replicas=replicas,
            heeds=not self.case.check.limits,
            ambient=ambient,
        )
        own = version is not None or binding is not None or resuming is not None or not opened or not rig.plain
        lent = self.case.check.isolation is Isolation.SHARED and not own
        place = version or self.version, binding or self.binding
        async with self._lent() if lent else self._own(rig, place, resuming, opened) as session:
            yield session

    @asynccontextmanager
    async def _lent(self) -> AsyncIterator[S]:
        """The session that the checks of this column share."""
        async with self.berth.lent(self.case.column, self.recorder) as lent:
            session = cast(S, lent)
            try:
                yield session
            finally:
                self._watch(session)

    @asynccontextmanager
    async def _own(self, rig: Rig, place: tuple[str, str], resuming: S | None, opened: bool) -> AsyncIterator[S]:
        """A session that nobody else has. `place`: version and binding."""
        self.declared_faults += rig.faults
        server = await self._server()
        made = await self.berth.session(*place, self.recorder, self.tasks, rig, self._fired, server)
        session = cast(S, made)
        try:
            await self._begin(session, resuming, opened)
            yield session
        finally:
            self._watch(session)
            self._ends.append(session)
            await session.aclose()

    async def _begin(self, session: S, resuming: S | None, opened: bool) -> None:
        if resuming is not None:
            session.take_over(resuming)
        elif opened:
            outcome = await self.berth.begun(session)
            if not isinstance(outcome, Answer):
                raise Inconclusive(Reason.TARGET_UNHEALTHY, "no session could be opened", cited(outcome))

    def _watch(self, session: S) -> None:
        """Note a process that ended although nobody asked it to."""
        death = session.carrier.death
        if death and not any(fault.fatal for fault in self.firings):
            told = {name: value for name, value in death.items() if name != "operation"}
            self.deaths.append(self.recorder.note(Kind.PROCESS, death["operation"], event="exited", **told))

    async def _server(self) -> Server | None:
        """The server that this case may break: one of its own for isolation `process` where one can be had, and where
        the faults around the run do something to servers."""
        breaking = any(isinstance(fault, ServerFault) for fault in self.berth.malign)
        alone = (self.case.check.isolation is Isolation.PROCESS or breaking) and self.berth.target.spawnable
        if self.over_http and alone and self.server is None:
            self.server, self._release = await held(self.berth.target.server(), self.tasks)
        return self.server

    async def hook(self, *acts: Act, name: str = "", program: Program | None = None, alone: bool = False) -> Hook:
        """A webhook of ours that answers deliveries as `acts` say, in order, the last one again and again.

        Without acts it takes everything. A check whose acts never disturbed a delivery is INCONCLUSIVE.
        """
        if self._receiver is None:
            target = self.berth.target
            self._receiver = Receiver(target.network, self.recorder, self.tasks, host=target.webhook_host)
        hook = await self._receiver.hook(*acts, name=name, program=program, alone=alone)
        self.hooks.append((hook, acts))
        return hook

    @property
    def unfired(self) -> list[str]:
        """Declared faults, and acts of webhooks, that did not take effect although they were to disturb something."""
        malign = dict.fromkeys(fault for fault in self.declared_faults if not fault.benign)
        faults = [str(fault) for fault in malign if fault not in self.firings]
        disturbing = ((hook, [act for act in acts if not act.benign]) for hook, acts in self.hooks)
        return faults + [str(acts[0]) for hook, acts in disturbing if acts and not hook.firings]

    def _fired(self, fault: Fault, where: str) -> None:
        record = self.recorder.note(Kind.FIRED, where, fault=str(fault))
        self.firings.setdefault(fault, record)
        self._firing.beat()

    async def fires(self, fault: Fault) -> bool:
        """Wait until a fault takes effect. False when it has not in the time that a plain request may take."""
        return bool(await self._firing.until(lambda: fault in self.firings or None, self.tempo.answer))

    # Saying what was expected

    def expect(self, found: Violation | Iterable[Violation] | None, requirement: str | None = None) -> bool:
        """Record what a judge found and go on. True when nothing was found. See `row` for `requirement`."""
        row = self.row(requirement)
        self.ledger.exercised.add(row.id)
        violations = [found] if isinstance(found, Violation) else list(found or ())
        self.ledger.violations += [_of(violation, row.id) for violation in violations]
        return not violations

    def require(self, found: Violation | Iterable[Violation] | None, requirement: str | None = None) -> None:
        """Like `expect`, and end the check when the claim did not hold."""
        if not self.expect(found, requirement):
            raise Broken

    def row(self, requirement: str | None = None) -> Requirement:
        """The row of this column that a requirement id means: itself, or the variant (.early, .modern) that holds here.

        None means the only row of the case.
        """
        if requirement is None:
            assert len(self.case.rows) == 1, f"{self.case.check.id} has several rows here: say which one is meant"
            return self.case.rows[0]
        exact = [row for row in self.case.rows if row.id == requirement]
        found = exact or [row for row in self.case.rows if row.family == requirement]
        assert found, f"{self.case.check.id} has no row {requirement} in {self.case.column}"
        return found[0]

    def holds(self, requirement: str) -> bool:
        """Does a row of this id (or of its family) hold in this column?"""
        return any(requirement in (row.id, row.family) for row in self.case.rows)

    def note(self, text: str, *evidence: Outcome | int | None, expected: str = "") -> None:
        """Tell the reader something that changes no verdict."""
        self.ledger.notes.append(Violation(expected, text, cited(*evidence)))

    def waive(self, detail: str, requirement: str | None = None) -> None:
        """A part of the probe cannot be played here although the rest can; say why."""
        self.ledger.waived[self.row(requirement).id] = detail

    def inconclusive(self, reason: Reason, detail: str, *evidence: Outcome | int | None) -> NoReturn:
        raise Inconclusive(reason, detail, cited(*evidence))

    def not_applicable(self, detail: str, *evidence: Outcome | int | None) -> NoReturn:
        """The target does not claim this; name the record that shows it."""
        raise NotApplicable(detail, cited(*evidence))

    def need(self, outcome: Outcome, what: str = "a plain request") -> Answer:
        """The answer to a request that is only a means. Raises Inconclusive when there is none."""
        if isinstance(outcome, Answer):
            return outcome
        raise Inconclusive(Reason.STIMULUS_FAILED, f"{what} was not answered", cited(outcome))

    async def answers_at(self, host: str, port: int) -> bool:
        """Does anybody accept a connection at this address and port?"""
        await self.berth.pace.admit()
        with anyio.move_on_after(self.tempo.answer):
            try:
                stream = await self.berth.target.network.connect(host, port)
            except OSError:
                return False
            await stream.aclose()
            return True
        return False

    async def survives(self, session: S) -> None:
        """A session that stops answering because of what it was sent is a finding, whatever the level of the row."""
        outcome = await session.fence()
        if not isinstance(outcome, Answer):
            actual = "it does not answer a plain request any more"
            self.ledger.violations.append(Violation("the target serves on", actual, cited(outcome)))

    # Time

    async def quiet(self, seconds: float | None = None) -> None:
        """A declared quiet window: time in which something must NOT come. Default: the tempo's."""
        await anyio.sleep(self.tempo.quiet if seconds is None else self.tempo.scaled(seconds))

    async def until(self, moment: float) -> None:
        """Wait for a moment planned by the run's clock: the end of a stimulus, the offset of a race."""
        await anyio.sleep(max(0.0, moment - anyio.current_time()))

    # The end of a case

    async def aclose(self) -> None:
        """End the sessions of this case properly, whatever state they are in."""
        with anyio.CancelScope(shield=True), anyio.move_on_after(5):
            await self._end_sessions()
            if self._receiver is not None:
                await self._receiver.aclose()
            if self._release is not None:
                await self._release()

    async def _end_sessions(self) -> None:
        lasting = {session.lasting: session for session in self._ends if session.lasting}
        for session in lasting.values():
            if self.server is None:
                await self.berth.farewell(session, self.tasks)


def _of(violation: Violation, requirement: str) -> Violation:
    return Violation(violation.expected, violation.actual, violation.records, requirement, violation.soft)
