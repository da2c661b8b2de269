"""Interrupts: nothing is done without its answer, and nothing twice."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.fixtures.front import Early, Front

from ..clock import virtual
from .client import Client, Event, only, serving, types

Front_ = type[Front]
BOTH = pytest.mark.parametrize("front", [Front, Early])


async def interrupted(client: Client, count: int = 1, thread: str = "t") -> list[Event]:
    events = await client.run(f"interrupt {count} k", threadId=thread)
    assert events[-1]["outcome"]["type"] == "interrupt"
    return list(events[-1]["outcome"]["interrupts"])


def answer(interrupt: Event, status: str = "resolved", **more: Any) -> Event:
    return {"interruptId": interrupt["id"], "status": status, **more}


async def deployed(client: Client) -> int:
    return (await client.ledger("k")).count("tool deploy")


@BOTH
@virtual
async def test_a_full_resume_acts_once_on_the_call_that_was_started(front: Front_) -> None:
    async with serving(front) as client:
        interrupts = await interrupted(client, 2)
        assert await deployed(client) == 0
        answers = [answer(interrupt) for interrupt in interrupts]
        events = await client.run("interrupt 2 k", threadId="t", resume=answers)
        assert await deployed(client) == 2
        again = await client.run("interrupt 2 k", threadId="t", resume=answers)
        assert await deployed(client) == 2
    results = [event["toolCallId"] for event in only(events, "TOOL_CALL_RESULT")]
    assert results == [interrupt["toolCallId"] for interrupt in interrupts]
    assert only(events, "TOOL_CALL_START") == []
    assert events[-1]["outcome"] == again[-1]["outcome"] == {"type": "success"}


@BOTH
@pytest.mark.parametrize("no", [{"status": "cancelled"}, {"payload": False}, {"payload": {"approved": False}}], ids=str)
@virtual
async def test_a_no_does_nothing(front: Front_, no: Event) -> None:
    async with serving(front) as client:
        (interrupt,) = await interrupted(client)
        events = await client.run("interrupt 1 k", threadId="t", resume=[answer(interrupt, **no)])
        assert await deployed(client) == 0
    assert events[-1]["outcome"] == {"type": "success"}


@virtual
async def test_what_is_left_open_interrupts_again() -> None:
    async with serving() as client:
        first, second = await interrupted(client, 2)
        partly = await client.run("x", threadId="t", resume=[answer(first)])
        without = await client.run("x", threadId="t")
        bogus = await client.run("x", threadId="t", resume=[{"interruptId": "no", "status": "resolved"}])
        assert (await client.ledger("k")).count("tool deploy") == 1
    for events in (partly, without, bogus):
        assert [interrupt["id"] for interrupt in events[-1]["outcome"]["interrupts"]] == [second["id"]]
    assert types(bogus).count("CUSTOM") == 1


@virtual
async def test_the_early_one_fails_for_what_is_missing_or_unknown() -> None:
    async with serving(Early) as client:
        first, _ = await interrupted(client, 2)
        bogus = {"interruptId": "no", "status": "resolved"}
        ends = [
            (await client.run("x", threadId="t", **fields))[-1]
            for fields in ({}, {"resume": [answer(first)]}, {"resume": [bogus]})
        ]
        ends.append((await client.run("hello", resume=[bogus]))[-1])
        assert await deployed(client) == 0
    assert [end["code"] for end in ends] == [
        *("open_interrupts", "open_interrupts", "unknown_interrupt", "unknown_interrupt")
    ]


@virtual
async def test_an_unknown_entry_is_ignored_with_a_warning() -> None:
    async with serving() as client:
        events = await client.run("hello", resume=[{"interruptId": "no", "status": "resolved"}])
    assert [event["name"] for event in only(events, "CUSTOM")] == ["org.seatrial.warning"]
    assert types(events)[-1] == "RUN_FINISHED"


@virtual
async def test_another_thread_answers_nothing() -> None:
    async with serving() as client:
        (interrupt,) = await interrupted(client)
        await client.run("hello", threadId="other", resume=[answer(interrupt)])
        assert await deployed(client) == 0
