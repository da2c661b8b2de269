"""Turns, contexts, repetitions, lists, and whose tasks they are."""

from __future__ import annotations

import re

import anyio
import pytest

from .client import NEW, OLD, meeting, said, texts, virtual


@virtual
async def test_sending_waits_unless_it_is_told_not_to() -> None:
    async with meeting() as m:
        done = await m.talker.say("ticks 3 0.1")
        assert done["status"]["state"] == "TASK_STATE_COMPLETED"
        assert texts(done["artifacts"][0]) == "1\n2\n3\n"
        began = anyio.current_time()
        started = await m.talker.start_task("hold 5")
        assert started["status"]["state"] == "TASK_STATE_SUBMITTED"
        assert anyio.current_time() == began
        old = {"message": said("hold 5", OLD), "configuration": {"blocking": False}}
        assert (await m.talker.result("message/send", old, OLD))["status"]["state"] == "submitted"
        assert (await m.talker.say("echo hi"))["status"]["state"] == "TASK_STATE_COMPLETED"
        assert anyio.current_time() == began


@virtual
async def test_a_context_is_made_kept_inferred_and_never_replaced() -> None:
    async with meeting() as m:
        assert (await m.talker.say("echo"))["contextId"]
        assert (await m.talker.say("echo", contextId="mine"))["contextId"] == "mine"
        assert (await m.talker.say("message", contextId="mine"))["contextId"] == "mine"
        task = await m.talker.say("ask")
        wrong = said("blue", taskId=task["id"], contextId="other")
        assert (await m.talker.error("SendMessage", {"message": wrong}))["code"] == -32602
        done = await m.talker.say("blue", taskId=task["id"])
        assert (done["id"], done["contextId"]) == (task["id"], task["contextId"])
        assert {message["contextId"] for message in done["history"]} == {task["contextId"]}


@virtual
async def test_the_history_is_capped_at_its_latest_messages() -> None:
    async with meeting() as m:
        task = await m.talker.say("ask")
        params = {"message": said("blue", taskId=task["id"]), "configuration": {"historyLength": 1}}
        answer = (await m.talker.result("SendMessage", params))["task"]
        assert [texts(message) for message in answer["history"]] == ["blue"]
        whole = await m.talker.task(task["id"])
        assert [texts(message) for message in whole["history"]] == ["ask", "What shall it be?", "blue"]
        none = await m.talker.result("GetTask", {"id": task["id"], "historyLength": 0})
        assert "history" not in none
        (listed,) = (await m.talker.result("ListTasks", {"historyLength": 2}))["tasks"]
        assert listed["history"] == whole["history"][1:]


@virtual
@pytest.mark.parametrize("text", ["ticks 2 0.1 key", "message"])
async def test_the_same_message_once_more_is_no_second_order(text: str) -> None:
    async with meeting() as m:
        params = {"message": said(text, contextId="c")}
        first, second = [await m.talker.result("SendMessage", params) for _ in range(2)]
        assert first == second
        assert await m.talker.witness("key") in ([], ["execute", "tick 1", "tick 2", "done"])
        other = {"message": said(text) | {"messageId": params["message"]["messageId"]}}
        assert await m.talker.result("SendMessage", other) != first


@virtual
async def test_parallel_answers_do_no_harm() -> None:
    async with meeting() as m:
        task = await m.talker.say("ask")
        params = [{"message": said(f"answer {number}", taskId=task["id"])} for number in range(3)]
        exchanges = [await m.talker.begin_call("SendMessage", each) for each in params]
        answers = [(await exchange.reply()).json for exchange in exchanges]
        good = [answer["result"]["task"] for answer in answers if "result" in answer]
        assert {task["status"]["state"] for task in good} == {"TASK_STATE_COMPLETED"}
        assert {answer["error"]["code"] for answer in answers if "error" in answer} <= {-32004}
        assert len((await m.talker.task(task["id"]))["artifacts"]) == 1


@virtual
async def test_a_list_is_sorted_paged_and_filtered() -> None:
    async with meeting() as m:
        ids = []
        for number in range(5):
            ids.append((await m.talker.say("echo hi", contextId=f"c{number % 2}"))["id"])
            await anyio.sleep(0.01)
        walked: list[str] = []
        token = ""
        for _ in range(3):
            page = await m.talker.result("ListTasks", {"pageSize": 2, "pageToken": token})
            walked += [task["id"] for task in page["tasks"]]
            assert (page["pageSize"], page["totalSize"]) == (2, 5 + (len(walked) - 1) // 2)
            token = page["nextPageToken"]
            await m.talker.say("echo new")
        assert token == ""
        assert walked == ids[::-1]
        tasks = (await m.talker.result("ListTasks", {"contextId": "c0", "includeArtifacts": True}))["tasks"]
        assert [task["id"] for task in tasks] == ids[::-2]
        assert all(task["artifacts"] for task in tasks)
        stamps = [task["status"]["timestamp"] for task in tasks]
        assert stamps == sorted(stamps, reverse=True)
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", stamp) for stamp in stamps)
        since = {"statusTimestampAfter": stamps[1], "contextId": "c0"}
        assert len((await m.talker.result("ListTasks", since))["tasks"]) == 2
        reply = await m.talker.rest("GET", "/tasks?pageSize=1&status=TASK_STATE_COMPLETED")
        assert len(reply.json["tasks"]) == 1
        assert "artifacts" not in reply.json["tasks"][0]
        assert (await m.talker.result("ListTasks", {"status": "TASK_STATE_FAILED"}))["tasks"] == []
        assert len((await m.talker.rest("GET", "/v1/tasks", None, OLD)).json) == 8


@virtual
async def test_another_s_task_is_one_that_does_not_exist() -> None:
    async with meeting(protected=True, token="token-1") as m:
        task = await m.talker.say("ask", contextId="mine")
        m.talker.session = {"Authorization": "Bearer token-2"}
        for method in ("GetTask", "CancelTask", "SubscribeToTask"):
            theirs, none = [await m.talker.error(method, {"id": id}) for id in (task["id"], "none")]
            assert theirs["data"][0]["metadata"].pop("taskId") == task["id"]
            assert none["data"][0]["metadata"].pop("taskId") == "none"
            assert theirs == none
        error = await m.talker.error("ListTaskPushNotificationConfigs", {"taskId": task["id"]})
        assert error["code"] == -32001
        assert (await m.talker.error("SendMessage", {"message": said("x", taskId=task["id"])}))["code"] == -32001
        for params in ({}, {"contextId": "mine"}):
            assert (await m.talker.result("ListTasks", params))["totalSize"] == 0


@virtual
@pytest.mark.parametrize(("token", "status"), [("", 401), ("wrong", 401), ("token-3", 403)])
async def test_strangers_get_nothing_but_the_card(token: str, status: int) -> None:
    async with meeting(protected=True, token=token) as m:
        for version, method in ((NEW, "SendStreamingMessage"), (NEW, "GetExtendedAgentCard"), (OLD, "message/send")):
            reply = await (await m.talker.begin_call(method, {"message": said("echo")}, version)).reply()
            assert (reply.status, "error" in reply.json) == (status, True)
            assert ("www-authenticate" in reply.headers) == (status == 401)
        rest = await m.talker.rest("GET", "/tasks")
        assert (rest.status, rest.json["error"]["code"]) == (status, status)
        assert (await (await m.talker.send("GET", b"", {}, "/.well-known/agent-card.json")).reply()).status == 200
