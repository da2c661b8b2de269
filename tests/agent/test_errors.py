"""Every condition of the error tables, over both bindings and in both versions."""

from __future__ import annotations

import json
from typing import Any

import anyio
import pytest
from seatrial.fixtures.agent import VARIANTS, Agent

from .client import NEW, OLD, Meeting, Reply, meeting, said, virtual


class Earlier(Agent):
    release = "1.0.0"


async def raw(m: Meeting, body: bytes, **headers: str) -> Reply:
    named = {"A2A-Version": NEW, **{name.replace("_", "-"): value for name, value in headers.items()}}
    return await (await m.talker.send("POST", body, named, "/")).reply()


@virtual
@pytest.mark.parametrize(
    ("body", "code", "id"),
    [
        (b"{bad", -32700, None),
        (b'{"jsonrpc":"2.0","id":1}', -32600, 1),
        (b'{"jsonrpc":"1.0","id":"a","method":"GetTask"}', -32600, "a"),
        (b'{"jsonrpc":"2.0","id":{},"method":"GetTask"}', -32600, None),
        (b'{"jsonrpc":"2.0","id":true,"method":"GetTask"}', -32600, None),
        (b"[]", -32600, None),
        (b'[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]', -32600, None),
        (b'{"jsonrpc":"2.0","id":0,"method":"Nope"}', -32601, 0),
        (b'{"jsonrpc":"2.0","id":12345678901234567890,"method":"tasks/send"}', -32601, 12345678901234567890),
        (b'{"jsonrpc":"2.0","id":5,"method":"GetTask","params":[]}', -32602, 5),
    ],
)
async def test_an_envelope_that_is_wrong_is_refused_under_its_id(body: bytes, code: int, id: Any) -> None:
    async with meeting() as m:
        reply = await raw(m, body)
        assert (reply.status, reply.headers["content-type"]) == (200, "application/json")
        assert reply.json["error"]["code"] == code
        assert "id" in reply.json
        assert reply.json["id"] == id
        assert "result" not in reply.json


INVALID: list[tuple[str, Any, str]] = [
    ("SendMessage", {}, "message"),
    ("GetTask", {}, "id"),
    ("GetTask", {"id": 5}, "id"),
    ("GetTask", {"id": "x", "historyLength": -1}, "historyLength"),
    ("ListTasks", {"pageSize": 0}, "pageSize"),
    ("ListTasks", {"pageSize": 101}, "pageSize"),
    ("ListTasks", {"pageSize": -1}, "pageSize"),
    ("ListTasks", {"pageSize": True}, "pageSize"),
    ("ListTasks", {"pageToken": "zzz"}, "pageToken"),
    ("ListTasks", {"status": "TASK_STATE_RUNNING"}, "status"),
    ("ListTasks", {"historyLength": -1}, "historyLength"),
    ("ListTasks", {"statusTimestampAfter": "soon"}, "statusTimestampAfter"),
    ("SendMessage", {"message": said("x", parts=[])}, "message.parts"),
    ("SendMessage", {"message": said("x", parts=None)}, "message.parts"),
    ("SendMessage", {"message": said("x", messageId="")}, "message.messageId"),
    ("SendMessage", {"message": said("x", role="user")}, "message.role"),
    ("SendMessage", {"message": said("x", role="ROLE_BOGUS")}, "message.role"),
    ("SendMessage", {"message": said("x", parts=[{"text": "a", "url": "http://x"}])}, "message.parts[0]"),
    ("SendMessage", {"message": said("x", parts=[{"text": "a"}, {"metadata": {}}])}, "message.parts[1]"),
    ("SendMessage", {"message": said("x", parts=[{"text": 5}])}, "message.parts[0].text"),
    ("SendMessage", {"message": said("x"), "configuration": {"historyLength": -1}}, "configuration.historyLength"),
]


@virtual
@pytest.mark.parametrize(("method", "params", "field"), INVALID)
async def test_invalid_parameters_name_their_field(method: str, params: Any, field: str) -> None:
    async with meeting() as m:
        error = await m.talker.error(method, params)
        assert error["code"] == -32602
        (detail,) = error["data"]
        assert detail["@type"].endswith("google.rpc.BadRequest")
        assert [violation["field"] for violation in detail["fieldViolations"]] == [field]


@virtual
async def test_old_messages_are_held_to_the_same_rules() -> None:
    async with meeting() as m:
        wrongs: list[dict[str, Any]] = [
            {"parts": []},
            {"messageId": ""},
            {"role": "ROLE_USER"},
            {"parts": [{"kind": "text"}]},
        ]
        for wrong in wrongs:
            error = await m.talker.error("message/send", {"message": said("x", OLD, **wrong)}, OLD)
            assert error["code"] == -32602
            assert "@type" not in json.dumps(error)


@virtual
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GetTask", "/tasks/none"),
        ("CancelTask", "/tasks/none:cancel"),
        ("SubscribeToTask", "/tasks/none:subscribe"),
        ("ListTaskPushNotificationConfigs", "/tasks/none/pushNotificationConfigs"),
        ("GetTaskPushNotificationConfig", "/tasks/none/pushNotificationConfigs/c"),
        ("DeleteTaskPushNotificationConfig", "/tasks/none/pushNotificationConfigs/c"),
    ],
)
async def test_an_unknown_task_is_unknown_everywhere(method: str, path: str) -> None:
    verb = {"CancelTask": "POST", "SubscribeToTask": "POST", "DeleteTaskPushNotificationConfig": "DELETE"}
    async with meeting() as m:
        params = {"taskId": "none", "id": "c"} if "Push" in method else {"id": "none"}
        error = await m.talker.error(method, params)
        reply = await m.talker.rest(verb.get(method, "GET"), path)
        status = reply.json["error"]
        assert (error["code"], reply.status, status["code"], status["status"]) == (-32001, 404, 404, "NOT_FOUND")
        assert error["data"] == status["details"]
        assert error["data"][0]["reason"] == "TASK_NOT_FOUND"
        assert reply.headers["content-type"] == "application/a2a+json"


@virtual
async def test_a_message_to_an_unknown_task_makes_none() -> None:
    async with meeting() as m:
        message = said("echo", taskId="invented")
        assert (await m.talker.error("SendMessage", {"message": message}))["code"] == -32001
        assert (await m.talker.result("ListTasks"))["totalSize"] == 0


@virtual
async def test_the_statuses_are_those_of_the_release() -> None:
    for build, statuses in ((Agent, (400, 400)), (Earlier, (409, 415))):
        async with meeting(build) as m:
            done = await m.talker.say("echo hi")
            late = await m.talker.rest("POST", f"/tasks/{done['id']}:cancel")
            wrong = said("x", parts=[{"text": "x", "mediaType": "application/x-nope"}])
            refused = await m.talker.rest("POST", "/message:send", {"message": wrong})
            assert (late.status, refused.status) == statuses
            assert late.json["error"]["details"][0]["reason"] == "TASK_NOT_CANCELABLE"
            assert refused.json["error"]["details"][0]["reason"] == "CONTENT_TYPE_NOT_SUPPORTED"
            assert refused.json["error"]["code"] == refused.status


@virtual
async def test_an_invalid_response_fails_the_task_and_is_named() -> None:
    async with meeting() as m:
        error = await m.talker.error("SendMessage", {"message": said("invalid-response")})
        (info,) = error["data"]
        assert (error["code"], info["reason"]) == (-32006, "INVALID_AGENT_RESPONSE")
        assert (await m.talker.task(info["metadata"]["taskId"]))["status"]["state"] == "TASK_STATE_FAILED"
        reply = await m.talker.rest("POST", "/message:send", {"message": said("invalid-response")})
        assert (reply.status, reply.json["error"]["status"]) == (500, "INTERNAL")


@virtual
async def test_a_store_that_is_down_is_an_internal_error_in_time() -> None:
    async with meeting() as m:
        with anyio.fail_after(5):
            error = await m.talker.error("SendMessage", {"message": said("store-down")})
            reply = await m.talker.rest("POST", "/message:send", {"message": said("store-down")})
            assert (error["code"], reply.status) == (-32603, 500)
        assert "store" not in json.dumps([error, reply.json])
        assert (await m.talker.say("push-store-down"))["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
async def test_a_notification_is_obeyed_in_silence() -> None:
    async with meeting() as m:
        message = {"jsonrpc": "2.0", "method": "SendMessage", "params": {"message": said("ticks 1 0.1 key")}}
        reply = await raw(m, json.dumps(message).encode())
        assert (reply.status, reply.body) == (204, b"")
        await anyio.sleep(1)
        assert await m.talker.witness("key") == ["execute", "tick 1", "done"]


@virtual
async def test_a_foreign_media_type_and_a_body_too_large_are_refused_cleanly() -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x" * 5_000_000}}).encode()
    async with meeting() as m:
        large, foreign = await raw(m, body), await raw(m, b"{}", Content_Type="text/plain")
        assert (large.status, foreign.status) == (413, 415)
        assert large.json["error"]["code"] == foreign.json["error"]["code"] == -32600
        rest = await m.talker.rest("POST", "/message:send", body)
        assert (rest.status, rest.json["error"]["code"]) == (413, 413)
        assert (await m.talker.say("echo hi"))["status"]["state"] == "TASK_STATE_COMPLETED"


@virtual
@pytest.mark.parametrize(
    ("verb", "path", "body", "status"),
    [
        ("GET", "/nowhere", None, 404),
        ("PUT", "/message:send", {}, 405),
        ("POST", "/message:send", b"{x", 400),
        ("POST", "/message:send", [], 400),
        ("POST", "/message:send", {}, 400),
        ("GET", "/tasks?pageSize=many", None, 400),
        ("GET", "/tasks?includeArtifacts=perhaps", None, 400),
    ],
)
async def test_what_is_no_operation_is_a_status(verb: str, path: str, body: Any, status: int) -> None:
    async with meeting() as m:
        reply = await m.talker.rest(verb, path, body)
        error = reply.json["error"]
        assert (reply.status, error["code"], bool(error["message"])) == (status, status, True)
        assert reply.headers["content-type"] == "application/a2a+json"


@virtual
@pytest.mark.parametrize(
    ("variant", "method", "code"),
    [
        ("bare", "SendStreamingMessage", -32004),
        ("bare", "SubscribeToTask", -32004),
        ("bare", "CreateTaskPushNotificationConfig", -32003),
        ("bare", "ListTaskPushNotificationConfigs", -32003),
        ("bare", "GetExtendedAgentCard", -32004),
        ("unconfigured", "GetExtendedAgentCard", -32007),
        ("strict", "SendMessage", -32008),
    ],
)
async def test_what_is_not_declared_is_refused(variant: str, method: str, code: int) -> None:
    async with meeting(VARIANTS[variant], protected=True, token="token-1") as m:
        error = await m.talker.error(method)
        assert error["code"] == code
        assert error["data"][0]["reason"]


@virtual
async def test_an_inline_configuration_without_push_is_ignored() -> None:
    async with meeting(VARIANTS["bare"]) as m:
        hook = await m.receiver()
        await m.talker.say("echo hi", {"taskPushNotificationConfig": {"url": hook.url}})
        await anyio.sleep(30)
        assert hook.requests == []


@virtual
async def test_a_required_extension_opens_the_door() -> None:
    async with meeting(VARIANTS["strict"]) as m:
        headers = {"A2A-Extensions": f"urn:nope:v9, {VARIANTS['strict'].required_extension}"}
        exchange = await m.talker.begin_call("SendMessage", {"message": said("echo hi")}, headers=headers)
        reply = await exchange.reply()
        assert reply.json["result"]["task"]
        assert reply.headers["a2a-extensions"] == VARIANTS["strict"].required_extension
