"""Content codings are undone, and a truncated one is no whole body, whatever HTTP says of its end."""

from __future__ import annotations

import gzip
import zlib

import anyio
import pytest
from anyio.abc import ByteStream
from hypothesis import given
from hypothesis import strategies as st
from seatrial.transport.coding import PIECE, CodingError, Unpacker
from seatrial.transport.http import Holder, HttpClient, HttpFailure
from seatrial.transport.sim import SimNetwork
from seatrial.wire.http1 import chunked

from tests.clock import virtual

BODY = b'{"jsonrpc":"2.0","id":1,"result":{}}' * 9
PACK = {"gzip": gzip.compress, "deflate": zlib.compress}


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
    assert await fetched("br", b"packed") == b"packed"


@pytest.mark.parametrize("coding", PACK)
@pytest.mark.parametrize("kept", [1, 12, -9, -1])
@virtual
async def test_a_truncated_coding_is_no_whole_body(coding: str, kept: int) -> None:
    why = f"the {coding} of the body is truncated, although the body ended as a whole one does"
    assert await fetched(coding, PACK[coding](BODY)[:kept]) == why


@virtual
async def test_what_is_not_coded_as_it_says_is_no_body() -> None:
    assert str(await fetched("gzip", BODY)).startswith("the body is not gzip: ")


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=3), st.integers(1, 50))
def test_members_at_any_split_are_unpacked(members: list[bytes], size: int) -> None:
    packed = b"".join(map(gzip.compress, members))
    unpacker = Unpacker("gzip")
    pieces = [piece for at in range(0, len(packed), size) for piece in unpacker.feed(packed[at : at + size])]
    unpacker.close()
    assert b"".join(pieces) == b"".join(members)


def test_little_that_was_packed_hard_comes_in_bounded_pieces() -> None:
    sizes = [len(piece) for piece in Unpacker("gzip").feed(gzip.compress(bytes(50 * PIECE)))]
    assert (sum(sizes), max(sizes)) == (50 * PIECE, PIECE)


@pytest.mark.parametrize("size", [PIECE - 1, PIECE, PIECE + 1, 2 * PIECE])
def test_a_body_of_whole_pieces_is_whole(size: int) -> None:
    unpacker = Unpacker("gzip")
    assert b"".join(unpacker.feed(gzip.compress(bytes(size)))) == bytes(size)
    unpacker.close()


def test_no_body_is_whole() -> None:
    Unpacker("gzip").close()
    torn = Unpacker("gzip")
    assert list(torn.feed(b"\x1f")) == [b""]
    with pytest.raises(CodingError):
        torn.close()
