"""What the evidence of a run shows of a target beside its verdicts: its tools, its errors, what its tools returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..transcript import Kind, Record, decode
from .leaks import Leak, leaks, paths
from .offer import Tool, distinct, objects, tool

KEPT = 2000
"""So many different errors and results are kept of a run; a target may have no last one."""
TEXT = 500
"""Characters of one text that are looked at again; for leaks all of it is searched."""

_BUSY = (429, 503)


@dataclass(frozen=True, slots=True)
class Failure:
    """One way in which a target said that something failed.

    `kind` is its code in the protocol's words; `leaks` is what it gave away; `mute` is true where it said that it was
    busy and not for how long. `record` is the first that shows it.
    """

    kind: str
    text: str
    record: int
    leaks: tuple[Leak, ...] = ()
    mute: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """`tools` are those of one client in the newest version; `results` are pairs of tool and text. `recorded` is false
    where the run has no evidence that can be read."""

    tools: tuple[Tool, ...] = ()
    failures: tuple[Failure, ...] = ()
    results: tuple[tuple[str, str], ...] = ()
    recorded: bool = True


@dataclass(slots=True)
class Lookout:
    """Reads records in their order."""

    _lists: dict[str, list[list[Tool]]] = field(default_factory=dict)
    _failures: dict[tuple[str, str], Failure] = field(default_factory=dict)
    _results: dict[str, str] = field(default_factory=dict)
    _named: dict[str, set[str]] = field(default_factory=dict)
    _called: dict[tuple[str, str, Any], str] = field(default_factory=dict)
    _status: dict[tuple[str, str], int] = field(default_factory=dict)

    def take(self, case: str, record: Record) -> None:
        match record.kind:
            case Kind.SENT:
                self._sent(case, record)
            case Kind.STATUS | Kind.THROTTLED:
                self._answered(case, record)
            case Kind.RECEIVED:
                self._received(case, record)

    def seen(self) -> Seen:
        return Seen(_newest(self._lists), tuple(self._failures.values()), tuple(self._results.items()))

    def _sent(self, case: str, record: Record) -> None:
        message = record.data.get("message")
        self._named.setdefault(case, set()).update(paths(json.dumps(record.data, default=str)))
        for request in (message, *objects(message)):
            if isinstance(request, Mapping):
                self._asked(case, record, request)

    def _asked(self, case: str, record: Record, request: Mapping[str, Any]) -> None:
        params = request.get("params")
        told = params if isinstance(params, Mapping) else {}
        if request.get("method") == "tools/call":
            self._called[case, record.operation, _plain(request.get("id"))] = str(told.get("name"))
        if request.get("method") == "tools/list" and "cursor" not in told:
            self._lists.setdefault(case, []).append([])

    def _answered(self, case: str, record: Record) -> None:
        status = record.data.get("status")
        self._status[case, record.operation] = status if isinstance(status, int) else 0
        if status in _BUSY:
            named = {str(name).lower() for name, _ in record.data.get("headers", ())}
            self._fail(case, record, f"HTTP {status}", "", mute="retry-after" not in named)

    def _received(self, case: str, record: Record) -> None:
        if "raw" in record.data:
            if self._status.get((case, record.operation), 0) >= 400:
                self._fail(case, record, f"HTTP {self._status[case, record.operation]}", str(record.data["raw"]))
            return
        message = record.data.get("message")
        for each in objects(message) if isinstance(message, list) else (message,):
            if isinstance(each, Mapping):
                self._message(case, record, each)

    def _message(self, case: str, record: Record, message: Mapping[str, Any]) -> None:
        for kind, text in failures(message):
            self._fail(case, record, kind, text)
        result = message.get("result")
        if not isinstance(result, Mapping):
            return
        self._lists.setdefault(case, [[]])[-1].extend(map(tool, objects(result.get("tools"))))
        name = self._called.pop((case, record.operation, _plain(message.get("id"))), "")
        if name and not result.get("isError") and len(self._results) < KEPT and (text := _said(result.get("content"))):
            self._results.setdefault(name, text[:TEXT])

    def _fail(self, case: str, record: Record, kind: str, text: str, mute: bool = False) -> None:
        key = (kind, text[:TEXT])
        if key not in self._failures and len(self._failures) < KEPT:
            given = leaks(text, frozenset(self._named.get(case, ())))
            self._failures[key] = Failure(*key, record.number, given, mute)


def look(lines: Iterable[str], target: str) -> Seen:
    """What lines of evidence show of the target of that name.

    A line that cannot be read, such as the torn last one of a killed run, shows nothing.
    """
    lookout = Lookout()
    for line in lines:
        try:
            case, record = decode(line)
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if case.startswith(f"{target}/"):
            lookout.take(case, record)
    return lookout.seen()


def failures(message: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(kind, text) of every failure that a message tells: an error, a failed call, a failed task, a failed run."""
    error, result = message.get("error"), message.get("result")
    if isinstance(error, Mapping):
        data = json.dumps(error["data"], default=str) if error.get("data") else ""
        yield f"error {_plain(error.get('code'))}", " ".join(filter(None, (str(error.get("message", "")), data)))
    if message.get("type") == "RUN_ERROR":
        yield f"RUN_ERROR {message.get('code') or ''}".strip(), str(message.get("message", ""))
    if isinstance(result, Mapping) and result.get("isError") is True:
        yield "isError", _said(result.get("content"))
    for task in (message, result):
        if isinstance(task, Mapping):
            yield from _failed_task(task)


def _failed_task(holder: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The failed task in a result of A2A, whole, wrapped or as an update."""
    wrapped = (holder.get(name) for name in ("task", "statusUpdate"))
    for task in (holder, *(item for item in wrapped if isinstance(item, Mapping))):
        status = task.get("status")
        if isinstance(status, Mapping) and status.get("state") in ("failed", "TASK_STATE_FAILED"):
            message = status.get("message")
            yield "failed task", _said(message.get("parts")) if isinstance(message, Mapping) else ""


def _said(parts: Any) -> str:
    """The texts of content blocks, or of the parts of a message."""
    return " ".join(part["text"] for part in objects(parts) if isinstance(part.get("text"), str))


def _plain(value: Any) -> str:
    return json.dumps(value, default=str)


def _newest(found: Mapping[str, list[list[Tool]]]) -> tuple[Tool, ...]:
    """The longest list, over all its pages, that was seen in the newest version; of several the first."""
    seen = [(_version(case), distinct(tools)) for case, lists in found.items() for tools in lists if tools]
    newest = max((version for version, _ in seen), default="")
    return max((tools for version, tools in seen if version == newest), key=len, default=())


def _version(case: str) -> str:
    return case.rpartition("[")[2].partition(",")[0]
