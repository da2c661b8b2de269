"""Server-sent events: any split decodes the same, and what is malformed stays visible."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import httpx
import pytest
from httpx_sse import EventSource
from hypothesis import given
from hypothesis import strategies as st
from seatrial.wire.sse import SseDecoder, SseError, SseEvent, encode

LINES = st.sampled_from(
    [
        *("data: a", "data:b", "data", "data:  two", "event: tick", "id: 7", "id:", "id: a\0b"),
        *("retry: 10", "retry: x", ": note", ":", "", "", "unknown: x", "data: é😀", "datum"),
    ]
)
STREAMS = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r", "\r\n"])), max_size=24).map(
    lambda pairs: "".join(line + end for line, end in pairs).encode()
)


def decoded(chunks: Iterable[bytes]) -> list[SseEvent]:
    decoder = SseDecoder()
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return events + decoder.close()


@given(STREAMS, st.lists(st.integers(0, 200), max_size=12))
def test_any_split_decodes_the_same(stream: bytes, cuts: list[int]) -> None:
    edges = sorted({0, len(stream), *(cut for cut in cuts if cut < len(stream))})
    chunks = [stream[a:b] for a, b in pairwise(edges)]
    assert decoded(chunks) == decoded([stream]) == decoded(bytes([byte]) for byte in stream)


@given(STREAMS)
def test_the_raw_bytes_of_the_events_are_the_stream(stream: bytes) -> None:
    raw = b"".join(event.raw for event in decoded([stream]))
    assert stream.startswith(raw)
    assert stream[len(raw) :].strip(b"\r\n") == b""


@given(STREAMS)
def test_dispatches_what_an_independent_decoder_dispatches(stream: bytes) -> None:
    response = httpx.Response(200, headers={"content-type": "text/event-stream"}, content=stream)
    theirs = [(event.event, event.data) for event in EventSource(response).iter_sse() if event.data]
    ours = [(event.event or "message", event.data) for event in decoded([stream]) if event.complete and event.data]
    assert ours == theirs  # it also yields what has no data, by rules of its own


EVENTS = st.builds(
    SseEvent,
    event=st.sampled_from(["", "tick"]),
    data=st.none() | st.text(st.characters(exclude_characters="\r", exclude_categories=["Cs"])),
    id=st.none() | st.text("abc0/", max_size=5),
    retry=st.none() | st.integers(0, 10**6),
)


@given(st.lists(EVENTS))
def test_what_is_encoded_decodes_to_itself(events: list[SseEvent]) -> None:
    told = [event for event in events if event != SseEvent()]
    assert decoded([encode(event) for event in told]) == told


def test_a_byte_order_mark_is_legal_once_at_the_start() -> None:
    events = decoded([b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n"])
    assert events[0] == SseEvent(data="a")
    assert events[1].data is None
    assert "unknown field" in events[1].faults[0]


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        (b"data: a\n\n", ()),
        (b"data: a\r\n\r\n", ("CR in the line ends",)),
        (b"\xef\xbb\xbfdata: a\n\n", ("a byte order mark",)),
    ],
)
def test_framing_that_readers_take_and_not_everybody_sends_is_told(stream: bytes, told: tuple[str, ...]) -> None:
    assert [event.framing for event in decoded([stream])] == [told]


def test_an_empty_data_field_is_an_event_and_an_empty_id_is_kept() -> None:
    assert decoded([b"id:\ndata:\n\n"]) == [SseEvent(data="", id="")]


def test_an_id_alone_is_visible_but_not_dispatched() -> None:
    (event,) = decoded([b"id: 9\nretry: 5\n\n"])
    assert (event.id, event.retry, event.dispatched) == ("9", 5, False)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (b"data: \xff", "not UTF-8"),
        (b"retry: soon", "retry is not a number: 'soon'"),
        (b"id: a\0", "id holds NUL"),
        (b"Data: x", "unknown field: 'Data'"),
    ],
)
def test_a_framing_fault_stays_visible(line: bytes, fault: str) -> None:
    assert decoded([line + b"\n\n"])[0].faults == (fault,)


def test_an_unterminated_tail_is_visible_and_not_dispatched() -> None:
    whole, tail = decoded([b"data: a\n\ndata: b\n"])
    assert whole.dispatched
    assert (tail.data, tail.complete, tail.dispatched) == ("b", False, False)


def test_a_comment_shows_before_the_block_ends() -> None:
    decoder = SseDecoder()
    assert decoder.feed(b"data: a\n: alive\n") == [SseEvent(comment="alive")]
    assert decoder.feed(b"\n") == [SseEvent(data="a")]


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 100, b"data: x\n" * 20])
def test_an_event_beyond_the_limit_is_refused(stream: bytes) -> None:
    with pytest.raises(SseError, match="larger than 64 bytes"):
        SseDecoder(limit=64).feed(stream)


def test_events_within_the_limit_pass_however_many_there_are() -> None:
    assert len(SseDecoder(limit=64).feed(b"data: x\n\n" * 100)) == 100


@pytest.mark.parametrize(
    ("stream", "position"),
    [(b"id: 1\n\n", "1"), (b"id:\n\n", ""), (b"data: a\n\n", None), (b"id: 1\0\n\n", None), (b"id: 1\n", None)],
)
def test_a_client_keeps_the_id_of_a_whole_block_without_nul(stream: bytes, position: str | None) -> None:
    (event,) = decoded([stream])
    assert event.position == position
