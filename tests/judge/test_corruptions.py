"""What a bad way does to a stream (lose, repeat, exchange, add behind the end, mix with a foreign one), whatever the
protocol: its judge finds it in any history, at any place, and nothing in the history as it was."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge import ordering, replay
from seatrial.judge.a2a import streams
from seatrial.judge.agui import V0, V1, Profile, judge
from seatrial.protocols.a2a.updates import Update, read
from seatrial.protocols.outcome import Message

from .agui import wire
from .streams import REQUEST_ID, TOKEN, calls, progress

History = list[Any]
Findings = list[Any]
Corruption = Callable[[History, int], History]


@dataclass(frozen=True, slots=True)
class Kind:
    """Histories of a protocol. `places`: where a corruption, by name, can be told from what is legal."""

    valid: st.SearchStrategy[History]
    judged: Callable[[History, History], Findings]
    """A history, and what it was before."""
    late: Callable[[History], Any]
    """What may not come behind the end."""
    estranged: Callable[[Any], Any]
    """An item as one of another stream."""
    places: Callable[[str, History], Sequence[int]]


def lose(history: History, at: int) -> History:
    return [*history[:at], *history[at + 1 :]]


def repeat(history: History, at: int) -> History:
    return [*history[: at + 1], *history[at:]]


def exchange(history: History, at: int) -> History:
    return [*history[:at], history[at + 1], history[at], *history[at + 2 :]]


# MCP: the reports of a call and its response


def mcp_findings(messages: History, before: History) -> Findings:
    whole = [replay.progress(message) for message in before]
    found = [
        replay.complete([], messages, whole),
        replay.nothing_twice(messages),
        replay.in_order(messages, whole),
        ordering.progress_increases(messages),
        ordering.progress_names(messages, [TOKEN]),
        ordering.progress_ends(messages, TOKEN, REQUEST_ID),
    ]
    return [finding for finding in found if finding]


def of_another_call(message: Message) -> Message:
    value = message.params.get("progress", 0)
    return Message(progress(value, "another-token"), message.record, message.event_id)


def mcp_places(name: str, history: History) -> Sequence[int]:
    return range(len(history) - (name == "exchange"))


MCP = Kind(calls(), mcp_findings, lambda history: Message(progress(2000), 99), of_another_call, mcp_places)


# A2A: a task, its numbered chunks, its end


def chunk(number: int, task: str = "t", artifact: str = "A") -> Update:
    made = {"artifactId": artifact, "parts": [{"text": f"{number} "}]}
    return read({"artifactUpdate": {"taskId": task, "artifact": made, "append": True}}, number)


def stored(numbers: Sequence[int]) -> Update:
    made = [{"artifactId": "A", "parts": [{"text": "".join(f"{n} " for n in numbers)}]}] if numbers else []
    return read({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}, "artifacts": made}}, 90)


TASKS = st.integers(2, 12).map(lambda count: [stored([]), *(chunk(n) for n in range(1, count + 1))])


def a2a_findings(updates: History, before: History) -> Findings:
    task = stored([n for update in before for n in streams.steps([update])])
    found = (streams.once(updates, task), streams.whole(updates, task))
    return [finding for finding in found if finding]


def of_another_artifact(update: Update) -> Update:
    return chunk(streams.steps([update])[0], artifact="another")


def a2a_places(name: str, history: History) -> Sequence[int]:
    """Among the chunks."""
    return range(1, len(history) - (name == "exchange"))


A2A = Kind(TASKS, a2a_findings, lambda history: chunk(len(history)), of_another_artifact, a2a_places)


# AG-UI: a run, its messages and calls


PIECES = st.lists(st.sampled_from(["1", "23"]), min_size=1, max_size=3)
PARTS = st.lists(st.tuples(st.sampled_from([wire.text, wire.call]), PIECES), min_size=1, max_size=4)
PIECEMEAL = ("TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS")
RUN_EVENTS = ("RUN_STARTED", "RUN_FINISHED")


def a_run(parts: Sequence[tuple[Callable[..., History], Sequence[str]]]) -> History:
    """Each part says something of its own, which is JSON too, as the arguments of a call must be."""
    return wire.run(*(part(f"p-{n}", str(n), *pieces) for n, (part, pieces) in enumerate(parts, 1)))


def agui(profile: Profile) -> Kind:
    def findings(events: History, before: History) -> Findings:
        return list(judge(wire.sequence(events), profile, wire.INPUT))

    return Kind(PARTS.map(a_run), findings, lambda history: history[1], of_another_item, agui_places)


def named(event: wire.JsonObject) -> str:
    """The message or the call that an event belongs to; "" for those of the run."""
    return str(event.get("messageId") or event.get("toolCallId") or "")


def of_another_item(event: wire.JsonObject) -> wire.JsonObject:
    member = "messageId" if "messageId" in event else "toolCallId"
    return {**event, member: "another"}


def agui_places(name: str, history: History) -> Sequence[int]:
    """A piece more or less of a text, or two pieces exchanged, is a text too; parts may overlap as they like."""
    if name == "estrange":
        return [at for at, event in enumerate(history) if event["type"] not in RUN_EVENTS]
    if name == "exchange":
        return [at for at, pair in enumerate(pairwise(history)) if _bound(*pair)]
    return [at for at, event in enumerate(history) if event["type"] not in PIECEMEAL]


def _bound(one: wire.JsonObject, other: wire.JsonObject) -> bool:
    """Whether the order of two events matters."""
    pieces = {one["type"], other["type"]} <= set(PIECEMEAL)
    return not pieces and (named(one) == named(other) or not named(one) or not named(other))


KINDS = {"mcp": MCP, "a2a": A2A, "agui 0.1": agui(V0), "agui 1.0": agui(V1)}
CORRUPTIONS: dict[str, Corruption] = {"lose": lose, "repeat": repeat, "exchange": exchange}
each_kind = pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)


@each_kind
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_nothing_is_found_in_a_valid_history(kind: Kind, data: st.DataObject) -> None:
    history = data.draw(kind.valid)
    assert kind.judged(history, history) == []


@pytest.mark.parametrize("name", CORRUPTIONS)
@each_kind
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_a_corruption_is_found(kind: Kind, name: str, data: st.DataObject) -> None:
    history = data.draw(kind.valid)
    at = data.draw(st.sampled_from(kind.places(name, history)))
    assert kind.judged(CORRUPTIONS[name](history, at), history) != []


@each_kind
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_what_comes_behind_the_end_is_found(kind: Kind, data: st.DataObject) -> None:
    history = data.draw(kind.valid)
    assert kind.judged([*history, kind.late(history)], history) != []


@each_kind
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_what_belongs_to_another_stream_is_found(kind: Kind, data: st.DataObject) -> None:
    history = data.draw(kind.valid)
    at = data.draw(st.sampled_from(kind.places("estrange", history)))
    assert kind.judged([*history[:at], kind.estranged(history[at]), *history[at + 1 :]], history) != []
