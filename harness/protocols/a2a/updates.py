"""Tasks, messages and updates of either version and binding, read into one view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ..outcome import Answer, Outcome

TERMINAL = frozenset({"completed", "failed", "canceled", "rejected"})
INTERRUPTED = frozenset({"input-required", "auth-required"})
_MEMBERS = {
    "task": "task",
    "message": "message",
    "msg": "message",
    "statusUpdate": "status",
    "artifactUpdate": "artifact",
}
_KINDS = {"task": "task", "message": "message", "status-update": "status", "artifact-update": "artifact"}


@dataclass(frozen=True, slots=True)
class Update:
    """What an answer or one event of a stream carries. `kind`: task, message, status, artifact, or "" for anything
    else. `body` is the object itself, as the agent sent it; `record` and `time` (seconds of the run) are the event's.
    """

    kind: str
    body: Mapping[str, Any]
    record: int = 0
    time: float = 0.0

    @property
    def task_id(self) -> str:
        return _text(self.body.get("id" if self.kind == "task" else "taskId"))

    @property
    def context_id(self) -> str:
        return _text(self.body.get("contextId"))

    @property
    def state(self) -> str:
        """The state in the spelling of 0.3 (working, input-required, …); "" where the update has none."""
        return state_of(self.body)

    @property
    def terminal(self) -> bool:
        return self.state in TERMINAL

    @property
    def final(self) -> Any:
        """The flag of 0.3 on a status update, None where it is absent."""
        return self.body.get("final")

    @property
    def status_message(self) -> Mapping[str, Any]:
        return _object(_object(self.body.get("status")).get("message"))

    @property
    def timestamp(self) -> str:
        return _text(_object(self.body.get("status")).get("timestamp"))

    @property
    def artifacts(self) -> list[Mapping[str, Any]]:
        """Those of a task, or the one of an artifact update."""
        found = [self.body.get("artifact")] if self.kind == "artifact" else self.body.get("artifacts")
        return [item for item in found or () if isinstance(item, Mapping)] if isinstance(found, list) else []

    @property
    def history(self) -> list[Mapping[str, Any]]:
        found = self.body.get("history")
        return [item for item in found if isinstance(item, Mapping)] if isinstance(found, list) else []

    @property
    def appends(self) -> bool:
        return self.body.get("append") is True

    @property
    def last_chunk(self) -> bool:
        return self.body.get("lastChunk") is True

    @property
    def texts(self) -> list[str]:
        """The text of every text part of its artifacts, or of its message, in order."""
        if self.kind == "message":
            return list(texts(self.body))
        return [text for artifact in self.artifacts for text in texts(artifact)]


def read(payload: Any, record: int = 0, time: float = 0.0) -> Update:
    """An Update from a result, a stream event or the body of a notification, in any of the four shapes."""
    found = _object(payload)
    for member, kind in _MEMBERS.items():
        if isinstance(found.get(member), Mapping) and "kind" not in found and "status" not in found:
            return Update(kind, found[member], record, time)
    kind = _KINDS.get(_text(found.get("kind")), "")
    if not kind and isinstance(found.get("status"), Mapping) and "id" in found:
        kind = "task"
    if not kind and "parts" in found:
        kind = "message"
    return Update(kind, found, record, time)


def update_in(outcome: Outcome) -> Update:
    """What an answer carries; an Update of kind "" where there is no answer."""
    return read(outcome.result, outcome.message.record) if isinstance(outcome, Answer) else Update("", {})


def state_of(body: Mapping[str, Any]) -> str:
    """The state of a task or a status update, in the spelling of 0.3; "" without one."""
    state = _text(_object(body.get("status")).get("state"))
    plain = state.removeprefix("TASK_STATE_").replace("_", "-").lower()
    return "canceled" if plain == "cancelled" else plain


def texts(holder: Mapping[str, Any]) -> Iterator[str]:
    """The texts of the parts of a message or an artifact; 0.3 over HTTP calls a message's parts its content."""
    parts = holder.get("parts", holder.get("content"))
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and isinstance(part.get("text"), str):
            yield part["text"]


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
