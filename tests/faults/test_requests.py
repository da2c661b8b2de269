"""What gateways do to requests, their header fields and their company, seen from both sides."""

from __future__ import annotations

import anyio
import pytest
from anyio.abc import ByteStream
from seatrial.chance import Chance
from seatrial.faults import (
    DOWN,
    Fault,
    Letters,
    Where,
    case,
    concurrent,
    duplicate_header,
    oversize,
    pipeline,
    rename_header,
    reorder_responses,
    rewrite_type,
    strip_headers,
)
from seatrial.relay import Relay
from seatrial.relay.message import Request
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork, connection
from seatrial.wire.http1 import chunked, request
from seatrial.wire.json import dumps, loads

from tests.clock import virtual
from tests.faults.exchanges import (
    ANSWER,
    APART,
    ON_CALL,
    RAW,
    answered,
    body_of,
    named,
    one_after_another,
    seen,
)
from tests.faults.harbour import GET, Client, call, harbour, plain
from tests.networks import on_both_networks

# Header fields


def asking(*headers: tuple[str, str]) -> bytes:
    body = body_of(call())
    return request("POST", "/mcp", [("Host", "t"), *headers, ("Content-Length", str(len(body)))], body)


PLAIN = [("Mcp-Session-Id", "s1"), ("MCP-Protocol-Version", "2025-06-18"), ("X-Other", "1")]


HEADER_FAULTS: list[tuple[Fault, list[tuple[str, str]]]] = [
    (strip_headers(names=("mcp-session-id",)), PLAIN[1:]),
    (strip_headers(), PLAIN[2:]),
    (rename_header(names=("Mcp-Session-Id",), prefix="Old-"), [("Old-Mcp-Session-Id", "s1"), *PLAIN[1:]]),
    (duplicate_header(), [PLAIN[0], *PLAIN]),
    (duplicate_header(values=("s2", "s3")), [PLAIN[0], ("Mcp-Session-Id", "s2"), ("Mcp-Session-Id", "s3"), *PLAIN[1:]]),
    (case(names=("Mcp-*",)), [("MCP-SESSION-ID", "s1"), ("MCP-PROTOCOL-VERSION", "2025-06-18"), PLAIN[2]]),
    (case(names=("x-other",), letters=Letters.SWAPPED), [*PLAIN[:2], ("x-oTHER", "1")]),
]


@on_both_networks
async def test_the_headers_of_a_request_are_changed_and_nothing_else(network: Network) -> None:
    for fault, expected in HEADER_FAULTS:
        async with harbour(network, fault, scripts=[answered]) as sea:
            assert (await (await sea.client()).ask(asking(*PLAIN))).response.body == ANSWER
            assert seen(sea) == asking(*expected)
            assert named(sea) == [fault.name]


@on_both_networks
async def test_the_headers_of_an_answer_are_changed_and_nothing_else(network: Network) -> None:
    for fault, told in (
        (strip_headers(direction=DOWN, names=("x-told",)), b""),
        (rename_header(direction=DOWN, names=("x-told",), prefix="Un"), b"UnX-Told: yes\r\n"),
        (duplicate_header(direction=DOWN, header="x-told", values=("no",)), b"X-Told: yes\r\nX-Told: no\r\n"),
        (case(direction=DOWN, names=("x-told",)), b"X-TOLD: yes\r\n"),
    ):
        async with harbour(network, fault, scripts=[answered]) as sea:
            client = await sea.client()
            await client.ask(asking(*PLAIN))
            assert (bytes(client.received), seen(sea)) == (RAW.replace(b"X-Told: yes\r\n", told), asking(*PLAIN))
            assert named(sea) == [fault.name]


@on_both_networks
async def test_a_body_comes_as_another_type(network: Network) -> None:
    async with harbour(network, rewrite_type(media_type="", charset="utf-16"), scripts=[answered]) as sea:
        await (await sea.client()).ask(call())
        assert b"Content-Type: application/json; charset=utf-16\r\n" in seen(sea)
    async with harbour(network, rewrite_type(direction=DOWN), scripts=[answered]) as sea:
        response = (await (await sea.client()).ask(call())).response
        assert (response.header("Content-Type"), response.body, seen(sea)) == ("text/plain", ANSWER, call())


@virtual
async def test_what_has_no_such_header_is_left_alone() -> None:
    async with harbour(SimNetwork(), strip_headers(), duplicate_header(), scripts=[answered]) as sea:
        client = await sea.client()
        await client.ask(call())
        assert (seen(sea), bytes(client.received), sea.fired) == (call(), RAW, [])


@virtual
async def test_a_request_in_chunks_stays_so_when_its_headers_change() -> None:
    def raw(*names: str) -> bytes:
        headers = [("Host", "t"), *((name, "1") for name in names), ("Transfer-Encoding", "chunked")]
        return request("POST", "/mcp", headers, chunked(b"{", b"}"))

    async with harbour(SimNetwork(), strip_headers(names=("x-a",)), scripts=[answered]) as sea:
        await (await sea.client()).ask(raw("X-A", "X-B"))
        assert seen(sea) == raw("X-B")


@virtual
async def test_a_request_keeps_its_version_of_http() -> None:
    old = asking(*PLAIN).replace(b"HTTP/1.1", b"HTTP/1.0")
    async with harbour(SimNetwork(), strip_headers(), scripts=[answered]) as sea:
        await (await sea.client()).ask(old)
        assert seen(sea) == asking(PLAIN[2]).replace(b"HTTP/1.1", b"HTTP/1.0")


# Size


@on_both_networks
async def test_a_request_grows(network: Network) -> None:
    for where in Where:
        async with harbour(network, oversize(where=where, size=5000), scripts=[answered]) as sea:
            assert (await (await sea.client()).ask(call())).response.body == ANSWER
            grown = 10_000 if where is Where.DEPTH else 5000
            assert grown <= len(seen(sea)) - len(call()) < grown + 40
            assert named(sea) == ["oversize"]


@virtual
async def test_what_grows_means_the_same() -> None:
    async with harbour(SimNetwork(), oversize(where=Where.BODY, size=9), scripts=[answered]) as sea:
        await (await sea.client()).ask(call())
        assert loads(body_of(seen(sea))) == loads(body_of(call()))
    async with harbour(SimNetwork(), oversize(where=Where.DEPTH, size=3), scripts=[answered]) as sea:
        await (await sea.client()).ask(call())
        assert loads(body_of(seen(sea))) == {**loads(body_of(call())), "params": {"padding": [[[]]]}}


# Company


@on_both_networks
async def test_requests_share_a_connection_and_do_not_wait(network: Network) -> None:
    """Each client has its own answer."""
    answers: dict[int, bytes] = {}
    connections: list[int] = []

    def script(message: Request) -> list[bytes]:
        connections.append(len(sea.server.endings))
        return plain(dumps(message.http.headers[-1]))

    async with harbour(network, pipeline(on=ON_CALL, n=3), scripts=[script]) as sea:

        async def ask(number: int, client: Client) -> None:
            raw = call(number=number).replace(b"\r\n\r\n", b"\r\nX-Number: %d\r\n\r\n" % number, 1)
            answers[number] = (await client.ask(raw)).response.body

        await one_after_another(sea, ask)
        await sea.server.ended.wait()
        assert answers == {number: dumps(["X-Number", str(number)]) for number in (1, 2, 3)}
        assert (sea.server.endings, connections, named(sea)) == (["fin"], [0, 0, 0], ["pipeline"])


@virtual
async def test_requests_that_share_a_connection_come_before_the_first_is_answered() -> None:
    near, far = connection()

    async def dial() -> ByteStream:
        return far

    relay = Relay([dial], [pipeline()], Chance(7), lambda fault, where: None)
    async with anyio.create_task_group() as tasks:
        clients = [await relay.dialer(tasks)() for _ in range(2)]
        for number, client in enumerate(clients):
            await client.send(call(number=number))
        got = b""
        while len(got) < len(call(number=0)) * 2:
            got += await near.receive()
        asked = sorted((0, 1), key=lambda number: got.index(call(number=number)))
        assert got == b"".join(call(number=number) for number in asked)
        answers = [plain(str(number).encode())[0] for number in (0, 1)]
        await near.send(b"".join(answers[number] for number in asked))
        assert [await client.receive() for client in clients] == answers
        tasks.cancel_scope.cancel()


@on_both_networks
async def test_requests_reach_the_target_at_the_same_moment(network: Network) -> None:
    moments: list[float] = []

    def script(message: Request) -> list[bytes]:
        moments.append(anyio.current_time())
        return plain(ANSWER)

    async with harbour(network, concurrent(on=ON_CALL, n=3), scripts=[script]) as sea:

        async def ask(number: int, client: Client) -> None:
            assert (await client.ask(call(number=number))).response.body == ANSWER

        await one_after_another(sea, ask)
        assert (len(moments), named(sea)) == (3, ["concurrent"])
        assert max(moments) - min(moments) < APART


@pytest.mark.parametrize("fault", [reorder_responses(), pipeline(), concurrent()], ids=lambda fault: fault.name)
@virtual
async def test_who_waits_in_vain_is_served_and_nothing_has_fired(fault: Fault) -> None:
    async with harbour(SimNetwork(), fault, scripts=[answered]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.body == ANSWER
        assert (await client.ask(GET, "GET")).response.body == ANSWER
        assert sea.fired == []
