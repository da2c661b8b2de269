"""A run: discover, plan, run the cases concurrently, judge the monitors, and tell everybody as it happens."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace

import anyio

from .berth import Berth, Rig, Unfit
from .care import consider, inspect
from .chance import Chance
from .claims import Claims
from .conduct import Conduct
from .events import CaseStarted
from .faults import benign_profile
from .judge.operations import Histories, History
from .logbook import Emit, Logbook
from .matrix import Policy, repeated
from .model import Case, Column, Isolation, Reason, Result, Role, Suite, Verdict, Violation
from .pace import Withheld
from .planning import Equipment, Selection, Shard, plan, played_by
from .protocols import driver_of, names
from .protocols.driver import PIPES, Inquiry, Session
from .protocols.exchange import Pulse
from .protocols.outcome import Outcome
from .redaction import redactor
from .target import StartFailure, Target
from .tempo import Tempo
from .transcript import Kind, Record, Recorder, Redactor, Transcript
from .trial import run_case


class Unreachable(Exception):
    """The target cannot be reached or does not speak the protocol: one finding for the whole run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a run was asked to do. `versions` and `bindings` empty: whatever the target speaks.

    `repeat`: so often is each case run. `shard`: only this part of the cases. `first`: ids of the cases that begin.
    `maxfail`: no case begins after so many failures in the eyes of `policy`; 0: all do. `conduct`: how the target is
    treated.
    """

    seed: int = 0
    tempo: float = 1.0
    profile: str = "none"
    versions: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()
    concurrency: int = 8
    selection: Selection = field(default_factory=Selection)
    repeat: int = 1
    shard: Shard | None = None
    first: frozenset[str] = frozenset()
    maxfail: int = 0
    policy: Policy = field(default_factory=Policy)
    conduct: Conduct = field(default_factory=Conduct)


Sink = Callable[[str], None]


async def run(
    target: Target | Sequence[Target], suites: Sequence[Suite], options: Options, emit: Emit, sink: Sink | None = None
) -> tuple[Result, ...]:
    """Run every selected case of a target, or of several one after the other, and emit what happens.

    `sink` gets the evidence, one JSON line per record. A target that cannot be reached, or that speaks none of the
    versions, is the failure that RunFinished tells beside the results of the others; raises Unreachable where none can.
    When cancelled, RunFinished is still emitted, with `complete` false.
    """
    targets = (target,) if not isinstance(target, Sequence) else tuple(target)
    unreachable: Unreachable | None = None
    results: tuple[Result, ...] = ()
    async with embarked(targets, suites, options, emit, sink) as fleet:
        try:
            results = await fleet.sail()
        except Unreachable as error:
            unreachable = error
    if unreachable:
        raise unreachable
    return results


@asynccontextmanager
async def embarked(
    targets: Sequence[Target], suites: Sequence[Suite], options: Options, emit: Emit, sink: Sink | None = None
) -> AsyncIterator[Fleet]:
    """Open targets with one transcript and one logbook, for who runs cases one by one. See `run` for the arguments."""
    begun = anyio.current_time()
    clean = redactor(targets)
    transcript = Transcript(lambda: anyio.current_time() - begun, clean, sink)
    logbook = Logbook(emit, clean, begun, options.policy.fails, options.maxfail)
    async with AsyncExitStack() as stack:
        voyages = [
            await stack.enter_async_context(_aboard(each, suites, options, transcript, logbook)) for each in targets
        ]
        yield Fleet(tuple(voyages), options, logbook)


@asynccontextmanager
async def _aboard(
    target: Target, suites: Sequence[Suite], options: Options, transcript: Transcript, logbook: Logbook
) -> AsyncIterator[Voyage]:
    """An open target, and everything of it closed again."""
    ambient = benign_profile() if options.profile == "benign" else ()
    tempo = Tempo(options.tempo, 0.5 if ambient else 0.0)
    first = driver_of(target.protocol or names(target.listens)[0])
    async with target.open(), anyio.create_task_group() as tasks:
        berth = Berth(target, first, tempo, Chance(options.seed), transcript, tasks, ambient)
        try:
            yield Voyage(berth, suites, options, logbook)
        finally:
            with anyio.CancelScope(shield=True):
                await berth.cast_off()
            tasks.cancel_scope.cancel()


@dataclass(frozen=True, slots=True)
class Fleet:
    """The voyages of one run, one per target."""

    voyages: tuple[Voyage, ...]
    options: Options
    logbook: Logbook

    async def sail(self) -> tuple[Result, ...]:
        """First what all targets speak, then their cases."""
        planned, failure = await self._charted()
        self.begin(tuple(case for _, cases in planned for case in cases))
        complete = False
        try:
            for voyage, cases in planned:
                await voyage.sail(cases)
            complete = True
        finally:
            results = self.logbook.finish(complete, failure)
        return results

    async def _charted(self) -> tuple[list[tuple[Voyage, tuple[Case, ...]]], str]:
        """The voyages whose targets were reached, with their cases, and why the others were not.

        Raises Unreachable when none was.
        """
        planned, failures = list[tuple[Voyage, tuple[Case, ...]]](), list[str]()
        for voyage in self.voyages:
            try:
                planned.append((voyage, await voyage.chart()))
            except Unreachable as error:
                failures.append(f"{voyage.berth.target.name}: {error}" if len(self.voyages) > 1 else str(error))
        if not planned:
            raise Unreachable("; ".join(failures))
        return planned, "; ".join(failures)

    def begin(self, cases: tuple[Case, ...]) -> None:
        """Tell everybody which cases are run, and how. The targets have been reached."""
        options, listed = self.options, ("versions", "bindings")
        asked = {name: getattr(options, name) for name in ("profile", "tempo", "concurrency")}
        asked |= {name: list(getattr(options, name)) for name in listed}
        asked |= {"repeat": options.repeat} if options.repeat > 1 else {}
        asked |= {"selected": True} if options.selection != Selection() else {}
        if options.shard:
            asked |= {"shard": str(options.shard), "planned": sum(voyage.planned for voyage in self.voyages)}
        if care := {voyage.berth.target.name: text for voyage in self.voyages if (text := str(voyage.berth.terms))}:
            asked |= {"care": care}
        rows = {row.id: row for suite in self.voyages[0].suites for row in suite.requirements}
        spoken = [(voyage.berth.target, voyage.berth.claims) for voyage in self.voyages]
        self.logbook.begin(spoken, cases, rows, options.seed, asked)


@dataclass(slots=True, eq=False)
class Voyage:
    """The state of a run with one target."""

    berth: Berth
    suites: Sequence[Suite]
    options: Options
    logbook: Logbook
    histories: dict[Column, dict[str, list[Record]]] = field(default_factory=dict)
    planned: int = 0
    """So many cases has the whole run with this target, other shards included."""
    lost: str = ""
    generation: int = 0
    under_way: set[str] = field(default_factory=set)
    """Ids of the cases that talk to the target at the moment, second attempts aside."""
    _landed: Pulse = field(default_factory=Pulse)
    _healing: anyio.Lock = field(default_factory=anyio.Lock)
    _judged: dict[Column, Histories] = field(default_factory=dict)
    _probes: list[Session] = field(default_factory=list)

    @property
    def redactor(self) -> Redactor:
        return self.berth.transcript.redactor

    async def chart(self) -> tuple[Case, ...]:
        """Reach the target, find out what it speaks, and plan. Raises Unreachable."""
        failures: list[BaseException] = []
        try:
            await self.berth.moor()
            await consider(self.berth, self.options.conduct)
            self.berth.claims = await self._discover()
            await inspect(self.berth)
        except* (StartFailure, Withheld, Unfit) as group:
            failures += group.exceptions
        if failures:
            raise Unreachable(self.redactor.text(str(failures[0])))
        return self._plan()

    # Before the cases

    async def _discover(self) -> Claims:
        """What the target speaks; of its own protocol, or of the first in which it answers."""
        target, reasons = self.berth.target, list[str]()
        for name in self._protocols():
            self.berth.driver = driver_of(name)
            claims, why = await self._claimed()
            if claims.spoken:
                return claims
            reasons.append(why)
        whole = f"{target.address} {'; '.join(dict.fromkeys(reasons)) or 'has a protocol without these versions'}"
        raise Unreachable(self.redactor.text(whole))

    def _protocols(self) -> list[str]:
        """The target's own, or those that it may speak: with a version that is asked for."""
        target, asked = self.berth.target, set(self.options.versions or self.berth.target.versions)
        known = (target.protocol,) if target.protocol else names(target.listens)
        return [name for name in known if not asked or asked & set(driver_of(name).versions)]

    async def _claimed(self) -> tuple[Claims, str]:
        """What is spoken of the driver's protocol; where nothing is, why."""
        claims, why = Claims(), ""
        try:
            claims, failures = await self._asked()
            why = "" if claims.spoken else self.berth.driver.reason(failures)
        except* Withheld as group:
            why = f"cannot be asked what it speaks: {_first(group)}"
        return claims, why

    async def _asked(self) -> tuple[Claims, list[Outcome]]:
        """Everything that was wanted of the driver's protocol, asked for."""
        target, known = self.berth.target, self.berth.driver
        wanted = self.options.versions or target.versions or known.versions
        versions = [version for version in wanted if version in known.versions]
        bindings = self.options.bindings or target.bindings or known.bindings(target.listens)
        asked = Inquiry(
            tuple(dict.fromkeys(versions)),
            tuple(dict.fromkeys(bindings)),
            target.release,
            target.milestone,
            self.berth.stimuli,
            target.capabilities_url,
        )
        claims = Claims()
        try:
            claims, failures = await known.discover(asked, self._probe)
        finally:
            with anyio.CancelScope(shield=True):
                await self._keep_probes(claims)
        return claims, failures

    @asynccontextmanager
    async def _probe(self, version: str, binding: str) -> AsyncIterator[Session]:
        """A fresh session with nothing sent."""
        recorder = self.berth.recorder(Column(version, binding, self.options.profile), "discovery")
        session = await self.berth.session(
            version, binding, recorder, self.berth.tasks, lambda fault, where: None, Rig(), None
        )
        self._probes.append(session)
        yield session

    async def _keep_probes(self, claims: Claims) -> None:
        """The sessions of discovery that came to stand are lent to the cases; the others are closed."""
        async with anyio.create_task_group() as tasks:
            for session in self._probes:
                if claims.find(session.version, session.binding):
                    column = Column(session.version, session.binding, self.options.profile)
                    self.berth.pool.setdefault(column, []).append(session)
                else:
                    tasks.start_soon(session.aclose)
        self._probes.clear()

    def _plan(self) -> tuple[Case, ...]:
        target, claims = self.berth.target, self.berth.claims
        equipment = Equipment(
            self.berth.stimuli,
            len(target.identities),
            target.spawnable,
            target.spawnable or bool(target.replicas),
            self.berth.barred,
            self.berth.terms.gentle,
        )
        columns = [*claims.columns(self.options.profile)]
        if self.options.versions:
            columns += [Column(v, b, self.options.profile) for v, b in claims.refused]
        cases = plan(target.name, self.suites, claims, equipment, self.options.selection, columns)
        self.planned = len(cases)
        return self.options.shard.share(cases) if self.options.shard else cases

    # The cases

    async def sail(self, cases: Sequence[Case]) -> None:
        """Excluded ones at once, others together, those that need the target alone after them, then monitors.

        None begins when the logbook is full.
        """
        ready = [case for case in cases if not case.exclusion and not case.check.monitor]
        ready.sort(key=lambda case: case.id not in self.options.first)
        alone = [case for case in ready if self.needs_solitude(case)]
        for case in (case for case in cases if case.exclusion):
            await self.step(case)
        await self._together([case for case in ready if case not in alone])
        for case in (*alone, *(case for case in cases if case.check.monitor and not case.exclusion)):
            if not self.logbook.full:
                await self.step(case)

    async def step(self, case: Case, alone: bool = True) -> Result:
        """One case of any kind, as the logbook keeps it. `alone`: nobody else talks to the target now.

        A monitor judges what the cases before it have shown.
        """
        if case.exclusion:
            self.logbook.done(await run_case(case, self.berth, self._recorder(case)))
        elif case.check.monitor:
            self.logbook.emit(CaseStarted(case))
            self.logbook.done(await run_case(case, self.berth, self._recorder(case), self._histories(case.column)))
        else:
            await self._one(case, alone)
        return self.logbook.results[case.id]

    def needs_solitude(self, case: Case) -> bool:
        """Must nobody else be about? A witness without a key tells nobody's effects from another's."""
        killing = case.check.isolation is Isolation.PROCESS and not self.berth.target.spawnable
        witness = played_by(Role.WITNESS, case.column.binding, self.berth.stimuli)
        return killing or (Role.WITNESS in case.check.needs and witness is not None and not witness.keyed)

    async def _together(self, cases: Sequence[Case]) -> None:
        """Patient cases have places of their own, thrice as many, and the longest of them begin: they load nothing.

        Over stdio each brings a process with it, and stands in line with the others; where places are bounded for the
        sake of the target, all do.
        """
        places = self._places
        alike = places == 1 or self.berth.terms.concurrency is not None
        patience = {c.id: 0.0 if alike or c.column.binding == PIPES else c.check.patience for c in cases}
        waiting = [case for case in cases if patience[case.id]]
        waiting.sort(key=lambda case: (case.id not in self.options.first, -patience[case.id]))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._in_turn, waiting, 3 * places)
            tasks.start_soon(self._in_turn, [case for case in cases if not patience[case.id]], places)

    @property
    def _places(self) -> int:
        return min(self.options.concurrency, self.berth.terms.concurrency or self.options.concurrency)

    async def _in_turn(self, cases: Sequence[Case], places: int) -> None:
        limiter = anyio.CapacityLimiter(places)
        async with anyio.create_task_group() as tasks:
            for case in cases:
                await limiter.acquire_on_behalf_of(case.id)
                if self.logbook.full:
                    return
                tasks.start_soon(self._limited, limiter, case)

    async def _limited(self, limiter: anyio.CapacityLimiter, case: Case) -> None:
        try:
            await self._one(case, alone=self._places == 1)
        finally:
            limiter.release_on_behalf_of(case.id)

    async def _one(self, case: Case, alone: bool) -> None:
        """One case, as often as is wanted."""
        self.logbook.emit(CaseStarted(case))
        results = [await self._bracketed(case, alone) for _ in range(self.options.repeat)]
        self.logbook.done(repeated(results))

    async def _bracketed(self, case: Case, alone: bool) -> Result:
        """One case with its sanity bracket. When the target died meanwhile, it runs once more, alone."""
        async with self._healing:
            generation = self.generation
            self.under_way.add(case.id)
        try:
            result = await self._first(case)
        finally:
            self.under_way.discard(case.id)
            self._landed.beat()
        if not self.lost and (self._shaken(case, generation) or self._suspicious(case, result)):
            async with self._healing:
                if self._shaken(case, generation) or not await self._sound(case):
                    result = await self._again(case, result, alone)
        return result

    async def _first(self, case: Case) -> Result:
        if self.lost:
            return _unhealthy(case, self.lost)
        result = await self._attempt(case)
        if result.reason is Reason.RATE_LIMITED and not self.berth.pace.over:
            return await self._attempt(case)
        return result

    async def _sound(self, case: Case) -> bool:
        return case.id not in self.berth.spoiled and await self.berth.sound([case.column])

    def _shaken(self, case: Case, generation: int) -> bool:
        """Was the server of this case found dead since that generation?"""
        return case.column.binding != PIPES and generation != self.generation

    async def _again(self, case: Case, first: Result, alone: bool) -> Result:
        """The target died while this case ran: heal it, run the case alone, and blame it if it kills again.

        Where it stays away, only a case that was `alone` with it can be blamed.
        """
        await self._landed.until(lambda: None if self.under_way else True, math.inf)
        if self.lost or not await self._healed(case):
            return _blamed(first, self.lost) if alone else _unhealthy(case, self.lost)
        second = await self._attempt(case)
        if await self.berth.sound([case.column]):
            return second
        blamed = _blamed(second, "the target stopped answering after this case, twice")
        await self._healed(case)
        return blamed

    async def _healed(self, case: Case) -> bool:
        """Restart a target that we started; wait for another one. False, and `lost` is set, when it stays away."""
        if await self.berth.sound([case.column]):
            return True
        self.generation += 1
        try:
            if self.berth.target.spawnable:
                await self.berth.restart()
        except StartFailure as error:
            self.lost = str(error)
            return False
        for _ in range(10):
            if await self.berth.sound([case.column]):
                return True
            await anyio.sleep(self.berth.tempo.scaled(0.5))
        self.lost = f"the target has not answered since {case.id}"
        return False

    async def _attempt(self, case: Case) -> Result:
        recorder = self._recorder(case)
        result = await run_case(case, self.berth, recorder)
        seen = self.histories.setdefault(case.column, {})
        seen[case.id if case.id not in seen else f"{case.id} {len(seen)}"] = recorder.records
        self._judged.pop(case.column, None)
        return result

    def _histories(self, column: Column) -> Histories:
        """Every transcript of a column: its cases, and what was said beside them, as far as it has come."""
        if column not in self._judged:
            besides = {name: recorder.records for name, recorder in self.berth.besides.get(column, {}).items()}
            whole = {**besides, **self.histories.get(column, {})}
            self._judged[column] = {name: History(_asked_indeed(records)) for name, records in whole.items()}
        return self._judged[column]

    def _recorder(self, case: Case) -> Recorder:
        return self.berth.transcript.scope(case.id)

    @staticmethod
    def _suspicious(case: Case, result: Result) -> bool:
        """Could this case have harmed what others use, or been harmed? Over stdio only a lent process is shared."""
        lent = case.check.isolation is Isolation.SHARED
        shared = lent or (case.column.binding != PIPES and case.check.isolation is Isolation.SESSION)
        quiet = result.verdict in (Verdict.PASS, Verdict.NOT_APPLICABLE)
        plain = lent and not case.check.faults
        return shared and not (quiet and plain)


def _first(group: BaseExceptionGroup[Withheld]) -> BaseException:
    """The first exception in a group."""
    inner = group.exceptions[0]
    return _first(inner) if isinstance(inner, BaseExceptionGroup) else inner


def _asked_indeed(records: Sequence[Record]) -> list[Record]:
    """The records without those of requests that the target was not given to answer."""
    withheld = {record.operation for record in records if record.kind is Kind.WITHHELD}
    return [record for record in records if record.operation not in withheld]


def _unhealthy(case: Case, why: str) -> Result:
    return Result(case, Verdict.INCONCLUSIVE, Reason.TARGET_UNHEALTHY, why)


def _blamed(result: Result, why: str) -> Result:
    """At least WARN: the target does not survive this case."""
    verdict = result.verdict if result.verdict in (Verdict.FAIL, Verdict.ERROR) else Verdict.WARN
    found = Violation("the target answers a plain request after the case", why, result.records[-1:])
    return replace(result, verdict=verdict, reason=Reason.TARGET_UNHEALTHY, violations=(*result.violations, found))
