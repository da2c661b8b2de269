"""Faults of WebSocket frames, and faults of bytes on WebSocket, as both sides see them."""

from __future__ import annotations

import json

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.faults import (
    DOWN,
    FIN,
    RESET,
    Fault,
    FaultError,
    How,
    benign_profile,
    close_code,
    corrupt,
    cut,
    first,
    fragment,
    latency,
    messages,
    no_close_handshake,
    parse,
    ping_flood,
    request,
    rsv,
    slices,
    split_at,
    stall,
    unmasked,
)
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.wire.websocket import Opcode
from wsproto.events import BytesMessage, CloseConnection, Pong, TextMessage

from tests.clock import virtual
from tests.docs.pages import ROOT, rows
from tests.faults.harbour import call as call_of_http
from tests.faults.harbour import harbour, plain
from tests.faults.sockets import Client, call, frames, quay
from tests.networks import on_both_networks

WORDS = "é😀 wörds that are longer than a frame"


def result(answer: str) -> object:
    return json.loads(answer)["result"]


async def echoes(client: Client, *texts: str) -> None:
    """Each is answered by itself."""
    for number, text in enumerate(texts, 1):
        answers = await client.ask(call("echo", {"text": text}, number))
        assert result(answers[-1]) == {"text": text}


@on_both_networks
async def test_without_a_fault_a_relay_passes_every_byte_untouched(network: Network) -> None:
    async with quay(network, relayed=True) as place:
        client = await place.client()
        sent = client.socket.send(TextMessage(call("echo", {"text": WORDS}))) + b"\xf1\x80half"
        await client.stream.send(sent)
        await client.until(lambda: bool(client.closes))
        assert bytes(place.server.heard) == sent
        assert (result(client.answers[0]), client.closes[0][0]) == ({"text": WORDS}, 1002)
        await client.rest()
        assert client.ending == "fin"


@on_both_networks
async def test_fragments_are_whole_messages_to_both_sides(network: Network) -> None:
    async with quay(network, fragment(largest=3)) as place:
        client = await place.client()
        await echoes(client, WORDS, "")
        up, down = place.server.frames_heard, frames(client.received)
        for seen in (up, down):
            assert [frame.opcode for frame in seen if frame.opcode] == [Opcode.TEXT, Opcode.TEXT]
            assert [frame.fin for frame in seen].count(True) == 2
            assert max(len(frame.payload) for frame in seen) <= 3
        assert all(frame.key for frame in up) and not any(frame.key for frame in down)
        assert place.fired == ["fragment", "fragment"]


@on_both_networks
async def test_fragments_end_inside_code_points(network: Network) -> None:
    async with quay(network, fragment(smallest=999, largest=999)) as place:
        client = await place.client()
        await echoes(client, WORDS)
        with pytest.raises(UnicodeDecodeError):
            place.server.frames_heard[0].payload.decode()


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=300), min_size=1, max_size=4),
    st.lists(st.binary(max_size=300), max_size=3),
    st.builds(
        lambda small, more, inside, most: fragment(smallest=small, largest=small + more, code_points=inside, most=most),
        *(st.integers(1, 9), st.integers(0, 40), st.booleans(), st.integers(0, 70)),
    ),
    st.integers(0, 99),
)
def test_no_fragmenting_changes_a_message(texts: list[str], blobs: list[bytes], fault: Fault, seed: int) -> None:
    @virtual
    async def run() -> None:
        async with quay(SimNetwork(), fault, seed=seed) as place:
            client = await place.client()
            await echoes(client, *texts)
            for blob in blobs:
                await client.say(BytesMessage(blob))
            await client.say(CloseConnection(1000))
            await client.rest()
            came = [event for event in client.events if isinstance(event, BytesMessage)]
            assert b"".join(bytes(event.data) for event in came) == b"".join(blobs)
            assert (client.closes, client.ending) == ([(1000, "")], "fin")

    run()


@on_both_networks
async def test_a_flood_of_pings_is_answered_and_the_stream_goes_on(network: Network) -> None:
    async with quay(network, ping_flood(count=50, rate=10000.0, after=messages(1))) as place:
        client = await place.client()
        await echoes(client, "a", "b")
        await client.until(lambda: sum(isinstance(event, Pong) for event in client.events) == 50)
        assert [frame.opcode for frame in place.server.frames_heard] == [Opcode.TEXT, *[Opcode.PING] * 50, Opcode.TEXT]
        assert [e.payload for e in client.events if isinstance(e, Pong)] == [b"%d" % n for n in range(1, 51)]
        assert place.fired == ["ping_flood"]


@virtual
async def test_a_flood_of_pings_has_its_rate() -> None:
    async with quay(SimNetwork(), ping_flood(count=10, rate=2.0, direction=DOWN)) as place:
        client, begun = await place.client(), anyio.current_time()
        await client.until(lambda: len(client.events) > 10, patience=60.0)
        assert anyio.current_time() - begun == pytest.approx(4.5)
        assert [frame.opcode for frame in frames(client.received)] == [Opcode.PING] * 10


@on_both_networks
async def test_a_close_in_the_clients_name_is_answered_and_nothing_comes_behind_it(network: Network) -> None:
    async with quay(network, close_code(code=4001, reason="bye", after=messages(1))) as place:
        client = await place.client()
        await echoes(client, "a")
        await client.until(lambda: bool(client.closes))
        await client.say(CloseConnection(1000))
        await client.rest()
        seen = [(frame.opcode, frame.payload) for frame in place.server.frames_heard][1:]
        assert seen == [(Opcode.CLOSE, (4001).to_bytes(2, "big") + b"bye")]
        assert (client.closes, client.ending, place.fired) == ([(4001, "bye")], "fin", ["close_code"])


@on_both_networks
async def test_a_close_in_the_servers_name_reaches_the_client_alone(network: Network) -> None:
    async with quay(network, close_code(code=1012, direction=DOWN, after=messages(1))) as place:
        client = await place.client()
        await echoes(client, "a")
        await client.until(lambda: bool(client.closes))
        assert client.closes == [(1012, "")]
        assert [frame.opcode for frame in place.server.frames_heard] == [Opcode.TEXT]


@pytest.mark.parametrize("how", [FIN, RESET])
def test_a_connection_ends_without_a_close_frame(how: How) -> None:
    @virtual
    async def run() -> None:
        async with quay(SimNetwork(), no_close_handshake(how=how, direction=DOWN, after=messages(1))) as place:
            client = await place.client()
            await echoes(client, "a")
            await client.rest()
            await place.server.ended.wait()
            assert (client.ending, client.closes) == (how.value, [])
            assert Opcode.CLOSE not in [frame.opcode for frame in place.server.frames_heard]

    run()


@on_both_networks
async def test_a_reset_without_a_close_frame_is_one_on_tcp_too(network: Network) -> None:
    async with quay(network, no_close_handshake(how=RESET, direction=DOWN, after=messages(1))) as place:
        client = await place.client()
        await client.say(TextMessage(call("ping")))
        await client.rest()
        await place.server.ended.wait()
        assert (client.ending, client.closes, place.fired) == ("reset", [], ["no_close_handshake"])


@on_both_networks
async def test_an_unmasked_frame_is_a_breach(network: Network) -> None:
    async with quay(network, unmasked(after=messages(1))) as place:
        client = await place.client()
        await echoes(client, "a")
        await client.say(TextMessage(call("ping")))
        await client.rest()
        keys = [frame.key is None for frame in place.server.frames_heard]
        assert (keys[:2], client.closes[0][0], place.fired) == ([False, True], 1002, ["unmasked"])
        assert place.server.frames_heard[1].payload.decode() == call("ping")


@pytest.mark.parametrize(("bit", "seen"), [(1, 4), (2, 2), (3, 1)])
@virtual
async def test_a_reserved_bit_is_a_breach(bit: int, seen: int) -> None:
    async with quay(SimNetwork(), rsv(bit=bit)) as place:
        client = await place.client()
        await client.say(TextMessage(call("ping")))
        await client.rest()
        assert [frame.reserved for frame in place.server.frames_heard] == [seen]
        assert (client.closes[0][0], place.fired) == (1002, ["rsv"])


@on_both_networks
async def test_a_reserved_bit_is_set_on_the_wire(network: Network) -> None:
    async with quay(network, rsv(after=messages(1, method="echo"))) as place:
        client = await place.client()
        await client.ask(call("ping"))
        await echoes(client, "a")
        await client.say(TextMessage(call("ping")))
        await client.rest()
        assert [frame.reserved for frame in place.server.frames_heard] == [0, 0, 1]
        assert (client.closes[0][0], place.fired) == (1002, ["rsv"])


@virtual
async def test_the_connection_that_is_disturbed_can_be_chosen() -> None:
    async with quay(SimNetwork(), rsv(after=request(2))) as place:
        await echoes(await place.client(), "a")
        client = await place.client()
        await client.say(TextMessage(call("ping")))
        await client.rest()
        assert client.closes[0][0] == 1002


EXAMPLES = [row[3] for row in rows(ROOT / "docs" / "faults.md", "fault") if row[2] == "WebSocket"]


@pytest.mark.parametrize("example", EXAMPLES)
@virtual
async def test_each_example_of_the_page_takes_effect(example: str) -> None:
    async with quay(SimNetwork(), fault := parse(example)) as place:
        client = await place.client()
        for number in range(3):
            if not (client.closes or client.ending):
                await client.ask(call("ping", number=number))
        assert set(place.fired) == {fault.name}


# Faults of bytes


QUIET = (slices(), split_at(), latency(seconds=0.01), latency(on="GET", seconds=0.01), slices(on="GET"))


@on_both_networks
async def test_benign_faults_of_bytes_change_nothing(network: Network) -> None:
    async with quay(network, *QUIET) as place:
        client = await place.client()
        await echoes(client, WORDS, "b")
        await client.say(CloseConnection(1000))
        await client.rest()
        assert (client.closes, client.ending) == ([(1000, "")], "fin")
        assert {"slice", "latency"} <= set(place.fired)


@virtual
async def test_the_benign_profile_changes_nothing() -> None:
    async with quay(SimNetwork(), *benign_profile()) as place:
        client = await place.client()
        await echoes(client, WORDS, "b")
        await client.say(CloseConnection(1000))
        await client.rest()
        assert (client.closes, client.ending) == ([(1000, "")], "fin")


@on_both_networks
async def test_a_cut_between_messages_takes_none_that_was_whole(network: Network) -> None:
    async with quay(network, cut(on="GET", after=messages(2), how=RESET)) as place:
        client = await place.client()
        await echoes(client, "a", "b")
        await client.rest()
        await place.server.ended.wait()
        assert (client.ending, len(client.answers), place.fired) == ("reset", 2, ["cut"])


@on_both_networks
async def test_a_cut_inside_a_frame_leaves_no_message(network: Network) -> None:
    async with quay(network, cut(after=first("result"))) as place:
        client = await place.client()
        await client.say(TextMessage(call("ping")))
        await client.rest()
        assert (client.ending, client.answers) == ("fin", [])


@virtual
async def test_a_stall_keeps_the_socket_and_may_end() -> None:
    async with quay(SimNetwork(), stall(on="GET", after=messages(1), seconds=30.0)) as place:
        client = await place.client()
        await echoes(client, "a")
        await client.say(TextMessage(call("ping")))
        assert not await client.until(lambda: len(client.answers) > 1, patience=29.0)
        assert await client.until(lambda: len(client.answers) > 1, patience=2.0)
        assert client.ending == ""


@on_both_networks
async def test_a_corrupted_head_of_a_frame_is_a_breach(network: Network) -> None:
    async with quay(network, corrupt(on="GET", after=messages(1), xor=0x70)) as place:
        client = await place.client()
        await echoes(client, "a")
        await client.say(TextMessage(call("ping")))
        await client.rest()
        assert [frame.reserved for frame in place.server.frames_heard] == [0, 7]
        assert (client.closes[0][0], place.fired, len(client.answers)) == (1002, ["corrupt"], 1)


@pytest.mark.parametrize(
    "written",
    [
        "rsv(bit=4)",
        "unmasked(direction=down)",
        "close_code(code=70000)",
        "ping_flood(rate=0.0)",
        "fragment(smallest=5, largest=4)",
        "no_close_handshake(how=stall)",
        "rsv(after=bytes(3))",
    ],
)
def test_what_cannot_be_is_refused(written: str) -> None:
    with pytest.raises(FaultError, match=written.partition("(")[0]):
        parse(written)


@virtual
async def test_a_request_that_is_no_handshake_is_none_of_its() -> None:
    async with harbour(SimNetwork(), rsv(), fragment(), unmasked(), scripts=[lambda message: plain()]) as place:
        reader = await (await place.client()).ask(call_of_http())
        assert (reader.response.body, place.server.requests, place.fired) == (b"{}", [call_of_http()], [])
