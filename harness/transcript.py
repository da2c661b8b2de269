"""The append-only record of what was sent, seen and done: the evidence."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import count
from typing import Any

BODY_LIMIT = 64 * 1024
"""Characters of one text that a record keeps; the rest is counted, not kept."""

SECRET_HEADERS = frozenset(
    {"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api-key", "x-auth-token"}
    | {"x-a2a-notification-token"}
)
REDACTED = "[redacted]"
_USERINFO = re.compile(r"\b(\w+://)[^/?#\s\"]*@")


class Kind(StrEnum):
    """What a record tells. SENT and RECEIVED carry whole messages; data keys are listed in `Record`."""

    SENT = "sent"
    STATUS = "status"
    RECEIVED = "received"
    EVENT = "event"
    END = "end"
    CONNECT = "connect"
    FIRED = "fired"
    STIMULUS = "stimulus"
    WITNESS = "witness"
    DELIVERY = "delivery"
    THROTTLED = "throttled"
    WITHHELD = "withheld"
    PROCESS = "process"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Record:
    """One line of evidence.

    `operation` names the exchange (`post:3`, `get:1`, `stdio:1`), unique in its case: a second carrier marks
    its own (`post:3@2`). `data` by kind:
    SENT      verb, url, headers [[name, value]], message (decoded JSON) or raw (text)
    STATUS    status, headers
    RECEIVED  message (decoded JSON) or raw (text, when it is no JSON); event_id when it came as an SSE event
    EVENT     an SSE event that carries no message: id, event, data, retry, comment, faults (of its framing),
              complete (false for a tail that no blank line ended)
    END       ending (closed, torn, reset, left), error
    FIRED     fault (its text form), at
    PROCESS   event (spawned, signal, exited), pid, code, signal
    DELIVERY  what came to our webhook (`hook:NAME`): number, verb, target, headers, message or raw; at its end
              another record: number, event (answered, left, ended), status (0: none was sent)
    THROTTLED status, headers, wait (seconds until the request goes again): the target asked for a rest
    WITHHELD  reason, detail: the request was not sent, or was refused a second time for coming too soon
    STIMULUS  role, key; WITNESS reading; NOTE text
    """

    number: int
    time: float
    kind: Kind
    operation: str
    data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Redactor:
    """Replaces secrets when recording: values of secret headers, userinfo of URLs, and given values."""

    values: tuple[str, ...] = ()
    patterns: tuple[re.Pattern[str], ...] = ()
    _any: re.Pattern[str] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Nearly no text has a secret: one search says so, whatever the number of patterns."""
        object.__setattr__(self, "_any", re.compile("|".join(f"(?:{each.pattern})" for each in self.patterns)))

    def text(self, text: str) -> str:
        for value in self.values:
            text = text.replace(value, REDACTED)
        if self.patterns and self._any.search(text):
            for pattern in self.patterns:
                text = pattern.sub(REDACTED, text)
        return _USERINFO.sub(rf"\1{REDACTED}@", text) if "@" in text else text

    def headers(self, headers: Iterable[tuple[str, str]]) -> list[list[str]]:
        return [[n, REDACTED if n.lower() in SECRET_HEADERS else self.text(v)] for n, v in headers]

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with every text redacted and shortened to BODY_LIMIT.

        A number beyond all bounds becomes a text: JSON has no word for it.
        """
        if isinstance(value, str):
            return _shortened(self.text(value))
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        if isinstance(value, dict | Mapping):
            return {_shortened(self.text(str(key))): self.value(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(item) for item in value]
        return value


def _shortened(text: str) -> str:
    return text if len(text) <= BODY_LIMIT else f"{text[:BODY_LIMIT]}... [{len(text)} characters in all]"


@dataclass(slots=True)
class Transcript:
    """All records of a run, numbered across cases. `sink` gets each line as it happens."""

    clock: Callable[[], float]
    redactor: Redactor = field(default_factory=Redactor)
    sink: Callable[[str], None] | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def scope(self, case: str) -> Recorder:
        return Recorder(self, case)

    def append(self, case: str, kind: Kind, operation: str, data: Mapping[str, Any]) -> Record:
        record = Record(next(self._numbers), self.clock(), kind, operation, self._redacted(data))
        if self.sink:
            self.sink(encode(record, case))
        return record

    def _redacted(self, data: Mapping[str, Any]) -> dict[str, Any]:
        headers = data.get("headers")
        clean: dict[str, Any] = {k: self.redactor.value(v) for k, v in data.items() if k != "headers"}
        if headers is not None:
            clean["headers"] = self.redactor.headers(headers)
        return clean


@dataclass(slots=True)
class Recorder:
    """The records of one case."""

    transcript: Transcript
    case: str
    records: list[Record] = field(default_factory=list)
    _lanes: Iterator[int] = field(default_factory=lambda: count(1))

    def lane(self) -> str:
        """What keeps the operations of the carriers of a case apart: "" for the first, then "@2", "@3"."""
        number = next(self._lanes)
        return "" if number == 1 else f"@{number}"

    def note(self, kind: Kind, operation: str = "", **data: Any) -> int:
        """Append a record and return its number."""
        record = self.transcript.append(self.case, kind, operation, data)
        self.records.append(record)
        return record.number


def encode(record: Record, case: str) -> str:
    """One JSON line, without its newline."""
    return json.dumps(
        {
            "record": record.number,
            "case": case,
            "time": round(record.time, 6),
            "kind": record.kind.value,
            "operation": record.operation,
            "data": record.data,
        },
        ensure_ascii=True,
        separators=(",", ":"),
    )


def decode(line: str) -> tuple[str, Record]:
    """The case and the record of one line of `encode`. Raises ValueError or KeyError on anything else."""
    value = json.loads(line)
    record = Record(value["record"], value["time"], Kind(value["kind"]), value["operation"], value["data"])
    return value["case"], record
