"""The judge of several streams of one thread."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from .events import Event, Stream
from .rules import Finding, Profile, Rule, Sheet, shown

NAMED = {
    "TEXT_MESSAGE_START": Rule.MESSAGE_ID_UNIQUE,
    "TEXT_MESSAGE_CHUNK": Rule.MESSAGE_ID_UNIQUE,
    "REASONING_MESSAGE_START": Rule.MESSAGE_ID_UNIQUE,
    "REASONING_MESSAGE_CHUNK": Rule.MESSAGE_ID_UNIQUE,
    "TOOL_CALL_RESULT": Rule.RESULT_OWN_ID,
}
"""Events that give a message its id, and the rule that wants it to be new in the thread."""


def judge_thread(streams: Sequence[Stream], profile: Profile) -> list[Finding]:
    """What is wrong between the runs of a thread, given in the order of their inputs.

    Streams of other threads are kept apart. A run that was asked for twice may use its ids again, and an id of the
    input is judged with its own stream.
    """
    return thread_sheet(streams, profile).findings


def thread_sheet(streams: Sequence[Stream], profile: Profile) -> Sheet:
    """As `judge_thread`, with what was looked at."""
    sheet = Sheet(profile)
    for _, group in groupby(sorted(streams, key=_thread), key=_thread):
        _judge(list(group), sheet)
    return sheet


def _thread(stream: Stream) -> str:
    return stream.run_input.text("threadId") or f"of {stream.operation}"


def _judge(streams: Sequence[Stream], sheet: Sheet) -> None:
    used: dict[str, Event] = {}
    runs: set[str | None] = set()
    for stream in streams:
        run = stream.run_input.text("runId")
        mine = dict(_messages(stream))
        if run not in runs:
            for id_, event in mine.items():
                _judge_id(id_, event, used, stream, sheet)
        runs.add(run)
        used = mine | used


def _judge_id(id_: str, event: Event, used: dict[str, Event], stream: Stream, sheet: Sheet) -> None:
    rule = NAMED[event.type]
    sheet.look(rule, bool(used))
    if id_ in used and id_ not in stream.run_input.message_ids:
        records = (used[id_].record, event.record)
        sheet.find(rule, "a message id that no earlier run of the thread used", f"{shown(id_)} again", *records)


def _messages(stream: Stream) -> Iterator[tuple[str, Event]]:
    """The ids of the messages of a stream, each with the event that named it first."""
    seen: set[str] = set()
    for event in stream.events:
        id_ = event.text("messageId")
        if event.type in NAMED and id_ is not None and id_ not in seen:
            seen.add(id_)
            yield id_, event
