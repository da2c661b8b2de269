"""The cases of a run with one target: planned, run concurrently, healed after, and judged as a whole by monitors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import anyio

from .berth import Berth
from .events import CaseStarted
from .judge.operations import Histories, History
from .logbook import Logbook
from .matrix import repeated
from .model import Case, Column, Isolation, Reason, Result, Role, Suite, Verdict, Violation
from .options import Options
from .planning import Equipment, plan, played_by
from .protocols.driver import PIPES
from .protocols.exchange import Pulse
from .reach import reach
from .target import StartFailure
from .transcript import Kind, Record, Recorder
from .trial import run_case


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

    async def chart(self) -> tuple[Case, ...]:
        """Reach the target, find out what it speaks, and plan. Raises Unreachable."""
        await reach(self.berth, self.options)
        return self._plan()

    def _plan(self) -> tuple[Case, ...]:
        target, claims = self.berth.target, self.berth.claims
        equipment = Equipment(
            self.berth.stimuli,
            len(target.identities),
            target.spawnable,
            target.spawnable or bool(target.replicas),
            self.berth.barred,
            self.berth.terms.gentle,
            self.berth.malign,
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
