"""Webhooks: configured, called in order, tried again, and nobody's brake."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest

from .client import NEW, OLD, Meeting, Receiver, Talker, meeting, said, texts, virtual

CHUNKS = "ticks 3 0.1"


def config(hook: Receiver, **members: Any) -> dict[str, Any]:
    return {"taskPushNotificationConfig": {"url": hook.url, **members}}


async def created(talker: Talker, task: str, url: str, **members: Any) -> Any:
    return await talker.result("CreateTaskPushNotificationConfig", {"taskId": task, "url": url, **members})


@virtual
@pytest.mark.parametrize("mode", ["waiting", "immediate", "streaming"])
async def test_a_webhook_gets_what_a_stream_gets_in_order(mode: str) -> None:
    async with meeting() as m:
        hook, other = await m.receiver(), await m.receiver()
        if mode == "streaming":
            stream = await m.talker.stream(CHUNKS, config(hook))
            expected = [message["result"] for message in (await stream.reply()).messages]
            await anyio.sleep(1)
            assert hook.bodies == expected
        else:
            await m.talker.say(CHUNKS, config(hook) | {"returnImmediately": mode == "immediate"})
            await anyio.sleep(2)
        kinds = [next(iter(body)) for body in hook.bodies]
        assert kinds == ["task", "statusUpdate", *["artifactUpdate"] * 3, "statusUpdate"]
        assert {request.get("content-type") for request in hook.requests} == {"application/a2a+json"}
        assert {request.method for request in hook.requests} == {"POST"}
        assert other.requests == []


@virtual
async def test_an_old_webhook_gets_tasks() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        configuration = {"pushNotificationConfig": {"url": hook.url, "token": "t"}}
        await m.talker.result("message/send", {"message": said(CHUNKS, OLD), "configuration": configuration}, OLD)
        await anyio.sleep(1)
        assert {body["kind"] for body in hook.bodies} == {"task"}
        states = [body["status"]["state"] for body in hook.bodies]
        assert states == ["submitted", *["working"] * 4, "completed"]
        assert [texts(a) for body in hook.bodies for a in body.get("artifacts", [])][:2] == ["1\n", "1\n2\n"]
        assert {request.get("content-type") for request in hook.requests} == {"application/json"}


@virtual
async def test_credentials_and_token_go_with_every_notification() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        task = await m.talker.start_task(CHUNKS)
        authentication = {"scheme": "Bearer", "credentials": "secret"}
        shown = await created(m.talker, task["id"], hook.url, id="mine", token="t-1", authentication=authentication)
        assert shown == {
            "id": "mine",
            "taskId": task["id"],
            "url": hook.url,
            "token": "t-1",
            "authentication": authentication,
        }
        await anyio.sleep(1)
        assert {r.get("authorization") for r in hook.requests} == {"Bearer secret"}
        assert {r.get("x-a2a-notification-token") for r in hook.requests} == {"t-1"}


@virtual
async def test_configurations_are_read_listed_replaced_and_deleted() -> None:
    async with meeting() as m:
        first, second = await m.receiver(), await m.receiver()
        task = (await m.talker.start_task("hold 5"))["id"]
        ids = [(await created(m.talker, task, first.url))["id"] for _ in range(3)]
        assert len(set(ids)) == 3
        one = {"taskId": task, "id": ids[0]}
        assert (await m.talker.result("GetTaskPushNotificationConfig", one))["url"] == first.url
        page = await m.talker.result("ListTaskPushNotificationConfigs", {"taskId": task, "pageSize": 2})
        rest = await m.talker.result(
            "ListTaskPushNotificationConfigs", {"taskId": task, "pageToken": page["nextPageToken"]}
        )
        assert sorted(c["id"] for c in page["configs"] + rest["configs"]) == sorted(ids)
        for _ in range(2):
            assert await m.talker.result("DeleteTaskPushNotificationConfig", one) == {}
        assert (await m.talker.error("GetTaskPushNotificationConfig", one))["code"] == -32001
        await created(m.talker, task, second.url, id=ids[1])
        listed = await m.talker.result("ListTaskPushNotificationConfigs", {"taskId": task})
        assert {c["id"]: c["url"] for c in listed["configs"]} == {ids[1]: second.url, ids[2]: first.url}


@virtual
async def test_old_configurations_over_both_bindings() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        task = (await m.talker.start_task("hold 5"))["id"]
        inner = {"url": hook.url, "authentication": {"schemes": ["Bearer"], "credentials": "s"}}
        params = {"taskId": task, "pushNotificationConfig": inner}
        shown = await m.talker.result("tasks/pushNotificationConfig/set", params, OLD)
        assert shown == {"taskId": task, "pushNotificationConfig": {"id": task, **inner}}
        assert await m.talker.result("tasks/pushNotificationConfig/get", {"id": task}, OLD) == shown
        path = f"/v1/tasks/{task}/pushNotificationConfigs"
        made = await m.talker.rest(
            "POST", path, {"configId": "c", "config": {"pushNotificationConfig": {"url": hook.url}}}, OLD
        )
        assert made.json["pushNotificationConfig"]["id"] == "c"
        assert len((await m.talker.rest("GET", path, None, OLD)).json) == 2
        assert (await m.talker.rest("DELETE", f"{path}/c", None, OLD)).status == 200
        assert len(await m.talker.result("tasks/pushNotificationConfig/list", {"id": task}, OLD)) == 1
        gone = {"id": task, "pushNotificationConfigId": task}
        assert await m.talker.result("tasks/pushNotificationConfig/delete", gone, OLD) is None


@virtual
async def test_a_deleted_configuration_is_not_called_any_more() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        task = (await m.talker.start_task("hold 2"))["id"]
        id = (await created(m.talker, task, hook.url))["id"]
        await anyio.sleep(0.55)
        await m.talker.result("DeleteTaskPushNotificationConfig", {"taskId": task, "id": id})
        seen = len(hook.requests)
        assert seen
        await anyio.sleep(5)
        assert len(hook.requests) == seen


@virtual
async def test_a_configuration_lasts_for_several_turns_and_is_not_doubled_by_repetition() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        task = await m.talker.say("ask", config(hook))
        await m.talker.say("blue", config(hook), taskId=task["id"])
        await anyio.sleep(1)
        states = [b["statusUpdate"]["status"]["state"] for b in hook.bodies if "statusUpdate" in b]
        assert [state.removeprefix("TASK_STATE_") for state in states] == [
            *("WORKING", "INPUT_REQUIRED", "WORKING", "COMPLETED")
        ]
        listed = await m.talker.result("ListTaskPushNotificationConfigs", {"taskId": task["id"]})
        assert len(listed["configs"]) == 1


async def after(m: Meeting, *answers: int | None, seconds: float = 120) -> Receiver:
    """A receiver that had one task to hear of."""
    hook = await m.receiver(*answers)
    await m.talker.say("message")
    await m.talker.say("reject", config(hook))
    await anyio.sleep(seconds)
    return hook


@virtual
async def test_failed_deliveries_are_tried_again_with_growing_gaps() -> None:
    async with meeting() as m:
        hook = await after(m, 500, 503, 200)
        assert [json.dumps(body) for body in hook.bodies[:3]] == [json.dumps(hook.bodies[0])] * 3
        assert hook.gaps[:2] == pytest.approx([0.5, 1.0])
        assert len(hook.requests) == 4


@virtual
@pytest.mark.parametrize(("status", "count"), [(200, 2), (202, 2), (204, 2), (302, 2), (404, 2), (410, 1)])
async def test_what_was_acknowledged_or_refused_is_not_sent_again(status: int, count: int) -> None:
    async with meeting() as m:
        assert len((await after(m, status)).requests) == count


@virtual
async def test_retries_end_and_later_events_are_still_sent() -> None:
    async with meeting() as m:
        hook = await after(m, 500)
        assert len(hook.requests) == 10
        assert hook.gaps[:4] == pytest.approx([0.5, 1, 2, 4])
        assert hook.bodies[4] != hook.bodies[5]


@virtual
async def test_a_silent_receiver_is_given_up_and_tried_again() -> None:
    async with meeting() as m:
        hook = await after(m, None, 200)
        assert hook.gaps[0] == pytest.approx(10.5)
        assert len(hook.requests) == 3


@virtual
async def test_nobody_waits_for_a_bad_webhook() -> None:
    async with meeting() as m:
        silent = await m.receiver(None)
        hook = await m.receiver()
        began = anyio.current_time()
        stream = await m.talker.stream(CHUNKS, config(silent))
        task = (await stream.messages(1))[0]["result"]["task"]["id"]
        await created(m.talker, task, hook.url)
        await created(m.talker, task, "http://127.0.0.1:1/nobody")
        await stream.reply()
        assert anyio.current_time() - began == pytest.approx(0.3)
        await anyio.sleep(0.5)
        assert hook.bodies[-1]["statusUpdate"]["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
@pytest.mark.parametrize(
    "url",
    [
        *("not a url", "ftp://127.0.0.1/x", "file:///etc/passwd", "http://", "/relative", "http://127.0.0.1:x/"),
        *(
            "http://169.254.169.254/latest",
            "http://10.0.0.1/",
            "http://192.168.1.1/",
            "http://0.0.0.0/",
            "http://[::]/",
        ),
        *(
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://[::ffff:10.0.0.1]/",
        ),
        *("http://internal.example/", "http://127.0.0.1.nip.example/", "http://user:pw@127.0.0.1/", ""),
    ],
)
async def test_urls_that_must_not_be_called_are_refused(url: str) -> None:
    async with meeting() as m:
        task = (await m.talker.start_task("hold 1"))["id"]
        error = await m.talker.error("CreateTaskPushNotificationConfig", {"taskId": task, "url": url})
        assert error["code"] == -32602
        assert error["data"][0]["fieldViolations"][0]["field"] == "url"
        inline = {"message": said("echo"), "configuration": {"taskPushNotificationConfig": {"url": url}}}
        assert (await m.talker.error("SendMessage", inline))["code"] == -32602


@virtual
async def test_a_cancellation_is_notified_once_and_last() -> None:
    async with meeting() as m:
        hook = await m.receiver()
        task = await m.talker.say("hold 3", config(hook) | {"returnImmediately": True})
        await anyio.sleep(0.35)
        for version, method in ((NEW, "CancelTask"), (OLD, "tasks/cancel")):
            await m.talker.result(method, {"id": task["id"]}, version)
        await anyio.sleep(5)
        states = [b["statusUpdate"]["status"]["state"] for b in hook.bodies if "statusUpdate" in b]
        assert states == ["TASK_STATE_WORKING", "TASK_STATE_CANCELED"]
        assert "statusUpdate" in hook.bodies[-1]
