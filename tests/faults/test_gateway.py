"""What gateways do to answers, on the simulated network and on TCP, seen from both sides."""

from __future__ import annotations

import pytest
from seatrial.faults import (
    UP,
    Coding,
    FaultError,
    Flush,
    Short,
    drop_event,
    duplicate_response,
    informational,
    parse,
    recode,
    redirect,
    reorder_responses,
    status,
    truncate_body,
)
from seatrial.transport.coding import unpacker
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.wire.http1 import Ending

from tests.clock import virtual
from tests.faults.exchanges import (
    ANSWER,
    FIVE,
    ON_CALL,
    RAW,
    STREAM,
    answered,
    body_of,
    endless,
    five,
    in_chunks,
    named,
    one_after_another,
    seen,
)
from tests.faults.harbour import Client, call, harbour, plain
from tests.networks import on_both_networks

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
