"""The machinery that breaks the reference, one behaviour at a time."""

from __future__ import annotations

import anyio
import pytest
from seatrial.fixtures.mutants import UnknownMutant, all_mutants, find, mutant
from seatrial.fixtures.reference import Lists, Reference

from .client import call, modern, request, serving, talking, virtual


def test_ids_are_unique_and_say_what_they_imitate() -> None:
    found = all_mutants()
    assert {"cancel.swallowed", "replay.drops-tail"} <= {each.id for each in found}
    assert len({each.id for each in found}) == len(found)
    assert all(each.imitates for each in found)


def test_an_unknown_id_is_told_with_those_near_it() -> None:
    with pytest.raises(UnknownMutant, match=r"replay\.drops-tail"):
        find("replay.drop-tail")


def test_an_id_is_given_once() -> None:
    with pytest.raises(ValueError, match=r"cancel\.swallowed"):
        mutant("cancel.swallowed", "twice")(Lists)


@virtual
async def test_every_mutant_still_serves() -> None:
    for each in all_mutants():
        if each.protocol == "mcp":
            async with talking(each.build) as console:
                assert isinstance(console.server, Reference)


@virtual
async def test_a_swallowed_cancellation_lets_the_work_go_on() -> None:
    async with talking(find("cancel.swallowed").build) as console:
        await console.write(modern(1, "tools/call", call("slow", seconds=1, key="k")))
        await anyio.sleep(0.35)
        await console.write({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert await console.during(3) == []
        assert console.server.ledger.reading("k") == "ticks=10 events=start,done"


@virtual
async def test_a_dropped_tail_is_missing_from_the_replay() -> None:
    params = call("progress", count=3) | {"_meta": {"progressToken": "p"}}
    async with serving(find("replay.drops-tail").build) as client:
        session = await client.begin()
        whole = await session.post(request(1, "tools/call", params))
        exchange = await session.send("GET", headers={"Last-Event-ID": whole.events[0].id})
        assert len((await exchange.reply()).messages) == len(whole.messages) - 1
