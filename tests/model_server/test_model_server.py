"""The fake model: what it says, and whom it sees leave."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio import current_time
from seatrial import SimNetwork
from seatrial.model_server import ModelServer
from seatrial.transport.network import reset

from ..clock import virtual
from ..reference.client import Client, Exchange, Reply

CHAT, RESPONSES = "/v1/chat/completions", "/v1/responses"
BOTH = pytest.mark.parametrize("path", [CHAT, RESPONSES])


@asynccontextmanager
async def model() -> AsyncIterator[Client]:
    network = SimNetwork()
    async with anyio.create_task_group() as tasks:
        server = ModelServer(network, tasks)
        await server.open()
        yield Client(network, server.port)
        await server.aclose()


def body(path: str, prompt: str, **fields: Any) -> dict[str, Any]:
    said = {"messages" if path == CHAT else "input": [{"role": "user", "content": prompt}]}
    return {"model": "m", "stream": True, **said, **fields}


async def asked(client: Client, path: str, prompt: str, **fields: Any) -> Exchange:
    return await client.send("POST", json.dumps(body(path, prompt, **fields)).encode(), path=path)


async def shown(client: Client, path: str) -> Any:
    return (await (await client.send("GET", path=path)).reply()).json


def text(reply: Reply) -> str:
    """What a streamed answer of either API says."""
    said = ""
    for event in reply.events:
        if event.data and event.data != "[DONE]":
            value = json.loads(event.data)
            if value.get("object") == "chat.completion.chunk":
                said += value["choices"][0]["delta"].get("content") or ""
            elif value["type"] == "response.output_text.delta":
                said += value["delta"]
    return said


@BOTH
@virtual
async def test_it_speaks_as_slowly_as_the_prompt_says(path: str) -> None:
    async with model() as client:
        before = current_time()
        reply = await (await asked(client, path, "please\nslow 4 0.5 k")).reply()
        assert current_time() - before == pytest.approx(2.0)
        (seen,) = (await shown(client, "/witness?key=k"))["requests"]
    assert text(reply) == "1 2 3 4 "
    assert (seen["key"], seen["chunks"], seen["ended"], seen["seconds"]) == ("k", 4, "done", 2.0)


@BOTH
@virtual
async def test_an_answer_that_is_not_streamed_takes_as_long(path: str) -> None:
    async with model() as client:
        before = current_time()
        reply = await (await asked(client, path, "slow 4 0.5", stream=False)).reply()
        assert current_time() - before == pytest.approx(2.0)
    assert "1 2 3 4 " in json.dumps(reply.json)


@BOTH
@virtual
async def test_a_tool_is_called_only_where_it_is_offered_and_not_again_after_its_result(path: str) -> None:
    function = {"name": "add", "parameters": {}}
    offered = {"type": "function", "function": function} if path == CHAT else {"type": "function", **function}
    result = {"role": "tool", "content": "3"} if path == CHAT else {"type": "function_call_output", "output": "3"}
    said = {"role": "user", "content": 'tool add {"a": 1}'}
    async with model() as client:
        without = await (await asked(client, path, said["content"])).reply()
        called = await (await asked(client, path, said["content"], tools=[offered])).reply()
        history = {"messages" if path == CHAT else "input": [said, result], "tools": [offered]}
        after = await (await asked(client, path, "", **history)).reply()
    assert text(without)
    assert text(called) == ""
    assert '"add"' in called.body.decode()
    assert text(after) == "The tool has answered."


@pytest.mark.parametrize("status", [400, 429, 500])
@virtual
async def test_it_fails_as_it_is_told(status: int) -> None:
    async with model() as client:
        reply = await (await asked(client, CHAT, f"error {status}")).reply()
    assert (reply.status, reply.json["error"]["code"]) == (status, status)


@BOTH
@pytest.mark.parametrize("how", ["close", "reset"])
@virtual
async def test_it_sees_who_hangs_up(path: str, how: str) -> None:
    async with model() as client:
        exchange = await asked(client, path, "slow 10 1 k")
        await exchange.during(3.5)
        hanging = await asked(client, path, "hang\nh")
        assert not (await hanging.during(100)).status
        await anyio.sleep(0)
        before = await shown(client, "/witness")
        for left in (exchange, hanging):
            await (reset(left.stream) if how == "reset" else left.stream.aclose())
        await anyio.sleep(0.1)
        after = await shown(client, "/witness")
        assert (await shown(client, "/ledger?key=h"))[-1] == "model closed by client"
    assert (before["active"], before["finished"]) == (1, 1)
    assert (after["active"], after["cancelled"], after["started"]) == (0, 1, 2)


@virtual
async def test_a_client_that_leaves_is_seen_at_once_and_only_that_one() -> None:
    async with model() as client:
        leaving, staying = await asked(client, CHAT, "slow 9 1 k1"), await asked(client, CHAT, "slow 9 1 k2")
        await leaving.during(2.5)
        await leaving.stream.aclose()
        await staying.reply()
        (left,) = (await shown(client, "/witness?key=k1"))["requests"]
        stayed = await shown(client, "/ledger?key=k2")
    assert (left["ended"], left["chunks"]) == ("client left", 2)
    assert left["seconds"] == pytest.approx(2.5, abs=0.1)
    assert stayed[-1] == "model done"


@virtual
async def test_what_it_cannot_read_is_refused() -> None:
    async with model() as client:
        for raw, status in ((b"{", 400), (b"[]", 400), (b"x" * 2_000_000, 413)):
            assert (await (await client.send("POST", raw, path=CHAT)).reply()).status == status
        assert (await (await client.send("GET", path="/nowhere")).reply()).status == 404
        assert (await shown(client, "/v1/models"))["data"][0]["id"] == "fake"
        strange = {"messages": [5, {"role": "user", "content": 7}], "tools": {"a": 1}, "model": None}
        assert (await (await client.send("POST", json.dumps(strange).encode(), path=CHAT)).reply()).status == 200


@virtual
async def test_too_many_at_a_time_are_refused() -> None:
    async with model() as client:
        for _ in range(64):
            await asked(client, CHAT, "hang")
        await anyio.sleep(0.1)
        assert (await (await asked(client, CHAT, "hello")).reply()).status == 503
        assert (await shown(client, "/witness"))["active"] == 64
