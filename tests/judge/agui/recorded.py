"""Histories of runs, as an HTTP session records them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from seatrial.transcript import Kind, Record

from .wire import BODY, JsonObject


@dataclass
class Recording:
    """Records in the making. The clock moves when it is told to."""

    records: list[Record] = field(default_factory=list)
    now: float = 0.0

    def add(self, kind: Kind, operation: str = "post:1", **data: Any) -> Recording:
        self.records.append(Record(len(self.records) + 1, self.now, kind, operation, data))
        return self

    def asked(self, operation: str = "post:1", verb: str = "POST", **changes: Any) -> Recording:
        return self.add(Kind.SENT, operation, verb=verb, url="/", headers=[], message={**BODY, **changes})

    def replied(self, operation: str = "post:1", status: int = 200, media_type: str = "text/event-stream") -> Recording:
        headers = [["Content-Type", f"{media_type}; charset=utf-8"]]
        return self.add(Kind.STATUS, operation, status=status, headers=headers)

    def heard(self, *payloads: Any, operation: str = "post:1") -> Recording:
        for payload in payloads:
            self.add(Kind.RECEIVED, operation, message=payload, event_id=None)
        return self

    def ended(self, ending: str = "closed", operation: str = "post:1", after: float = 0.0) -> Recording:
        self.now += after
        return self.add(Kind.END, operation, ending=ending, error="")

    def fired(self, fault: str) -> Recording:
        return self.add(Kind.FIRED, fault=fault)


def recorded(events: Iterable[JsonObject], ending: str = "closed", after: float = 0.0) -> Recording:
    """One run over HTTP."""
    return Recording().asked().replied().heard(*events).ended(ending, after=after)


def histories(*recordings: Recording) -> dict[str, list[Record]]:
    return {f"case-{n}": each.records for n, each in zip(itertools.count(1), recordings, strict=False)}
