"""Clients that leave, stop, stall or crowd."""

from __future__ import annotations

import anyio
import pytest
from seatrial import TcpNetwork
from seatrial.fixtures.front import Early, Runs
from seatrial.fixtures.front.run import Run
from seatrial.fixtures.mutants import build_of
from seatrial.transport.network import reset

from ..clock import real, virtual
from ..reference.client import Exchange
from .client import Client, only, seen, serving, text, types


async def underway(client: Client, prompt: str, deltas: int = 3, **fields: str) -> Exchange:
    """A run that has shown so many deltas."""
    exchange = await client.begin(client.body(prompt, **fields))
    await exchange.until(lambda reply: len(only(seen(reply), "TEXT_MESSAGE_CONTENT")) >= deltas)
    return exchange


async def leaves(client: Client, how: str) -> None:
    exchange = await underway(client, "slow 5 k", threadId="t")
    await (reset(exchange.stream) if how == "reset" else exchange.stream.aclose())
    await anyio.sleep(0.5)
    ledger = await client.ledger("k")
    assert ledger[-1] == "model closed by client"
    events = await client.run("hello", threadId="t")
    assert types(events)[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("how", ["close", "reset"])
@virtual
async def test_work_stops_when_its_client_leaves(how: str) -> None:
    async with serving() as client:
        await leaves(client, how)


@pytest.mark.parametrize("how", ["close", "reset"])
@real
async def test_work_stops_when_its_client_leaves_over_tcp(how: str) -> None:
    async with serving(network=TcpNetwork()) as client:
        await leaves(client, how)


@virtual
async def test_work_stops_when_its_client_leaves_before_the_first_byte() -> None:
    async with serving() as client:
        exchange = await client.begin(client.body("model-hang k"))
        await exchange.stream.aclose()
        await anyio.sleep(0.5)
        assert (await client.ledger("k"))[-1:] in ([], ["model closed by client"])
        assert client.server is not None
        assert not client.server.runs.alive


@virtual
async def test_a_client_that_leaves_during_a_tool_causes_no_further_call_of_the_model() -> None:
    async with serving() as client:
        exchange = await client.begin(client.body("tool 2 k"))
        await exchange.until(lambda reply: "TOOL_CALL_END" in types(seen(reply)))
        await exchange.stream.aclose()
        await anyio.sleep(5)
        ledger = await client.ledger("k")
    assert ledger[-1] == "tool cancelled"
    assert ledger.count("model start") == 1


@virtual
async def test_a_client_that_has_only_finished_sending_is_served() -> None:
    async with serving() as client:
        exchange = await client.begin(client.body("slow 3 k"))
        await exchange.stream.send_eof()
        events = seen(await exchange.reply())
    assert text(events).endswith("tick 30 ")
    assert types(events)[-1] == "RUN_FINISHED"


@virtual
async def test_a_waiting_run_gives_up_its_turn_when_its_client_leaves() -> None:
    async with serving() as client:
        first = await underway(client, "slow 2 k", threadId="t")
        second = await client.begin(client.body("chat waited", threadId="t"))
        await second.until(lambda reply: bool(reply.status))
        await second.stream.aclose()
        await first.reply()
        assert types(await client.run("hello", threadId="t"))[-1] == "RUN_FINISHED"
        assert await client.ledger("waited") == []


@virtual
async def test_runs_of_one_thread_take_turns_and_too_many_are_refused() -> None:
    async with serving() as client:
        first = await underway(client, "slow 2 k", threadId="t")
        others = [await client.begin(client.body("hello", threadId="t")) for _ in range(7)]
        refused = await (await client.begin(client.body("hello", threadId="t"))).reply()
        assert (refused.status, refused.headers["Retry-After".lower()]) == (429, "1")
        assert types(seen(await first.reply()))[-1] == "RUN_FINISHED"
        for other in others:
            assert types(seen(await other.reply()))[-1] == "RUN_FINISHED"


@virtual
async def test_runs_of_other_threads_do_not_mix_and_are_bounded() -> None:
    async with serving() as client:
        slow = await underway(client, "slow 3 k")
        texts = [text(await client.run(f"chat k marker-{number}")) for number in range(5)]
        assert "marker" not in text(seen(await slow.reply()))
        full = [await underway(client, f"slow 9 k{number}", 1) for number in range(64)]
        assert (await (await client.begin(client.body("hello"))).reply()).status == 503
        for exchange in full:
            await reset(exchange.stream)
        await anyio.sleep(0.5)
        assert client.server is not None
        assert not client.server.runs.alive
    assert [word.split()[-1] for word in texts] == [f"marker-{number}" for number in range(5)]


@virtual
async def test_a_reader_that_stalls_holds_up_its_own_run_alone() -> None:
    async with serving() as client:
        stalled = await client.begin(client.body("slow 600 k"))
        await anyio.sleep(500)
        first = len(await client.ledger("k"))
        await anyio.sleep(90)
        assert len(await client.ledger("k")) == first < 5000
        assert types(await client.run("hello"))[-1] == "RUN_FINISHED"
        assert text(seen(await stalled.reply())).endswith("tick 6000 ")


@virtual
async def test_a_stop_closes_everything_and_ends_as_cancelled() -> None:
    async with serving() as client:
        exchange = await underway(client, "slow 5 k", threadId="a/b")
        assert await client.stop("a%2Fb") == 202
        events = seen(await exchange.reply())
        assert (await client.ledger("k"))[-1] == "model closed by client"
        assert types(await client.run("hello", threadId="a/b"))[-1] == "RUN_FINISHED"
    assert types(events)[-2:] == ["TEXT_MESSAGE_END", "RUN_FINISHED"]
    assert events[-1]["outcome"] == {"type": "cancelled"}


@virtual
async def test_a_stop_inside_a_tool_tells_that_nothing_was_changed() -> None:
    async with serving() as client:
        exchange = await client.begin(client.body("tool 5 k", threadId="t"))
        await exchange.until(lambda reply: "TOOL_CALL_END" in types(seen(reply)))
        await client.stop("t")
        events = seen(await exchange.reply())
        assert "tool add" not in await client.ledger("k")
    (result,) = only(events, "TOOL_CALL_RESULT")
    assert result["content"] == "Stopped before anything was changed."


@virtual
async def test_before_1_0_a_stop_was_an_error() -> None:
    async with serving(Early) as client:
        exchange = await underway(client, "slow 5 k", threadId="t")
        assert await client.stop("t") == 202
        assert seen(await exchange.reply())[-1]["code"] == "cancelled"


@virtual
async def test_a_stop_leaves_no_interrupt_open() -> None:
    async with serving() as client:
        exchange = await client.begin(client.body("interrupt 8 k", threadId="t"))
        await exchange.until(lambda reply: "TOOL_CALL_END" in types(seen(reply)))
        stopped = await client.stop("t")
        end = seen(await exchange.reply())[-1]["outcome"]["type"]
        events = await client.run("hello", threadId="t")
    assert (stopped, end) in ((202, "cancelled"), (404, "interrupt"))
    assert (events[-1]["outcome"]["type"] == "success") == (end == "cancelled")


class RunsOn(Runs):
    """Works for a client that has left."""

    def disconnect_stops(self, run: Run) -> bool:
        return False


@virtual
async def test_a_mutant_can_work_on_for_nobody() -> None:
    async with serving(build_of(RunsOn)) as client:
        exchange = await underway(client, "slow 5 k")
        await exchange.stream.aclose()
        await anyio.sleep(6)
        assert (await client.ledger("k"))[-1] == "model done"
