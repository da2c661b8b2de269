"""Content codings are undone, and a truncated one is no whole body, whatever HTTP says of its end."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import anyio
import brotli
import pytest
from anyio.abc import ByteStream
from hypothesis import given
from hypothesis import strategies as st
from seatrial.transport.coding import PIECE, unpacker
from seatrial.transport.http import Holder, HttpClient, HttpFailure
from seatrial.transport.sim import SimNetwork
from seatrial.wire.http1 import chunked

from tests.clock import virtual

BODY = b'{"jsonrpc":"2.0","id":1,"result":{}}' * 9
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": brotli.compress,
}


async def fetched(coding: str, packed: bytes) -> bytes | str:
    """What a client reads of a body in chunks that ends with its last chunk, or why it is no body."""
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: {coding}\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    network = SimNetwork()
    listener = await network.listen()

    async def answer(stream: ByteStream) -> None:
        await stream.receive()
        await stream.send(head + chunked(packed))

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(listener.serve, answer, tasks)
        client = HttpClient(network)
        try:
            async with client.stream("GET", f"http://{listener.host}:{listener.port}/", (), None, Holder()) as response:
                return b"".join([chunk async for chunk in response.chunks])
        except HttpFailure as failure:
            return str(failure)
        finally:
            await client.aclose()
            tasks.cancel_scope.cancel()


@pytest.mark.parametrize("coding", PACK)
@virtual
async def test_a_body_comes_without_its_coding(coding: str) -> None:
    assert await fetched(coding, PACK[coding](BODY)) == BODY


@virtual
async def test_a_coding_that_is_not_known_stays() -> None:
    assert await fetched("compress", b"packed") == b"packed"


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("kept", [1, 12, -9, -1])
@virtual
async def test_a_truncated_coding_is_no_whole_body(coding: str, kept: int) -> None:
    why = f"the {coding} of the body is truncated, although the body ended as a whole one does"
    assert await fetched(coding, PACK[coding](BODY)[:kept]) == why


@pytest.mark.parametrize("coding", PACK)
@virtual
async def test_what_is_not_coded_as_it_says_is_no_body(coding: str) -> None:
    assert str(await fetched(coding, BODY)).startswith(f"the body is not {coding}: ")


def read(coding: str, packed: bytes, size: int) -> tuple[list[bytes], bool]:
    """The pieces that come of a body in pieces of a size, and whether it is whole."""
    known = unpacker(coding)
    assert known
    pieces = [piece for at in range(0, len(packed), size) for piece in known.feed(packed[at : at + size])]
    return pieces, known.whole


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), st.integers(1, 50))
def test_members_at_any_split_are_unpacked(members: list[bytes], size: int) -> None:
    pieces, whole = read("gzip", b"".join(map(gzip.compress, members)), size)
    assert (b"".join(pieces), whole) == (b"".join(members), True)


@pytest.mark.parametrize("coding", PACK)
@given(st.binary(max_size=300), st.integers(1, 50))
def test_a_body_at_any_split_is_unpacked(coding: str, body: bytes, size: int) -> None:
    pieces, whole = read(coding, PACK[coding](body), size)
    assert (b"".join(pieces), whole) == (body, True)


@pytest.mark.parametrize("coding", PACK)
def test_little_that_was_packed_hard_comes_in_bounded_pieces(coding: str) -> None:
    packed = PACK[coding](bytes(50 * PIECE))
    pieces, whole = read(coding, packed, len(packed))
    assert (sum(map(len, pieces)), whole) == (50 * PIECE, True)
    assert max(map(len, pieces)) <= 2 * PIECE


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_a_body_of_whole_pieces_is_whole(coding: str, size: int) -> None:
    packed = PACK[coding](bytes(size))
    pieces, whole = read(coding, packed, len(packed))
    assert (b"".join(pieces), whole) == (bytes(size), True)


@pytest.mark.parametrize("coding", PACK)
def test_no_body_is_whole(coding: str) -> None:
    assert read(coding, b"", 1) == ([], True)
    assert not read(coding, PACK[coding](BODY)[:1], 1)[1]
