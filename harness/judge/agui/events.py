"""The event streams in a history: what was asked, what came, and how the stream ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...transcript import Kind, Record
from ..operations import Operation, fired, harmless, operations, remembered, said

SSE = "text/event-stream"


@dataclass(frozen=True, slots=True)
class Event:
    """One event. `payload` is its JSON object; `type` is "" when it names none.

    `implied`: it was not sent itself, a chunk stands for it.
    """

    type: str
    payload: Mapping[str, Any]
    record: int = 0
    implied: bool = False

    def text(self, name: str) -> str | None:
        """A member that is a string, None for anything else."""
        value = self.payload.get(name)
        return value if isinstance(value, str) else None

    @property
    def owner(self) -> str | None:
        """The subagent that it is tagged with, None for the parent agent."""
        return self.text("subagentRunId")


def event(payload: Any, record: int = 0) -> Event:
    """The event in a decoded payload, whatever that is."""
    members: Mapping[str, Any] = payload if isinstance(payload, dict) else {}
    type_ = members.get("type")
    return Event(type_ if isinstance(type_, str) else "", members, record)


@dataclass(frozen=True, slots=True)
class RunInput:
    """The input of a run as it was sent, right or wrong."""

    body: Mapping[str, Any] = field(default_factory=dict)

    def text(self, name: str) -> str | None:
        value = self.body.get(name)
        return value if isinstance(value, str) else None

    def objects(self, name: str) -> list[Mapping[str, Any]]:
        """The objects in a member that is an array."""
        value = self.body.get(name)
        return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []

    @property
    def state(self) -> Any:
        """An absent state counts as an empty object, and so does null."""
        value = self.body.get("state")
        return {} if value is None else value

    @property
    def tools(self) -> frozenset[str]:
        """The names of the tools that the client offers."""
        return frozenset(tool["name"] for tool in self.objects("tools") if isinstance(tool.get("name"), str))

    @property
    def message_ids(self) -> frozenset[str]:
        return frozenset(m["id"] for m in self.objects("messages") if isinstance(m.get("id"), str))


@dataclass(frozen=True, slots=True)
class Stream:
    """The stream of one POST operation.

    `ending` is closed, torn, reset or left, "" while it is open; `ended` is when, in seconds, None while open.
    `whole`: no fault and no signal of ours may have ended it. `times` has the arrival of each event.
    `strays` are the records of data blocks that are no event, or that are framed wrongly; `misframed` those of events
    with what every reader of event streams takes, but AG-UI does not send.
    """

    operation: str
    run_input: RunInput
    status: int | None
    media_type: str
    events: tuple[Event, ...]
    times: tuple[float, ...] = ()
    ending: str = ""
    ended: float | None = None
    whole: bool = True
    strays: tuple[int, ...] = ()
    misframed: tuple[tuple[int, str], ...] = ()
    sent: int = 0

    @property
    def complete(self) -> bool:
        """Whether the target ended it in order, so that what is missing will not come."""
        return self.whole and self.ending == "closed"


@remembered
def streams(history: Sequence[Record]) -> list[Stream]:
    """Every reply to a POST that is an event stream, in the order of the requests."""
    whole = not _cut(history)
    posts = (operation for operation in operations(history) if operation.verb == "POST")
    return [_stream(post, whole) for post in posts if post.media_type == SSE and post.took_request]


def _cut(history: Sequence[Record]) -> bool:
    """Whether a stream may have ended otherwise than the target ended it."""
    killed = any(record.kind is Kind.PROCESS and record.data.get("event") != "spawned" for record in history)
    return killed or not all(map(harmless, fired(history)))


def _stream(post: Operation, whole: bool) -> Stream:
    body = said(post.sent[0])
    heard = [record for record in post.received if "message" in record.data]
    end = post.ends[0] if post.ends else None
    return Stream(
        operation=post.name,
        run_input=RunInput(body if isinstance(body, dict) else {}),
        status=post.code,
        media_type=post.media_type,
        events=tuple(event(record.data["message"], record.number) for record in heard),
        times=tuple(record.time for record in heard),
        ending=str(end.data.get("ending", "")) if end else "",
        ended=end.time if end else None,
        whole=whole,
        strays=tuple(record.number for record in (*post.received, *post.events) if _is_stray(record)),
        misframed=tuple(
            (record.number, ", ".join(record.data["framing"])) for record in heard if record.data.get("framing")
        ),
        sent=post.sent[0].number,
    )


def _is_stray(record: Record) -> bool:
    """A data block that is no JSON, or one that breaks the framing; comments may come at any time."""
    whole = record.data.get("complete", True)
    return bool(record.data.get("faults")) or (whole and record.data.get("data") is not None)
