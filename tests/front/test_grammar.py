"""Whatever the endpoint is asked for, its streams obey the grammar of their column."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.fixtures.front import Early, Front
from seatrial.judge import agui

from ..clock import virtual
from .client import Event, only, serving, text, types, user

PROMPTS = (
    *("hello", "chat k Grüße", "tool 1 k", "tool-failing k", "front k", "slow 1 k", "boom 0 k", "boom 3 k", "state k"),
    *("interrupt 1 k", "interrupt 3 k", "reason k", "sub k", "steps k", "activity k", "chunks k", "history k"),
    *("model-error 429 k", "model-hang k", ""),
)
PICK = {"name": "pick", "description": "Lets the user pick.", "parameters": {"type": "object"}}


def findings(events: list[Event], asked: Event, front: type[Front]) -> list[agui.Finding]:
    column = agui.profile("1.0" if front.version else "0.1")
    return agui.judge([agui.event(event) for event in events], column, agui.RunInput(asked))


@pytest.mark.parametrize("front", [Front, Early])
@pytest.mark.parametrize("prompt", PROMPTS)
@virtual
async def test_every_prompt_is_played_by_the_grammar(front: type[Front], prompt: str) -> None:
    asked: dict[str, Any] = {"tools": [PICK], "state": {"count": 4, "a/b~": [1]}}
    async with serving(front) as client:
        events = await client.run(prompt, threadId="t", runId="r", **asked)
        body = client.body(prompt, threadId="t", runId="r", **asked)
    assert findings(events, body, front) == []


@virtual
async def test_the_version_is_the_servers_own_and_the_early_one_has_none() -> None:
    async with serving() as client:
        assert (await client.run("hello", protocolVersion="1.9"))[0]["protocolVersion"] == "1.0"
    async with serving(Early) as client:
        assert "protocolVersion" not in (await client.run("hello"))[0]


@virtual
async def test_a_message_comes_word_by_word_and_is_restated_with_its_id() -> None:
    async with serving() as client:
        events = await client.run("chat k Grüße")
    (start,) = only(events, "TEXT_MESSAGE_START")
    (snapshot,) = only(events, "MESSAGES_SNAPSHOT")
    assert len(only(events, "TEXT_MESSAGE_CONTENT")) > 3
    assert text(events) == "Voilà, you said: chat k Grüße"
    said = {"id": start["messageId"], "role": "assistant", "content": text(events)}
    assert snapshot["messages"] == [user("chat k Grüße"), said]


@virtual
async def test_tools_have_their_effect_and_their_result_once() -> None:
    async with serving() as client:
        events = await client.run("tool 1 k")
        ledger = await client.ledger("k")
    started = [event["toolCallId"] for event in only(events, "TOOL_CALL_START")]
    assert [event["toolCallId"] for event in only(events, "TOOL_CALL_RESULT")] == started
    assert [entry for entry in ledger if entry.startswith("tool ") and "received" not in entry] == [
        "tool add",
        "tool look",
    ]
    arguments = "".join(e["delta"] for e in only(events, "TOOL_CALL_ARGS") if e["toolCallId"] == started[0])
    assert f"tool received {arguments}" in ledger


@pytest.mark.parametrize("front", [Front, Early])
@virtual
async def test_a_frontend_tool_is_left_to_the_client_and_its_answer_goes_on(front: type[Front]) -> None:
    async with serving(front) as client:
        events = await client.run("front k", tools=[PICK], threadId="t")
        picked = [event["toolCallId"] for event in only(events, "TOOL_CALL_START") if event["toolCallName"] == "pick"]
        (snapshot,) = only(events, "MESSAGES_SNAPSHOT")
        answer = {"id": "a1", "role": "tool", "toolCallId": picked[0], "content": "", "error": "no screen"}
        after = await client.run("", threadId="t", messages=[*snapshot["messages"], answer])
        ledger = await client.ledger("k")
    pending = {"pendingToolCallIds": picked} if front.version else {}
    assert events[-1]["outcome"] == {"type": "success", **pending}
    assert "failed" in text(after)
    assert any("error: no screen" in entry for entry in ledger)


@virtual
async def test_a_tool_that_is_not_offered_is_not_called() -> None:
    async with serving() as client:
        events = await client.run("front k")
    assert only(events, "TOOL_CALL_START") == []
    assert events[-1]["outcome"] == {"type": "success"}


@virtual
async def test_the_state_goes_on_from_the_input_or_from_the_thread() -> None:
    async with serving() as client:
        first = only(await client.run("state k", threadId="t", state={"count": 4}), "STATE_SNAPSHOT")
        again = only(await client.run("state k", threadId="t", state={"count": 4}), "STATE_SNAPSHOT")
        body = client.body("state k", threadId="t")
        del body["state"]
        on = (await (await client.begin(body)).reply()).events
    assert first[-1]["snapshot"] == again[-1]["snapshot"] == {"count": 5, "notes/today": ["entry 5"]}
    assert '"snapshot":{"count":5' in str(on[1].data)


@virtual
async def test_history_comes_as_closed_runs_before_the_requested_one() -> None:
    async with serving() as client:
        await client.run("hello", threadId="t", runId="one")
        await client.run("state k", threadId="t", runId="two")
        events = await client.run("history k", threadId="t", runId="three")
    assert [event["runId"] for event in only(events, "RUN_STARTED", "RUN_FINISHED")] == [
        *("one", "one", "two", "two", "three", "three")
    ]
    assert types(events)[:3] == ["RUN_STARTED", "MESSAGES_SNAPSHOT", "RUN_FINISHED"]


@virtual
async def test_ids_are_new_in_the_thread_even_when_the_run_id_is_not() -> None:
    async with serving() as client:
        first = await client.run("chat k", threadId="t", runId="same")
        taken = only(first, "TEXT_MESSAGE_START")[0]["messageId"]
        second = await client.run("chat k", threadId="t", runId="same")
    async with serving() as client:
        body = client.body("", threadId="t", runId="same", messages=[user("chat k"), user("x", taken)])
        third = await client.run("", **body)
    ids = [only(events, "TEXT_MESSAGE_START")[0]["messageId"] for events in (first, second, third)]
    assert ids[0] not in ids[1:]
