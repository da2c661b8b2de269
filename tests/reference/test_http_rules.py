"""What HTTP requests must look like, and what bad ones do: no harm."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.fixtures.reference import Reference
from seatrial.fixtures.reference.versions import D
from seatrial.transport.network import reset

from .client import initialize, modern, request, serving, virtual

PING = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'


class Protected(Reference):
    protected = True


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({"Host": "evil.example"}, 403),
        ({"Host": "localhost"}, 200),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "text/plain; a=application/json"}, 415),
        ({"Content-Type": None}, 415),
        ({"Content-Type": "Application/JSON; charset=utf-8"}, 200),
        ({"Accept": "text/html"}, 406),
        ({"Accept": "*/*"}, 200),
        ({"Accept": None}, 200),
        ({"MCP-Protocol-Version": "1999-01-01"}, 400),
        ({"MCP-Protocol-Version": "banana"}, 400),
        ({"MCP-Protocol-Version": None}, 200),
    ],
)
@virtual
async def test_headers_decide(headers: dict[str, str | None], status: int) -> None:
    async with serving() as client:
        session = await client.begin()
        assert (await (await session.send("POST", PING, headers)).reply()).status == status


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b'{"jsonrpc":', -32700),
        (b'"\xff"', -32700),
        (b"[" * 2000 + b"]" * 2000, -32700),
        (b'{"foo":1}', -32600),
        (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600),
        (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602),
    ],
)
@virtual
async def test_what_is_no_request_is_refused_and_does_no_harm(body: bytes, code: int) -> None:
    async with serving() as client:
        session = await client.begin()
        reply = await (await session.send("POST", body)).reply()
        assert (reply.status, reply.json["error"]["code"]) == (400, code)
        assert (await session.post(request(2, "ping"))).json == {"jsonrpc": "2.0", "id": 2, "result": {}}


@pytest.mark.parametrize("id", [0, -1, "", "é", 2**53 - 1, "x" * 5000])
@virtual
async def test_ids_come_back_as_they_were(id: Any) -> None:
    async with serving() as client:
        session = await client.begin()
        assert (await session.post(request(id, "ping"))).json["id"] == id
        assert (await session.post(request(id, "no/such"))).json["id"] == id


@pytest.mark.parametrize(("version", "has_id"), [(None, True), ("2025-06-18", True), (D, False)])
@virtual
async def test_an_unreadable_message_gets_no_made_up_id(version: str | None, has_id: bool) -> None:
    async with serving() as client:
        reply = await (await client.send("POST", b"{", {"MCP-Protocol-Version": version})).reply()
    assert ("id" in reply.json) is has_id
    assert reply.json.get("id") is None


@virtual
async def test_an_oversize_body_is_refused() -> None:
    async with serving() as client:
        exchange = await client.send("POST", b'"' + b"x" * 8_000_000 + b'"')
        assert (await exchange.reply()).status == 413


@pytest.mark.parametrize(
    "garbage", [b"banana\r\n\r\n", b"GET /mcp HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", b"\x16\x03\x01"]
)
@virtual
async def test_garbage_instead_of_http_does_no_harm(garbage: bytes) -> None:
    async with serving() as client:
        stream = await client.network.connect("127.0.0.1", client.port)
        await stream.send(garbage)
        await stream.send_eof()
        with pytest.raises(anyio.EndOfStream):
            while True:
                await stream.receive()
        assert (await client.post(initialize(D))).status == 200


@virtual
async def test_a_connection_that_breaks_in_the_body_does_no_harm() -> None:
    async with serving() as client:
        stream = await client.network.connect("127.0.0.1", client.port)
        await stream.send(b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        await anyio.sleep(1)
        await reset(stream)
        assert (await client.post(initialize(D))).status == 200


@virtual
async def test_requests_follow_each_other_on_one_connection() -> None:
    async with serving() as client:
        head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        body = b'{"jsonrpc":"2.0","method":"x","params":{"_meta":{"io.modelcontextprotocol/clientCapabilities":{}}}}'
        stream = await client.network.connect("127.0.0.1", client.port)
        await stream.send((head + b"Content-Length: %d\r\n\r\n" % len(body) + body) * 3)
        await anyio.sleep(1)
        assert (await stream.receive()).count(b"HTTP/1.1 202") == 3


@pytest.mark.parametrize("verb", ["PUT", "PATCH", "HEAD", "OPTIONS"])
@virtual
async def test_other_verbs_are_refused(verb: str) -> None:
    async with serving() as client:
        reply = await (await client.send(verb)).reply()
    assert reply.status == 405
    assert "POST" in reply.headers["allow"]


@virtual
async def test_a_reader_that_stops_does_not_block_others() -> None:
    flood = modern(1, "tools/call", {"name": "flood", "arguments": {"size": 1_000_000}})
    async with serving() as client:
        await client.start_modern(flood)
        assert await client.tool("echo", text="hello") == "hello"


@pytest.mark.parametrize(
    ("token", "status"),
    [(None, 401), ("Bearer no", 401), ("Basic token-1", 401), ("Bearer token-3", 403), ("Bearer token-1", 200)],
)
@virtual
async def test_a_protected_server_wants_a_token_each_time(token: str | None, status: int) -> None:
    async with serving(Protected) as client:
        reply = await client.modern(modern(1, "tools/list"), {"Authorization": token})
        query = await (await client.send("POST", PING, path="/mcp?access_token=token-1")).reply()
    assert reply.status == status
    assert ("resource_metadata" in reply.headers.get("www-authenticate", "")) is (status in (401, 403))
    assert query.status == 401


@virtual
async def test_a_protected_server_describes_itself() -> None:
    async with serving(Protected) as client:
        path = "/.well-known/oauth-protected-resource/mcp"
        document = (await (await client.send("GET", path=path)).reply()).json
        assert document["resource"] == f"http://127.0.0.1:{client.port}/mcp"
    assert document["authorization_servers"]


@virtual
async def test_both_eras_share_an_endpoint() -> None:
    async with serving() as client:
        session = await client.begin()
        reply = await session.modern(modern(1, "tools/list"), {"Last-Event-ID": "x"})
        assert reply.status == 200
        assert "mcp-session-id" not in reply.headers
        assert (await session.post(request(2, "ping"))).json["result"] == {}
