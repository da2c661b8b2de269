"""A stream that was cut and resumed well has no finding; every single corruption of the tail has one."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge import replay
from seatrial.protocols.outcome import Message

from .streams import calls, stream


@st.composite
def cut_calls(draw: st.DrawFn) -> tuple[list[Message], list[Message]]:
    """Head and tail of a call, each not empty."""
    whole = draw(calls())
    at = draw(st.integers(1, len(whole) - 1))
    return whole[:at], whole[at:]


def names(messages: list[Message]) -> list[object]:
    return [replay.progress(message) for message in messages]


@settings(deadline=None)
@given(cut_calls())
def test_a_faithful_replay_has_no_finding(parts: tuple[list[Message], list[Message]]) -> None:
    head, tail = parts
    whole = names(head + tail)
    assert replay.complete(head, tail, whole) is None
    assert replay.nothing_twice(head, tail) is None
    assert replay.in_order(head + tail, whole) is None
    assert replay.same(tail, list(tail)) is None


@settings(deadline=None)
@given(cut_calls(), st.data())
def test_a_lost_message_is_found(parts: tuple[list[Message], list[Message]], data: st.DataObject) -> None:
    head, tail = parts
    lost = data.draw(st.sampled_from(tail))
    kept = [message for message in tail if message is not lost]
    finding = replay.complete(head, kept, names(head + tail))
    assert finding is not None and str(replay.progress(lost)) in finding.actual
    assert replay.same(tail, kept) is not None


@settings(deadline=None)
@given(cut_calls(), st.data())
def test_a_repeated_message_is_found(parts: tuple[list[Message], list[Message]], data: st.DataObject) -> None:
    head, tail = parts
    again = data.draw(st.sampled_from(head + tail))
    repeated = Message(again.payload, 99, again.event_id)
    at = data.draw(st.integers(0, len(tail)))
    finding = replay.nothing_twice(head, [*tail[:at], repeated, *tail[at:]])
    assert finding is not None and set(finding.records) == {again.record, 99}


@settings(deadline=None)
@given(cut_calls(), st.data())
def test_a_repeated_message_under_a_new_event_id_is_found(
    parts: tuple[list[Message], list[Message]], data: st.DataObject
) -> None:
    head, tail = parts
    again = data.draw(st.sampled_from(head))
    assert replay.nothing_twice(head, [Message(again.payload, 99, "e-99"), *tail]) is not None


@settings(deadline=None)
@given(calls(), st.data())
def test_two_exchanged_messages_are_found(whole: list[Message], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(whole) - 2))
    swapped = [*whole[:at], whole[at + 1], whole[at], *whole[at + 2 :]]
    finding = replay.in_order(swapped, names(whole))
    assert finding is not None and finding.records == (whole[at + 1].record, whole[at].record)


def test_equal_log_messages_with_event_ids_of_their_own_are_not_one_message() -> None:
    log = {"jsonrpc": "2.0", "method": "notifications/message", "params": {"level": "info", "data": "tick"}}
    assert replay.nothing_twice(stream([log, log])) is None
