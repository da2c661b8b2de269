"""The older era over HTTP: sessions, streams, resumption, cancellation."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.fixtures.reference.versions import OLDER, A, B, C, D
from seatrial.transport.network import reset

from .client import Client, Reply, Served, call, initialize, request, serving, virtual

SLOW = call("slow", seconds=1, key="k") | {"_meta": {"progressToken": "p"}}
CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled"}


def texts(messages: list[Any]) -> list[str]:
    """A word for each message: the progress value, or the method, or `answer`."""
    return [
        str(message["params"]["progress"])
        if "progress" in message.get("params", {})
        else message.get("method", "answer")
        for message in messages
    ]


async def resume(client: Client, after: str | None) -> Reply:
    return await (await client.send("GET", headers={"Last-Event-ID": after})).reply()


async def witness(client: Served, key: str = "k") -> str:
    return client.server.ledger.reading(key)


@pytest.mark.parametrize("version", OLDER)
@virtual
async def test_a_supported_version_is_taken_and_a_session_begins(version: str) -> None:
    async with serving() as client:
        reply = await client.post(initialize(version))
    assert reply.json["result"]["protocolVersion"] == version
    assert len(reply.headers["mcp-session-id"]) >= 32


@pytest.mark.parametrize("version", ["1999-01-01", "", "2099-12-31", "2026-07-28"])
@virtual
async def test_an_unsupported_version_gets_the_latest(version: str) -> None:
    async with serving() as client:
        assert (await client.post(initialize(version))).json["result"]["protocolVersion"] == D


@pytest.mark.parametrize("verb", ["POST", "GET", "DELETE"])
@pytest.mark.parametrize(("id", "status"), [(None, 400), ("made-up", 404)])
@virtual
async def test_a_session_is_required_and_must_be_known(verb: str, id: str | None, status: int) -> None:
    async with serving() as client:
        exchange = await client.send(verb, b'{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Mcp-Session-Id": id})
        assert (await exchange.reply()).status == status


@virtual
async def test_a_deleted_session_is_gone_with_its_streams_and_calls() -> None:
    async with serving() as client:
        session = await client.begin()
        stream = await session.send("GET")
        running = await session.start(request(1, "tools/call", SLOW))
        await running.messages(1)
        assert (await (await session.send("DELETE")).reply()).status == 204
        assert (await stream.reply()).ended
        assert (await session.post(request(2, "ping"))).status == 404
        await anyio.sleep(2)
        assert await witness(client) == "ticks=1 events=start,cancelled"


@virtual
async def test_a_session_belongs_to_its_principal() -> None:
    async with serving() as client:
        session = await client.begin()
        reply = await session.post(request(1, "ping"), {"Authorization": "Bearer token-2"})
        assert reply.status == 404
        assert (await session.post(request(2, "ping"))).json["result"] == {}


@pytest.mark.parametrize("version", [B, C, D])
@virtual
async def test_only_d_primes_its_streams(version: str) -> None:
    async with serving() as client:
        events = (await (await client.begin(version)).post(request(1, "tools/call", call("quick")))).events
    assert (events[0].data == "") is (version == D)
    assert all(event.id for event in events)


@virtual
async def test_a_disconnect_is_no_cancellation() -> None:
    async with serving() as client:
        exchange = await (await client.begin()).start(request(1, "tools/call", SLOW))
        await exchange.messages(1)
        await reset(exchange.stream)
        await anyio.sleep(2)
        assert await witness(client) == "ticks=10 events=start,done"


@pytest.mark.parametrize("seen", range(12))
@virtual
async def test_a_stream_resumes_after_any_event(seen: int) -> None:
    """Events of D: one to prime, ten of progress, the answer."""
    async with serving() as client:
        session = await client.begin()
        exchange = await session.start(request(1, "tools/call", SLOW))
        head = await exchange.until(lambda reply: len(reply.events) > seen)
        await exchange.stream.aclose()
        resumed = await resume(session, head.events[seen].id)
        again = await resume(session, head.events[seen].id)
    assert texts(resumed.messages) == [*map(str, range(seen + 1, 11)), "answer"][: 11 - seen]
    assert again.events == resumed.events


@virtual
async def test_a_replay_stays_in_its_stream_and_session() -> None:
    async with serving() as client:
        session, other = await client.begin(), await client.begin()
        one = await session.post(
            request("a", "tools/call", call("progress", count=3) | {"_meta": {"progressToken": "a"}})
        )
        await session.post(request("b", "tools/call", call("progress", count=3) | {"_meta": {"progressToken": "b"}}))
        replay = await resume(session, one.events[0].id)
        assert {m["params"]["progressToken"] for m in replay.messages if "method" in m} == {"a"}
        assert (await resume(other, one.events[0].id)).status == 400
        assert (await resume(session, "made:up")).status == 400


@virtual
async def test_a_server_that_closes_early_says_when_to_come_back() -> None:
    params = call("close_stream", count=4, gap=0.1) | {"_meta": {"progressToken": "p"}}
    async with serving() as client:
        session = await client.begin()
        head = await session.post(request(1, "tools/call", params))
        tail = await resume(session, [event.id for event in head.events if event.id][-1])
    assert head.events[-1].retry is not None
    assert texts(head.messages + tail.messages) == ["1", "2", "3", "4", "answer"]


@virtual
async def test_messages_of_no_request_go_to_one_stream() -> None:
    async with serving() as client:
        session = await client.begin()
        first, second = await session.send("GET"), await session.send("GET")
        await anyio.sleep(1)
        reply = await session.post(request(1, "tools/call", call("mutate_tools")))
        seen = (await first.during(1)).messages + (await second.during(1)).messages
    assert texts(seen) == ["notifications/tools/list_changed"]
    assert texts(reply.messages) == ["answer"]


@virtual
async def test_a_get_stream_can_be_opened_again_at_once() -> None:
    async with serving() as client:
        session = await client.begin()
        await reset((await session.send("GET")).stream)
        stream = await session.send("GET")
        await stream.until(lambda reply: reply.status > 0)
        await session.post(request(1, "tools/call", call("mutate_tools")))
        assert texts(await stream.messages(1)) == ["notifications/tools/list_changed"]


@virtual
async def test_updates_go_to_subscribers_until_they_leave() -> None:
    note = {"uri": "note://board"}
    async with serving() as client:
        session, other = await client.begin(), await client.begin()
        stream, silent = await session.send("GET"), await other.send("GET")
        for method in ("resources/subscribe", "resources/subscribe", "", "resources/unsubscribe", ""):
            if method:
                assert (await session.post(request(1, method, note))).json["result"] == {}
            else:
                await session.post(request(2, "tools/call", call("mutate_note", text="x")))
        seen, unseen = await stream.during(1), await silent.during(1)
    assert texts(seen.messages) == ["notifications/resources/updated"]
    assert unseen.messages == []


@virtual
async def test_a_cancelled_call_stops_ends_its_stream_and_stays_silent() -> None:
    async with serving() as client:
        session = await client.begin()
        exchange = await session.start(request("42", "tools/call", SLOW))
        await exchange.messages(2)
        ignored: list[dict[str, Any]] = [
            {"requestId": 42},
            {},
            {"requestId": None},
            {"requestId": {}},
            {"requestId": "gone"},
        ]
        for params in ignored:
            assert (await session.post(CANCEL | {"params": params})).status == 202
        await exchange.messages(3)
        assert (await session.post(CANCEL | {"params": {"requestId": "42", "reason": "x\n" * 5000}})).status == 202
        reply = await exchange.reply()
        await anyio.sleep(2)
        assert texts(reply.messages) == ["1", "2", "3"]
        assert await witness(client) == "ticks=3 events=start,cancelled"


@virtual
async def test_a_cancellation_stays_in_its_session() -> None:
    async with serving() as client:
        session, other = await client.begin(), await client.begin()
        exchange = await session.start(request(1, "tools/call", SLOW))
        await exchange.messages(1)
        await other.post(CANCEL | {"params": {"requestId": 1}})
        assert texts((await exchange.reply()).messages)[-1] == "answer"


@virtual
async def test_a_second_request_with_an_id_in_flight_is_refused() -> None:
    async with serving() as client:
        session = await client.begin()
        exchange = await session.start(request(1, "tools/call", SLOW))
        await exchange.messages(1)
        assert (await session.post(request(1, "ping"))).json["error"]["code"] == -32600
        assert texts((await exchange.reply()).messages)[-1] == "answer"


@virtual
async def test_the_server_asks_and_goes_on_with_the_answer() -> None:
    async with serving() as client:
        session = await client.begin(capabilities={"elicitation": {}})
        exchange = await session.start(request(1, "tools/call", call("ask")))
        (asked,) = await exchange.messages(1)
        assert asked["method"] == "elicitation/create"
        answer = {"jsonrpc": "2.0", "id": asked["id"], "result": {"action": "accept", "content": {"city": "Kiel"}}}
        assert (await session.post(answer)).status == 202
        assert (await exchange.reply()).answer["result"]["content"][0]["text"] == "city Kiel"
        assert (await session.post(answer)).status == 202


@pytest.mark.parametrize("how", ["cancelled", "never answered"])
@virtual
async def test_the_server_gives_up_its_own_request(how: str) -> None:
    async with serving() as client:
        session = await client.begin(capabilities={"elicitation": {}})
        exchange = await session.start(request(1, "tools/call", call("ask")))
        (asked,) = await exchange.messages(1)
        if how == "cancelled":
            await session.post(CANCEL | {"params": {"requestId": 1}})
        messages = (await exchange.reply()).messages
    assert messages[1]["method"] == "notifications/cancelled"
    assert messages[1]["params"]["requestId"] == asked["id"]
    assert [m["result"]["isError"] for m in messages[2:]] == ([] if how == "cancelled" else [True])


@pytest.mark.parametrize("tool", ["ask", "ask_url", "summarize", "whereabouts"])
@virtual
async def test_nothing_is_asked_of_a_client_that_declared_nothing(tool: str) -> None:
    async with serving() as client:
        messages = (await (await client.begin()).post(request(1, "tools/call", call(tool)))).messages
    assert [message["result"]["isError"] for message in messages] == [True]


@virtual
async def test_a_browser_visit_is_asked_for_by_an_error() -> None:
    async with serving() as client:
        session = await client.begin(capabilities={"elicitation": {"url": {}}})
        error = (await session.post(request(1, "tools/call", call("ask_url")))).answer["error"]
        form = (await session.post(request(2, "tools/call", call("ask")))).answer["result"]
    assert error["code"] == -32042
    assert error["data"]["elicitations"][0]["mode"] == "url"
    assert form["isError"] is True


@virtual
async def test_a_batch_is_answered_request_by_request() -> None:
    batch = [request(1, "ping"), request(2, "tools/list"), CANCEL, request(3, "no/such"), initialize(B)]
    async with serving() as client:
        session, later = await client.begin(B), await client.begin(C)
        reply = await session.post(batch)
        assert (await session.post([CANCEL])).status == 202
        assert (await session.post([])).status == 400
        assert (await later.post(batch)).json["error"]["code"] == -32600
    assert sorted(message["id"] for message in reply.messages) == [0, 1, 2, 3]
    assert [m["error"]["code"] for m in reply.messages if m["id"] == 3] == [-32601]


@virtual
async def test_logs_respect_the_level() -> None:
    async with serving() as client:
        session = await client.begin()
        await session.post(request(1, "logging/setLevel", {"level": "error"}))
        quiet = await session.post(request(2, "tools/call", call("logs", count=2, level="info")))
        loud = await session.post(request(3, "tools/call", call("logs", count=2, level="error")))
        wrong = await session.post(request(4, "logging/setLevel", {"level": "banana"}))
    assert texts(quiet.messages) == ["answer"]
    assert texts(loud.messages) == ["notifications/message"] * 2 + ["answer"]
    assert wrong.json["error"]["code"] == -32602


@pytest.mark.parametrize(("version", "form"), [(A, "error"), (C, "error"), (D, "result")])
@virtual
async def test_invalid_arguments_have_the_form_of_their_version(version: str, form: str) -> None:
    async with serving() as client:
        session = await client.begin(version)
        assert form in (await session.post(request(1, "tools/call", call("echo", text=1)))).answer
