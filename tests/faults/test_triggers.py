"""Triggers count logical positions, however the bytes are split."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.faults import Trigger, connect, eof, events, first, messages, octets
from seatrial.faults.stage import Framing

from tests.faults.harbour import event

STREAM = b": hello\n\n" + b"".join(map(event, range(3))) + b"retry: 5\n\n" + event(3)
LINES = b'{"jsonrpc":"2.0","method":"a"}\nnoise\n{"jsonrpc":"2.0","id":1,"method":"b"}\n'


def position(trigger: Trigger, framing: Framing, stream: bytes, size: int) -> int | None:
    """Where in the stream it fires, when that comes in chunks of a size."""
    counter = trigger.counter(framing)
    found: list[int] = []
    for start, chunk in [(0, b""), *((at, stream[at : at + size]) for at in range(0, len(stream), size))]:
        offset = counter.feed(chunk)
        found += [] if offset is None else [start + offset]
    assert len(found) <= 1
    return found[0] if found else None


@pytest.mark.parametrize(
    ("trigger", "framing", "stream", "expected"),
    [
        (connect, Framing.RAW, STREAM, 0),
        (octets(5), Framing.RAW, STREAM, 5),
        (octets(10**6), Framing.RAW, STREAM, None),
        (first("tick"), Framing.RAW, STREAM, STREAM.index(b"tick") + 4),
        (first("no such"), Framing.RAW, STREAM, None),
        (events(0), Framing.SSE, STREAM, 0),
        (events(1), Framing.SSE, STREAM, STREAM.index(event(0)) + len(event(0))),
        (events(3), Framing.SSE, STREAM, STREAM.index(b"retry")),
        (events(4), Framing.SSE, STREAM, len(STREAM)),
        (events(5), Framing.SSE, STREAM, None),
        (events(1), Framing.RAW, STREAM, None),
        (messages(2, "tick"), Framing.SSE, STREAM, STREAM.index(event(1)) + len(event(1))),
        (messages(1, "tock"), Framing.SSE, STREAM, None),
        (messages(2), Framing.LINES, LINES, len(LINES)),
        (messages(1, "b"), Framing.LINES, LINES, len(LINES)),
        (messages(1), Framing.LINES, LINES, LINES.index(b"noise")),
        (eof, Framing.RAW, STREAM, None),
    ],
)
@given(size=st.integers(1, 500))
def test_the_position_does_not_depend_on_the_split(
    trigger: Trigger, framing: Framing, stream: bytes, expected: int | None, size: int
) -> None:
    assert position(trigger, framing, stream, size) == expected


def test_only_eof_fires_at_the_end() -> None:
    assert eof.counter(Framing.RAW).eof()
    assert not octets(1).counter(Framing.RAW).eof()


def test_a_stream_that_cannot_be_framed_never_fires() -> None:
    counter = messages(1).counter(Framing.LINES)
    assert counter.feed(b"x" * (17 * 1024 * 1024)) is None
    assert counter.feed(b'\n{"jsonrpc":"2.0","method":"a"}\n') is None
