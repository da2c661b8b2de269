"""The judge of one stream: all parts of it, in the order in which they see an event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .chunks import Lanes
from .events import Event, RunInput, Stream
from .items import Items
from .lifecycle import START, Identity, Lifecycle
from .messages import Messages
from .outcomes import Outcomes
from .owners import Steps, Subagents
from .rules import UNDECLARED, Finding, Profile, Rule, Sheet
from .shapes import ShapeJudge
from .state import Activities, State
from .tools import ToolCalls


@dataclass(frozen=True, slots=True)
class Final:
    """What the consumer of a stream holds at its end. `state_known` is false where a delta did not apply."""

    state: Any
    state_known: bool


class StreamJudge:
    """Judges a stream event by event."""

    def __init__(self, sheet: Sheet, run_input: RunInput) -> None:
        self.sheet = sheet
        self.shapes = ShapeJudge(sheet, run_input)
        self.lifecycle = Lifecycle(sheet)
        self.identity = Identity(sheet, run_input)
        self.lanes = Lanes(sheet)
        self.state = State(sheet, run_input.state)
        self.parts = (
            self.identity,
            Items(sheet),
            Steps(sheet),
            Subagents(sheet),
            ToolCalls(sheet, run_input),
            Messages(sheet, run_input),
            self.state,
            Activities(sheet, run_input),
            Outcomes(sheet),
        )

    def see(self, event: Event) -> None:
        usable = self.shapes.usable(event)
        if usable is None:
            return
        if not self.lifecycle.admits(usable):
            self._skip(usable)
            return
        for explicit in self.lanes.expand(usable):
            for part in self.parts:
                part.see(explicit)

    def _skip(self, event: Event) -> None:
        """A RUN_STARTED that starts nothing tells nevertheless whose run it is."""
        if event.type == START:
            self.identity.see(event)

    def close(self, stream: Stream) -> None:
        self.sheet.look(Rule.SSE_FRAMING)
        for stray in stream.strays:
            self.sheet.find(Rule.SSE_FRAMING, "one JSON event in each data block", "something else", stray)
        for record, odd in stream.misframed[:1]:
            expected, actual = "lines that end with LF, no byte order mark", f"{odd}, in {len(stream.misframed)} blocks"
            self.sheet.find(Rule.SSE_FRAMING, expected, actual, record)
        self.lifecycle.close(stream)
        self.identity.close(stream)
        self.state.close(stream.complete)


def judged(stream: Stream, profile: Profile) -> tuple[Sheet, Final]:
    """The findings of a stream with what was looked at, and what its consumer holds in the end."""
    sheet = Sheet(UNDECLARED if profile.modern and tells_no_version(stream) else profile)
    judge_ = StreamJudge(sheet, stream.run_input)
    for event in stream.events:
        judge_.see(event)
    judge_.close(stream)
    return sheet, Final(judge_.state.value, judge_.state.known)


def tells_no_version(stream: Stream) -> bool:
    """Whether it has runs, and none of them declares a version: one from before there were versions."""
    starts = [event for event in stream.events if event.type == "RUN_STARTED"]
    return bool(starts) and all(start.payload.get("protocolVersion") is None for start in starts)


def judge_stream(stream: Stream, profile: Profile) -> list[Finding]:
    """What is wrong with a stream, as far as it came."""
    return judged(stream, profile)[0].findings


def judge(events: Sequence[Event], profile: Profile, run_input: RunInput) -> list[Finding]:
    """What is wrong with the events of a stream that the target ended in order."""
    return judge_stream(whole(events, run_input), profile)


def whole(events: Sequence[Event], run_input: RunInput) -> Stream:
    """A stream that the target closed right after its events."""
    return Stream("post:1", run_input, 200, "text/event-stream", tuple(events), ending="closed")
