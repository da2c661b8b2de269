"""HTTP/1.1 as it is on the wire."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.wire.http1 import Ending, ResponseReader, chunked, request

PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(b"hel", b"lo")


def test_a_request_is_written_exactly_as_given() -> None:
    sent = request("POST", "/m cp", [("A", "1"), ("a", "2"), ("Content-Length", "99")], b"{}")
    assert sent == b"POST /m cp HTTP/1.1\r\nA: 1\r\na: 2\r\nContent-Length: 99\r\n\r\n{}"


def test_a_chunked_body_may_lack_its_end() -> None:
    assert chunked(b"ab", b"c") == b"2\r\nab\r\n1\r\nc\r\n0\r\n\r\n"
    assert chunked(b"ab", end=False) == b"2\r\nab\r\n"


@given(st.sampled_from([PLAIN, CHUNKED]), st.integers(1, 9))
def test_a_response_is_read_at_any_split(stream: bytes, size: int) -> None:
    reader = ResponseReader()
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
    assert (reader.response.status, reader.response.body, reader.response.ending) == (200, b"hello", Ending.CLOSED)


def test_a_status_shows_before_the_body_has_ended() -> None:
    reader = ResponseReader("POST")
    response = reader.feed(PLAIN[:-2])
    assert (response.status, response.body, response.ending) == (200, b"hel", Ending.OPEN)
    assert response.header("content-type") == "text/plain"


@pytest.mark.parametrize("stream", [PLAIN[:-1], CHUNKED[:-5], b"", b"HTTP/1.1 200"])
def test_an_early_end_of_file_is_torn(stream: bytes) -> None:
    reader = ResponseReader()
    reader.feed(stream)
    response = reader.close()
    assert response.ending is Ending.TORN
    assert response.error


def test_a_body_that_ends_with_its_connection_is_closed() -> None:
    reader = ResponseReader()
    reader.feed(b"HTTP/1.1 200 OK\r\n\r\nhello")
    assert (reader.close().ending, reader.response.body) == (Ending.CLOSED, b"hello")


def test_informational_responses_are_not_the_answer() -> None:
    assert ResponseReader().feed(b"HTTP/1.1 103 Early Hints\r\n\r\n" + PLAIN).status == 200


def test_what_is_no_http_is_torn_and_says_why() -> None:
    response = ResponseReader().feed(b"SSH-2.0-x\r\n\r\n")
    assert (response.status, response.ending) == (0, Ending.TORN)
    assert response.error


def test_a_body_beyond_the_limit_is_cut_off() -> None:
    response = ResponseReader(limit=3).feed(PLAIN)
    assert (response.body, response.ending) == (b"hel", Ending.TORN)
    assert response.error == "the body is larger than 3 bytes"


def test_a_head_answer_has_no_body() -> None:
    assert ResponseReader("HEAD").feed(PLAIN.removesuffix(b"hello")).ending is Ending.CLOSED
