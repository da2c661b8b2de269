"""The search for a plan under which a target breaks a promise, made small and confirmed."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import TYPE_CHECKING

from ..faults import FIN, RESET, Fault, cut, events, octets
from ..model import Reason, Result, Verdict, Violation
from ..reach import Unreachable
from ..transcript import Kind, decode
from ..wire.json import dumps
from .course import course_of
from .draws import Extent, plans
from .regression import Regression

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

AGAIN = 3
"""So often is a plan that failed played again."""
_NUMBER = re.compile(r"\d+")


class Unplayable(Exception):
    """There is nothing to explore: the stimulus does not hold, or cannot be judged, without any fault."""


@dataclass(frozen=True, slots=True)
class Played:
    """The result of one play, and the lines of its evidence."""

    result: Result
    lines: Sequence[str] = ()

    @property
    def broken(self) -> Violation | None:
        """What is reported of it: the first thing that did not hold."""
        found = self.result.verdict in (Verdict.FAIL, Verdict.WARN) and self.result.violations
        return found[0] if found else None

    @property
    def invariant(self) -> str:
        """What did not hold, whatever the numbers and the contents in it are; "" where everything did."""
        return _NUMBER.sub("N", self.broken.expected.partition(":")[0]) if self.broken else ""


Play = Callable[[Regression, int], Played]
"""Plays a regression against a fresh target, under a seed."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A minimal plan, what it broke, and in how many of how many further plays it did so again."""

    regression: Regression
    violation: Violation
    again: int
    of: int

    @property
    def steady(self) -> bool:
        return self.again == self.of


@dataclass(slots=True)
class Search:
    """Plays drawn plans, each once. `subject` is what is played, without faults, and `extent` what it shows then.
    Seconds are real ones."""

    subject: Regression
    extent: Extent
    play: Play
    seed: int
    examples: int = 100
    seconds: float = 60.0
    told: Callable[[Search], None] = lambda search: None
    clock: Callable[[], float] = time.monotonic
    played: dict[tuple[Fault, ...], Played] = field(default_factory=dict)
    sought: str = ""
    """The invariant that was broken first: while a plan is made smaller, it stays this one."""
    _until: float = 0.0
    _stopped: Exception | None = None

    @property
    def verdicts(self) -> Counter[Verdict]:
        return Counter(each.result.verdict for each in self.played.values())

    @property
    def unjudged(self) -> Counter[str]:
        """Why plays could not be judged; which faults never fired is told by the reason alone."""
        found = (each.result for each in self.played.values() if each.result.verdict is Verdict.INCONCLUSIVE)
        never = Reason.FAULT_NEVER_FIRED
        return Counter(result.detail if result.reason is not never else "a fault never fired" for result in found)

    def run(self) -> Finding | None:
        """The smallest plan found in the time, confirmed; None where every play held.

        Raises Unplayable, and Unreachable when the target is gone.
        """
        from hypothesis import HealthCheck, Phase, find, settings
        from hypothesis.errors import NoSuchExample

        self._until = self.clock() + self.seconds
        asked = settings(
            max_examples=self.examples,
            database=None,
            deadline=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
        )
        try:
            minimal = find(self._drawn(), self._fails, settings=asked, random=Random(self.seed))
        except NoSuchExample:
            minimal = ()
        if self._stopped:
            raise self._stopped
        return self._confirmed(self._simplest(minimal)) if minimal else None

    def _drawn(self) -> SearchStrategy[tuple[Fault, ...]]:
        column = self.subject.column
        exchanges = course_of(self.subject.protocol).exchanges(self.extent.method, column)
        return plans(self.extent, exchanges, column.binding)

    def _fails(self, plan: tuple[Fault, ...]) -> bool:
        """Does the target break the promise that is sought? A plan that was not played in time does not count."""
        if plan not in self.played and not self._plays(plan):
            return False
        invariant = self.played[plan].invariant
        self.sought = self.sought or invariant
        return bool(invariant) and invariant == self.sought

    def _plays(self, plan: tuple[Fault, ...]) -> bool:
        """Play it, if there is time left. What makes all further plays senseless ends the search."""
        if self._stopped or self.clock() >= self._until:
            return False
        try:
            played = self.play(replace(self.subject, plan=plan), self.seed)
        except Unreachable as gone:
            self._stopped = gone
            return False
        if played.result.reason is Reason.UNSAFE:
            self._stopped = Unplayable(played.result.detail)
            return False
        self.played[plan] = played
        self.told(self)
        return True

    def _simplest(self, plan: tuple[Fault, ...]) -> tuple[Fault, ...]:
        """One fault in place of several, and whole events in place of bytes, where that fails too."""
        while better := next(filter(self._fails, _simpler(plan, self.extent)), None):
            plan = better
        return plan

    def _confirmed(self, plan: tuple[Fault, ...]) -> Finding:
        """The plan played again, each time under another seed, so that chance has its say."""
        violation = self.played[plan].broken
        assert violation is not None
        seeds = [self.seed + number for number in range(1, AGAIN + 1)]
        again = sum(self.play(replace(self.subject, plan=plan), seed).invariant == self.sought for seed in seeds)
        told = f"{again} of {AGAIN}"
        found = replace(self.subject, plan=plan, invariant=violation.expected, failed=told)
        return Finding(found, violation, again, AGAIN)


def _simpler(plan: tuple[Fault, ...], extent: Extent) -> Iterator[tuple[Fault, ...]]:
    """What hypothesis does not try, because more than one thing changes at once."""
    if len(plan) > 1:
        yield from ((fault,) for fault in _at_events(plan[0], extent))
    for place, fault in enumerate(plan):
        if isinstance(fault.after, octets):
            yield from ((*plan[:place], other, *plan[place + 1 :]) for other in _at_events(fault, extent))


def _at_events(fault: Fault, extent: Extent) -> Iterator[Fault]:
    """The fault behind each whole event, in its simplest forms first."""
    for number in range(1, extent.events + 1):
        moved = replace(fault, after=events(number))
        if not isinstance(moved, cut):
            yield moved
            continue
        for how in dict.fromkeys((RESET, FIN, moved.how)):
            yield replace(moved, how=how)


def extent(lines: Sequence[str], case: str) -> Extent:
    """What one case showed: read from its evidence."""
    records = [record for name, record in map(decode, lines) if name == case]
    method = next((str(r.data["method"]) for r in records if r.kind is Kind.STIMULUS), "")
    count, size = Counter[str](), Counter[str]()
    for record in records:
        if record.kind is Kind.EVENT or "event_id" in record.data:
            count[record.operation] += 1
        if record.kind in (Kind.EVENT, Kind.RECEIVED):
            size[record.operation] += len(dumps(record.data.get("message", record.data)))
    resumable = any(record.data.get("event_id") for record in records)
    return Extent(method, max(count.values(), default=0), max(size.values(), default=0), resumable)
