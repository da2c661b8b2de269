"""What a client keeps of a thread after the events of a run."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.protocols.agui.history import History

from .scripted import Event, said

USER = {"id": "u1", "role": "user", "content": "hello"}
CALL = {"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "add"}
ARGS = {"type": "TOOL_CALL_ARGS", "toolCallId": "c1", "delta": '{"a": 1}'}


def kept(*events: Event, state: Any = None) -> History:
    history = History([USER], state if state is not None else {})
    for event in events:
        history.take(event)
    return history


def call(arguments: str, ident: str = "c1") -> Event:
    return {"id": ident, "type": "function", "function": {"name": "add", "arguments": arguments}}


def test_a_streamed_text_is_a_message_of_the_assistant() -> None:
    assert kept(*said("hi"), *said(" again")).messages == [
        USER,
        {"id": "m1", "role": "assistant", "content": "hi again"},
    ]


def test_chunks_go_on_with_the_latest_of_their_kind() -> None:
    first = {"type": "TEXT_MESSAGE_CHUNK", "messageId": "m1", "delta": "a"}
    tool = {"type": "TOOL_CALL_CHUNK", "toolCallId": "c1", "toolCallName": "add", "parentMessageId": "m1", "delta": "{"}
    text = {"type": "TEXT_MESSAGE_CHUNK", "delta": "b"}
    found = kept(first, text, tool, {"type": "TOOL_CALL_CHUNK", "delta": "}"}).messages
    assert found[1:] == [{"id": "m1", "role": "assistant", "content": "ab", "toolCalls": [call("{}")]}]


def test_a_call_without_a_parent_has_a_message_of_its_own_and_a_result_another() -> None:
    result = {"type": "TOOL_CALL_RESULT", "messageId": "r1", "toolCallId": "c1", "content": "2"}
    assert kept(CALL, ARGS, result).messages[1:] == [
        {"id": "c1", "role": "assistant", "toolCalls": [call('{"a": 1}')]},
        {"id": "r1", "role": "tool", "toolCallId": "c1", "content": "2"},
    ]


def test_reasoning_and_text_may_share_an_id() -> None:
    thought = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m1", "delta": "hm"}
    sealed = {"type": "REASONING_ENCRYPTED_VALUE", "subtype": "message", "entityId": "m1", "encryptedValue": "xx"}
    assert kept(thought, sealed).messages[1:] == [
        {"id": "m1", "role": "reasoning", "content": "hm", "encryptedValue": "xx"}
    ]
    assert [message["role"] for message in kept(*said("hi"), thought).messages] == ["user", "assistant", "reasoning"]


def test_a_snapshot_replaces_messages_but_not_the_reasoning_that_it_does_not_list() -> None:
    thought = {"type": "REASONING_MESSAGE_CONTENT", "messageId": "z", "delta": "hm"}
    listed = [USER, {"id": "m9", "role": "assistant", "content": "other"}]
    found = kept(*said("hi"), thought, {"type": "MESSAGES_SNAPSHOT", "messages": listed}).messages
    assert found == [*listed, {"id": "z", "role": "reasoning", "content": "hm"}]


def test_an_activity_is_patched() -> None:
    shown = {"type": "ACTIVITY_SNAPSHOT", "messageId": "a1", "activityType": "P", "content": {"n": 0}}
    patch = [{"op": "replace", "path": "/n", "value": 1}]
    delta = {"type": "ACTIVITY_DELTA", "messageId": "a1", "activityType": "P", "patch": patch}
    assert kept(shown, delta).messages[-1]["content"] == {"n": 1}
    assert kept(shown, delta, {**shown, "replace": False}).messages[-1]["content"] == {"n": 1}
    assert kept(shown, delta, shown).messages[-1]["content"] == {"n": 0}


def test_state_follows_snapshots_and_deltas() -> None:
    snapshot = {"type": "STATE_SNAPSHOT", "snapshot": {"n": 1}}
    delta = {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/m", "value": [2]}]}
    assert kept(delta, state={"old": True}).state == {"old": True, "m": [2]}
    assert kept(snapshot, delta).state == {"n": 1, "m": [2]}


@pytest.mark.parametrize(
    "delta",
    [None, "x", [{"op": "test", "path": "/n", "value": 2}], [{"op": "remove", "path": "/none"}], [{"op": "fly"}]],
)
def test_a_delta_that_does_not_apply_changes_nothing(delta: Any) -> None:
    assert kept({"type": "STATE_DELTA", "delta": delta}, state={"n": 1}).state == {"n": 1}


@pytest.mark.parametrize("name", ["TEXT_MESSAGE_CONTENT", "TOOL_CALL_ARGS", "ACTIVITY_DELTA", "MESSAGES_SNAPSHOT"])
@pytest.mark.parametrize("value", [None, 5, ["x"], {"y": 1}])
def test_malformed_events_are_survived(name: str, value: Any) -> None:
    members = dict.fromkeys(("messageId", "toolCallId", "delta", "patch", "parentMessageId"), value)
    listed = {"messages": value} if name == "MESSAGES_SNAPSHOT" else {}
    after = kept({"type": name, **members, **listed}, *said("hi", "m7"))
    assert after.messages[-1] == {"id": "m7", "role": "assistant", "content": "hi"}
