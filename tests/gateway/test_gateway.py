"""The fault plane as a proxy of its own: what passes, what it tells, and a plan that changes meanwhile."""

from __future__ import annotations

import anyio
import pytest
from seatrial.faults import (
    RESET,
    Coding,
    Fault,
    blackhole,
    cut,
    drop_response,
    events,
    octets,
    pause,
    recode,
    refuse,
    replay_request,
    round_robin,
    sigkill,
    skew,
    slices,
    status,
)
from seatrial.faults.profile import Profile, read_profile
from seatrial.gateway import Exchanged, Fired, Opened, Unmountable
from seatrial.relay.message import Request
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.wire.http1 import Ending, request
from seatrial.wire.sse import SseDecoder

from tests.clock import virtual
from tests.faults.harbour import GET, call, event, plain, stream_of
from tests.gateway.passage import Passage, passage
from tests.networks import on_both_networks

FIVE = [event(n) for n in range(5)]


def answers(message: Request) -> list[bytes]:
    return plain(b'{"jsonrpc":"2.0","id":1,"result":{}}')


def streams(message: Request) -> list[bytes]:
    return stream_of(*FIVE)


def endless(message: Request) -> list[bytes]:
    return stream_of(*FIVE, end=False)


def exchanges(sea: Passage) -> list[Exchanged]:
    return [event for event in sea.told if isinstance(event, Exchanged)]


@on_both_networks
async def test_without_faults_every_byte_passes(network: Network) -> None:
    async with passage(network, scripts=[streams]) as sea:
        client = await sea.client()
        for raw in (call(), GET):
            await client.ask(raw, raw[:4].decode().strip())
        assert b"".join(sea.servers[0].requests) == call() + GET
        assert bytes(client.received) == b"".join(stream_of(*FIVE)) * 2


@on_both_networks
async def test_an_exchange_is_told_as_its_client_saw_it(network: Network) -> None:
    async with passage(network, scripts=[streams]) as sea:
        client = await sea.client()
        await client.ask(call())
        await client.ask(call())
        opened, told = sea.told[:2]
        assert isinstance(opened, Opened)
        assert isinstance(told, Exchanged)
        assert (told.operation, told.asked, told.status) == ("post:1", "POST /mcp tools/call", 200)
        assert (told.events, told.size, told.ending) == (5, len(b"".join(stream_of(*FIVE))), "")
        kinds = [record["kind"] for record in sea.records if record["operation"] == "post:1"]
        assert kinds == ["sent", "status", *["received"] * 5, "end"]


@on_both_networks
async def test_a_lost_answer_fires_and_is_no_answer(network: Network) -> None:
    async with passage(network, drop_response(on="tools/call"), scripts=[answers]) as sea:
        lost = await sea.client()
        await lost.ask(call())
        assert lost.ending == "reset"
        found = await (await sea.client()).ask(call())
        assert found.response.ending is Ending.CLOSED
        assert len(sea.servers[0].requests) == 2
        fired = [one for one in sea.told if isinstance(one, Fired)]
        assert [(one.operation, one.fault) for one in fired] == [
            ("post:1, answer dropped", str(drop_response(on="tools/call")))
        ]
        assert next((one.status, one.ending) for one in exchanges(sea)) == (0, "reset")
        assert [record["data"]["fault"] for record in sea.records if record["kind"] == "fired"] == [fired[0].fault]


@on_both_networks
async def test_faults_of_bytes_stand_before_the_server(network: Network) -> None:
    async with passage(network, cut(after=octets(60), how=RESET), slices(largest=7), scripts=[streams]) as sea:
        client = await sea.client()
        await client.ask(call())
        assert client.ending == "reset"
        whole = await (await sea.client()).ask(call())
        assert whole.response.body == b"".join(FIVE)


@on_both_networks
async def test_a_refused_connection_ends_before_it_says_anything(network: Network) -> None:
    async with passage(network, refuse(times=1), scripts=[answers]) as sea:
        first = await sea.client()
        await first.read()
        assert first.ending == "reset"
        assert (await (await sea.client()).ask(call())).response.status == 200


@virtual
async def test_a_blackhole_answers_nothing_for_its_time() -> None:
    async with passage(SimNetwork(), blackhole(seconds=9), scripts=[answers]) as sea:
        begun, client = anyio.current_time(), await sea.client()
        await client.read()
        assert (client.ending, anyio.current_time() - begun) == ("reset", 9)


@on_both_networks
async def test_another_plan_meets_the_next_request_of_the_same_connection(network: Network) -> None:
    async with passage(network, scripts=[answers]) as sea:
        client = await sea.client()
        assert (await client.ask(call())).response.status == 200
        sea.gateway.arm(Profile("next", (status(code=503), cut(after=octets(0)))))
        assert (await client.ask(call())).response.status == 503
        sea.gateway.arm(Profile("last", ()))
        assert (await client.ask(call())).response.status == 200


@virtual
async def test_a_plan_that_cannot_be_leaves_the_one_before() -> None:
    async with passage(SimNetwork(), status(code=503, times=0), scripts=[answers]) as sea:
        with pytest.raises(Unmountable):
            sea.gateway.arm(Profile("next", (sigkill(),)))
        assert (await (await sea.client()).ask(call())).response.status == 503


@pytest.mark.parametrize("fault", [sigkill(), pause(), skew()])
def test_what_happens_to_processes_has_no_place(fault: Fault) -> None:
    @virtual
    async def scenario() -> None:
        async with passage(SimNetwork(), scripts=[answers]) as sea:
            with pytest.raises(Unmountable, match=fault.name):
                sea.gateway.arm(Profile("mine", (fault,)))

    scenario()


@virtual
async def test_the_benign_profile_passes_everything() -> None:
    async with passage(SimNetwork(), *read_profile("benign").plan, scripts=[streams]) as sea:
        (head, body), plain = call().split(b"\r\n\r\n"), b"\r\nAccept-Encoding: identity\r\n\r\n"
        found = await (await sea.client()).ask(head + plain + body, patience=60)
        data = [event.data for event in SseDecoder().feed(found.response.body) if event.dispatched]
        assert data == [event.data for event in SseDecoder().feed(b"".join(FIVE))]


@virtual
async def test_the_events_of_a_compressed_stream_are_seen() -> None:
    async with passage(SimNetwork(), recode(coding=Coding.GZIP), scripts=[streams]) as sea:
        found = await (await sea.client()).ask(call(), patience=60)
        assert found.response.header("content-encoding") == "gzip"
        await anyio.sleep(1)
        assert [told.events for told in exchanges(sea)] == [5]


@virtual
async def test_several_servers_serve_in_turn() -> None:
    async with passage(SimNetwork(), round_robin(), scripts=[answers] * 3) as sea:
        client = await sea.client()
        for _ in range(6):
            await client.ask(call())
        assert [len(server.requests) for server in sea.servers] == [2, 2, 2]


@virtual
async def test_a_repeated_request_reaches_the_server_and_is_one_exchange() -> None:
    async with passage(SimNetwork(), replay_request(copies=2), scripts=[answers]) as sea:
        await (await sea.client()).ask(call())
        assert len(exchanges(sea)) <= 1
        assert len(sea.servers[0].requests) == 3


@virtual
async def test_a_client_that_leaves_a_stream_is_told_of() -> None:
    async with passage(SimNetwork(), scripts=[endless]) as sea:
        client = await sea.client()
        await client.ask(GET, "GET")
        await client.stream.aclose()
        await sea.servers[0].ended.wait()
        (told,) = exchanges(sea)
        assert (told.events, told.ending) == (5, "the client left")


@virtual
async def test_a_stream_cut_behind_two_events_has_two() -> None:
    async with passage(SimNetwork(), cut(on="tools/call", after=events(2)), scripts=[endless]) as sea:
        await (await sea.client()).ask(call())
        assert [(told.events, told.ending) for told in exchanges(sea)] == [(2, "fin")]


@virtual
async def test_a_server_that_is_not_there_is_told_of() -> None:
    network = SimNetwork()
    async with passage(network, scripts=[answers]) as sea:
        gone = await network.listen()
        await gone.aclose()
        sea.gateway.relay.rearm([lambda: network.connect(gone.host, gone.port)], ())
        client = await sea.client()
        await client.ask(call())
        assert client.ending == "reset"
        assert exchanges(sea)[0].ending.startswith("the server cannot be reached")


@virtual
async def test_connections_beyond_the_most_are_reset() -> None:
    async with passage(SimNetwork(), scripts=[endless], most=2) as sea:
        kept = [await sea.client() for _ in range(2)]
        for client in kept:
            await client.ask(GET, "GET")
        third = await sea.client()
        await third.read()
        assert third.ending == "reset"
        await kept[0].stream.aclose()
        await sea.servers[0].ended.wait()
        assert (await (await sea.client()).ask(GET, "GET")).response.status == 200


@virtual
async def test_connections_that_nobody_reads_count_too() -> None:
    async with passage(SimNetwork(), blackhole(seconds=9, times=1), scripts=[answers], most=1) as sea:
        unread, second = await sea.client(), await sea.client()
        await second.read()
        assert (second.ending, unread.ending) == ("reset", "")
        await unread.read()
        assert (await (await sea.client()).ask(call())).response.status == 200


@pytest.mark.parametrize(
    ("host", "origin", "keeps"),
    [
        ("{relay}", "http://{relay}", False),
        ("localhost:{port}", "http://localhost:{port}", False),
        ("[::1]:{port}", "http://[::1]:{port}", False),
        ("evil.example:{port}", "http://evil.example:{port}", True),
        ("127.0.0.1:1", "https://shop.example", True),
        ("[broken", "null", True),
    ],
)
def test_the_host_becomes_the_servers_where_it_was_the_relay(host: str, origin: str, keeps: bool) -> None:
    @virtual
    async def scenario() -> None:
        async with passage(SimNetwork(), scripts=[answers]) as sea:
            names = {"relay": sea.authority, "port": str(sea.gateway.listener.port)}
            headers = [("Host", host.format(**names)), ("Origin", origin.format(**names))]
            await (await sea.client()).ask(request("GET", "/mcp", headers), "GET")
            upstream = sea.gateway.upstreams[0]
            wanted = headers if keeps else [("Host", upstream.authority), ("Origin", upstream.origin)]
            assert sea.servers[0].requests == [request("GET", "/mcp", wanted)]

    scenario()


@virtual
async def test_the_host_stays_the_clients_where_that_is_wanted() -> None:
    async with passage(SimNetwork(), scripts=[answers], keep_host=True) as sea:
        raw = request("GET", "/mcp", [("Host", sea.authority)])
        await (await sea.client()).ask(raw, "GET")
        assert sea.servers[0].requests == [raw]


@virtual
async def test_secrets_are_not_recorded() -> None:
    async with passage(SimNetwork(), scripts=[answers]) as sea:
        headers = [("Host", "a"), ("Authorization", "Bearer s3cret")]
        await (await sea.client()).ask(request("GET", "/mcp?token=s3cret&page=2", headers), "GET")
        assert "s3cret" not in "".join([*sea.lines, *map(str, sea.told)])
        assert sea.servers[0].requests == [request("GET", "/mcp?token=s3cret&page=2", headers)]


@virtual
async def test_what_is_no_http_passes() -> None:
    def strange(message: Request) -> list[bytes]:
        return [b"NOTHTTP\r\n\r\n", b"more"]

    async with passage(SimNetwork(), scripts=[strange]) as sea:
        client = await sea.client()
        await client.stream.send(call())
        while len(client.received) < 15:
            await client.read()
        assert bytes(client.received) == b"NOTHTTP\r\n\r\nmore"
