"""Both eras over stdio."""

from __future__ import annotations

from typing import Any

import anyio
import pytest
from seatrial.fixtures.reference.versions import OLDER, A, B, D

from .client import Console, call, initialize, modern, request, talking, virtual

CANCEL = {"jsonrpc": "2.0", "method": "notifications/cancelled"}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


async def begin(console: Console, version: str = D, **capabilities: Any) -> None:
    await console.write(initialize(version, capabilities))
    await console.read(1)
    await console.write(INITIALIZED)
    console.text.clear()


@pytest.mark.parametrize("version", OLDER)
@virtual
async def test_a_session_works_in_each_older_version(version: str) -> None:
    async with talking() as console:
        await begin(console, version)
        await console.write(request(1, "tools/call", call("echo", text="a\nb\u2028\U0001f6a2")))
        (answer,) = await console.read(1)
        assert answer["result"]["content"][0]["text"] == "a\nb\u2028\U0001f6a2"


@pytest.mark.parametrize(
    "garbage",
    [b"garbage", b"\xff\xfe", b"", b"\r", b'{"foo":1}', b"[]", b'{"jsonrpc":"2.0","method":7}', b"[" * 5000],
)
@virtual
async def test_garbage_does_no_harm(garbage: bytes) -> None:
    async with talking() as console:
        await begin(console)
        await console.write(garbage + b"\n", b'{"jsonrpc":"2.0","id":1,', b'"method":"ping"}\r\n')
        assert (await console.during(1))[-1] == {"jsonrpc": "2.0", "id": 1, "result": {}}


@virtual
async def test_a_request_of_no_era_is_refused_and_the_session_can_still_begin() -> None:
    async with talking() as console:
        await console.write(request(1, "tools/list"), request(2, "ping"), modern(3, "server/discover"))
        refused, ping, discovered = await console.read(3)
        assert (refused["error"]["code"], ping["result"]) == (-32602, {})
        assert discovered["result"]["resultType"] == "complete"
        await console.write(initialize(A))
        assert (await console.read(4))[3]["result"]["protocolVersion"] == A


@virtual
async def test_calls_run_side_by_side_and_one_can_be_cancelled() -> None:
    async with talking() as console:
        await begin(console)
        for id in (0, "0"):
            await console.write(request(id, "tools/call", call("slow", seconds=1, key=f"{id!r}")))
        await anyio.sleep(0.35)
        await console.write(CANCEL | {"params": {"requestId": 0}}, request(9, "ping"))
        assert [message["id"] for message in await console.during(3)] == [9, "0"]
        assert console.server.ledger.reading("0") == "ticks=3 events=start,cancelled"


@virtual
async def test_a_modern_call_is_cancelled_by_notification() -> None:
    async with talking() as console:
        message = modern(1, "tools/call", call("slow", seconds=1, key="k"), progressToken="p")
        await console.write(message)
        await console.read(2)
        await console.write(CANCEL | {"params": {"requestId": 1}})
        assert len(await console.during(3)) == 2
        assert console.server.ledger.reading("k") == "ticks=2 events=start,cancelled"


@virtual
async def test_subscriptions_share_the_channel_and_end_alone() -> None:
    async with talking() as console:
        for id in ("s1", 7):
            await console.write(modern(id, "subscriptions/listen", {"notifications": {"toolsListChanged": True}}))
        await console.read(2)
        await console.write(modern(1, "tools/call", call("mutate_tools")))
        await console.read(5)
        await console.write(CANCEL | {"params": {"requestId": "s1"}}, modern(2, "tools/call", call("mutate_tools")))
        await console.read(7)
        await console.server.shut_down()
        changes = [m for m in console.seen if m.get("method", "").endswith("list_changed")]
        tags = [m["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] for m in changes]
        assert sorted(tags, key=str) == [7, 7, "s1"]
        assert (await console.during(1))[-1]["id"] == 7


@virtual
async def test_a_batch_gets_one_array() -> None:
    async with talking() as console:
        await begin(console, B)
        await console.write([request(1, "ping"), INITIALIZED, request(2, "no/such")], [INITIALIZED], request(3, "ping"))
        seen = await console.during(1)
        assert [message.get("id") for message in seen if isinstance(message, dict)] == [3]
        assert [sorted(m["id"] for m in array) for array in seen if isinstance(array, list)] == [[1, 2]]


@virtual
async def test_the_server_asks_on_the_same_channel() -> None:
    async with talking() as console:
        await begin(console, roots={})
        await console.write(request(1, "tools/call", call("whereabouts")))
        (asked,) = await console.read(1)
        await console.write({"jsonrpc": "2.0", "id": asked["id"], "result": {"roots": [{"uri": "file:///home"}]}})
        assert (await console.read(2))[1]["result"]["content"][0]["text"] == "file:///home"


@pytest.mark.parametrize("running", [False, True])
@virtual
async def test_the_end_of_input_ends_the_process(running: bool) -> None:
    async with talking() as console:
        await begin(console)
        if running:
            await console.write(request(1, "tools/call", call("slow", seconds=60, key="k")))
        await console.write(request(2, "ping"))
        await console.stdin.aclose()
        await anyio.sleep(1)
        assert console.exit_code == 0
        assert [message["id"] for message in await console.read(1)] == [2]


@virtual
async def test_a_full_pipe_does_not_stop_the_reading() -> None:
    async with talking() as console:
        await begin(console)
        for id in range(20):
            await console.write(request(id, "tools/call", call("flood", size=100_000)))
        await console.write(request("slow", "tools/call", call("slow", seconds=0.1, key="k")))
        await anyio.sleep(1)
        assert console.server.ledger.reading("k") == "ticks=1 events=start,done"
        assert len(await console.during(1)) == 21
