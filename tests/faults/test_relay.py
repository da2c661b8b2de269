"""Faults of HTTP exchanges and event streams, on the simulated network and on TCP."""

from __future__ import annotations

import anyio
import pytest
from anyio.abc import ByteStream
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import (
    FIN,
    GATEWAY_TIMEOUT,
    RESET,
    STALL,
    Fault,
    How,
    Trigger,
    buffer,
    cut,
    drop_event,
    drop_response,
    duplicate_event,
    events,
    keepalive_churn,
    messages,
    octets,
    reorder_events,
    replay_request,
    request,
    round_robin,
    stall,
    status,
)
from seatrial.relay import Relay
from seatrial.relay.message import Request
from seatrial.transport.network import Network, reset
from seatrial.transport.sim import SimNetwork, connection
from seatrial.wire.http1 import Ending

from tests.clock import virtual
from tests.faults.harbour import GET, Harbour, Script, call, event, harbour, plain, stream_of
from tests.networks import on_both_networks

FIVE = [event(n) for n in range(5)]
ON_CALL = "tools/call"


def endless(message: Request) -> list[bytes]:
    return stream_of(*FIVE, end=False)


def five(message: Request) -> list[bytes]:
    return stream_of(*FIVE)


async def ended(sea: Harbour) -> list[str]:
    await sea.server.ended.wait()
    return sea.server.endings


@on_both_networks
async def test_a_cut_ends_a_stream_after_whole_events(network: Network) -> None:
    async with harbour(network, cut(on=ON_CALL, after=events(2)), scripts=[endless]) as sea:
        client = await sea.client()
        reader = await client.ask(call())
        assert (reader.response.body, client.ending) == (FIVE[0] + FIVE[1], "fin")
        assert await ended(sea) == ["fin"]
        assert [name for name, _ in sea.fired] == ["cut"]


@on_both_networks
async def test_a_reset_ends_a_stream_abortively(network: Network) -> None:
    async with harbour(network, cut(on=ON_CALL, after=events(2), how=RESET), scripts=[endless]) as sea:
        client = await sea.client()
        reader = await client.ask(call())
        assert (reader.response.body, client.ending) == (FIVE[0] + FIVE[1], "reset")
        assert await ended(sea) == ["reset"]


@on_both_networks
async def test_only_what_is_selected_is_cut(network: Network) -> None:
    async with harbour(network, cut(on=ON_CALL, after=events(2)), scripts=[five]) as sea:
        client = await sea.client()
        for raw, verb in ((call("tools/list"), "POST"), (GET, "GET")):
            assert (await client.ask(raw, verb)).response.body == b"".join(FIVE)
        assert sea.fired == []


@on_both_networks
async def test_an_answer_that_is_dropped_was_given(network: Network) -> None:
    async with harbour(network, drop_response(on=ON_CALL), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        await client.ask(call())
        assert (bytes(client.received), client.ending) == (b"", "reset")
        assert sea.server.requests == [call()]
        again = await (await sea.client()).ask(call())
        assert again.response.body == b"{}"


@on_both_networks
async def test_a_gateway_may_answer_for_what_was_dropped(network: Network) -> None:
    async with harbour(network, drop_response(how=GATEWAY_TIMEOUT), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.status == 504
        assert (await client.ask(call())).response.status == 200
        assert len(sea.server.requests) == 2


@on_both_networks
async def test_a_client_that_leaves_ends_the_exchange_at_the_target(network: Network) -> None:
    async with harbour(network, cut(after=events(9)), scripts=[endless]) as sea:
        client = await sea.client()
        await client.ask(call(), patience=0.3)
        await client.stream.aclose()
        assert await ended(sea) == ["fin"]


@on_both_networks
async def test_a_client_that_resets_resets_the_target(network: Network) -> None:
    async with harbour(network, cut(after=events(9)), scripts=[endless]) as sea:
        client = await sea.client()
        await client.ask(call(), patience=0.3)
        await reset(client.stream)
        assert await ended(sea) == ["reset"]


@on_both_networks
async def test_requests_are_replayed_before_the_answer(network: Network) -> None:
    async with harbour(network, replay_request(on=ON_CALL, copies=2), scripts=[lambda _: plain()]) as sea:
        assert (await (await sea.client()).ask(call())).response.body == b"{}"
        assert sea.server.requests == [call()] * 3


@pytest.mark.parametrize(
    ("fault", "expected"),
    [
        (duplicate_event(after=events(2)), [0, 1, 1, 2, 3, 4]),
        (duplicate_event(after=events(1), copies=2), [0, 0, 0, 1, 2, 3, 4]),
        (reorder_events(after=events(2)), [0, 2, 1, 3, 4]),
        (reorder_events(after=events(1), window=3), [2, 1, 0, 3, 4]),
        (reorder_events(after=events(5)), [0, 1, 2, 3, 4]),
        (drop_event(after=events(5)), [0, 1, 2, 3]),
        (drop_event(after=events(9)), [0, 1, 2, 3, 4]),
    ],
)
@virtual
async def test_events_are_changed(fault: Fault, expected: list[int]) -> None:
    async with harbour(SimNetwork(), fault, scripts=[five]) as sea:
        reader = await (await sea.client()).ask(call())
        assert reader.response.body == b"".join(FIVE[n] for n in expected)
        assert bool(sea.fired) is (expected != [0, 1, 2, 3, 4])


@virtual
async def test_the_nth_request_is_selected() -> None:
    fault = status(on=ON_CALL, after=request(2), code=503, headers=(("Retry-After", "1"),), body="busy")
    async with harbour(SimNetwork(), fault, scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        answers = [(await client.ask(call(method))).response for method in (ON_CALL, "ping", ON_CALL, ON_CALL)]
        assert [answer.status for answer in answers] == [200, 200, 503, 200]
        assert (answers[2].header("Retry-After"), answers[2].body) == ("1", b"busy")
        assert len(sea.server.requests) == 3


@virtual
async def test_a_request_can_be_cut_before_the_target_sees_it() -> None:
    async with harbour(SimNetwork(), cut(on="GET", after=request(1), how=RESET), scripts=[five]) as sea:
        client = await sea.client()
        await client.ask(GET, "GET")
        assert (client.ending, sea.server.requests) == ("reset", [])


@pytest.mark.parametrize(
    ("after", "body"),
    [
        (events(0), b""),
        (events(1), FIVE[0]),
        (octets(7), FIVE[0][:7]),
        (messages(2, "tick"), FIVE[0] + FIVE[1]),
    ],
)
@virtual
async def test_a_stall_keeps_the_exchange_open(after: Trigger, body: bytes) -> None:
    async with harbour(SimNetwork(), cut(on=ON_CALL, after=after, how=STALL), scripts=[five]) as sea:
        client = await sea.client()
        response = (await client.ask(call(), patience=600.0)).response
        assert (response.status, response.body, response.ending, client.ending) == (200, body, Ending.OPEN, "")
        await client.stream.aclose()
        assert await ended(sea) == ["fin"]


@virtual
async def test_a_stall_within_an_exchange_may_end() -> None:
    async with harbour(SimNetwork(), stall(on=ON_CALL, after=events(1), seconds=5.0), scripts=[five]) as sea:
        started = anyio.current_time()
        reader = await (await sea.client()).ask(call(), patience=60.0)
        assert reader.response.body == b"".join(FIVE)
        assert anyio.current_time() - started == pytest.approx(5.0)


@virtual
async def test_an_event_passes_at_once() -> None:
    async with harbour(SimNetwork(), buffer(), scripts=[endless]) as sea:
        response = (await (await sea.client()).ask(call(), patience=1.0)).response
        assert (response.body, response.ending) == (b"".join(FIVE), Ending.OPEN)
        assert sea.fired == []


@virtual
async def test_a_buffering_proxy_that_honours_nothing_holds_events_back() -> None:
    async with harbour(SimNetwork(), buffer(honour=False), scripts=[endless]) as sea:
        response = (await (await sea.client()).ask(call(), patience=600.0)).response
        assert (response.status, response.body) == (200, b"")
        assert not buffer(honour=False).benign


@virtual
async def test_churn_announces_every_nth_end() -> None:
    async with harbour(SimNetwork(), keepalive_churn(every=2), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        first, second = [(await client.ask(call())).response for _ in range(2)]
        await client.rest()
        assert (first.header("Connection"), second.header("Connection")) == (None, "close")
        assert second.body == b"{}"
        assert client.ending == "fin"


def named(name: str) -> Script:
    return lambda _: plain(name.encode())


@pytest.mark.parametrize(
    ("faults", "expected"), [([], "abab"), ([round_robin()], "abab"), ([round_robin(sticky=True)], "aaaa")]
)
@virtual
async def test_replicas_serve_in_turn(faults: list[Fault], expected: str) -> None:
    async with harbour(SimNetwork(), *faults, scripts=[named("a"), named("b")]) as sea:
        client = await sea.client()
        answers = [(await client.ask(call())).response.body.decode() for _ in range(4)]
        assert "".join(answers) == expected


@virtual
async def test_an_upstream_that_ends_while_idle_ends_the_client() -> None:
    closing = plain(extra=b"Connection: close\r\n")
    async with harbour(SimNetwork(), cut(on="none"), scripts=[lambda _: closing]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.body == b"{}"
        await client.rest()
        assert client.ending == "fin"


@pytest.mark.parametrize("how", [FIN, RESET])
@virtual
async def test_firings_are_bounded_across_exchanges(how: How) -> None:
    async with harbour(SimNetwork(), cut(on=ON_CALL, after=events(1), how=how, times=2), scripts=[five]) as sea:
        bodies = [(await (await sea.client()).ask(call())).response.body for _ in range(3)]
        assert bodies == [FIVE[0], FIVE[0], b"".join(FIVE)]
        assert len(sea.fired) == 2


TOKENS = st.text("abcXYZ-1", min_size=1, max_size=8)
HEADERS = st.lists(st.tuples(TOKENS.map(lambda name: f"X{name}"), TOKENS), max_size=6)
BODIES = st.binary(max_size=300)


@settings(max_examples=60, deadline=None)
@given(HEADERS, BODIES, HEADERS, st.lists(BODIES, max_size=5), st.booleans(), st.integers(1, 50))
def test_what_no_fault_selects_passes_as_it_came(
    asked: list[tuple[str, str]],
    question: bytes,
    told: list[tuple[str, str]],
    answer: list[bytes],
    framed: bool,
    size: int,
) -> None:
    """The request byte for byte; of the response the head byte for byte and the body's content."""
    request_raw = b"POST /mcp HTTP/1.1\r\n" + _head([*asked, ("Host", "t")], question) + question
    framing = ("Transfer-Encoding", "chunked") if framed else ("content-length", str(len(b"".join(answer))))
    head = b"HTTP/1.1 200 Fine By Me\r\n" + _head([*told, framing], None)

    @virtual
    async def run() -> None:
        body = stream_of(*answer)[1:] if framed else answer
        raw = head + b"".join(body)
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        async with harbour(SimNetwork(), cut(on="none"), scripts=[lambda _: pieces]) as sea:
            client = await sea.client()
            reader = await client.ask(request_raw)
            assert sea.server.requests == [request_raw]
            assert bytes(client.received[: len(head)]) == head
            assert (reader.response.body, reader.response.ending) == (b"".join(answer), Ending.CLOSED)

    run()


def _head(headers: list[tuple[str, str]], body: bytes | None) -> bytes:
    length = [] if body is None else [("Content-Length", str(len(body)))]
    return "".join(f"{name}: {value}\r\n" for name, value in [*headers, *length]).encode() + b"\r\n"


@virtual
async def test_what_is_no_http_passes_both_ways() -> None:
    """A malformed request must reach the target as it is: the target's answer to it is what is judged."""
    near, far = connection()
    async with anyio.create_task_group() as tasks:

        async def dial() -> ByteStream:
            return far

        client = await Relay([dial], [], Chance(7), lambda fault, where: None).dialer(tasks)()
        await client.send(b"G\0T / NOTHTTP\r\n\r\n")
        assert await near.receive() == b"G\0T / NOTHTTP\r\n\r\n"
        await near.send(b"what?")
        assert await client.receive() == b"what?"
        await near.aclose()
        await client.aclose()


@virtual
async def test_an_answer_that_is_no_http_passes_untouched() -> None:
    async with harbour(SimNetwork(), cut(on="none"), scripts=[lambda _: [b"SSH-2.0-harbour\r\n\r\n"] * 2]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        while len(client.received) < 38:
            await client.read()
        assert bytes(client.received) == b"SSH-2.0-harbour\r\n\r\n" * 2


@virtual
async def test_a_torn_answer_is_torn_at_the_client() -> None:
    network = SimNetwork()
    torn = cut(after=octets(len(plain()[0]) - 1))
    async with harbour(network, torn, cut(on="none"), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        response = (await client.ask(call())).response
        assert (response.status, response.body, response.ending) == (200, b"{", Ending.OPEN)
        assert client.ending == "fin"


@virtual
async def test_an_event_without_bounds_ends_the_exchange_and_is_no_firing() -> None:
    boundless = stream_of(b"data: " + b"x" * (5 * 1024 * 1024), end=False)
    async with harbour(SimNetwork(), drop_event(after=events(1)), scripts=[lambda _: boundless]) as sea:
        client = await sea.client()
        await client.ask(call(), patience=60.0)
        assert (client.ending, sea.fired) == ("reset", [])
