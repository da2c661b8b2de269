"""The exchange of a case as a sequence diagram: records in, frozen values out."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from seatrial import Evidence, Kind, Line, Record

from .text import brief, shortened, visible_lines

STEPS = 80
"""So many steps of one case are drawn at most."""
ELSEWHERE = 24
"""So many of them may be cited records of other cases."""
BODY, CITED_BODY, LABEL, HEAD = 800, 8_000, 120, 200
"""Characters that are shown of a body, of one that a finding cites, of a label, and of a header."""
LONG = 16_384
"""Characters of a body that is not indented, and bytes of a record that is not written for a shell."""
STEP_SIZE = 200
"""Characters that a step takes beside its texts, about."""


class Lane(StrEnum):
    """Who takes part, from left to right."""

    HARNESS = "harness"
    RELAY = "relay"
    TARGET = "target"
    RECEIVER = "receiver"
    WITNESS = "witness"


class Shape(StrEnum):
    """How a step is drawn: arrows for MESSAGE and STATUS, marks on one lifeline for NOTE and FAULT, ends of bodies."""

    MESSAGE = "message"
    STATUS = "status"
    NOTE = "note"
    FAULT = "fault"
    CLOSED = "closed"
    TORN = "torn"
    LEFT = "left"
    OPEN = "open"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One row of the diagram. `record` is 0 where no record holds it; `case` names another case that it is from.

    `size` is how long the whole body is in characters, `skipped` how many records of the case are left out before.
    """

    record: int = 0
    time: float = 0.0
    operation: str
    shape: Shape
    source: Lane
    goal: Lane
    label: str
    cited: bool = False
    case: str = ""
    head: tuple[str, ...] = ()
    body: str = ""
    size: int = 0
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Timeline:
    """`total` records belong to the case, `rest` of them after the last that is shown are left out.

    `records` are those of the case behind the steps, but for the long ones.
    """

    steps: tuple[Step, ...] = ()
    total: int = 0
    rest: int = 0
    records: tuple[Record, ...] = ()

    @property
    def lanes(self) -> tuple[Lane, ...]:
        """The lifelines that something happens on, always those of harness and target."""
        seen = {lane for step in self.steps for lane in (step.source, step.goal)}
        return tuple(lane for lane in Lane if lane in seen or lane in (Lane.HARNESS, Lane.TARGET))


def timeline(case: str, cited: Iterable[int], evidence: Evidence, room: int) -> Timeline:
    """What is shown of a case, in about `room` characters; what a finding cites comes first. Raises OSError."""
    own, named = evidence.of(case), tuple(dict.fromkeys(cited))
    found = (line for number in named if (line := evidence.at(number)))
    elsewhere = [line for line in found if line.case != case][:ELSEWHERE]
    wanted = [*elsewhere, *by_importance(own, named)][:STEPS]
    shown = _fitting(wanted, evidence, frozenset(named), room)
    steps, rest = _with_gaps(own, {line.number: _placed(line, case, step) for line, _, step in shown})
    short = (record for line, record, _ in shown if line.case == case and line.size <= LONG)
    records = sorted(short, key=lambda record: record.number)
    return Timeline((*steps, *unended(own)), len(own), rest, tuple(records))


def by_importance(lines: Sequence[Line], cited: Collection[int]) -> list[Line]:
    """The lines: first those that are cited, fault firings, what is next to these, then from both ends inwards."""
    last = len(lines) - 1
    marked = [place for place, line in enumerate(lines) if line.number in cited]
    marked += [place for place, line in enumerate(lines) if line.kind is Kind.FIRED]
    near = [place + step for place in marked for step in (-1, 1, -2, 2)]
    ends = [end for place in range(len(lines)) for end in (place, last - place)]
    return [lines[place] for place in dict.fromkeys((*marked, *near, *ends)) if 0 <= place <= last]


def unended(lines: Sequence[Line]) -> list[Step]:
    """A step for each HTTP exchange of which no end was recorded."""
    ended = {line.operation for line in lines if line.kind is Kind.END}
    begun = dict.fromkeys(line.operation for line in lines if line.kind is Kind.SENT)
    operations = (name for name in begun if name not in ended and not name.startswith("stdio"))
    return [
        Step(operation=name, shape=Shape.OPEN, source=Lane.TARGET, goal=Lane.HARNESS, label="still open at the end")
        for name in operations
    ]


def drawn(record: Record, cited: bool = False) -> Step:
    """A record as a step."""
    step = _DRAWN[record.kind](record)
    limit = CITED_BODY if cited else BODY
    return replace(
        step,
        record=record.number,
        time=record.time,
        operation=brief(record.operation, LABEL),
        label=brief(step.label, LABEL),
        head=tuple(brief(line, HEAD) for line in step.head),
        body=visible_lines(step.body[:limit]),
        size=len(step.body),
        cited=cited,
    )


def _fitting(
    wanted: Sequence[Line], evidence: Evidence, cited: Collection[int], room: int
) -> list[tuple[Line, Record, Step]]:
    """As many as there is room for, at least one."""
    shown: list[tuple[Line, Record, Step]] = []
    for line, record in zip(wanted, evidence.records(wanted), strict=True):
        step = drawn(record, record.number in cited)
        room -= STEP_SIZE + len(step.body) + sum(map(len, step.head))
        if room < 0 and shown:
            break
        shown.append((line, record, step))
    return shown


def _placed(line: Line, case: str, step: Step) -> Step:
    return step if line.case == case else replace(step, case=brief(line.case, LABEL))


def _with_gaps(own: Sequence[Line], shown: Mapping[int, Step]) -> tuple[list[Step], int]:
    """The steps in their order with what is left out before each, and what is left out behind the last."""
    before, skipped = dict.fromkeys(shown, 0), 0
    for line in own:
        if line.number in shown:
            before[line.number], skipped = skipped, 0
        else:
            skipped += 1
    steps = (shown[number] for number in sorted(shown))
    return [replace(step, skipped=before[step.record]) if before[step.record] else step for step in steps], skipped


def _step(record: Record, shape: Shape, source: Lane, goal: Lane, label: str, **told: Any) -> Step:
    return Step(operation=record.operation, shape=shape, source=source, goal=goal, label=label, **told)


def _note(record: Record, lane: Lane, label: str) -> Step:
    return _step(record, Shape.NOTE, lane, lane, label, body=_pretty(record.data))


def _sent(record: Record) -> Step:
    data = record.data
    verb, url = str(data.get("verb", "")), str(data.get("url", ""))
    label = said(data.get("message")) or f"{verb} {urlsplit(url).path}" if url else said(data.get("message")) or "bytes"
    head = (f"{verb} {url}", *_headers(data)) if url else ()
    return _step(record, Shape.MESSAGE, Lane.HARNESS, Lane.TARGET, label, head=head, body=_content(data))


def _status(record: Record) -> Step:
    data = record.data
    kind = next((value for name, value in data.get("headers", ()) if name.lower() == "content-type"), "")
    label = f"{data.get('status')} {kind}".rstrip()
    head = (f"HTTP status {data.get('status')}", *_headers(data))
    return _step(record, Shape.STATUS, Lane.TARGET, Lane.HARNESS, label, head=head)


def _received(record: Record) -> Step:
    data = record.data
    event = f"  (event {data['event_id']})" if data.get("event_id") is not None else ""
    label = (said(data.get("message")) or "text that is no JSON") + event
    return _step(record, Shape.MESSAGE, Lane.TARGET, Lane.HARNESS, label, body=_content(data))


def _event(record: Record) -> Step:
    data = record.data
    told = [f"{name} {data[name]}" for name in ("event", "id", "retry", "comment", "data") if data.get(name)]
    label = ", ".join(told) or "empty event"
    torn = "" if data.get("complete", True) else "unfinished: "
    return _step(record, Shape.STATUS, Lane.TARGET, Lane.HARNESS, torn + label, body=_pretty(data))


def _end(record: Record) -> Step:
    ending, why = str(record.data.get("ending")), str(record.data.get("error") or "")
    shape = {"closed": Shape.CLOSED, "left": Shape.LEFT, "open": Shape.OPEN}.get(ending, Shape.TORN)
    ways = (Lane.HARNESS, Lane.TARGET) if shape is Shape.LEFT else (Lane.TARGET, Lane.HARNESS)
    label = why if shape is Shape.LEFT and why else ": ".join(filter(None, (ending, why)))
    return _step(record, shape, *ways, label)


def _throttled(record: Record) -> Step:
    status = _status(record)
    return replace(status, label=f"{status.label}, waits {record.data.get('wait')} s")


def _fired(record: Record) -> Step:
    lane = Lane.RECEIVER if record.operation.startswith("hook:") else Lane.RELAY
    at = f" at {record.data['at']}" if record.data.get("at") else ""
    return _step(record, Shape.FAULT, lane, lane, f"{record.data.get('fault')}{at}", body=_pretty(record.data))


def _delivery(record: Record) -> Step:
    data = record.data
    if "event" in data:
        status = f" {data['status']}" if data.get("status") else ""
        label = f"delivery {data.get('number')} {data['event']}{status}"
        return _step(record, Shape.STATUS, Lane.RECEIVER, Lane.TARGET, label)
    label = f"delivery {data.get('number')}: {said(data.get('message')) or 'no JSON'}"
    head = (f"{data.get('verb')} {data.get('target')}", *_headers(data))
    return _step(record, Shape.MESSAGE, Lane.TARGET, Lane.RECEIVER, label, head=head, body=_content(data))


def _witness(record: Record) -> Step:
    label, body = str(record.data.get("reading")), _pretty(record.data)
    return _step(record, Shape.MESSAGE, Lane.WITNESS, Lane.HARNESS, label, body=body)


def _process(record: Record) -> Step:
    told = (str(record.data[name]) for name in ("event", "code", "signal") if record.data.get(name) is not None)
    return _note(record, Lane.TARGET, f"process {' '.join(told)}")


_DRAWN: Mapping[Kind, Callable[[Record], Step]] = {
    Kind.SENT: _sent,
    Kind.STATUS: _status,
    Kind.RECEIVED: _received,
    Kind.EVENT: _event,
    Kind.END: _end,
    Kind.CONNECT: lambda record: _note(record, Lane.RELAY, "connection"),
    Kind.FIRED: _fired,
    Kind.STIMULUS: lambda record: _note(record, Lane.HARNESS, f"stimulus {record.data.get('role')}"),
    Kind.WITNESS: _witness,
    Kind.DELIVERY: _delivery,
    Kind.THROTTLED: _throttled,
    Kind.WITHHELD: lambda record: _note(record, Lane.HARNESS, f"not sent: {record.data.get('detail')}"),
    Kind.PROCESS: _process,
    Kind.NOTE: lambda record: _note(record, Lane.HARNESS, str(record.data.get("text"))),
}


def said(message: Any) -> str:
    """A message in a few words; "" where there is none."""
    if isinstance(message, list):
        return f"batch of {len(message)}"
    if not isinstance(message, Mapping):
        return "" if message is None else shortened(_compact(message), LABEL)
    number = f" #{message['id']}" if isinstance(message.get("id"), str | int) else ""
    if "method" in message:
        return f"{message['method']}{number}"
    if "error" in message:
        error = message["error"]
        return f"error {error.get('code', '') if isinstance(error, Mapping) else error}{number}"
    if "result" in message:
        return f"result{number}"
    return str(message.get("type") or message.get("kind") or ", ".join(map(str, message)) or "{}")


def _headers(data: Mapping[str, Any]) -> list[str]:
    return [f"{name}: {value}" for name, value in data.get("headers", ())]


def _content(data: Mapping[str, Any]) -> str:
    if data.get("message") is not None:
        return _pretty(data["message"])
    return str(data.get("raw") or "")


def _pretty(value: Any) -> str:
    """Indented, unless it is long: what is deep and wide would become very much longer."""
    compact = _compact(value)
    return compact if len(compact) > LONG else json.dumps(value, ensure_ascii=False, indent=1)


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
