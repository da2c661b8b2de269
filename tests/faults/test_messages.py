"""Faults of what a client says: seen in the requests and in the lines that reach the target."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import anyio
import pytest
from seatrial.chance import Chance
from seatrial.faults import (
    Fault,
    FaultError,
    Malformation,
    Told,
    cancel_race,
    capability_lie,
    connect,
    double_cancel,
    eof,
    events,
    late_answer,
    malform,
    messages,
    parse,
    unknown_id,
    version_skew,
)
from seatrial.relay import piped
from seatrial.relay.message import Request
from seatrial.transport.network import Network, Process
from seatrial.transport.process import OsSpawner
from seatrial.transport.sim import Program, SimNetwork, SimSpawner
from seatrial.wire import jsonrpc, sse
from seatrial.wire.http1 import request
from seatrial.wire.json import JsonError, dumps, load, loads

from tests.clock import real, virtual
from tests.faults.harbour import event, harbour, plain, stream_of
from tests.faults.test_pipe import echo
from tests.networks import everything, on_both_networks

CALL = jsonrpc.request(7, "tools/call", {"name": "sum"})
CANCEL = jsonrpc.notification("notifications/cancelled", {"requestId": 7})
RUN = {"threadId": "t", "runId": "r", "messages": []}
INITIALIZE = jsonrpc.request(
    1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {"sampling": {}, "roots": {}}}
)
MODERN = jsonrpc.request(
    2,
    "tools/list",
    {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"sampling": {}},
        }
    },
)
TASK = jsonrpc.request("a", "tasks/get", {"id": "task-1"})
MESSAGE = jsonrpc.request("b", "message/send", {"message": {"taskId": "task-1", "parts": []}})
SAMPLED = jsonrpc.response(3, {"role": "user"})
NOBODY = "00000000-0000-4000-8000-000000000000"
NAMED = [("Host", "target"), ("MCP-Protocol-Version", "2025-06-18"), ("Content-Type", "application/json")]


def post(body: bytes, target: str = "/mcp", *more: tuple[str, str]) -> bytes:
    return request("POST", target, [*NAMED, *more, ("Content-Length", str(len(body)))], body)


def answered(message: Request) -> list[bytes]:
    return plain()


def body_of(raw: bytes) -> bytes:
    return raw.partition(b"\r\n\r\n")[2]


async def reach(network: Network, fault: Fault, *bodies: Any) -> tuple[list[bytes], list[str]]:
    """The requests that a server gets when a client posts these, and what fired."""
    async with harbour(network, fault, scripts=[answered]) as sea:
        client = await sea.client()
        for body in bodies:
            assert (await client.ask(post(dumps(body)))).response.status == 200
        return sea.server.requests, [name for name, _ in sea.fired]


async def pass_on(fault: Fault, *lines: Any) -> tuple[list[bytes], list[str]]:
    """The lines that a process gets when a client writes these, and what fired."""
    fired: list[str] = []
    async with anyio.create_task_group() as tasks:
        spawned = await SimSpawner(tasks, lambda command, env: Program(echo)).spawn(["echo"])
        process = piped(spawned, [fault], Chance(7), lambda fault, where: fired.append(fault.name), tasks)
        read = await _written(process, lines)
        tasks.cancel_scope.cancel()
    return read, fired


async def _written(process: Process, lines: Iterable[Any]) -> list[bytes]:
    for line in lines:
        await process.stdin.send(dumps(line) + b"\n")
    await process.stdin.aclose()
    read = (await everything(process.stdout)).splitlines()
    await process.aclose()
    return read


CHANGED: list[tuple[Fault, Any, Any]] = [
    (malform(kind=Malformation.MISSING_ID), CALL, {key: value for key, value in CALL.items() if key != "id"}),
    (malform(kind=Malformation.NULL_ID), CALL, {**CALL, "id": None}),
    (malform(kind=Malformation.WRONG_VERSION), CALL, {**CALL, "jsonrpc": "1.0"}),
    (malform(kind=Malformation.EXTRA_FIELD), RUN, {**RUN, "unexpected": True}),
    (malform(kind=Malformation.BATCH), CALL, [CALL]),
    (malform(kind=Malformation.LONE_SURROGATE), RUN, {**RUN, "padding": "\ud800"}),
    (unknown_id(), CANCEL, {**CANCEL, "params": {"requestId": 2_147_483_647}}),
    (unknown_id(), TASK, {**TASK, "params": {"id": NOBODY}}),
    (unknown_id(), MESSAGE, {**MESSAGE, "params": {"message": {"taskId": NOBODY, "parts": []}}}),
    (unknown_id(), SAMPLED, {**SAMPLED, "id": 2_147_483_647}),
    (capability_lie(), INITIALIZE, {**INITIALIZE, "params": {**INITIALIZE["params"], "capabilities": {"roots": {}}}}),
    (
        capability_lie(capability="elicitation", declared=True),
        INITIALIZE,
        {
            **INITIALIZE,
            "params": {**INITIALIZE["params"], "capabilities": {"sampling": {}, "roots": {}, "elicitation": {}}},
        },
    ),
    (
        version_skew(where=Told.BODY, version="1"),
        INITIALIZE,
        {**INITIALIZE, "params": {**INITIALIZE["params"], "protocolVersion": "1"}},
    ),
]


@on_both_networks
async def test_what_a_client_says_is_changed_in_its_request(network: Network) -> None:
    for fault, said, heard in CHANGED:
        (raw,), fired = await reach(network, fault, said)
        assert loads(body_of(raw)) == heard
        assert b"Content-Length: %d\r\n" % len(body_of(raw)) in raw
        assert fired == [fault.name]


@virtual
async def test_what_a_client_says_is_changed_in_its_line() -> None:
    for fault, said, heard in CHANGED:
        (line,), fired = await pass_on(fault, said)
        assert (loads(line), fired) == (heard, [fault.name])


UNREADABLE = [Malformation.BAD_JSON, Malformation.NAN, Malformation.DEPTH]


@on_both_networks
async def test_what_a_client_says_is_no_json_any_more(network: Network) -> None:
    for kind in UNREADABLE:
        for said in (CALL, RUN):
            (raw,), fired = await reach(network, malform(kind=kind), said)
            with pytest.raises(JsonError):
                loads(body_of(raw))
            assert fired == ["malform"]


@virtual
async def test_a_line_is_no_json_any_more_and_still_one_line() -> None:
    for kind in UNREADABLE:
        (line, after), _ = await pass_on(malform(kind=kind), CALL, TASK)
        with pytest.raises(JsonError):
            loads(line)
        assert loads(after) == TASK


@virtual
async def test_a_key_stands_twice_in_a_message() -> None:
    for said, key in ((CALL, "jsonrpc"), (RUN, "threadId")):
        (line,), _ = await pass_on(malform(kind=Malformation.DUPLICATE_KEY), said)
        document = load(line)
        assert (document.value, document.duplicates) == (said, (key,))


@virtual
async def test_what_a_kind_does_not_fit_passes() -> None:
    for fault in (malform(kind=Malformation.NULL_ID), malform(kind=Malformation.WRONG_VERSION), unknown_id()):
        assert await pass_on(fault, RUN) == ([dumps(RUN)], [])
    assert await pass_on(capability_lie(capability="elicitation"), INITIALIZE) == ([dumps(INITIALIZE)], [])


@virtual
async def test_the_nth_message_that_calls_a_method_is_meant() -> None:
    fault = malform(after=messages(2, "tools/call"), kind=Malformation.NULL_ID)
    said = [CALL, TASK, {**CALL, "id": 8}, {**CALL, "id": 9}]
    heard = [CALL, TASK, {**CALL, "id": None}, {**CALL, "id": 9}]
    assert await pass_on(fault, *said) == (list(map(dumps, heard)), ["malform"])
    raws, fired = await reach(SimNetwork(), fault, *said)
    assert ([loads(body_of(raw)) for raw in raws], fired) == (heard, ["malform"])


@on_both_networks
async def test_a_request_says_versions_that_differ(network: Network) -> None:
    for where, in_header, in_body in (
        (Told.HEADER, b"1", "2026-07-28"),
        (Told.BODY, b"2025-06-18", "1"),
        (Told.NEGOTIATED, b"1", "1"),
    ):
        (raw,), fired = await reach(network, version_skew(where=where, version="1"), MODERN)
        assert b"MCP-Protocol-Version: %b\r\n" % in_header in raw
        meta = loads(body_of(raw))["params"]["_meta"]
        assert (meta["io.modelcontextprotocol/protocolVersion"], fired) == (in_body, ["version_skew"])


@virtual
async def test_a_capability_is_left_out_of_what_each_request_declares() -> None:
    (line,), _ = await pass_on(capability_lie(), MODERN)
    assert loads(line)["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] == {}


# Cancellation


@on_both_networks
async def test_a_cancellation_is_said_more_than_once(network: Network) -> None:
    (call, *cancels), fired = await reach(network, double_cancel(count=3), CALL, CANCEL)
    assert (call, cancels) == (post(dumps(CALL)), [post(dumps(CANCEL))] * 3)
    assert fired == ["double_cancel"]


@virtual
async def test_a_cancellation_is_written_more_than_once() -> None:
    lines, fired = await pass_on(double_cancel(), CALL, CANCEL, TASK)
    assert (lines, fired) == (list(map(dumps, (CALL, CANCEL, CANCEL, TASK))), ["double_cancel"])


@virtual
async def test_a_task_is_cancelled_twice_by_its_path() -> None:
    async with harbour(SimNetwork(), double_cancel(), scripts=[answered]) as sea:
        await (await sea.client()).ask(post(b"{}", "/v1/tasks/t:cancel"))
        assert sea.server.requests == [post(b"{}", "/v1/tasks/t:cancel")] * 2


@on_both_networks
async def test_an_answer_of_the_client_comes_late(network: Network) -> None:
    moments: list[float] = []

    def script(message: Request) -> list[bytes]:
        moments.append(anyio.current_time())
        return plain()

    async with harbour(network, late_answer(delay=0.3), scripts=[script]) as sea:
        client = await sea.client()
        for said in (CALL, SAMPLED, CALL):
            await client.ask(post(dumps(said)))
        assert [loads(body_of(raw)) for raw in sea.server.requests] == [CALL, SAMPLED, CALL]
        assert moments[1] - moments[0] >= 0.3
        assert moments[2] - moments[1] < 0.3


@virtual
async def test_a_line_that_answers_comes_late() -> None:
    began = anyio.current_time()
    lines, fired = await pass_on(late_answer(delay=5.0), SAMPLED, CALL)
    assert (lines, fired) == (list(map(dumps, (SAMPLED, CALL))), ["late_answer"])
    assert anyio.current_time() - began == pytest.approx(5.0)


def streaming(message: Request) -> list[bytes]:
    return stream_of(*(event(n) for n in range(3))) if message.http.methods - {"notifications/cancelled"} else plain()


@on_both_networks
async def test_a_call_is_cancelled_in_the_name_of_the_client(network: Network) -> None:
    for after in (connect, events(2), eof):
        async with harbour(network, cancel_race(on="tools/call", after=after), scripts=[streaming]) as sea:
            client = await sea.client()
            response = (await client.ask(post(dumps(CALL)))).response
            assert response.body == b"".join(event(n) for n in range(3))
            await client.ask(post(dumps(TASK)))
            heard = sorted(loads(body_of(raw)).get("method") for raw in sea.server.requests)
            assert heard == ["notifications/cancelled", "tasks/get", "tools/call"]
            (cancel,) = (raw for raw in sea.server.requests if b"cancelled" in raw)
            assert loads(body_of(cancel)) == CANCEL
            assert [name for name, _ in sea.fired] == ["cancel_race"]


def task_stream(message: Request) -> list[bytes]:
    """The events of a task, the first of which names it."""
    if b"ancel" in message.raw:
        return plain()
    told = [{"result": {"kind": "task", "id": "t-1"}}, {"result": {"kind": "status-update", "taskId": "t-1"}}]
    return stream_of(*(sse.encode(sse.SseEvent(data=dumps(one).decode())) for one in told))


@pytest.mark.parametrize(
    ("target", "said", "path", "cancel"),
    [
        ("/rpc", jsonrpc.request(1, "message/stream", {}), "/rpc", {"method": "tasks/cancel", "params": {"id": "t-1"}}),
        ("/rpc", jsonrpc.request(1, "SendMessage", {}), "/rpc", {"method": "CancelTask", "params": {"id": "t-1"}}),
        ("/v1/message:stream", {"message": {}}, "/v1/tasks/t-1:cancel", {}),
    ],
)
@virtual
async def test_a_task_is_cancelled_by_the_id_that_it_was_given(
    target: str, said: dict[str, Any], path: str, cancel: dict[str, Any]
) -> None:
    async with harbour(SimNetwork(), cancel_race(after=events(1)), scripts=[task_stream]) as sea:
        client = await sea.client()
        await client.ask(post(dumps(said), target))
        await client.ask(post(dumps(TASK)))
        (raw,) = (raw for raw in sea.server.requests if b"ancel" in raw)
        assert raw.startswith(b"POST %b HTTP" % path.encode())
        assert loads(body_of(raw)).items() >= cancel.items()


@virtual
async def test_a_call_is_cancelled_right_behind_its_line() -> None:
    lines, fired = await pass_on(cancel_race(), INITIALIZE, CALL, TASK)
    assert (lines, fired) == (list(map(dumps, (INITIALIZE, CALL, CANCEL, TASK))), ["cancel_race"])


@real
async def test_a_real_process_gets_the_changed_lines() -> None:
    fired: list[str] = []
    copy = [sys.executable, "-c", "import sys; sys.stdout.write(sys.stdin.read())"]
    async with anyio.create_task_group() as tasks:
        spawned = await OsSpawner().spawn(copy)
        faults = (malform(kind=Malformation.NULL_ID, after=messages(1, "tools/call")), double_cancel())
        process = piped(spawned, faults, Chance(7), lambda fault, where: fired.append(fault.name), tasks)
        lines = await _written(process, (TASK, CALL, CANCEL))
        tasks.cancel_scope.cancel()
    assert list(map(loads, lines)) == [TASK, {**CALL, "id": None}, CANCEL, CANCEL]
    assert fired == ["malform", "double_cancel"]


@pytest.mark.parametrize(
    ("written", "sentence"),
    [
        ("malform(after=events(1))", "malform: after is messages"),
        ("malform(kind=ugly)", "malform: kind is one of bad_json, batch"),
        ("cancel_race(after=bytes(3))", "cancel_race: after is connect, events"),
        ("version_skew(version='\\n')", "version_skew: version holds what no header field can"),
        ("unknown_id(after=messages(0))", "unknown_id: after is messages"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(written: str, sentence: str) -> None:
    with pytest.raises(FaultError, match=sentence):
        parse(written)
