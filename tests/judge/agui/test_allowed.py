"""What looks odd and is allowed, and what one mistake does not lead to."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge.agui import V0, V1, Profile, RunInput, judge
from seatrial.judge.agui.shapes import event_shapes

from .wire import (
    BODY,
    INPUT,
    OFFERED,
    USER,
    JsonObject,
    call,
    delta,
    e,
    error,
    finished,
    ids,
    op,
    result,
    run,
    sequence,
    snapshot,
    started,
    subagent,
    text,
    text_chunk,
    thought,
)

U = {"subagentRunId": "u"}

MODERN: dict[str, list[JsonObject]] = {
    "an error first": [error()],
    "a late error": [*run(text("m", "x")), error(code="late")],
    "a run after an error": [started("r-0", protocolVersion="1.0"), error(), *run(text("m", "x"))],
    "a closed text goes on": run(text("m", "x"), text("m", "y")),
    "a closed text goes on in the next run": [
        started("r-0", protocolVersion="1.0"),
        *text("m", "x"),
        finished("r-0"),
        *run(text("m", "y")),
    ],
    "an absent role is assistant": run(text("m", "x"), text("m", "y", role="assistant")),
    "empty deltas": run(text("m", "", "")),
    "an untagged continuation": run(
        text("m", **U)[0], e("TEXT_MESSAGE_CONTENT", messageId="m", delta="x"), text("m")[-1]
    ),
    "an untagged call in a tagged message": run(text("m", "x", **U), call("c", parentMessageId="m"), result("c", "n")),
    "an untagged chunk of the only open lane": run(text_chunk("m", **U), text_chunk(delta="y"), text("n", "z")),
    "a chunk of one lane after an event of another": run(text_chunk("m"), text("n", "x", **U), text_chunk(delta="y")),
    "a chunk after what closes nothing": run(text_chunk("m"), e("RAW", event=1), text_chunk(delta="y")),
    "a reasoning message with the id of its text": run(thought("m", "x"), text("m", "y")),
    "a failing delta before a snapshot": run(delta(op("remove", "/x")), snapshot({})),
    "a snapshot of something new": run(snapshot(None), snapshot([1])),
    "null in open objects": run(e("CUSTOM", name="a/b", value={"x": None}), snapshot({"x": None}), text("m", "x")),
    "a frontend call that waits": run(
        call("c", name=OFFERED), outcome={"type": "success", "pendingToolCallIds": ["c"]}
    ),
    "a list as result": run(call("c"), result("c", "m", [{"type": "text", "text": "x"}])),
    "a subagent that is suspended": run(
        subagent("u")[0], e("SUBAGENT_FINISHED", outcome={"type": "suspended", "interruptIds": ["i"]}, **U)
    ),
    "a snapshot without reasoning": run(thought("m", "x"), e("MESSAGES_SNAPSHOT", messages=[USER])),
    "a snapshot without an empty text": run(text("m", ""), e("MESSAGES_SNAPSHOT", messages=[USER])),
    "a cancelled run": run(text("m", "x"), outcome={"type": "cancelled"}),
    "open items at an error": [started(protocolVersion="1.0"), text("m")[0], call("c")[0], error()],
}


@pytest.mark.parametrize("events", MODERN.values(), ids=MODERN)
def test_it_is_allowed_in_1_0(events: list[JsonObject]) -> None:
    assert judge(sequence(events), V1, INPUT) == []


EARLY: dict[str, list[JsonObject]] = {
    "null for absent": run(call("c", parentMessageId=None), result("c", "m"), version=None, outcome=None),
    "thinking": run(e("THINKING_START"), e("THINKING_END"), version=None),
    "unknown fields and events": run(e("RAW", event=1, extra=2), e("HELLO"), version=None),
    "a custom name without prefix": run(e("CUSTOM", name="PredictState", value=1), version=None),
    "an id of the input": run(text(USER["id"], "x"), version=None),
    "no pending calls": run(call("c", name=OFFERED), version=None),
    "a text again in the next run": [
        started("r-0"),
        *text("m", "x"),
        finished("r-0"),
        *run(text("m", "y"), version=None),
    ],
}


@pytest.mark.parametrize("events", EARLY.values(), ids=EARLY)
def test_it_is_allowed_in_0_1(events: list[JsonObject]) -> None:
    assert judge(sequence(events), V0, INPUT) == []


def test_reopening_in_a_run_is_for_1_0() -> None:
    events = sequence(run(text("m", "x"), text("m", "y"), version=None))
    assert ids(judge(events, V0, INPUT)) == ["order.text-triad"]


def test_an_error_comes_neither_first_nor_late_in_0_1() -> None:
    assert ids(judge(sequence([error()]), V0, INPUT)) == ["order.run-started-first"]
    late = sequence([*run(version=None), error()])
    assert ids(judge(late, V0, INPUT)) == ["order.nothing-after-finish"]


def test_a_resumed_call_need_not_be_known() -> None:
    events = sequence(run(result("c", "m")))
    resumed = RunInput({**BODY, "resume": [{"interruptId": "i", "status": "resolved"}]})
    assert judge(events, V1, resumed) == []
    answered = RunInput({**BODY, "messages": [{"id": "a", "role": "assistant", "toolCalls": [{"id": "c"}]}]})
    assert judge(events, V1, answered) == []
    assert ids(judge(events, V1, INPUT)) == ["order.tool-result-known-call"]


def test_what_we_sent_may_come_back_as_it_was() -> None:
    ours = {**USER, "extra": None, "name": None, "role": "user", "content": [{"type": "hologram"}]}
    events = run(e("MESSAGES_SNAPSHOT", messages=[ours]))
    events[0]["input"] = {**BODY, "extra": None}
    assert judge(sequence(events), V1, RunInput({**BODY, "messages": [ours]})) == []


def test_an_activity_of_the_history_takes_deltas() -> None:
    patch = e("ACTIVITY_DELTA", messageId="a", activityType="plan", patch=[op("replace", "/x", 2)])
    known = {"id": "a", "role": "activity", "activityType": "plan", "content": {"x": 1}}
    events = sequence(run(patch))
    assert judge(events, V1, RunInput({**BODY, "messages": [known]})) == []
    assert ids(judge(events, V1, INPUT)) == ["state.activity-baseline"]


def test_omitting_pending_calls_is_a_warning() -> None:
    (finding,) = judge(sequence(run(call("c", name=OFFERED))), V1, INPUT)
    assert (ids([finding]), finding.soft) == (["order.pending-calls-match"], True)


def test_a_delta_applies_as_a_whole_and_only_the_first_that_does_not_is_told() -> None:
    half = delta(op("add", "/x", 1), op("test", "/x", 2))
    findings = judge(sequence(run(half, half, delta(op("test", "/x", 1)))), V1, INPUT)
    assert ids(findings) == ["state.patch-applies"]


def test_a_delta_leaves_the_evidence_as_it_was() -> None:
    events = sequence(run(delta(op("add", "/x", []), op("add", "/x/0", 1))))
    assert judge(events, V1, INPUT) == judge(events, V1, INPUT) == []
    assert events[1].payload["delta"][0]["value"] == []


def test_copies_of_copies_are_given_up_in_time() -> None:
    growing = [{"op": "copy", "from": "", "path": f"/{n}"} for n in range(60)]
    assert judge(sequence(run(delta(*growing), delta(op("remove", "/nowhere")))), V1, INPUT) == []


def test_one_missing_start_is_one_finding() -> None:
    events = sequence(run(text("m", "a", "b", "c")[1:], text("m", "d")))
    assert ids(judge(events, V1, INPUT)) == ["order.text-triad"]


def test_one_missing_finish_of_a_run_is_one_finding() -> None:
    events = sequence([started("r-0", protocolVersion="1.0"), *text("m", "x"), *run(text("n", "y"))])
    assert ids(judge(events, V1, INPUT)) == ["order.single-active-run"]


def test_a_member_with_a_slash_is_unknown_like_any_other() -> None:
    events = run(e("MESSAGES_SNAPSHOT", messages=[USER], **{"messages/x": 1}))
    (finding,) = judge(sequence(events), V1, INPUT)
    assert (ids([finding]), finding.actual) == (["ver.no-unknown-fields"], "/messages~1x: is not known")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
MEMBERS = """
    activityType code content delta event id interrupts messageId messages messages/x name op outcome parentMessageId
    parentSubagentRunId patch path protocolVersion replace role runId snapshot stepName subagentRunId threadId timestamp
    toolCallId toolCallName toolCalls type usage value
"""
NAMES = st.sampled_from(MEMBERS.split())
VALUES = (
    JSON | st.dictionaries(NAMES, JSON, max_size=4) | st.lists(st.dictionaries(NAMES, JSON, max_size=4), max_size=3)
)


@st.composite
def anything(draw: st.DrawFn) -> Any:
    members = draw(st.dictionaries(NAMES, VALUES, max_size=6))
    return draw(JSON) if draw(st.integers(0, 9)) == 0 else {**members, "type": draw(st.sampled_from(sorted(KNOWN)))}


KNOWN = event_shapes().events.keys()


@pytest.mark.parametrize("profile", [V1, V0], ids=["1.0", "0.1"])
@given(events=st.lists(anything(), max_size=12), body=st.dictionaries(st.sampled_from(sorted(BODY)), VALUES))
@settings(max_examples=300, deadline=None)
def test_no_stream_and_no_input_can_upset_the_judge(profile: Profile, events: list[Any], body: JsonObject) -> None:
    findings = judge(sequence([started(protocolVersion="1.0"), *events]), profile, RunInput(body))
    assert all(profile.holds(finding.rule) and json.dumps(finding.actual) for finding in findings)
