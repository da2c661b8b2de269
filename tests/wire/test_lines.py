"""Newline framing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.wire.lines import LineDecoder, LineTooLong, encode

STREAMS = st.lists(st.sampled_from([b"a", b"\n", b"\r", b"\xff", b"{}", b"\r\n"]), max_size=30).map(b"".join)


@given(STREAMS, st.integers(1, 7))
def test_any_split_yields_the_lines_as_they_were(stream: bytes, size: int) -> None:
    decoder = LineDecoder()
    lines = [line for at in range(0, len(stream), size) for line in decoder.feed(stream[at : at + size])]
    assert [*lines, decoder.close()] == stream.split(b"\n")


@pytest.mark.parametrize("data", [b"12345", b"12345\n", b"1\n12345\n2"])
def test_a_line_beyond_the_limit_is_refused(data: bytes) -> None:
    with pytest.raises(LineTooLong, match="longer than 4 bytes"):
        LineDecoder(limit=4).feed(data)


def test_a_message_is_one_line_or_none() -> None:
    assert encode(b"{}") == b"{}\n"
    with pytest.raises(ValueError, match="newline"):
        encode(b"{\n}")
