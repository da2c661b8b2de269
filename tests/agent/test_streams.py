"""Streams: complete, in order, ended, and nobody's business but their reader's."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.transport.network import reset

from .client import NEW, OLD, Exchange, Talker, meeting, said, texts, virtual

COUNT = 5


async def results(exchange: Exchange) -> list[Any]:
    return [message["result"] for message in (await exchange.reply()).messages]


def chunks(events: list[Any]) -> str:
    """Of the snapshots and the updates of a stream, in the form of 1.0."""
    found = ""
    for event in events:
        match event:
            case {"task": {"artifacts": [artifact]}}:
                found += texts(artifact)
            case {"artifactUpdate": {"artifact": artifact}}:
                found += texts(artifact)
    return found


WHOLE = "".join(f"{number}\n" for number in range(1, COUNT + 1))


@virtual
async def test_a_stream_is_the_task_then_its_updates_then_the_end() -> None:
    async with meeting() as m:
        exchange = await m.talker.stream(f"ticks {COUNT} 0.1")
        reply = await exchange.reply()
        events = await results(exchange)
        assert reply.headers["content-type"] == "text/event-stream"
        assert [next(iter(event)) for event in events] == [
            "task",
            "statusUpdate",
            *["artifactUpdate"] * COUNT,
            "statusUpdate",
        ]
        updates = [event["artifactUpdate"] for event in events if "artifactUpdate" in event]
        assert [update["append"] for update in updates] == [False, *[True] * (COUNT - 1)]
        assert [update["lastChunk"] for update in updates] == [*[False] * (COUNT - 1), True]
        stored = await m.talker.task(events[0]["task"]["id"])
        assert chunks(events) == texts(stored["artifacts"][0]) == WHOLE


@virtual
async def test_an_old_stream_is_final_once() -> None:
    async with meeting() as m:
        exchange = await m.talker.begin_call("message/stream", {"message": said("ticks 2 0.1", OLD)}, OLD)
        events = await results(exchange)
        assert [event["kind"] for event in events] == [
            *("task", "status-update", "artifact-update", "artifact-update", "status-update")
        ]
        assert [event["final"] for event in events if "final" in event] == [False, True]


@virtual
@pytest.mark.parametrize("seen", range(1, COUNT + 2))
async def test_snapshot_and_tail_are_the_whole_wherever_the_stream_was_cut(seen: int) -> None:
    async with meeting() as m:
        cut = await m.talker.stream(f"ticks {COUNT} 0.1")
        head = [message["result"] for message in await cut.messages(seen)][:seen]
        await reset(cut.stream)
        task = head[0]["task"]
        again = await m.talker.begin_call("SubscribeToTask", {"id": task["id"]})
        events = await results(again)
        assert "task" in events[0]
        assert chunks(events) == WHOLE


@virtual
async def test_all_readers_get_everything_though_one_of_them_stalls() -> None:
    async with meeting() as m:
        m.network.capacity = 1024
        task = await m.talker.start_task("ticks 400 0.001")
        stalled = await m.talker.begin_call("SubscribeToTask", {"id": task["id"]})
        await stalled.messages(1)
        others = [await m.talker.begin_call("SubscribeToTask", {"id": task["id"]}) for _ in range(3)]
        seen: list[str] = []
        with anyio.fail_after(5):
            for other in others:
                seen.append(chunks(await results(other)))
        assert seen == ["".join(f"{number}\n" for number in range(1, 401))] * 3
        assert chunks(await results(stalled)) == seen[0]


@virtual
async def test_a_lost_reader_takes_nothing_along() -> None:
    async with meeting() as m:
        stream = await m.talker.stream("ticks 5 0.1 key")
        task = (await stream.messages(1))[0]["result"]["task"]
        await stream.stream.aclose()
        waiting = await m.talker.begin_call("SendMessage", {"message": said("ticks 5 0.1 other")})
        await waiting.during(0.2)
        await reset(waiting.stream)
        await anyio.sleep(2)
        assert (await m.talker.task(task["id"]))["status"]["state"] == "TASK_STATE_COMPLETED"
        assert (await m.talker.witness("key"))[-1] == (await m.talker.witness("other"))[-1] == "done"


@virtual
async def test_a_stream_ends_where_its_client_has_to_speak_and_a_subscription_hears_the_next_turn() -> None:
    async with meeting() as m:
        events = await results(await m.talker.stream("ask"))
        task = events[0]["task"]
        subscription = await m.talker.begin_call("SubscribeToTask", {"id": task["id"]})
        await subscription.messages(1)
        turn = await results(await m.talker.stream("blue", taskId=task["id"]))
        heard = await results(subscription)
        assert "task" in turn[0]
        assert heard[0]["task"]["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"
        assert heard[-1] == turn[-1]
        assert turn[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
async def test_a_stream_stays_open_while_credentials_are_awaited() -> None:
    async with meeting() as m:
        stream = await m.talker.stream("auth")
        reply = await stream.during(40)
        assert not reply.ended
        assert b"still there" in reply.body
        task = reply.messages[0]["result"]["task"]
        await m.talker.say("here they are", taskId=task["id"])
        assert (await results(stream))[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
async def test_a_message_is_a_stream_of_its_own() -> None:
    async with meeting() as m:
        (only,) = await results(await m.talker.stream("message"))
        assert only["message"]["role"] == "ROLE_AGENT"


@virtual
@pytest.mark.parametrize(("text", "events"), [("raise early", 2), ("raise", 3), ("raise after 2", 5)])
async def test_an_exception_ends_every_view_of_the_task_in_the_same_state(text: str, events: int) -> None:
    async with meeting() as m:
        stream = await m.talker.stream(text)
        reply = await stream.reply()
        assert len(reply.messages) == events
        assert b"7f3a" not in reply.body
        status = reply.messages[-1]["result"]["statusUpdate"]
        stored = await m.talker.task(status["taskId"])
        assert status["status"] == stored["status"]
        assert stored["status"]["state"] == (await m.talker.say(text))["status"]["state"] == "TASK_STATE_FAILED"


@virtual
@pytest.mark.parametrize("version", [NEW, OLD])
async def test_a_refused_stream_is_a_plain_error(version: str) -> None:
    method = {NEW: "SubscribeToTask", OLD: "tasks/resubscribe"}[version]
    async with meeting() as m:
        reply = await (await m.talker.begin_call(method, {"id": "none"}, version)).reply()
        assert reply.headers["content-type"] == "application/json"
        assert reply.json["error"]["code"] == -32001


@virtual
async def test_a_finished_task_has_no_subscribers() -> None:
    async with meeting() as m:
        done = await m.talker.say("echo hi")
        assert (await m.talker.error("SubscribeToTask", {"id": done["id"]}))["code"] == -32004


async def cancelled(talker: Talker) -> None:
    task = await talker.start_task("hold 3 key")
    streams = [await talker.begin_call("SubscribeToTask", {"id": task["id"]}) for _ in range(2)]
    await anyio.sleep(0.55)
    answers = [await talker.result("CancelTask", {"id": task["id"], "metadata": {"why": "test"}}) for _ in range(2)]
    assert [answer["status"]["state"] for answer in answers] == ["TASK_STATE_CANCELED"] * 2
    for stream in streams:
        events = await results(stream)
        assert [e["statusUpdate"]["status"]["state"] for e in events if "statusUpdate" in e] == ["TASK_STATE_CANCELED"]
        assert events[-1]["statusUpdate"]
    await anyio.sleep(5)
    assert await talker.witness("key") == ["execute", *(f"tick {n}" for n in range(1, 6)), "cancelled"]
    assert await talker.task(task["id"]) == answers[0]


@virtual
async def test_a_cancelled_task_stops_and_says_so_once() -> None:
    async with meeting() as m:
        await cancelled(m.talker)


@virtual
async def test_a_task_that_is_cancelled_before_its_turn_never_works() -> None:
    async with meeting() as m:
        task = m.agent.store.create("", said("hold 3 key"))
        m.agent.executor.begin(task, task.history[0])
        m.agent.operations.stop(task)
        await anyio.sleep(5)
        assert await m.talker.witness("key") == []
        assert task.state == "TASK_STATE_CANCELED"


@virtual
async def test_work_that_ignores_its_cancellation_changes_nothing_afterwards() -> None:
    async with meeting() as m:
        task = await m.talker.start_task("ignore-cancel 2 key")
        await anyio.sleep(0.5)
        answer = await m.talker.result("CancelTask", {"id": task["id"]})
        await anyio.sleep(5)
        assert (await m.talker.witness("key"))[-1] == "done"
        assert await m.talker.task(task["id"]) == answer


@virtual
@pytest.mark.parametrize("text", ["echo hi", "fail", "reject"])
async def test_a_finished_task_cannot_be_cancelled_nor_spoken_to(text: str) -> None:
    async with meeting() as m:
        task = await m.talker.say(text)
        assert (await m.talker.error("CancelTask", {"id": task["id"]}))["code"] == -32002
        message = said("more", taskId=task["id"])
        assert (await m.talker.error("SendMessage", {"message": message}))["code"] == -32004
        assert await m.talker.task(task["id"]) == task


@virtual
@pytest.mark.parametrize("text", ["ask", "auth"])
async def test_a_waiting_task_can_be_cancelled(text: str) -> None:
    async with meeting() as m:
        task = await m.talker.say(text)
        assert (await m.talker.result("CancelTask", {"id": task["id"]}))["status"]["state"] == "TASK_STATE_CANCELED"


@virtual
async def test_a_stream_that_was_asked_for_twice_tells_of_one_task() -> None:
    async with meeting() as m:
        params = {"message": said("ticks 3 0.1 key")}
        first = await m.talker.begin_call("SendStreamingMessage", params)
        await first.messages(2)
        second = await results(await m.talker.begin_call("SendStreamingMessage", params))
        third = await results(await m.talker.begin_call("SendStreamingMessage", params))
        whole = await results(first)
        assert chunks(whole) == chunks(second) == chunks(third)
        assert {events[0]["task"]["id"] for events in (whole, second, third)} == {whole[0]["task"]["id"]}
        assert [next(iter(event)) for event in third] == ["task"]
        assert (await m.talker.witness("key")).count("execute") == 1
