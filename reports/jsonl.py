"""Every event as one JSON line, as it happens."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, TextIO

from seatrial import CaseFinished, CaseStarted, Event, RunFinished, RunStarted

from .findings import finding
from .json_report import described
from .reporter import counts


class JsonlReporter:
    """Lines of `{"event": NAME, …}`: run-started, case-started, case-finished, run-finished."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._started = RunStarted("", "", 0, (), {})

    def handle(self, event: Event) -> None:
        if isinstance(event, RunStarted):
            self._started = event
        self._out.write(json.dumps(self._line(event)) + "\n")
        self._out.flush()

    def close(self) -> None:
        self._out.flush()

    def _line(self, event: Event) -> dict[str, Any]:
        match event:
            case RunStarted():
                return {"event": "run-started", **described(event), "cases": [case.id for case in event.cases]}
            case CaseStarted():
                return {"event": "case-started", "case": event.case.id}
            case CaseFinished():
                found = finding(event.result, self._started).as_json()
                return {"event": "case-finished", "done": event.done, "total": event.total, "finding": found}
            case RunFinished():
                return {"event": "run-finished", **_end(event)}


def _end(event: RunFinished) -> dict[str, Any]:
    return {
        "seconds": round(event.seconds, 3),
        "complete": event.complete,
        "failure": event.failure,
        "stopped": event.stopped,
        "verdicts": {verdict.value: count for verdict, count in counts(event.results).items()},
        "baseline": [asdict(problem) for problem in event.baseline],
    }
