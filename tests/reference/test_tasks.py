"""Tasks: experimental in D, an extension in E."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.fixtures.reference.versions import C, D

from .client import Served, call, modern, request, serving, virtual

EXTENSION: dict[str, Any] = {"extensions": {"io.modelcontextprotocol/tasks": {}}}


def nightly(outcome: str = "done", **others: Any) -> dict[str, Any]:
    return call("nightly", seconds=1, key="k", outcome=outcome) | others


async def begun(session: Served, outcome: str = "done") -> str:
    """The id of a new task of D."""
    reply = await session.post(request(1, "tools/call", nightly(outcome, task={"ttl": 1000})))
    task = reply.answer["result"]["task"]
    assert task["status"] == "working"
    assert {"createdAt", "lastUpdatedAt", "ttl"} <= task.keys()
    return str(task["taskId"])


async def asked(session: Served, method: str, id: str | None = None) -> Any:
    """The answer to a request about a task of D."""
    return (await session.post(request(2, method, {"taskId": id} if id else {}))).answer


async def tasks(client: Served, method: str, id: str, capabilities: Any = EXTENSION, **params: Any) -> Any:
    """The answer to a request about a task of E."""
    return (await client.modern(modern(2, method, {"taskId": id, **params}, capabilities=capabilities))).answer


async def created(client: Served, outcome: str = "done", **capabilities: Any) -> str:
    """The id of a new task of E."""
    declared = EXTENSION | capabilities
    result = (await client.modern(modern(1, "tools/call", nightly(outcome), capabilities=declared))).answer["result"]
    assert (result["resultType"], result["status"]) == ("task", "working")
    return str(result["taskId"])


@virtual
async def test_d_waits_for_the_result_as_often_as_it_is_asked() -> None:
    async with serving() as client:
        session = await client.begin(D)
        id = await begun(session)
        waiting = await session.start(request(3, "tasks/result", {"taskId": id}))
        await anyio.sleep(0.5)
        assert (await asked(session, "tasks/get", id))["result"]["status"] == "working"
        await waiting.stream.aclose()
        result = (await asked(session, "tasks/result", id))["result"]
        assert result["content"][0]["text"] == "done k"
        assert result["_meta"] == {"io.modelcontextprotocol/related-task": {"taskId": id}}
        assert [task["taskId"] for task in (await asked(session, "tasks/list"))["result"]["tasks"]] == [id]
        assert (await asked(session, "tasks/cancel", id))["error"]["code"] == -32602


@pytest.mark.parametrize(("outcome", "place"), [("fails", "result"), ("crashes", "error")])
@virtual
async def test_d_fails_a_task_of_either_failure(outcome: str, place: str) -> None:
    async with serving() as client:
        session = await client.begin(D)
        id = await begun(session, outcome)
        assert place in await asked(session, "tasks/result", id)
        assert (await asked(session, "tasks/get", id))["result"]["status"] == "failed"


@virtual
async def test_d_stops_a_cancelled_task_for_good() -> None:
    async with serving() as client:
        session = await client.begin(D)
        id = await begun(session)
        await anyio.sleep(0.35)
        assert (await asked(session, "tasks/cancel", id))["result"]["status"] == "cancelled"
        await anyio.sleep(2)
        assert (await asked(session, "tasks/get", id))["result"]["status"] == "cancelled"
        assert client.server.ledger.reading("k") == "ticks=3 events=start,cancelled"


@virtual
async def test_d_asks_the_client_on_behalf_of_a_task() -> None:
    async with serving() as client:
        session = await client.begin(D, {"elicitation": {}})
        stream = await session.send("GET")
        id = await begun(session, "asks")
        (question,) = await stream.messages(1)
        assert question["params"]["_meta"]["io.modelcontextprotocol/related-task"] == {"taskId": id}
        answer = {"action": "accept", "content": {"city": "Kiel"}}
        await session.post({"jsonrpc": "2.0", "id": question["id"], "result": answer})
        assert (await asked(session, "tasks/result", id))["result"]["content"][0]["text"] == "city Kiel"


@pytest.mark.parametrize("params", [nightly(), call("quick") | {"task": {}}])
@virtual
async def test_d_refuses_what_must_or_must_not_be_a_task(params: dict[str, Any]) -> None:
    async with serving() as client:
        assert (await (await client.begin(D)).post(request(1, "tools/call", params))).answer["error"]["code"] == -32601


@pytest.mark.parametrize("method", ["tasks/get", "tasks/result", "tasks/cancel"])
@virtual
async def test_d_knows_no_tasks_of_others(method: str) -> None:
    async with serving() as client:
        session, other = await client.begin(D), await client.begin(D)
        id = await begun(session)
        assert (await asked(other, method, id))["error"]["code"] == -32602
        assert (await asked(session, method, "made-up"))["error"]["code"] == -32602


@virtual
async def test_versions_without_tasks_ignore_the_field() -> None:
    async with serving() as client:
        session = await client.begin(C)
        reply = await session.post(request(1, "tools/call", call("quick") | {"task": {}}))
        assert reply.answer["result"]["content"][0]["text"] == "ok"
        assert (await asked(session, "tasks/list"))["error"]["code"] == -32601


@pytest.mark.parametrize(("outcome", "status"), [("done", "completed"), ("fails", "completed"), ("crashes", "failed")])
@virtual
async def test_e_fails_a_task_of_protocol_errors_only(outcome: str, status: str) -> None:
    async with serving() as client:
        id = await created(client, outcome)
        assert (await tasks(client, "tasks/get", id))["result"]["status"] == "working"
        await anyio.sleep(2)
        first, second = await tasks(client, "tasks/get", id), await tasks(client, "tasks/get", id)
    assert first["result"]["status"] == status
    assert ("error" if status == "failed" else "result") in first["result"]
    assert first == second


@pytest.mark.parametrize("method", ["tasks/get", "tasks/update", "tasks/cancel"])
@virtual
async def test_e_wants_the_extension_declared_and_the_task_known(method: str) -> None:
    async with serving() as client:
        id = await created(client)
        assert (await tasks(client, method, id, {}))["error"]["code"] == -32021
        assert (await tasks(client, method, "made-up"))["error"]["code"] == -32602
        plain = await client.modern(modern(1, "tools/call", nightly()))
        assert (plain.status, plain.json["error"]["code"]) == (400, -32021)


@virtual
async def test_e_acknowledges_a_cancellation_each_time() -> None:
    async with serving() as client:
        id = await created(client)
        for _ in range(2):
            result = (await tasks(client, "tasks/cancel", id))["result"]
            assert result.keys() == {"resultType", "_meta"}
        await anyio.sleep(2)
        assert (await tasks(client, "tasks/get", id))["result"]["status"] == "cancelled"


@virtual
async def test_e_takes_input_by_update_and_tells_subscribers() -> None:
    filter = {"notifications": {"taskIds": ["made-up"]}}
    answer = {"action": "accept", "content": {"city": "Kiel"}}
    async with serving() as client:
        id = await created(client, "asks", elicitation={})
        filter["notifications"]["taskIds"].append(id)
        listening = await client.start_modern(modern("s", "subscriptions/listen", filter, capabilities=EXTENSION))
        other = await client.start_modern(modern("o", "subscriptions/listen", {"notifications": {}}))
        await listening.messages(2)
        (name,) = (await tasks(client, "tasks/get", id))["result"]["inputRequests"]
        await tasks(client, "tasks/update", id, inputResponses={name: answer, "stray": {}})
        acknowledged, *told = await listening.messages(4)
        assert acknowledged["params"]["notifications"] == {"taskIds": [id]}
        assert [m["params"]["status"] for m in told] == ["input_required", "working", "completed"]
        assert told[-1]["params"]["result"]["content"][0]["text"] == "city Kiel"
        assert len((await other.during(1)).messages) == 1


@virtual
async def test_e_announces_the_extension_and_not_the_capability_of_d() -> None:
    async with serving() as client:
        capabilities = (await client.modern(modern(1, "server/discover"))).json["result"]["capabilities"]
        refused = await client.modern(modern(1, "subscriptions/listen", {"notifications": {"taskIds": []}}))
    assert "tasks" not in capabilities
    assert list(capabilities["extensions"]) == ["io.modelcontextprotocol/tasks"]
    assert refused.json["error"]["code"] == -32021
