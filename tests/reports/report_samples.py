"""A small run with one result of every kind, as reporters see it."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

from seatrial.events import CaseFinished, CaseStarted, Event, RunFinished, RunStarted
from seatrial.model import Case, Check, Column, Level, Reason, Requirement, Result, Verdict, Violation
from seatrial.reports.reporter import Reporter

EVIL = "a\x1b[31mred\x1b[0m [bold]b[/bold] | `c` <script>\n\u202edone"
STDIO = Column("2025-06-18", "stdio")
HTTP = Column("2026-07-28", "streamable-http")


def requirement(id_: str, level: Level = Level.MUST, suite: str = "cancellation") -> Requirement:
    versions, bindings = ("2025-06-18", "2026-07-28"), ("stdio", "streamable-http")
    spec = "basic/utilities/cancellation#behavior-requirements"
    return Requirement(id_, suite, "mcp", level, versions, bindings, spec, f"The clause of {id_} holds.")


def case(row: Requirement, column: Column = STDIO) -> Case:
    check = Check(row.id, f"Title of {row.id}", (row.id,), body=lambda lab: None)
    return Case("shop", check, column, (row,))


STOPS = requirement("mcp.can.stops-work")
LATE = requirement("mcp.can.no-late-response", Level.SHOULD)
ECHO = requirement("mcp.ver.echo", suite="version_compatibility")
NOTED = requirement("mcp.ver.noted", Level.INFO, suite="version_compatibility")

BROKEN = Violation("work stops", f"work went on: {EVIL}", (5, 3), STOPS.id)
RESULTS: tuple[Result, ...] = (
    Result(case(STOPS), Verdict.FAIL, violations=(BROKEN,), records=(1,), seconds=1.5),
    Result(case(STOPS, HTTP), Verdict.FAIL, violations=(BROKEN,), records=(9,), seconds=1.5),
    Result(case(LATE), Verdict.WARN, violations=(Violation("silence", "an answer", (7,), LATE.id),)),
    Result(case(LATE, HTTP), Verdict.INCONCLUSIVE, Reason.NO_STIMULUS, "no stimulus plays slow"),
    Result(case(ECHO), Verdict.PASS, seconds=0.25),
    Result(case(ECHO, HTTP), Verdict.ERROR, Reason.CRASH, "KeyError", traceback="Traceback\nKeyError: 'x'"),
    Result(case(NOTED), Verdict.PASS, notes=(Violation("a note", EVIL, (8,), NOTED.id),)),
    Result(case(NOTED, HTTP), Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT, "no logging declared", records=(2,)),
)

STARTED = RunStarted(
    target="shop",
    address="http://127.0.0.1:8080/mcp",
    seed=7,
    cases=tuple(result.case for result in RESULTS),
    requirements={row.id: row for row in (STOPS, LATE, ECHO, NOTED)},
    server={"2025-06-18,stdio": {"serverInfo": {"name": "shop\x07server", "version": "1"}}},
    options={"command": ["seatrial", "run", "shop"], "profile": "none"},
    evidence="runs/1/evidence.jsonl",
)


def events(results: Sequence[Result] = RESULTS) -> list[Event]:
    """A run that came to its end."""
    found: list[Event] = [STARTED]
    for done, result in enumerate(results, start=1):
        found += [CaseStarted(result.case), CaseFinished(result, done, len(results), remaining=3.0)]
    return [*found, RunFinished(tuple(results), 4.0)]


def report(make: Callable[[io.StringIO], Reporter], of: Sequence[Event]) -> str:
    """What a reporter has written when it is closed."""
    out = io.StringIO()
    reporter = make(out)
    for event in of:
        reporter.handle(event)
    reporter.close()
    return out.getvalue()
