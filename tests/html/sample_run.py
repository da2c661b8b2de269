"""A run with evidence whose every text is the target's, and what a hostile target may say."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

from seatrial.events import CaseFinished, Event, RunFinished
from seatrial.model import Result, Violation
from seatrial.reports.html_report import HtmlReporter
from seatrial.transcript import Kind, Transcript

from ..reports.report_samples import RESULTS, STARTED

HOSTILE: Mapping[str, str] = {
    "script": "<script>alert('x')</script>",
    "ends-script": "</script></style></textarea><script>alert(1)</script><!--<script>",
    "handler": '"><img src=x onerror=alert(1)><svg onload=alert(2)>',
    "attribute": "' autofocus onfocus=alert(1) style='position:fixed;inset:0' x='",
    "template": "{{ 7 * 7 }} {% raw %} ${alert(1)} &lt;b&gt;",
    "ansi": "\x1b[31mred\x1b[0m\x1b]8;;http://127.0.0.1/\x07link\x1b]8;;\x07",
    "markup": "[bold]b[/bold] [link=http://127.0.0.1/]x[/link] **b** `c`",
    "bidi": "\u202ereversed\u202c \u2066isolated\u2069 \u05d0\u05d1\u05d2",
    "breaks": "one\ntwo\r\nthree\u2028four\x00five\ud800six",
    "url": "javascript:alert(1)",
}
"""Each of these may change nothing of a page but its text."""


def evidence_file(folder: Path, said: str) -> Path:
    """A case of every kind of record with `said` wherever a target, or its address, puts a text."""
    file = folder / "evidence.jsonl"
    ticks = count()
    with file.open("w", encoding="utf-8") as out:
        transcript = Transcript(lambda: next(ticks) / 8, sink=lambda line: print(line, file=out))
        recorder = transcript.scope(RESULTS[0].case.id)
        for kind, operation, data in _records(said):
            recorder.note(kind, operation, **data)
    return file


def _records(said: str) -> Iterator[tuple[Kind, str, dict[str, Any]]]:
    url, headers = f"http://127.0.0.1:8080/{said}", [("content-type", said), (said, said)]
    yield Kind.CONNECT, "connection:1", {"peer": said}
    yield Kind.STIMULUS, "", {"role": "slow", "key": said}
    yield Kind.SENT, "post:1", {"verb": "POST", "url": url, "headers": headers, "message": {"method": said, "id": said}}
    yield Kind.FIRED, "connection:1", {"fault": f"cut({said})", "at": said}
    yield Kind.STATUS, "post:1", {"status": 200, "headers": headers}
    yield Kind.RECEIVED, "post:1", {"message": {"result": {said: [said, {said: None}]}, "id": said}, "event_id": said}
    yield Kind.RECEIVED, "post:1", {"message": {"error": {"code": said, "message": said}, "id": 1}}
    yield Kind.RECEIVED, "post:1", {"raw": said}
    yield Kind.EVENT, "post:1", {"id": said, "event": said, "data": said, "comment": said, "complete": False}
    yield Kind.END, "post:1", {"ending": "reset", "error": said}
    yield Kind.SENT, "get:1", {"verb": "GET", "url": url, "headers": headers, "raw": said}
    yield Kind.THROTTLED, "get:1", {"status": 429, "headers": headers, "wait": 1.0}
    yield Kind.WITHHELD, "get:2", {"reason": "budget", "detail": said}
    yield Kind.DELIVERY, "hook:1", {"number": 1, "verb": "POST", "target": said, "headers": headers, "raw": said}
    yield Kind.DELIVERY, "hook:1", {"number": 1, "event": "answered", "status": 204}
    yield Kind.WITNESS, "", {"key": said, "reading": said}
    yield Kind.PROCESS, "stdio:0", {"event": "exited", "code": 1, "signal": None}
    yield Kind.NOTE, "", {"text": said}


def sample_events(said: str, evidence: str = "") -> list[Event]:
    """The run of the reporters' tests, every text of the target being `said`."""
    results = tuple(_saying(result, said) for result in RESULTS)
    started = replace(STARTED, address=f"http://127.0.0.1:8080/{said}", evidence=evidence)
    finished = [CaseFinished(result, done, len(results)) for done, result in enumerate(results, start=1)]
    return [started, *finished, RunFinished(results, 4.0, complete=False, stopped=said)]


def _saying(result: Result, said: str) -> Result:
    def quoted(found: tuple[Violation, ...]) -> tuple[Violation, ...]:
        return tuple(replace(violation, expected=said, actual=said) for violation in found)

    told = replace(result, violations=quoted(result.violations), notes=quoted(result.notes))
    return replace(told, detail=said if result.detail else "", traceback=said if result.traceback else "")


def written(file: Path, events: list[Event]) -> str:
    """The HTML report of a run, in this file."""
    with file.open("w", encoding="utf-8", errors="backslashreplace") as out:
        reporter = HtmlReporter(out)
        for event in events:
            reporter.handle(event)
        reporter.close()
    return file.read_text(encoding="utf-8")


def hostile_page(folder: Path, said: str) -> Path:
    """The file of a page on which the target says one thing everywhere."""
    file = folder / "report.html"
    written(file, sample_events(said, str(evidence_file(folder, said))))
    return file
