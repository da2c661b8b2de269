"""What a reporter is, and what the reporters that write at the end share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TextIO

from seatrial import BaselineProblem, CaseFinished, Event, Place, Reason, Result, RunFinished, RunStarted, Verdict


class Reporter(Protocol):
    """Consumes the events of one run. It is made with an open text stream, which it does not close.

    `close` is called exactly once, also after an interruption, and must leave a complete report.
    """

    def handle(self, event: Event) -> None: ...

    def close(self) -> None: ...


@dataclass(slots=True)
class Run:
    """What is known of a run so far."""

    started: RunStarted = field(default_factory=lambda: RunStarted("", "", 0, (), {}))
    finished: RunFinished | None = None
    _results: dict[str, Result] = field(default_factory=dict)

    def take(self, event: Event) -> None:
        match event:
            case RunStarted():
                self.started = event
            case CaseFinished(result=result):
                self._results[result.case.id] = result
            case RunFinished():
                self.finished = event
                self._results |= {result.case.id: result for result in event.results}

    @property
    def results(self) -> tuple[Result, ...]:
        """One per case, in the planned order."""
        planned = [case.id for case in self.started.cases]
        place = {case: number for number, case in enumerate(planned)}
        return tuple(sorted(self._results.values(), key=lambda r: place.get(r.case.id, len(place))))

    @property
    def complete(self) -> bool:
        return self.finished is not None and self.finished.complete

    @property
    def failure(self) -> str:
        return self.finished.failure if self.finished else ""

    @property
    def problems(self) -> tuple[BaselineProblem, ...]:
        """The entries of the baseline that fail the run."""
        return self.finished.baseline if self.finished else ()

    @property
    def stopped(self) -> str:
        """Why the run ended itself before its time, "" when it did not."""
        return self.finished.stopped if self.finished else ""

    @property
    def seconds(self) -> float:
        return self.finished.seconds if self.finished else sum(r.seconds for r in self._results.values())

    @property
    def outcome(self) -> str:
        """What to say of a run that has not judged all its cases; "" of one that has."""
        if self.failure or self.complete:
            return self.failure or ("" if self._results else "nothing was run: no case that was asked for applies")
        judged = sum(result.reason is not Reason.INTERRUPTED for result in self._results.values())
        total = len(self.started.cases)
        return f"{self.stopped or 'interrupted'}: {total - judged} of {total} cases were not judged"


def counts(results: Iterable[Result]) -> dict[Verdict, int]:
    """How often each verdict was given, every verdict named."""
    found = dict.fromkeys(Verdict, 0)
    for result in results:
        found[result.verdict] += 1
    return found


def places(results: Sequence[Result]) -> tuple[Place, ...]:
    """The columns of the matrix: by target as they occur, then in the order of version, binding and profile."""
    targets = list(dict.fromkeys(result.case.target for result in results))

    def order(place: Place) -> tuple[int, str, str, str]:
        return targets.index(place.target), place.column.version, place.column.binding, place.column.profile

    return tuple(sorted({result.case.place for result in results}, key=order))


def headings(places: Sequence[Place]) -> tuple[tuple[str, ...], ...]:
    """What to say of each column of the matrix: the target where there are several, version, binding and profile."""
    several = len({place.target for place in places}) > 1
    return tuple(_heading(place, several) for place in places)


def _heading(place: Place, several: bool) -> tuple[str, ...]:
    column = place.column
    profile = () if column.profile == "none" else (column.profile,)
    return (*((place.target,) if several else ()), column.version, column.binding, *profile)


def surroundings(started: RunStarted) -> list[str]:
    """The faults of the plan that surrounded the run, as texts; those of `benign` are always the same."""
    return [] if started.options.get("profile") == "benign" else [*started.options.get("faults", ())]


class WholeReporter(ABC):
    """A reporter whose format can only be written when everything is known."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._run = Run()

    def handle(self, event: Event) -> None:
        self._run.take(event)

    def close(self) -> None:
        self._out.write(self.render(self._run))
        self._out.flush()

    @abstractmethod
    def render(self, run: Run) -> str:
        """The whole report, with its final newline."""
