"""One case, from its body to its verdict. `run_case` is the only maker of verdicts."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import anyio

from .berth import Berth, Unfit
from .grading import graded
from .judge.operations import Histories
from .judge.traffic import Judgement
from .lab import Broken, Inconclusive, Lab, NotApplicable, Stopped
from .model import Case, Exclusion, Reason, Result, Verdict, Violation
from .pace import Withheld
from .target import StartFailure
from .transcript import Kind, Record, Recorder


@dataclass(frozen=True, slots=True)
class _End:
    """How a check's body ended."""

    reason: Reason | None = None
    detail: str = ""
    records: tuple[int, ...] = ()
    verdict: Verdict | None = None
    traceback: str = ""


async def run_case(case: Case, berth: Berth, recorder: Recorder, histories: Histories | None = None) -> Result:
    """Run one case to its verdict. Never raises for anything that the target does.

    `histories` are the transcripts of the column, for a monitor.
    """
    if case.exclusion is not None:
        return excluded(case, case.exclusion)
    if case.check.monitor:
        return monitored(case, berth, histories or {})
    begun = anyio.current_time()
    lab: Lab[Any] | None = None
    end = _End()
    try:
        async with at_work(case, berth, recorder) as lab:
            end = await _attempt(lab)
    except Exception as error:
        end = _crash(error)
    assert lab is not None
    result = judged(lab, end)
    if berth.pace.rested(begun) and not (case.check.limits or berth.malign):
        result = _limited(result)
    return replace(result, seconds=anyio.current_time() - begun)


@asynccontextmanager
async def at_work(case: Case, berth: Berth, recorder: Recorder) -> AsyncIterator[Lab[Any]]:
    """The lab of a case. When it is left, so is everything that was begun in it."""
    async with anyio.create_task_group() as tasks:
        lab = Lab[Any](case, berth, recorder, tasks)
        yield lab
        await lab.aclose()
        tasks.cancel_scope.cancel()


def verdict(lab: Lab[Any], stop: Exception | None = None) -> Result:
    """The verdict of a body that was run elsewhere: it returned, or raised one of STOPS."""
    return judged(lab, _ended(stop, lab) if stop else _End())


async def _attempt(lab: Lab[Any]) -> _End:
    """The end of the body of a check."""
    try:
        with anyio.fail_after(lab.tempo.case):
            await _played(lab)
    except Exception as error:
        return _ended(error, lab)
    return _End()


STOPS = (Stopped, Unfit, Withheld, StartFailure)
"""What ends a body without being a fault of its own."""


def _ended(error: Exception, lab: Lab[Any]) -> _End:
    """How a body ended that raised this: stopped, at the deadline, or in a crash of ours."""
    match error:
        case Broken():
            return _End()
        case Inconclusive():
            return _End(error.reason, error.detail, error.records, Verdict.INCONCLUSIVE)
        case NotApplicable():
            return _End(Reason.FEATURE_ABSENT, error.detail, error.records, Verdict.NOT_APPLICABLE)
        case Unfit() | Withheld():
            return _End(error.reason, error.detail, (), Verdict.INCONCLUSIVE)
        case StartFailure():
            return _End(Reason.TARGET_UNREACHABLE, str(error), (), Verdict.INCONCLUSIVE)
        case TimeoutError():
            why = f"the case was not over after {lab.tempo.case:.0f} s"
            return _End(Reason.DEADLINE, why, (), Verdict.INCONCLUSIVE)
        case _:
            return _crash(error)


async def _played(lab: Lab[Any]) -> None:
    """The body, whose parts may run at once: what ended one of them first ends the case."""
    try:
        await lab.case.check.body(lab)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from group


def _crash(error: Exception) -> _End:
    told = "".join(traceback.format_exception(error))
    return _End(Reason.CRASH, "Seatrial itself failed", (), Verdict.ERROR, told)


def monitored(case: Case, berth: Berth, histories: Histories) -> Result:
    """The verdict of a monitor: what it found in all transcripts of its column; nothing seen is no PASS."""
    spoken = berth.claims.find(case.column.version, case.column.binding)
    try:
        judgement: Judgement = case.check.body(histories, spoken)
    except Exception:
        return Result(case, Verdict.ERROR, Reason.CRASH, "Seatrial itself failed", traceback=traceback.format_exc())
    row = case.rows[0].id
    found = [v if v.requirement else replace(v, requirement=row) for v in judgement.violations]
    broken = tuple(v for v in found if graded(v, case.rows) is not Verdict.PASS)
    noted = tuple(v for v in found if v not in broken)
    if broken:
        return Result(
            case, Verdict.merge(graded(v, case.rows) for v in broken), None, "", broken, noted, _all_records(broken)
        )
    if not judgement.seen:
        return Result(case, Verdict.INCONCLUSIVE, Reason.NOTHING_SEEN, "the run showed nothing of this kind")
    return Result(case, Verdict.PASS, notes=noted)


def excluded(case: Case, exclusion: Exclusion) -> Result:
    """The verdict of a case that planning left out: absence in the target, or something the user did not give."""
    absent = (Reason.VERSION_NOT_CLAIMED, Reason.BINDING_NOT_CLAIMED, Reason.CAPABILITY_ABSENT, Reason.FEATURE_ABSENT)
    verdict = Verdict.NOT_APPLICABLE if exclusion.reason in absent else Verdict.INCONCLUSIVE
    return Result(case, verdict, exclusion.reason, exclusion.detail, records=exclusion.records)


def judged(lab: Lab[Any], end: _End) -> Result:
    """Expectations, faults and the body's end, made into one verdict."""
    case, ledger = lab.case, lab.ledger
    if withheld := next((record for record in lab.recorder.records if record.kind is Kind.WITHHELD), None):
        return _unasked(case, withheld)
    if end.verdict is Verdict.ERROR:
        return Result(case, Verdict.ERROR, end.reason, end.detail, traceback=end.traceback)
    counted = _counted(lab)
    violations = [*counted, *_deaths(lab, counted)]
    broken = [v for v in violations if graded(v, case.rows) is not Verdict.PASS]
    noted = (*ledger.notes, *(v for v in violations if v not in broken))
    if broken:
        verdict = Verdict.merge(graded(v, case.rows) for v in broken)
        return Result(case, verdict, None, end.detail, tuple(broken), noted, _all_records(broken))
    if end.verdict is None and lab.unfired:
        end = _End(Reason.FAULT_NEVER_FIRED, f"never fired: {', '.join(lab.unfired)}", (), Verdict.INCONCLUSIVE)
    if end.verdict is not None:
        return Result(case, end.verdict, end.reason, end.detail, notes=noted, records=end.records)
    return _held(case, lab, noted)


def _limited(result: Result) -> Result:
    """What a result is worth if the target's limits made requests late meanwhile: a failure may be their doing."""
    if result.verdict not in (Verdict.FAIL, Verdict.WARN, Verdict.INCONCLUSIVE):
        return result
    why = f"the target limited its clients meanwhile{': ' if result.detail else ''}{result.detail}"
    notes = (*result.notes, *result.violations)
    return Result(result.case, Verdict.INCONCLUSIVE, Reason.RATE_LIMITED, why, notes=notes, records=result.records)


def _unasked(case: Case, withheld: Record) -> Result:
    """A request of this case was not answered for a reason that is no fault of the target's: it tells nothing of it."""
    reason, detail = Reason(withheld.data["reason"]), str(withheld.data["detail"])
    return Result(case, Verdict.INCONCLUSIVE, reason, detail, records=(withheld.number,))


def _held(case: Case, lab: Lab[Any], noted: tuple[Violation, ...]) -> Result:
    """Nothing was broken: PASS only where every row was really looked at."""
    ledger = lab.ledger
    missing = [row.id for row in case.rows if row.id not in ledger.exercised and row.id not in ledger.waived]
    if missing or not ledger.exercised:
        why = "; ".join(ledger.waived.values()) or f"no expectation ran for {', '.join(missing)}"
        return Result(case, Verdict.INCONCLUSIVE, Reason.NOT_EXERCISED, why, notes=noted)
    waived = tuple(Violation("", f"not looked at: {text}") for text in ledger.waived.values())
    return Result(case, Verdict.PASS, None, "", notes=(*noted, *waived))


def _counted(lab: Lab[Any]) -> list[Violation]:
    """Violations that count: none does whose last record is older than the firing of every declared fault."""
    wanted = [fault for fault in lab.declared_faults if not fault.benign]
    fired = [lab.firings[fault] for fault in wanted if fault in lab.firings]
    if not wanted:
        return lab.ledger.violations
    if not fired:
        return []
    return [v for v in lab.ledger.violations if not v.records or max(v.records) > min(fired)]


def _deaths(lab: Lab[Any], counted: Sequence[Violation]) -> list[Violation]:
    """A process that ended by itself is a finding of the case that was talking to it, unless another one says so."""
    said = any(graded(v, lab.case.rows) is not Verdict.PASS for v in counted)
    if said or not lab.deaths:
        return []
    return [Violation("the target's process goes on", "the process ended during this case", tuple(lab.deaths))]


def _all_records(violations: Sequence[Violation]) -> tuple[int, ...]:
    return tuple(dict.fromkeys(record for violation in violations for record in violation.records))
