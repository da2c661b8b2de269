"""The run behind the items: targets stay open, and cases are run when pytest comes to them."""

from __future__ import annotations

import fcntl
from collections.abc import AsyncIterator, Iterator, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace

import anyio

from ..engine import Fleet, Voyage, embarked
from ..events import BaselineProblem, CaseFinished, Event, RunStarted
from ..model import Case, Result
from ..target import attach
from .asked import Asked
from .records import Records
from .thread import TrioThread


@dataclass(slots=True, eq=False)
class Passage:
    """Cases of one session of pytest, or of one worker of xdist.

    A worker is told its cases one after the other, and runs them so. Otherwise all that are selected begin together
    with the first, as `seatrial run` has them, and each item waits for its own.
    """

    asked: Asked
    thread: TrioThread
    started: RunStarted = field(default_factory=lambda: RunStarted("", "", 0, (), {}))
    cases: tuple[Case, ...] = ()
    absent: dict[str, str] = field(default_factory=dict)
    """Targets that could not be reached beside others that could, and why."""
    _records: Records = field(init=False)
    _fleet: Fleet | None = None
    _selected: tuple[Case, ...] = ()
    _awaited: dict[str, Future[Result]] = field(default_factory=dict)
    _under_way: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self._records = Records(self.asked)

    # Before the first case

    def plan(self) -> tuple[Case, ...]:
        """Reach the targets: every case that there is, in the order in which they are best run. Raises Unreachable."""
        if self._fleet is None:
            targets = [attach(config) for config in self.asked.ways]
            boarding = embarked(targets, self.asked.suites, self.asked.options, self._hear, self._records.keep)
            self._fleet = self.thread.enter(boarding)
            self.cases = self.thread.call(self._chart, self._fleet)
        return self.cases

    async def _chart(self, fleet: Fleet) -> tuple[Case, ...]:
        reached, self.absent = await fleet.charted()
        planned = [case for _, cases in reached for case in cases]
        fleet.begin(tuple(planned))
        return tuple(sorted(planned, key=self._place))

    def _place(self, case: Case) -> int:
        """Cases that others disturb come after these, and those that judge all others at the end."""
        if case.check.monitor:
            return 2
        return int(not case.exclusion and self._voyage(case).needs_solitude(case))

    def _voyage(self, case: Case) -> Voyage:
        assert self._fleet is not None
        return next(v for v in self._fleet.voyages if v.berth.target.name == case.target)

    def _depart(self, selected: Sequence[Case]) -> None:
        """Begin the cases, and those whose traffic a monitor wants to see too. Raises Refused."""
        chosen = {case.id for wanted in selected for case in (*self._traffic(wanted), wanted)}
        self._selected = tuple(case for case in self.cases if case.id in chosen)
        self._records.begin(self.started, len(chosen), len(chosen) == len(self.cases))
        if not self.asked.worker:
            self._awaited = {case.id: Future() for case in self._selected}
            self._under_way.enter_context(self.thread.plain(self._sailing()))

    def _traffic(self, case: Case) -> Iterator[Case]:
        """The cases that a monitor watches."""
        for other in self.cases:
            if other.check.id in case.check.traffic and (other.target, other.column) == (case.target, case.column):
                yield other

    # The cases

    def result(self, case: Case, selected: Sequence[Case]) -> Result:
        """What became of a case: the first one begins all that are selected. A second time it is run again."""
        if not self._records.begun:
            self._depart(selected)
        if case.id in self._awaited:
            found = self._awaited[case.id].result()
            del self._awaited[case.id]
            return found
        assert self._fleet is not None
        for watched in self._traffic(case):
            if watched.id not in self._fleet.logbook.results:
                self._stepped(watched)
        return self._stepped(case)

    def _stepped(self, case: Case) -> Result:
        voyage = self._voyage(case)
        solitary = voyage.needs_solitude(case)
        with self._turn(voyage, solitary) as alone:
            result: Result = self.thread.call(voyage.step, case, alone)
        return result

    @contextmanager
    def _turn(self, voyage: Voyage, solitary: bool) -> Iterator[bool]:
        """Workers that share a target leave it to one of them where that one must be alone; whether it is.

        The file that describes the target stands for it.
        """
        if not self.asked.worker or voyage.berth.target.spawnable:
            yield True
            return
        with self.asked.place.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX if solitary else fcntl.LOCK_SH)
            yield solitary

    @asynccontextmanager
    async def _sailing(self) -> AsyncIterator[None]:
        """All selected cases under way; those that are not over at the end are left."""
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._sail)
            yield
            tasks.cancel_scope.cancel()

    async def _sail(self) -> None:
        assert self._fleet is not None
        try:
            for voyage in self._fleet.voyages:
                await voyage.sail([case for case in self._selected if self._voyage(case) is voyage])
        except Exception as error:
            for future in self._awaited.copy().values():
                if not future.done():
                    future.set_exception(error)

    def _hear(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.started = replace(event, options={**event.options, **self.asked.context})
            case CaseFinished(result=result) if result.case.id in self._awaited:
                self._awaited[result.case.id].set_result(result)

    # After the last case

    def conclude(self, selected: Sequence[Case]) -> tuple[BaselineProblem, ...]:
        """Leave what is still under way, and write the reports, if anything was run: what of the baseline is amiss.

        A worker that was given nothing says so: it is a part of the run nevertheless.
        """
        if self.asked.worker and selected and not self._records.begun:
            self._depart(selected)
        self._under_way.close()
        if not self._records.begun:
            return ()
        failure = "; ".join(self.absent.values())
        found: tuple[BaselineProblem, ...] = self.thread.call(
            self._records.conclude, self._fleet, self._selected, failure
        )
        return found
