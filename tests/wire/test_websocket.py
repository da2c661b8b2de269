"""The codec of WebSocket frames, with wsproto as an oracle."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.wire.websocket import Frame, FrameDecoder, FrameTooLong, Opcode
from wsproto.frame_protocol import FrameProtocol
from wsproto.frame_protocol import Opcode as TheirOpcode

FRAMES = st.builds(
    Frame,
    opcode=st.integers(0, 15),
    payload=st.binary(max_size=200) | st.sampled_from([bytes(125), bytes(126), bytes(65535), bytes(65536)]),
    fin=st.booleans(),
    reserved=st.integers(0, 7),
    key=st.none() | st.binary(min_size=4, max_size=4),
)


@given(st.lists(FRAMES, max_size=5), st.integers(1, 40))
def test_any_frames_survive_any_split(frames: list[Frame], size: int) -> None:
    data = b"".join(frame.encode() for frame in frames)
    size = max(size, len(data) // 200)
    decoder, found = FrameDecoder(), list[tuple[Frame, bytes]]()
    for start in range(0, len(data), size):
        found += decoder.feed(data[start : start + size])
    assert [frame for frame, _ in found] == frames
    assert b"".join(raw for _, raw in found) == data
    assert decoder.close() == b""


@given(st.binary(max_size=70000), st.none() | st.binary(min_size=4, max_size=4))
def test_another_implementation_reads_the_same(payload: bytes, key: bytes | None) -> None:
    theirs = FrameProtocol(client=key is None, extensions=[])
    theirs.receive_bytes(Frame(Opcode.BINARY, payload, key=key).encode())
    (frame,) = theirs.received_frames()
    assert (frame.opcode, bytes(frame.payload), frame.message_finished) == (TheirOpcode.BINARY, payload, True)


def test_what_is_no_whole_frame_is_kept() -> None:
    decoder, whole = FrameDecoder(), Frame(Opcode.TEXT, b"abc", key=b"1234").encode()
    assert [raw for _, raw in decoder.feed(whole + whole[:-1])] == [whole]
    assert decoder.close() == whole[:-1]


def test_a_length_in_more_bytes_than_needed_is_kept_as_it_came() -> None:
    raw = b"\x81\x7e\x00\x02hi"
    assert list(FrameDecoder().feed(raw)) == [(Frame(Opcode.TEXT, b"hi"), raw)]


@pytest.mark.parametrize("head", [b"\x82\x7f\x7f" + b"\xff" * 7, b"\x82\x7e\x00\x65"])
def test_a_frame_that_announces_too_much_is_refused_before_it_comes(head: bytes) -> None:
    with pytest.raises(FrameTooLong):
        list(FrameDecoder(limit=100).feed(head))
