"""The modern era over HTTP."""

from __future__ import annotations

import base64
from typing import Any

import anyio
import pytest
from seatrial.fixtures.reference.versions import D, E

from .client import META, call, modern, request, serving, virtual

LISTS = ("tools/list", "resources/list", "resources/templates/list", "prompts/list")
UNKNOWN_REFERENCE = {"ref": {"type": "nope"}, "argument": {"name": "a", "value": ""}}
CITY = {"action": "accept", "content": {"city": "Kiel"}}


def headers_of(method: str, **others: str | None) -> dict[str, str | None]:
    return {"MCP-Protocol-Version": E, "Mcp-Method": method, **{n.replace("_", "-"): v for n, v in others.items()}}


@virtual
async def test_discovery_names_versions_capabilities_and_server() -> None:
    async with serving() as client:
        result = (await client.modern(modern(1, "server/discover"))).json["result"]
    assert result["supportedVersions"] == [E]
    assert result["resultType"] == "complete"
    assert result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"]
    assert result["ttlMs"] >= 0
    assert result["cacheScope"] in ("public", "private")


@pytest.mark.parametrize("method", LISTS)
@virtual
async def test_pages_visit_every_entry_once(method: str) -> None:
    names: list[str] = []
    params: dict[str, str] = {}
    async with serving() as client:
        while True:
            result = (await client.modern(modern(1, method, params))).json["result"]
            entries = next(value for value in result.values() if isinstance(value, list))
            names += [entry.get("uriTemplate", entry.get("uri", entry["name"])) for entry in entries]
            assert result["cacheScope"] == "public"
            if "nextCursor" not in result:
                break
            params = {"cursor": result["nextCursor"]}
    assert len(names) == len(set(names)) > 0


@pytest.mark.parametrize(
    ("message", "changed", "status", "code"),
    [
        (request(1, "tools/list"), {}, 400, -32602),
        (request(1, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": E}}), {}, 400, -32602),
        (modern(1, "tools/list", capabilities="x"), {}, 400, -32602),
        (modern(1, "tools/list", logLevel="banana"), {}, 200, -32602),
        (modern(1, "tools/list"), {"MCP-Protocol-Version": None}, 400, -32020),
        (modern(1, "tools/list"), {"MCP-Protocol-Version": D}, 400, -32020),
        (modern(1, "tools/list"), {"Mcp-Method": None}, 400, -32020),
        (modern(1, "tools/list"), {"Mcp-Method": "Tools/List"}, 400, -32020),
        (modern(1, "tools/call", call("quick")), {"Mcp-Name": None}, 400, -32020),
        (modern(1, "tools/call", call("quick")), {"Mcp-Name": "echo"}, 400, -32020),
        (modern(1, "tools/call", call("quick")), {"Mcp-Name": "=?base64?!!?="}, 400, -32020),
        (modern(1, "tools/call", call("region", region="eu")), {}, 400, -32020),
        (modern(1, "tools/call", call("region", region="eu")), {"Mcp-Param-Region": "us"}, 400, -32020),
        (modern(1, "no/such"), {}, 404, -32601),
        (modern(1, "initialize"), {}, 404, -32601),
        (modern(1, "ping"), {}, 404, -32601),
        (modern(1, "resources/subscribe", {"uri": "note://board"}), {}, 404, -32601),
        (modern(1, "tools/call", call("nope")), {}, 200, -32602),
        (modern(1, "tools/call", {}), {}, 200, -32602),
        (modern(1, "tools/call", {"name": "echo", "arguments": [1]}), {}, 200, -32602),
        (modern(1, "tools/call", call("crash")), {}, 200, -32603),
        (modern(1, "tools/call", call("ask")), {}, 400, -32021),
        (modern(1, "resources/read", {"uri": "x-none://missing"}), {}, 200, -32602),
        (modern(1, "prompts/get", {"name": "nope"}), {}, 200, -32602),
        (modern(1, "prompts/get", {"name": "greet"}), {}, 200, -32602),
        (modern(1, "prompts/list", {"cursor": "!!bogus!!"}), {}, 200, -32602),
        (modern(1, "completion/complete", UNKNOWN_REFERENCE), {}, 200, -32602),
        (modern(1, "subscriptions/listen"), {}, 200, -32602),
    ],
)
@virtual
async def test_refusals(message: dict[str, Any], changed: dict[str, str | None], status: int, code: int) -> None:
    async with serving() as client:
        reply = await client.modern(message, changed)
    assert (reply.status, reply.json["error"]["code"], reply.json["id"]) == (status, code, 1)


@virtual
async def test_an_unsupported_version_is_refused_with_those_supported() -> None:
    message = modern(1, "tools/list")
    message["params"]["_meta"] = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    async with serving() as client:
        reply = await client.modern(message, {"MCP-Protocol-Version": "2099-01-01"})
    assert reply.status == 400
    assert reply.json["error"]["code"] == -32022
    assert reply.json["error"]["data"] == {"supported": [E], "requested": "2099-01-01"}


@pytest.mark.parametrize(
    ("arguments", "mirror"),
    [
        (
            {"region": "eu", "shard": 42, "dry": True},
            {"Mcp-Param-Region": "eu", "mcp-param-SHARD": "42.0", "Mcp-Param-Dry-Run": "true"},
        ),
        ({"region": "ö", "shard": None}, {"Mcp-Param-Region": "=?base64?w7Y=?="}),
        ({"region": "eu"}, {"Mcp-Param-Region": "eu", "Mcp-Param-Foo": "x"}),
    ],
)
@virtual
async def test_mirrored_parameters_are_compared_by_value(arguments: dict[str, Any], mirror: dict[str, str]) -> None:
    name = "=?base64?" + base64.b64encode(b"region").decode() + "?="
    async with serving() as client:
        reply = await client.modern(modern(1, "tools/call", call("region", **arguments)), {**mirror, "Mcp-Name": name})
    assert reply.json["result"]["content"][0]["text"] == f"region {arguments['region']}"


@pytest.mark.parametrize("verb", ["GET", "DELETE", "PUT"])
@virtual
async def test_the_modern_era_knows_post_alone(verb: str) -> None:
    async with serving() as client:
        reply = await (await client.send(verb, headers={"MCP-Protocol-Version": E})).reply()
    assert (reply.status, reply.headers["allow"]) == (405, "POST")


@virtual
async def test_closing_the_stream_cancels_the_call() -> None:
    message = modern(1, "tools/call", call("slow", seconds=5, key="k"), progressToken="p")
    async with serving() as client:
        exchange = await client.start_modern(message)
        await exchange.messages(2)
        await exchange.stream.aclose()
        await anyio.sleep(6)
        assert await client.tool("probe", key="k") == "ticks=2 events=start,cancelled"


@virtual
async def test_closing_before_the_first_byte_cancels_the_call() -> None:
    async with serving() as client:
        exchange = await client.start_modern(modern(1, "tools/call", call("slow", seconds=5, key="k")))
        await anyio.sleep(0.35)
        await exchange.stream.aclose()
        await anyio.sleep(6)
        assert await client.tool("probe", key="k") == "ticks=3 events=start,cancelled"


@virtual
async def test_a_client_that_only_finished_sending_is_answered() -> None:
    async with serving() as client:
        exchange = await client.start_modern(modern(1, "tools/call", call("slow", seconds=2, key="k")))
        await exchange.stream.send_eof()
        assert (await exchange.reply()).answer["result"]["content"][0]["text"] == "done k"


@virtual
async def test_input_is_asked_for_in_a_second_round_on_any_replica() -> None:
    asking = modern(1, "tools/call", call("ask", key="k"), capabilities={"elicitation": {}})
    async with serving() as one, serving() as two:
        first = (await one.modern(asking)).json["result"]
        assert first["resultType"] == "input_required"
        assert "ttlMs" not in first
        params = asking["params"] | {"requestState": first["requestState"], "inputResponses": {"city": CITY, "x": {}}}
        second = (await two.modern({**asking, "id": 2, "params": params})).json["result"]
    assert second["content"][0]["text"] == "city Kiel"


@pytest.mark.parametrize("how", ["flipped", "empty", "other arguments", "other principal", "expired", "spent"])
@virtual
async def test_a_request_state_that_does_not_fit_is_refused(how: str) -> None:
    asking = modern(1, "tools/call", call("ask", key="k"), capabilities={"elicitation": {}})
    headers: dict[str, str] = {}
    async with serving() as client:
        state = (await client.modern(asking)).json["result"]["requestState"]
        params = asking["params"] | {"requestState": state, "inputResponses": {"city": CITY}}
        match how:
            case "flipped":
                params["requestState"] = state[:-5] + ("A" if state[-5] != "A" else "B") + state[-4:]
            case "empty":
                params["requestState"] = ""
            case "other arguments":
                params["arguments"] = {"key": "other"}
            case "other principal":
                headers["Authorization"] = "Bearer token-2"
            case "expired":
                await anyio.sleep(60)
            case "spent":
                await client.modern({**asking, "params": params})
        executed = client.server.ledger.count("k", "executed")
        reply = await client.modern({**asking, "params": params}, headers)
        assert reply.json["error"]["code"] == -32602
        assert client.server.ledger.count("k", "executed") == executed


@virtual
async def test_a_missing_answer_is_asked_for_again() -> None:
    asking = modern(1, "tools/call", call("ask_both"), capabilities={"elicitation": {}})
    async with serving() as client:
        state = (await client.modern(asking)).json["result"]["requestState"]
        params = asking["params"] | {"requestState": state, "inputResponses": {"city": CITY}}
        again = (await client.modern({**asking, "params": params})).json["result"]
    assert list(again["inputRequests"]) == ["name"]


@virtual
async def test_a_subscription_gets_what_it_asked_for_and_ends_gracefully() -> None:
    filter = {"toolsListChanged": True, "promptsListChanged": True, "resourceSubscriptions": ["note://board"]}
    async with serving() as client:
        exchange = await client.start_modern(modern("s1", "subscriptions/listen", {"notifications": filter}))
        await exchange.messages(1)
        await client.tool("mutate_tools")
        await client.tool("mutate_note", text="new", uri="note://wall")
        await client.tool("mutate_note", text="new")
        await client.server.shut_down()
        messages = (await exchange.reply()).messages
    assert [message.get("method", "").rpartition("/")[2] for message in messages] == [
        "acknowledged",
        "list_changed",
        "updated",
        "",
    ]
    assert messages[0]["params"]["notifications"] == {
        "toolsListChanged": True,
        "resourceSubscriptions": ["note://board"],
    }
    tags = [(m.get("params") or m["result"])["_meta"]["io.modelcontextprotocol/subscriptionId"] for m in messages]
    assert tags == ["s1"] * 4


@virtual
async def test_state_travels_in_the_handle() -> None:
    async with serving() as one, serving() as two:
        handle = (await one.modern(modern(1, "tools/call", call("open_counter")))).json["result"]["structuredContent"]
        bumped = (await two.modern(modern(2, "tools/call", call("bump", handle=handle)))).json["result"]
        forged = (await two.modern(modern(3, "tools/call", call("bump", handle="7." + handle[2:])))).json["result"]
    assert bumped["structuredContent"]["value"] == 1
    assert forged["isError"] is True
