"""Runs that are over, as small as a test needs them, and the lists that they give."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from seatrial.checklist.answers import AnsweredLine, Checklist
from seatrial.checklist.making import make
from seatrial.checklist.signatures import Signature
from seatrial.events import RunFinished, RunStarted
from seatrial.kept import Kept
from seatrial.model import Case, Check, Column, Level, Reason, Requirement, Result, Verdict, Violation
from seatrial.transcript import Kind, Record, encode

TODAY = date(2026, 12, 1)
COLUMN = Column("2025-11-25", "streamable-http")
TOOLS = [
    {"name": "look", "description": "Looks.", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}
]
SERVER: Mapping[str, Any] = {"serverInfo": {"name": "shop", "version": "1.4"}, "capabilities": {"tools": {}}}


def row(check: str, protocol: str = "mcp") -> Requirement:
    return Requirement(check, "cancellation", protocol, Level.MUST, ("2025-11-25",), ("stdio",), "x#y", "It holds.")


def result(
    check: str,
    verdict: Verdict = Verdict.PASS,
    reason: Reason | None = None,
    *,
    target: str = "shop",
    column: Column = COLUMN,
    actual: str = "",
    noted: bool = False,
) -> Result:
    """What became of a check. `actual` is what was found instead; `noted`: it broke a row that binds nobody."""
    own = row(check, check.partition(".")[0])
    case = Case(target, Check(check, f"Title of {check}", (check,), body=lambda lab: None), column, (own,))
    violations = (Violation("as it should be", actual, (1,), check),) if actual else ()
    notes = (Violation("as it should be", "as it is", (1,), check),) if noted else ()
    return Result(case, verdict, reason, "", violations, notes)


def evidence(folder: Path, *messages: Mapping[str, Any], target: str = "shop") -> None:
    """What came, in the file that a run leaves beside its report."""
    case = f"{target}/c[{COLUMN}]"
    records = (Record(n, 0.0, Kind.RECEIVED, "post:1", {"message": m}) for n, m in enumerate(messages, start=1))
    folder.joinpath("evidence.jsonl").write_text("".join(f"{encode(r, case)}\n" for r in records), encoding="utf-8")


def run(
    folder: Path,
    *results: Result,
    messages: Iterable[Mapping[str, Any]] = (),
    server: Mapping[str, Any] = SERVER,
    target: str = "shop",
    address: str = "http://127.0.0.1:8080/mcp",
    complete: bool = True,
    **options: Any,
) -> Kept:
    """A run, whose evidence are a list of tools and `messages`."""
    evidence(folder, {"id": 1, "result": {"tools": TOOLS}}, *messages)
    cases = tuple(each.case for each in results)
    declared = {f"{case.column.version},{case.column.binding}": dict(server) for case in cases}
    rows = {own.id: own for case in cases for own in case.rows}
    asked = {"command": ["seatrial", "run", target], **options}
    started = RunStarted(target, address, 7, cases, rows, declared, asked, str(folder / "evidence.jsonl"))
    return Kept(folder / "report.json", started, RunFinished(results, 1.0, complete))


def listed(kept: Kept, *signatures: Signature, name: str = "", today: date = TODAY) -> Checklist:
    return make(kept, name, signatures, today)


def line(kept: Kept, ident: str, *signatures: Signature, today: date = TODAY) -> AnsweredLine:
    return listed(kept, *signatures, today=today).all[ident]


def signature(of: AnsweredLine, **changed: Any) -> Signature:
    """One that counts, unless something is changed."""
    told = {
        "target": "shop",
        "line": of.line.id,
        "by": "the owner",
        "on": TODAY,
        "until": date(2027, 6, 1),
        "note": "see the minutes",
        "shown": of.facts.digest,
    }
    return Signature(**{**told, **changed})


def failed(text: str) -> dict[str, Any]:
    """A call that failed, in the words of MCP."""
    return {"id": 9, "result": {"isError": True, "content": [{"type": "text", "text": text}]}}
