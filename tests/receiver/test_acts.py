"""Each act is what its sender sees, on the simulated network and on TCP, and the delivery tells of it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

import anyio
import pytest
from seatrial.faults import FaultError
from seatrial.receiver import Act, Delivery, PerContent, acts
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.networks import on_both_networks

from .sender import LOST, REFUSED, Lines, receiving


@on_both_networks
async def test_a_delivery_is_kept_and_acknowledged(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook()
        sender.headers = (("X-Token", "t"),)
        assert await sender.post(hook.url, b'{"id": "1"}') == 200
        assert await hook.delivered(1, 5)
        await hook.until(lambda deliveries: deliveries[0].ended is not None, 5)
    (delivery,) = hook.deliveries
    assert (delivery.verb, delivery.target, delivery.payload) == ("POST", f"/{hook.name}", {"id": "1"})
    assert delivery.header("x-token") == "t"
    assert delivery.acknowledged and not delivery.left and delivery.whole


@on_both_networks
async def test_a_program_answers_in_its_order_and_its_last_act_repeats(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(acts.ack(500), acts.ack(503), acts.ack(204))
        assert [await sender.post(hook.url) for _ in range(4)] == [500, 503, 204, 204]
    assert [delivery.act for delivery in hook.deliveries[:2]] == ["ack(code=500)", "ack(code=503)"]
    assert [delivery.acknowledged for delivery in hook.deliveries] == [False, False, True, True]
    assert [delivery.number for delivery in hook.deliveries] == [1, 2, 3, 4]


@on_both_networks
async def test_a_lost_acknowledgement_and_a_closed_connection_give_no_answer(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(acts.ack_lost(), acts.accept_then_close(), acts.ack())
        assert [await sender.post(hook.url, b"7") for _ in range(3)] == [LOST, LOST, 200]
    assert [delivery.payload for delivery in hook.deliveries] == [7, 7, 7]
    assert [delivery.answered is None for delivery in hook.deliveries] == [True, True, False]
    assert not any(delivery.left for delivery in hook.deliveries)


@on_both_networks
async def test_gone_and_redirect_say_so(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(acts.gone(), acts.gone(404), acts.ack_redirect("http://127.0.0.1:1/x", 302))
        assert [await sender.post(hook.url) for _ in range(3)] == [410, 404, 302]
        assert sender.responses[-1].header("location") == "http://127.0.0.1:1/x"


@virtual
async def test_a_slow_acknowledgement_takes_its_time() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook(acts.ack_slow(30, acts.ack(503)))
        began = anyio.current_time()
        assert await sender.post(hook.url) == 503
        assert anyio.current_time() - began == pytest.approx(30)
    assert hook.deliveries[0].answered == pytest.approx(began + 30)


@on_both_networks
async def test_a_sender_that_gives_up_is_seen_to_leave(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(acts.ack_slow(), acts.ack_slow(500))
        for _ in range(2):
            began = anyio.current_time()
            assert await sender.post(hook.url, patience=0.2) == 0
            assert await hook.until(lambda deliveries: deliveries[-1].left, 5)
            ended = hook.deliveries[-1].ended
            assert ended is not None and 0.15 <= ended - began < 5
    assert [(delivery.code, delivery.answered) for delivery in hook.deliveries] == [(0, None), (0, None)]


@virtual
async def test_a_delivery_that_hangs_holds_up_no_other() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        stuck, other = await receiver.hook(acts.ack_slow()), await receiver.hook()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(sender.post, stuck.url)
            assert await stuck.delivered(1, 5)
            assert await sender.post(other.url) == 200
            assert stuck.deliveries[0].ended is None
            tasks.cancel_scope.cancel()


@on_both_networks
async def test_an_outage_refuses_connections_until_it_is_over(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(acts.ack(500), acts.receiver_down(), acts.ack(202))
        beside = await receiver.hook()
        assert await sender.post(hook.url) == 500
        with anyio.fail_after(5):
            while (status := await sender.post(hook.url)) != REFUSED:
                assert status == LOST
        assert await sender.post(beside.url) == 200
        await hook.come_up()
        assert await sender.post(hook.url) == 202
    assert "receiver_down()" in hook.firings


@virtual
async def test_an_outage_of_some_seconds_ends_by_itself() -> None:
    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook(acts.receiver_down(10), acts.ack(201))
        assert await sender.post(hook.url) == REFUSED
        await anyio.sleep(9)
        assert await sender.post(hook.url) == REFUSED
        await anyio.sleep(2)
        assert await sender.post(hook.url) == 201
        await hook.go_down(5)
        await hook.come_up()
        await hook.go_down()
        await anyio.sleep(100)
        assert await sender.post(hook.url) == REFUSED


@on_both_networks
async def test_an_outage_ends_connections_that_are_kept_alive(network: Network) -> None:
    async with receiving(network) as (receiver, sender):
        hook = await receiver.hook(alone=True)
        stream = await network.connect(hook.site.host, hook.site.port)
        assert await sender.post_on(stream, hook.url) == 200
        assert await sender.post_on(stream, hook.url) == 200
        await hook.go_down()
        assert await sender.post_on(stream, hook.url) == LOST
        await stream.aclose()
    assert len(hook.deliveries) == 2


@virtual
async def test_a_hook_on_a_shared_port_cannot_go_down() -> None:
    async with receiving(SimNetwork()) as (receiver, _):
        hook = await receiver.hook()
        with pytest.raises(ValueError, match="alone=True"):
            await hook.go_down()


@virtual
async def test_a_program_may_look_at_what_was_delivered() -> None:
    def refuse_odd(deliveries: Sequence[Delivery]) -> Act:
        return acts.ack(400 if deliveries[-1].payload % 2 else 200)

    async with receiving(SimNetwork()) as (receiver, sender):
        hook = await receiver.hook(program=refuse_odd)
        assert [await sender.post(hook.url, json.dumps(n).encode()) for n in (1, 2, 3)] == [400, 200, 400]
        each = await receiver.hook(program=PerContent((acts.ack(500), acts.ack())))
        assert [await sender.post(each.url, body) for body in (b"1", b"2", b"1", b"2", b"1")] == [
            500, 500, 200, 200, 200,
        ]  # fmt: skip


@virtual
async def test_acts_that_disturb_are_records_of_their_own() -> None:
    lines = Lines()
    async with receiving(SimNetwork(), lines) as (receiver, sender):
        hook = await receiver.hook(acts.ack(503), acts.ack())
        for _ in range(2):
            await sender.post(hook.url)
    records = [json.loads(line) for line in lines.written]
    fired = [record for record in records if record["kind"] == "fired"]
    assert [record["data"]["fault"] for record in fired] == ["ack(code=503)"]
    assert hook.firings == {"ack(code=503)": fired[0]["record"]}


@pytest.mark.parametrize("code", [199, 600])
def test_a_status_that_cannot_be_is_refused(code: int) -> None:
    with pytest.raises(ValueError, match="from 200 to 599"):
        acts.ack(code)


@pytest.mark.parametrize(
    ("act", "text"),
    [
        (acts.ack(), "ack()"),
        (acts.ack_slow(5.0, acts.ack(503)), "ack_slow(seconds=5.0, then=ack(code=503))"),
        (acts.ack_redirect("/x"), 'ack_redirect(location="/x")'),
        (acts.receiver_down(), "receiver_down()"),
        (acts.gone(404), "gone(code=404)"),
    ],
)
def test_an_act_is_written_as_the_call_that_makes_it(act: Act, text: str) -> None:
    assert str(act) == text
    assert acts.parse(text) == (act,)


def test_a_program_is_read_from_its_text() -> None:
    written = "ack(503); ack_slow(inf)  # and then never\nack(code=200, headers=(('A', 'b'),), body=b'x')"
    assert acts.parse(written) == (acts.ack(503), acts.ack_slow(), acts.ack(200, (("A", "b"),), b"x"))


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("ack(99)", "code is 99; give one from 200 to 599"),
        ("akc()", "line 1: unknown act 'akc'; did you mean ack"),
        ("ack()\ngone(codes=4)", "line 2: gone has no 'codes'; it has code, headers, body"),
        ("ack_slow(then=5)", "ack_slow: then must be of kind act"),
        ("receiver_down(1, 2)", "receiver_down has 1 values and no more: seconds"),
        ("ack", "line 1 of the receiver program is not of the form"),
        ("ack(", "line 1 of the receiver program is not of the form"),
    ],
)
def test_what_is_no_program_is_refused_with_a_sentence(written: str, says: str) -> None:
    with pytest.raises(FaultError, match=re.escape(says)):
        acts.parse(written)
