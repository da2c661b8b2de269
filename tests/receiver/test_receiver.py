"""Whatever is sent, the receiver stays well, bounded, and tells what came."""

from __future__ import annotations

import json

import anyio
import pytest
from seatrial.receiver import acts, hook, site
from seatrial.receiver.conversation import BODY_LIMIT
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.networks import everything, on_both_networks

from .sender import LOST, Lines, receiving


@virtual
async def test_hooks_are_told_apart_by_path_and_strays_are_kept_apart() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        one, two = await receiver.hook(name="a b"), await receiver.hook()
        assert one.site is two.site
        assert await sender.post(one.url) == 200
        assert await sender.post(f"{two.url}?x=1") == 200
        assert await sender.post(f"{two.site.origin}/elsewhere") == 404
        with pytest.raises(ValueError, match="another name"):
            await receiver.hook(name="a b")
    assert [len(one.deliveries), len(two.deliveries), len(receiver.strays)] == [1, 1, 1]


@virtual
async def test_a_question_is_answered_politely_and_is_no_delivery() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook(acts.ack(500))
        assert await sender.post(f"{hook.url}?validationToken=a%20b", b"", verb="GET") == 200
        assert sender.responses[-1].body == b"a b"
        assert await sender.post(hook.url, b"", verb="OPTIONS") == 200
        assert await sender.post(hook.url, b"", verb="HEAD") == 200
        assert await sender.post(hook.url) == 500
    assert [question.verb for question in hook.challenges] == ["GET", "OPTIONS", "HEAD"]
    assert len(hook.deliveries) == 1


@on_both_networks
async def test_a_body_beyond_the_limit_is_refused_and_its_beginning_kept(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook()
        assert await sender.post(hook.url, b"x" * BODY_LIMIT) == 200
        assert await sender.post(hook.url, b"x" * (BODY_LIMIT + 1)) in (413, LOST)
    assert [delivery.whole for delivery in hook.deliveries] == [True, False]
    assert len(hook.deliveries[1].body) == BODY_LIMIT and hook.deliveries[1].code == 413


@virtual
async def test_deliveries_beyond_the_limit_are_counted_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook, "DELIVERIES", 2)
    async with receiving(SimNetwork()) as (receiver, sender):
        flooded = await receiver.hook()
        assert [await sender.post(flooded.url) for _ in range(4)] == [200, 200, 503, 503]
    assert (len(flooded.deliveries), flooded.excess) == (2, 2)


@virtual
async def test_connections_beyond_the_limit_are_reset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(site, "CONNECTIONS", 1)
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook(acts.ack_slow(5))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sender.post, hook.url)
            assert await hook.delivered(1, 5)
            assert await sender.post(hook.url) == LOST
    assert len(hook.deliveries) == 1


@pytest.mark.parametrize(
    "raw", [b"\x16\x03\x01\x02\x00\r\n\r\n", b"POST /" + b"a" * 100_000, b"POST / HTTP/1.1\r\n\r\n"]
)
@virtual
async def test_what_is_no_http_is_refused_and_does_no_harm(raw: bytes) -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook()
        stream = await sender.network.connect(hook.site.host, hook.site.port)
        await stream.send(raw)
        assert (await everything(stream)).startswith(b"HTTP/1.1 4")
        await stream.aclose()
        assert await sender.post(hook.url) == 200


@virtual
async def test_a_body_that_breaks_off_is_a_delivery_that_is_not_whole() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook()
        stream = await sender.network.connect(hook.site.host, hook.site.port)
        await stream.send(f"POST /{hook.name} HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc".encode())
        await stream.aclose()
        assert await hook.until(lambda deliveries: any(one.ended is not None for one in deliveries), 5)
    (delivery,) = hook.deliveries
    assert (delivery.body, delivery.whole, delivery.left, delivery.answered) == (b"abc", False, True, None)


@virtual
async def test_a_sender_that_asks_first_is_told_to_go_on() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook()
        stream = await sender.network.connect(hook.site.host, hook.site.port)
        head = f"POST /{hook.name} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\n"
        await stream.send(head.encode())
        assert (await stream.receive()).startswith(b"HTTP/1.1 100")
        await stream.send(b"1")
        assert (await stream.receive()).startswith(b"HTTP/1.1 200")
        await stream.aclose()
    assert hook.deliveries[0].payload == 1


@virtual
async def test_every_delivery_is_a_record_without_its_secrets() -> None:
    lines = Lines()
    async with receiving(SimNetwork(), lines) as (receiver, sender):
        hook = await receiver.hook()
        sender.headers = (("Authorization", "Bearer secret-1"), ("X-A2A-Notification-Token", "secret-2"))
        await sender.post(hook.url, b'{"a":1}')
        await sender.post(hook.url, b"no json")
    records = [json.loads(line) for line in lines.written]
    arrived = [record for record in records if "verb" in record["data"]]
    ended = [record["data"]["event"] for record in records if "event" in record["data"]]
    assert {(record["kind"], record["operation"]) for record in records} == {("delivery", f"hook:{hook.name}")}
    assert [record["record"] for record in arrived] == [delivery.record for delivery in hook.deliveries]
    assert arrived[0]["data"]["message"] == {"a": 1} and arrived[1]["data"]["raw"] == "no json"
    assert ended == ["answered", "answered"]
    assert "secret" not in "".join(lines.written)
    assert hook.deliveries[0].header("authorization") == "Bearer secret-1"


@virtual
async def test_closing_ends_what_hangs_and_records_it() -> None:
    async with receiving(SimNetwork()) as (receiver, sender), anyio.create_task_group() as tasks:
        hook = await receiver.hook(acts.ack_slow())
        await receiver.hook(acts.receiver_down(1e6))
        tasks.start_soon(sender.post, hook.url)
        assert await hook.delivered(1, 5)
        began = anyio.current_time()
        await receiver.aclose()
        assert anyio.current_time() == pytest.approx(began)
    assert hook.deliveries[0].ended is not None and not hook.deliveries[0].left


@virtual
async def test_waiting_is_bounded_and_silence_is_seen() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook()
        began = anyio.current_time()
        assert not await hook.delivered(1, 7)
        assert anyio.current_time() - began == pytest.approx(7)

        async def chatter() -> None:
            for _ in range(20):
                await sender.post(hook.url)
                await anyio.sleep(1)

        async with anyio.create_task_group() as tasks:
            tasks.start_soon(chatter)
            assert not await hook.silent(2, within=10)
            assert await hook.silent(2, within=60)
    assert len(hook.deliveries) == 20
