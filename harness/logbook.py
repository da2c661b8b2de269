"""What a run tells while it goes on: its beginning, every result, its end."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from .claims import Claims
from .events import CaseFinished, Event, RunFinished, RunStarted
from .model import Case, Reason, Requirement, Result, Verdict, Violation
from .target import Target
from .transcript import Redactor

Emit = Callable[[Event], None]


@dataclass(slots=True, eq=False)
class Logbook:
    """The results of one run, whatever the number of its targets. `begun` is the time of its start.

    After `maxfail` results that are failures in the eyes of `fails` it is time to stop; 0: never.
    """

    emit: Emit
    redactor: Redactor
    begun: float
    fails: Callable[[Result], bool] = lambda result: False
    maxfail: int = 0
    results: dict[str, Result] = field(default_factory=dict)
    cases: tuple[Case, ...] = ()
    failed: int = 0

    @property
    def full(self) -> bool:
        """Did so much fail that no further case is to begin?"""
        return 0 < self.maxfail <= self.failed

    def begin(
        self,
        targets: Sequence[tuple[Target, Claims]],
        cases: tuple[Case, ...],
        rows: dict[str, Requirement],
        seed: int,
        options: Mapping[str, Any],
    ) -> None:
        """Say what will be run. Target and address are those of all targets, in order."""
        clean = self.redactor
        spoken = [spoken for _, claims in targets for spoken in claims.spoken]
        server = {f"{s.version},{s.binding}": clean.value(s.server) for s in spoken}
        name = ", ".join(dict.fromkeys(target.name for target, _ in targets))
        address = ", ".join(dict.fromkeys(clean.text(target.address) for target, _ in targets))
        self.cases = cases
        self.emit(RunStarted(name, address, seed, cases, rows, server, dict(options)))

    def done(self, found: Result) -> None:
        result = redacted(found, self.redactor)
        self.results[result.case.id] = result
        self.failed += self.fails(result)
        done, total = len(self.results), len(self.cases)
        spent = anyio.current_time() - self.begun
        remaining = spent / done * (total - done) if done >= 5 else None
        self.emit(CaseFinished(result, done, total, remaining))

    def finish(self, complete: bool, failure: str = "") -> tuple[Result, ...]:
        """Say that it is over: one result per case, in the planned order. `failure`: why some targets have none."""
        missing = [case for case in self.cases if case.id not in self.results]
        failures = f"{self.failed} failure{'s' if self.failed > 1 else ''}"
        stopped = f"stopped after {failures}" if complete and missing and self.full else ""
        for case in missing:
            detail = f"the run {stopped or 'was interrupted'}"
            self.results[case.id] = Result(case, Verdict.INCONCLUSIVE, Reason.INTERRUPTED, detail)
        results, spent = tuple(self.results.values()), anyio.current_time() - self.begun
        self.emit(RunFinished(results, spent, complete and not missing and not failure, failure, stopped))
        return tuple(self.results[case.id] for case in self.cases)


def redacted(result: Result, redactor: Redactor) -> Result:
    """Findings quote the target, who may repeat what it was told."""

    def clean(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
        return tuple(replace(v, expected=redactor.text(v.expected), actual=redactor.text(v.actual)) for v in found)

    detail, traceback = redactor.text(result.detail), redactor.text(result.traceback)
    cleaned = replace(result, detail=detail, traceback=traceback)
    return replace(cleaned, violations=clean(result.violations), notes=clean(result.notes))
