"""Random streams that the grammar allows, for both profiles."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from hypothesis import strategies as st
from seatrial.judge.agui import V1, Profile

from .wire import (
    BODY,
    OFFERED,
    RUN,
    USER,
    JsonObject,
    call,
    delta,
    e,
    error,
    finished,
    op,
    result,
    snapshot,
    span,
    started,
    step,
    text,
    text_chunk,
    thought,
    tool_chunk,
)

Atom = list[JsonObject]
"""Events between which nothing comes."""

STATE, MESSAGES = "state?", "messages?"
"""Places of events that depend on all that came before them."""


@dataclass
class Scribe:
    """Writes random parts of a run. `owner` is the tag of its events, empty for the parent agent."""

    random: Random
    profile: Profile
    owner: JsonObject = field(default_factory=dict)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def fresh(self, prefix: str) -> str:
        return f"{prefix}-{next(self.numbers)}"

    def atoms(self, events: list[JsonObject]) -> list[Atom]:
        return [[event] for event in events]

    def pieces(self, content: str) -> list[str]:
        cut = self.random.randint(0, len(content))
        return [content[:cut], "", content[cut:]]

    def texts(self) -> list[Atom]:
        id_ = self.fresh("m")
        kept = self.random.choice([{}, {"role": "assistant"}, {"role": "user", "name": "n"}]) | self.owner
        events = text(id_, *self.pieces(f"text of {id_}"), **kept)
        if self.profile.modern and self.random.random() < 0.4:
            events += text(id_, " and more", **kept)
        return self.atoms(events)

    def calls(self) -> list[Atom]:
        id_ = self.fresh("c")
        arguments = self.random.choice([[], self.pieces(json.dumps({"x": [1, id_]}))])
        if self.random.random() < 0.2:
            return self.atoms(call(id_, *arguments, name=OFFERED, **self.owner))
        parent = self.fresh("p")
        events = [*call(id_, *arguments, **self.owner), result(id_, self.fresh("m"), **self.owner)]
        if self.random.random() < 0.5:
            opening, *rest, answer = call(id_, *arguments, parentMessageId=parent, **self.owner) + events[-1:]
            events = [*text(parent, f"text of {parent}", **self.owner), opening, *rest, answer]
        return self.atoms(events)

    def thoughts(self) -> list[Atom]:
        id_ = self.fresh("m")
        inner = thought(id_, *self.pieces(f"thought {id_}"), **self.owner)
        secret = e("REASONING_ENCRYPTED_VALUE", subtype="message", entityId=id_, encryptedValue="x", **self.owner)
        return self.atoms(self.random.choice([inner, span(id_, *inner, secret, **self.owner)]))

    def steps(self) -> list[Atom]:
        name = self.fresh("s")
        return self.atoms(step(name, **self.owner) * self.random.randint(1, 2))

    def text_chunks(self) -> list[Atom]:
        id_ = self.fresh("m")
        first = [text_chunk(id_, f"chunk of {id_}", **self.owner), text_chunk(delta=" on", **self.owner)]
        return [first, [text_chunk(id_, ", role told", role="assistant", **self.owner)]]

    def tool_chunks(self) -> list[Atom]:
        id_ = self.fresh("c")
        first = [tool_chunk(id_, toolCallName="look_up", **self.owner), tool_chunk(delta="[1", **self.owner)]
        again = [tool_chunk(id_, toolCallName="look_up", delta="]", **self.owner)]
        return [first, again, [result(id_, self.fresh("m"), **self.owner)]]

    def activities(self) -> list[Atom]:
        named = {"messageId": self.fresh("a"), "activityType": "plan", **self.owner}
        shown = e("ACTIVITY_SNAPSHOT", content={"n": 1}, **named)
        kept = e("ACTIVITY_SNAPSHOT", content={"other": 1}, replace=False, **named)
        return self.atoms([shown, kept, e("ACTIVITY_DELTA", patch=[op("test", "/n", 1), op("add", "/x", [])], **named)])

    def passed(self) -> list[Atom]:
        return self.atoms([e("RAW", event=None, **self.owner), e("CUSTOM", name="a.b", value=None, **self.owner)])

    def stated(self) -> list[Atom]:
        return [[e(STATE, **self.owner)], [e(STATE, **self.owner)]]

    def restated(self) -> list[Atom]:
        return [] if self.owner else [[e(MESSAGES)]]

    def subagents(self) -> list[Atom]:
        if self.owner or self.profile.version < (0, 1, 21):
            return []
        id_ = self.fresh("sub")
        inner = Scribe(self.random, self.profile, {"subagentRunId": id_}, self.numbers)
        nested = e("SUBAGENT_STARTED", subagentRunId=f"{id_}-in", name="inner", parentSubagentRunId=id_)
        ends = [e("SUBAGENT_ERROR", subagentRunId=f"{id_}-in", message="no"), e("SUBAGENT_FINISHED", subagentRunId=id_)]
        start = e("SUBAGENT_STARTED", subagentRunId=id_, name="helper")
        return [[start], *inner.body(), *self.atoms([nested, *ends])]

    def body(self) -> list[Atom]:
        """Some parts, interleaved."""
        choices: list[Callable[[], list[Atom]]] = [
            self.calls,
            self.thoughts,
            self.steps,
            self.text_chunks,
            self.tool_chunks,
            self.activities,
            self.passed,
            self.stated,
            self.restated,
            self.subagents,
        ]
        chosen = self.random.sample(choices, self.random.randint(0, len(choices)))
        return self.merged([part() for part in (self.texts, *chosen)])

    def merged(self, parts: list[list[Atom]]) -> list[Atom]:
        todo = [part for part in parts if part]
        found: list[Atom] = []
        while todo:
            part = self.random.choice(todo)
            found.append(part.pop(0))
            todo = [part for part in todo if part]
        return found

    def decorated(self, event: JsonObject) -> JsonObject:
        extras: list[JsonObject] = [{}, {"timestamp": 1.7e12}, {"metadata": {"k": None}}, {"rawEvent": {"x": None}}]
        return event | self.random.choice(extras)


@dataclass
class Ledger:
    """Fills in what depends on the past: states and lists of messages."""

    random: Random
    state: Any = field(default_factory=lambda: dict(BODY["state"]))
    messages: list[JsonObject] = field(default_factory=lambda: [USER])
    calls: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def filled(self, event: JsonObject) -> JsonObject:
        owner = {name: event[name] for name in ("subagentRunId",) if name in event}
        if event["type"] == STATE:
            return self._state() | owner
        if event["type"] == MESSAGES:
            return e("MESSAGES_SNAPSHOT", messages=[*self.messages, *self._callers()])
        self._note(event)
        return event

    def _callers(self) -> list[JsonObject]:
        function = {"name": "look_up", "arguments": "{}"}
        calls = [{"id": id_, "type": "function", "function": function} for id_ in self.calls]
        return [{"id": "caller", "role": "assistant", "toolCalls": calls}] if calls else []

    def _note(self, event: JsonObject) -> None:
        type_, id_ = event["type"], event.get("messageId")
        if type_ in ("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK") and id_:
            if all(message["id"] != id_ for message in self.messages):
                self.messages.append({"id": id_, "role": "assistant", "content": "..."})
        elif type_ == "TOOL_CALL_RESULT":
            self.messages.append({"id": id_, "role": "tool", "content": "42", "toolCallId": event["toolCallId"]})
        elif type_ in ("TOOL_CALL_START", "TOOL_CALL_CHUNK") and event.get("toolCallId"):
            self.calls.append(event["toolCallId"])

    def _state(self) -> JsonObject:
        number = next(self.numbers)
        match self.random.randint(0, 3):
            case 0:
                self.state = {**self.state, f"k{number}": number}
                return delta(op("test", "/n", self.state["n"]), op("add", f"/k{number}", number))
            case 1:
                self.state = {**self.state, "n": number}
                return delta(op("replace", "/n", number))
            case 2:
                return delta()
            case _:
                return snapshot(self.state)


@dataclass
class Writer:
    """Writes whole streams."""

    random: Random
    profile: Profile

    def __post_init__(self) -> None:
        self.scribe = Scribe(self.random, self.profile)
        self.ledger = Ledger(self.random)

    @property
    def declared(self) -> JsonObject:
        return {"protocolVersion": "1.0"} if self.profile.modern else {}

    def run(self, id_: str, atoms: list[Atom] | None = None) -> list[JsonObject]:
        """A run that ends in order; `atoms` instead of random ones."""
        body = [event for atom in (self.scribe.body() if atoms is None else atoms) for event in atom]
        events = [self.scribe.decorated(self.ledger.filled(event)) for event in body]
        return [started(id_, **self.declared), *events, finished(id_, **self._outcome(events))]

    def _outcome(self, events: list[JsonObject]) -> JsonObject:
        calls = [event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_START"]
        answered = {event["toolCallId"] for event in events if event["type"] == "TOOL_CALL_RESULT"}
        calls = [id_ for id_ in calls if id_ not in answered]
        if calls:
            pending = {"pendingToolCallIds": calls} if self.profile.modern else {}
            return {"outcome": {"type": "success", **pending}}
        interrupted = {
            "type": "interrupt",
            "interrupts": [{"id": "i-1", "reason": "ask"}, {"id": "i-2", "reason": "ask"}],
        }
        usage = [{"model": "x", "inputTokens": 3, "outputTokens": 4, "totalTokens": 7, "cachedInputTokens": 3}]
        outcomes: list[JsonObject] = [{}, {"outcome": {"type": "success"}}, {"outcome": interrupted}, {"usage": usage}]
        return self.random.choice([*outcomes, {"outcome": {"type": "cancelled"}}] if self.profile.modern else outcomes)

    def failed(self, id_: str) -> list[JsonObject]:
        """A run that fails somewhere, whatever is open then."""
        atoms = self.scribe.body()
        events = self.run(id_, atoms[: self.random.randint(0, len(atoms))])[:-1]
        return [*events, error(code="E1")]

    def stream(self) -> list[JsonObject]:
        """Some runs, the last of which was asked for."""
        if self.profile.modern and self.random.random() < 0.05:
            return [error()]
        events = [event for n in range(self.random.randint(0, 2)) for event in self.some(f"r-old-{n}")]
        return [*events, *self.some(RUN)]

    def some(self, id_: str) -> list[JsonObject]:
        if self.random.random() < 0.2:
            return self.failed(id_)
        late = [error()] if self.profile.modern and self.random.random() < 0.2 else []
        return [*self.run(id_), *late]


@st.composite
def writers(draw: st.DrawFn, profile: Profile = V1) -> Writer:
    return Writer(draw(st.randoms(use_true_random=False)), profile)
