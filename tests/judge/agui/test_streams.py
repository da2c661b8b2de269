"""Streams are read out of a history with all that tells how they stand."""

from __future__ import annotations

import pytest
from seatrial.judge.agui import V0, V1, RunInput, Stream, judge_stream, streams
from seatrial.transcript import Kind

from .recorded import Recording, recorded
from .wire import BODY, finished, ids, run, started, text


def only(recording: Recording) -> Stream:
    (stream,) = streams(recording.records)
    return stream


def test_a_stream_has_its_input_its_events_and_its_ending() -> None:
    stream = only(recorded(run(text("m", "x"))))
    assert (stream.operation, stream.status, stream.media_type) == ("post:1", 200, "text/event-stream")
    assert stream.run_input == RunInput(BODY)
    assert [event.record for event in stream.events] == [3, 4, 5, 6, 7]
    assert (stream.ending, stream.complete, stream.sent) == ("closed", True, 1)


def test_what_is_no_event_stream_of_a_post_is_left_out() -> None:
    recording = Recording().asked().replied(status=400).heard({"error": "no"}).ended()
    recording.asked("post:2").replied("post:2", media_type="application/json").heard({}, operation="post:2")
    recording.asked("get:1", "GET").replied("get:1").heard(started(), operation="get:1")
    assert streams(recording.records) == []


def test_an_input_that_was_sent_as_text_counts_when_it_is_json() -> None:
    recording = Recording().add(Kind.SENT, verb="POST", headers=[], raw='{"threadId": "t"}').replied()
    assert only(recording).run_input.text("threadId") == "t"
    recording = Recording().add(Kind.SENT, verb="POST", headers=[], raw="{nope").replied()
    assert only(recording).run_input == RunInput()


@pytest.mark.parametrize("fault", ["cut(after=events(2))", "reset()", "truncate_body()"])
def test_a_stream_that_a_fault_may_have_ended_lacks_nothing(fault: str) -> None:
    recording = Recording().asked().replied().heard(started(protocolVersion="1.0")).fired(fault).ended()
    assert judge_stream(only(recording), V1) == []


@pytest.mark.parametrize("fault", ["latency(seconds=0.005)", "slice()", "split_at()"])
def test_a_stream_under_benign_faults_is_whole(fault: str) -> None:
    recording = Recording().asked().replied().heard(started(protocolVersion="1.0")).fired(fault).ended()
    assert ids(judge_stream(only(recording), V1)) == ["err.always-terminal"]


def test_a_stream_of_a_server_that_was_killed_lacks_nothing() -> None:
    recording = recorded([started(protocolVersion="1.0")]).add(Kind.PROCESS, event="signal", pid=1)
    assert judge_stream(only(recording), V1) == []


@pytest.mark.parametrize("ending", ["torn", "reset", "left", ""])
def test_only_a_clean_end_asks_for_a_terminal_event(ending: str) -> None:
    recording = Recording().asked().replied().heard(started(protocolVersion="1.0"))
    if ending:
        recording.ended(ending)
    assert judge_stream(only(recording), V1) == []


@pytest.mark.parametrize(("ending", "after"), [("torn", 0.1), ("reset", 0.1), ("closed", 2.5), ("left", 3.0)])
def test_a_body_ends_cleanly_and_soon_after_the_terminal_event(ending: str, after: float) -> None:
    stream = only(recorded(run(text("m", "x")), ending, after))
    for profile in (V1, V0):
        assert ids(judge_stream(stream, profile)) == ["order.closes-after-terminal"]


@pytest.mark.parametrize(("ending", "after"), [("closed", 1.9), ("left", 1.0)])
def test_a_body_may_take_two_seconds_to_end(ending: str, after: float) -> None:
    assert judge_stream(only(recorded(run(text("m", "x")), ending, after)), V1) == []


def test_a_data_block_that_is_no_json_breaks_the_framing_and_a_comment_does_not() -> None:
    recording = Recording().asked().replied().heard(*run(text("m", "x")))
    recording.add(Kind.EVENT, id=None, event="", data=None, retry=None, comment="ping")
    recording.add(Kind.EVENT, id=None, event="", data="[DONE]", retry=None, comment=None, complete=True).ended()
    findings = judge_stream(only(recording), V1)
    assert ids(findings) == ["order.sse-framing"]
    assert findings[0].records == (9,)


def test_the_ids_of_a_broken_input_are_not_expected_back() -> None:
    recording = Recording().asked(threadId=5, runId=None).replied()
    recording.heard(started(protocolVersion="1.0", threadId="new"), finished(threadId="new")).ended()
    assert judge_stream(only(recording), V1) == []
