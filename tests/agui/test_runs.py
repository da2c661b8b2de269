"""What a run sends, what it makes of the events, and how it ends."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial import Answer, Ending, Lost, Refusal, Role, Stimulus

from ..clock import virtual
from .scripted import Event, Serve, answered, finished, said, started, streamed, talking

OLD = {"type": "RUN_STARTED", "threadId": "t", "runId": "old"}
OLD_END = {"type": "RUN_FINISHED", "threadId": "t", "runId": "old"}
ERROR = {"type": "RUN_ERROR", "message": "it broke", "code": "BOOM"}


@pytest.mark.parametrize(("version", "declared"), [("1.0", {"protocolVersion": "1.0"}), ("0.1", {})])
def test_an_input_has_the_fields_of_its_column(version: str, declared: dict[str, str]) -> None:
    @virtual
    async def test() -> None:
        async with talking(streamed(started, finished), version=version) as (session, endpoint):
            run = await session.run("hello", thread="t", run="r")
            assert isinstance(await run.conclude(), Answer)
            (body,) = endpoint.bodies
            assert body == run.input
            message = {"id": body["messages"][0]["id"], "role": "user", "content": "hello"}
            empty: Event = {"state": {}, "tools": [], "context": [], "forwardedProps": {}}
            assert body == {"threadId": "t", "runId": "r", **declared, "messages": [message], **empty}

    test()


@virtual
async def test_fields_are_left_out_added_and_replaced() -> None:
    async with talking(streamed(started, finished)) as (session, endpoint):
        wishes: Any = {
            "without": ("state", "tools"),
            "extra": {"threadId": 5, "new": None},
            "resume": [],
            "version": None,
        }
        await (await session.run(None, **wishes)).conclude()
        (body,) = endpoint.bodies
        assert set(body) == {"threadId", "runId", "messages", "context", "forwardedProps", "new", "resume"}
        assert (body["threadId"], body["messages"]) == (5, [])


@virtual
async def test_every_run_has_ids_of_its_own() -> None:
    async with talking(streamed(started, finished)) as (session, endpoint):
        for _ in range(3):
            await (await session.run("hello")).conclude()
        ids = [v for b in endpoint.bodies for v in (b["threadId"], b["runId"], b["messages"][0]["id"])]
        assert len(set(ids)) == 9


ENDS: list[tuple[Serve, type, str]] = [
    (streamed(started, *said("hi"), finished), Answer, "closed"),
    (streamed(started, *said("hi"), finished, ends=False), Answer, "open"),
    (streamed(started, ERROR), Refusal, "closed"),
    (streamed(ERROR), Refusal, "closed"),
    (streamed(started, finished, ERROR), Refusal, "closed"),
    (streamed(started, *said("hi")), Lost, "closed"),
    (streamed(started, *said("hi"), ends=False), Lost, "open"),
    (streamed(OLD, OLD_END, started, ends=False), Lost, "open"),
    (streamed(OLD, OLD_END, started, finished), Answer, "closed"),
    (answered(400, b'{"error": "no"}'), Refusal, "closed"),
    (answered(200, b'{"type": "RUN_FINISHED"}'), Lost, "closed"),
]


@pytest.mark.parametrize(("script", "kind", "ending"), ENDS)
def test_a_run_ends_as_its_last_event_and_its_body_say(script: Serve, kind: type, ending: str) -> None:
    @virtual
    async def test() -> None:
        async with talking(script) as (session, _):
            run = await session.run("hello")
            outcome = await run.conclude()
            assert (type(outcome), str(run.exchange.ending)) == (kind, ending)
            assert outcome.records[0] == run.sent

    test()


@virtual
async def test_a_run_error_is_told_with_its_text_and_event() -> None:
    async with talking(streamed(started, ERROR)) as (session, _):
        run = await session.run("hello")
        outcome = await run.conclude()
        assert isinstance(outcome, Refusal)
        assert (outcome.text, outcome.data["code"]) == ("it broke", "BOOM")
        assert run.terminal and outcome.records[1] == run.terminal.record
        assert (run.finished_ok, run.outcome) == (False, None)


@virtual
async def test_an_absent_outcome_is_success() -> None:
    waits = {"type": "interrupt", "interrupts": [{"id": "i1", "reason": "approval"}]}
    async with talking(streamed(started, finished), streamed(started, lambda b: finished(b, outcome=waits))) as (
        session,
        _,
    ):
        plain = await session.run("a")
        await plain.conclude()
        interrupted = await session.run("b")
        await interrupted.conclude()
        assert (plain.outcome, plain.interrupts) == ({"type": "success"}, [])
        assert [found["id"] for found in interrupted.interrupts] == ["i1"]


@virtual
async def test_waiting_ends_with_the_event_or_with_the_body() -> None:
    async with talking(streamed(started, *said("hi"), ends=False), streamed(started)) as (session, _):
        run = await session.run("hello")
        event = await run.first("TEXT_MESSAGE_CONTENT")
        assert event and event.text("delta") == "hi"
        assert await run.count(2, "RUN_STARTED", "TEXT_MESSAGE_START")
        assert await run.first("RUN_FINISHED", within=1.0) is None
        await run.leave()
        assert await run.ended() is Ending.LEFT
        short = await session.run("hello")
        assert await short.first("RUN_FINISHED", within=3000.0) is None


@virtual
async def test_a_stop_route_gets_the_ids_of_the_run() -> None:
    stop = Stimulus(role=Role.STOP, verb="post", name="/stop/{thread}?run={run}")
    async with talking(streamed(started, ends=False), answered(202, b"{}")) as (session, endpoint):
        run = await session.run("hello", thread="a/b", run="r 1")
        await run.first("RUN_STARTED")
        assert isinstance(await session.stop(stop, run).outcome(), Answer)
        assert (endpoint.requests[1].method, endpoint.requests[1].target) == ("POST", "/stop/a%2Fb?run=r%201")


@pytest.mark.parametrize(
    ("script", "alive"),
    [
        (answered(400, b"{}"), True),
        (answered(422), True),
        (streamed(started, ends=False), True),
        (answered(500), False),
        (answered(503, b"{}"), False),
    ],
)
def test_an_endpoint_is_healthy_while_it_refuses_what_nobody_may_take(script: Serve, alive: bool) -> None:
    @virtual
    async def test() -> None:
        async with talking(script) as (session, endpoint):
            assert isinstance(await session.open(), Answer)
            assert endpoint.requests == []
            assert await session.healthy() is alive
            assert endpoint.bodies == [{}]

    test()
