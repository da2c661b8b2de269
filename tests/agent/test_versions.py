"""Versions: negotiated with each request, and never mixed."""

from __future__ import annotations

import json

import pytest
from seatrial.fixtures.agent.methods import METHODS

from .client import NEW, OLD, meeting, said, virtual


@virtual
@pytest.mark.parametrize("version", ["2.0", "99.0", "1.5", "0.5", "abc", "1.0, 0.3", "9" * 5000, "1"])
async def test_a_version_that_is_not_served_is_refused_on_every_operation(version: str) -> None:
    async with meeting() as m:
        for method in METHODS[NEW]:
            exchange = await m.talker.begin_call(method, {}, headers={"A2A-Version": version})
            reply = await exchange.reply()
            assert reply.json["error"]["code"] == -32009
            assert reply.json["error"]["data"][0]["reason"] == "VERSION_NOT_SUPPORTED"
        rest = await m.talker.rest("POST", "/message:stream", {"message": said("echo")}, version)
        assert (rest.status, rest.json["error"]["status"]) == (400, "FAILED_PRECONDITION")


@virtual
@pytest.mark.parametrize("version", ["1.0", "1.0.1", "1.0.99"])
async def test_a_patch_number_has_no_influence(version: str) -> None:
    async with meeting() as m:
        task = (await m.talker.result("SendMessage", {"message": said("echo hi")}, version))["task"]
        assert task["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
@pytest.mark.parametrize("header", ["a2a-version", "A2A-VERSION"])
async def test_the_header_may_be_written_in_any_case(header: str) -> None:
    async with meeting() as m:
        answer = await m.talker.call("SendMessage", {"message": said("echo")}, "", {header: NEW})
        assert "task" in answer["result"]


@virtual
async def test_the_version_may_stand_in_the_query() -> None:
    async with meeting() as m:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": said("echo")}})
        reply = await (await m.talker.send("POST", body.encode(), {}, "/?A2A-Version=1.0")).reply()
        assert "task" in reply.json["result"]
        rest = await m.talker.rest("POST", "/message:send?A2A-Version=1.0", {"message": said("echo")}, "")
        assert "task" in rest.json


@virtual
@pytest.mark.parametrize("headers", [{}, {"A2A-Version": ""}])
async def test_no_version_is_the_old_one(headers: dict[str, str]) -> None:
    async with meeting() as m:
        new = await m.talker.call("SendMessage", {"message": said("echo")}, "", headers)
        old = await m.talker.call("message/send", {"message": said("echo", OLD)}, "", headers)
        assert new["error"]["code"] == -32601
        assert old["result"]["kind"] == "task"


@virtual
@pytest.mark.parametrize(
    ("method", "version"),
    [
        ("message/send", NEW),
        ("SendMessage", OLD),
        ("tasks/list", OLD),
        ("tasks/send", OLD),
        ("tasks/sendSubscribe", NEW),
    ],
)
async def test_a_method_of_another_version_is_unknown(method: str, version: str) -> None:
    async with meeting() as m:
        assert (await m.talker.error(method, {}, version))["code"] == -32601


@virtual
async def test_one_task_has_the_shape_of_whoever_reads_it() -> None:
    async with meeting() as m:
        task = await m.talker.say("ask")
        old = await m.talker.result("tasks/get", {"id": task["id"]}, OLD)
        assert (old["kind"], old["status"]["state"], old["history"][0]["role"]) == ("task", "input-required", "user")
        assert old["status"]["message"]["parts"] == [{"kind": "text", "text": "What shall it be?"}]
        assert "kind" not in json.dumps(await m.talker.task(task["id"]))
        parts = [{"kind": "text", "text": "go"}, {"kind": "file", "file": {"uri": "http://x", "mimeType": "image/png"}}]
        answer = await m.talker.result("message/send", {"message": said("", OLD, taskId=task["id"], parts=parts)}, OLD)
        assert answer["status"]["state"] == "completed"
        stored = await m.talker.task(task["id"])
        assert stored["history"][-1]["parts"] == [{"text": "go"}, {"url": "http://x", "mediaType": "image/png"}]
        assert answer["history"][-1]["parts"] == parts


@virtual
async def test_a_task_of_one_version_can_be_cancelled_in_the_other() -> None:
    async with meeting() as m:
        params = {"message": said("hold 5", OLD), "configuration": {"blocking": False}}
        task = await m.talker.result("message/send", params, OLD)
        assert task["status"]["state"] == "submitted"
        assert (await m.talker.rest("POST", f"/tasks/{task['id']}:cancel")).json["status"][
            "state"
        ] == "TASK_STATE_CANCELED"
        assert (await m.talker.rest("GET", f"/v1/tasks/{task['id']}", None, OLD)).json["status"]["state"] == "canceled"


@virtual
async def test_errors_have_the_shape_of_their_version() -> None:
    async with meeting() as m:
        new, old = await m.talker.error("GetTask", {"id": "x"}), await m.talker.error("tasks/get", {"id": "x"}, OLD)
        rest = await m.talker.rest("GET", "/v1/tasks/x", None, OLD)
        assert new["code"] == old["code"] == rest.json["code"] == -32001
        assert all("@type" in detail for detail in new["data"])
        assert "@type" not in json.dumps([old, rest.json])
        assert (rest.status, rest.headers["content-type"]) == (404, "application/json")


@virtual
async def test_old_requests_over_http_may_be_spelled_as_the_proto_spells_them() -> None:
    async with meeting() as m:
        proto = {"messageId": "p1", "role": "ROLE_USER", "content": [{"text": "echo hi"}, {"data": {"data": {"a": 1}}}]}
        for message in (proto, said("echo hi", OLD)):
            reply = await m.talker.rest("POST", "/v1/message:send", {"message": message}, OLD)
            assert reply.json["task"]["artifacts"][0]["parts"] == [{"kind": "text", "text": "hi"}]
        stream = await m.talker.begin_rest("POST", "/v1/message:stream", {"message": said("echo hi", OLD)}, OLD)
        events = (await stream.reply()).messages
        assert [next(iter(event)) for event in events] == ["task", "statusUpdate", "artifactUpdate", "statusUpdate"]
        assert events[-1]["statusUpdate"]["final"] is True


@virtual
async def test_unknown_members_are_tolerated() -> None:
    async with meeting() as m:
        message = said("echo hi", parts=[{"text": "echo hi", "novel": 1}], novel=True)
        result = await m.talker.result("SendMessage", {"message": message, "novel": {}, "configuration": {"novel": 1}})
        assert result["task"]["status"]["state"] == "TASK_STATE_COMPLETED"
