"""What gateways do to HTTP exchanges, on the simulated network and on TCP, seen from both sides."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream
from seatrial.chance import Chance
from seatrial.faults import (
    DOWN,
    UP,
    Coding,
    Fault,
    FaultError,
    Flush,
    Letters,
    Short,
    Where,
    case,
    concurrent,
    drop_event,
    duplicate_header,
    duplicate_response,
    informational,
    oversize,
    parse,
    pipeline,
    recode,
    redirect,
    rename_header,
    reorder_responses,
    rewrite_type,
    status,
    strip_headers,
    truncate_body,
)
from seatrial.relay import Relay
from seatrial.relay.message import Request
from seatrial.transport.coding import unpacker
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork, connection
from seatrial.wire.http1 import Ending, chunked, request
from seatrial.wire.json import dumps, loads

from tests.clock import virtual
from tests.faults.harbour import GET, Client, Harbour, call, event, harbour, plain, stream_of
from tests.networks import on_both_networks

ON_CALL = "tools/call"
ANSWER = b'{"jsonrpc":"2.0","id":1,"result":{}}'
FIVE = [event(n) for n in range(5)]
STREAM = b"".join(FIVE)


RAW = plain(ANSWER, b"X-Told: yes\r\n")[0]
APART = 0.05
"""Seconds between clients that ask one after another."""


def answered(message: Request) -> list[bytes]:
    return [RAW]


def five(message: Request) -> list[bytes]:
    return stream_of(*FIVE)


def endless(message: Request) -> list[bytes]:
    return stream_of(*FIVE, end=False)


def in_chunks(message: Request) -> list[bytes]:
    return [stream_of()[0].replace(b"text/event-stream", b"application/json"), chunked(ANSWER)]


def seen(sea: Harbour) -> bytes:
    (raw,) = sea.server.requests
    return raw


def body_of(raw: bytes) -> bytes:
    return raw.partition(b"\r\n\r\n")[2]


def named(sea: Harbour) -> list[str]:
    return [name for name, _ in sea.fired]


# Answers


@on_both_networks
async def test_an_answer_may_ask_for_rest(network: Network) -> None:
    async with harbour(network, status(code=429, retry_after=2), scripts=[answered]) as sea:
        response = (await (await sea.client()).ask(call())).response
        assert (response.status, response.header("Retry-After"), sea.server.requests) == (429, "2", [])


@on_both_networks
async def test_an_answer_comes_twice_and_was_given_once(network: Network) -> None:
    async with harbour(network, duplicate_response(on=ON_CALL), scripts=[answered]) as sea:
        client = await sea.client()
        await client.ask(call())
        while len(client.received) < 2 * len(RAW):
            await client.read()
        assert bytes(client.received) == RAW * 2
        assert (len(sea.server.requests), named(sea)) == (1, ["duplicate_response"])


@on_both_networks
async def test_answers_come_in_the_opposite_order(network: Network) -> None:
    """The client that asked first has its own answer, and has it last."""
    order: list[int] = []

    async with harbour(network, reorder_responses(on=ON_CALL, window=3), scripts=[answered]) as sea:

        async def ask(number: int, client: Client) -> None:
            assert (await client.ask(call(number=number))).response.body == ANSWER
            order.append(number)

        await one_after_another(sea, ask)
        assert (order, named(sea)) == ([3, 2, 1], ["reorder_responses"])
        assert sorted(sea.server.requests) == [call(number=number) for number in (1, 2, 3)]


async def one_after_another(sea: Harbour, ask: Callable[[int, Client], Coroutine[Any, Any, None]]) -> None:
    """Three clients that ask within a moment."""
    clients = [await sea.client() for _ in range(3)]
    async with anyio.create_task_group() as tasks:
        for number, client in enumerate(clients, 1):
            tasks.start_soon(ask, number, client)
            await anyio.sleep(APART)


@on_both_networks
async def test_interim_responses_come_before_the_answer(network: Network) -> None:
    async with harbour(network, informational(codes=(102, 103), copies=2), scripts=[answered]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.body == ANSWER
        heads = [part.split(b"\r\n")[0] for part in bytes(client.received).split(b"\r\n\r\n")[:5]]
        assert [head.split(b" ")[1] for head in heads] == [b"102", b"103", b"102", b"103", b"200"]
        assert named(sea) == ["informational"]


@on_both_networks
async def test_a_redirect_keeps_the_request_from_the_target(network: Network) -> None:
    async with harbour(network, redirect(code=308, location="http://127.0.0.1:9/x"), scripts=[answered]) as sea:
        client = await sea.client()
        response = (await client.ask(call())).response
        assert (response.status, response.header("Location")) == (308, "http://127.0.0.1:9/x")
        assert (await client.ask(call())).response.status == 200
        assert len(sea.server.requests) == 1


@on_both_networks
async def test_the_body_of_an_answer_is_short(network: Network) -> None:
    for script in (answered, in_chunks):
        for how in Short:
            async with harbour(network, truncate_body(at=7, how=how), scripts=[script]) as sea:
                client = await sea.client()
                response = (await client.ask(call())).response
                whole = how is not Short.TORN
                assert (response.status, response.body) == (200, ANSWER[:7])
                assert response.ending is (Ending.CLOSED if whole else Ending.OPEN)
                assert named(sea) == ["truncate_body"]


@on_both_networks
async def test_more_comes_than_an_answer_says(network: Network) -> None:
    async with harbour(network, truncate_body(at=7, how=Short.FALSE_LENGTH), scripts=[in_chunks]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.header("Content-Length") == "7"
        assert (await client.rest()).endswith(ANSWER)


@virtual
async def test_a_body_that_is_not_longer_is_left_alone() -> None:
    for how in Short:
        async with harbour(SimNetwork(), truncate_body(at=len(ANSWER), how=how), scripts=[answered]) as sea:
            client = await sea.client()
            await client.ask(call())
            assert (bytes(client.received), sea.fired) == (RAW, [])


@on_both_networks
async def test_the_body_of_a_request_is_short_as_if_whole(network: Network) -> None:
    async with harbour(network, truncate_body(direction=UP, at=9, how=Short.TERMINATED), scripts=[answered]) as sea:
        assert (await (await sea.client()).ask(call())).response.body == ANSWER
        assert body_of(seen(sea)) == body_of(call())[:9]
        assert b"Content-Length: 9\r\n" in seen(sea)


@on_both_networks
async def test_a_request_may_say_that_it_is_shorter(network: Network) -> None:
    async with harbour(network, truncate_body(direction=UP, at=9, how=Short.FALSE_LENGTH), scripts=[answered]) as sea:
        assert (await (await sea.client()).ask(call())).response.status == 200
        await sea.server.ended.wait()
        assert (body_of(seen(sea)), sea.server.opaque) == (body_of(call())[:9], body_of(call())[9:])


@on_both_networks
async def test_a_request_is_torn_inside_its_body(network: Network) -> None:
    async with harbour(network, truncate_body(direction=UP, at=9), scripts=[answered]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        await sea.server.ended.wait()
        assert (sea.server.requests, body_of(sea.server.opaque)) == ([], body_of(call())[:9])
        assert b"Content-Length: %d\r\n" % len(body_of(call())) in sea.server.opaque


# Codings


def unpacked(packed: bytes, coding: Coding) -> tuple[bytes, bool]:
    """What was compressed, and whether it is whole."""
    known = unpacker(coding)
    assert known
    return b"".join(known.feed(packed)), known.whole


@on_both_networks
async def test_an_answer_is_compressed(network: Network) -> None:
    for coding in Coding:
        for flush in Flush:
            async with harbour(network, recode(coding=coding, flush=flush), scripts=[five]) as sea:
                response = (await (await sea.client()).ask(call())).response
                assert response.header("Content-Encoding") == coding
                assert unpacked(response.body, coding) == (STREAM, True)
                assert named(sea) == ["recode"]


@on_both_networks
async def test_what_is_flushed_comes_at_once(network: Network) -> None:
    for flush, read in ((Flush.EVENT, STREAM), (Flush.NEVER, b"")):
        async with harbour(network, recode(flush=flush), scripts=[endless]) as sea:
            response = (await (await sea.client()).ask(call(), patience=0.3)).response
            assert (unpacked(response.body, Coding.GZIP), response.ending) == ((read, False), Ending.OPEN)


@on_both_networks
async def test_a_coding_may_be_truncated_though_the_body_is_not(network: Network) -> None:
    async with harbour(network, recode(truncated=True, flush=Flush.NEVER), scripts=[five]) as sea:
        response = (await (await sea.client()).ask(call())).response
        some, whole = unpacked(response.body, Coding.GZIP)
        assert (STREAM.startswith(some), whole, response.ending) == (True, False, Ending.CLOSED)


@pytest.mark.parametrize(
    ("asked", "told", "coded"),
    [
        (b"", b"", True),
        (b"Accept-Encoding: gzip, br\r\n", b"", True),
        (b"Accept-Encoding: br;q=1, *;q=0.1\r\n", b"", True),
        (b"Accept-Encoding: identity\r\n", b"", False),
        (b"Accept-Encoding: gzip;q=0\r\n", b"", False),
        (b"Accept-Encoding:\r\n", b"", False),
        (b"", b"Cache-Control: no-store, no-transform\r\n", False),
        (b"", b"Content-Encoding: br\r\n", False),
    ],
)
@virtual
async def test_an_answer_is_compressed_only_where_that_is_allowed(asked: bytes, told: bytes, coded: bool) -> None:
    raw = call().replace(b"Host:", asked + b"Host:", 1)
    async with harbour(SimNetwork(), recode(), scripts=[lambda _: plain(ANSWER, told)]) as sea:
        response = (await (await sea.client()).ask(raw)).response
        assert (response.body != ANSWER, named(sea)) == (coded, ["recode"] if coded else [])


@virtual
async def test_events_are_changed_before_they_are_compressed() -> None:
    async with harbour(SimNetwork(), recode(), drop_event(), scripts=[five]) as sea:
        response = (await (await sea.client()).ask(call())).response
        assert unpacked(response.body, Coding.GZIP) == (b"".join(FIVE[1:]), True)
        assert sorted(named(sea)) == ["drop_event", "recode"]


@virtual
async def test_an_answer_is_compressed_though_nobody_wants_it() -> None:
    raw = call().replace(b"Host:", b"Accept-Encoding: identity\r\nHost:", 1)
    script = plain(ANSWER, b"Cache-Control: no-transform\r\n")
    async with harbour(SimNetwork(), recode(honour=False), scripts=[lambda _: script]) as sea:
        response = (await (await sea.client()).ask(raw)).response
        assert unpacked(response.body, Coding.GZIP) == (ANSWER, True)


def test_only_honest_compression_is_benign() -> None:
    assert recode().benign
    assert not recode(honour=False).benign
    assert not recode(truncated=True).benign
    assert not recode(flush=Flush.NEVER).benign


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


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("informational(codes=(200,))", "informational: codes are of 100, 102 and 103"),
        ("redirect(code=304)", "redirect: code is 301, 302"),
        ("redirect(location='a b')", "redirect: location is no URL"),
        ("strip_headers(names=(1,))", "strip_headers: names must be texts"),
        ("duplicate_header(values=('a\\r\\nb',))", "duplicate_header: values holds what no header field can"),
        ("rename_header(prefix='a b')", "rename_header: prefix may hold letters"),
        ("oversize(size=0)", "oversize: size is from 1"),
        ("pipeline(n=1)", "pipeline: needs at least 2 requests"),
        ("recode(coding=zip)", "recode: coding is one of gzip, deflate, br"),
        ("truncate_body(how=fin)", "truncate_body: how is one of torn, terminated, false_length"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(written: str, sentence: str) -> None:
    with pytest.raises(FaultError, match=sentence):
        parse(written)
