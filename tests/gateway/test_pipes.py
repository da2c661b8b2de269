"""The fault plane between a client that starts a process and that process."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream
from seatrial.chance import Chance
from seatrial.faults import Fault, cut, messages, pipe_split, sigkill, stdout_garbage
from seatrial.gateway import Ends, Event, Fired, Logged, Said, carry
from seatrial.gateway.pipes import GRACE, about
from seatrial.transcript import Transcript
from seatrial.transport.sim import Program, SimSpawner, pipe
from seatrial.wire import jsonrpc
from seatrial.wire.json import dumps

from tests.clock import virtual
from tests.networks import everything

CALL = dumps(jsonrpc.request(1, "tools/call")) + b"\n"
ANSWER = dumps(jsonrpc.response(1, {})) + b"\n"


async def server(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    """Answers every line, complains of each, and ends with its input."""
    async for data in stdin:
        for _ in range(data.count(b"\n")):
            await stdout.send(ANSWER)
            await stderr.send(b"!")
    return 3


async def deaf(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    await anyio.sleep_forever()


@dataclass(slots=True)
class Voyage:
    """What a client heard of a process, and what was told of it. `code`: with which the process ended."""

    heard: bytes = b""
    errors: bytes = b""
    code: int = 0
    seconds: float = 0
    told: list[Event] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def records(self) -> list[dict[str, Any]]:
        return list(map(json.loads, self.lines))


async def carried(said: list[bytes], *faults: Fault, program: Any = server) -> Voyage:
    """A client that says these lines and then ends its input."""
    found, begun = Voyage(), anyio.current_time()
    (say, hear_said), (answer, heard), (complain, complaints) = pipe(), pipe(), pipe()
    logged = Logged(found.told.append, Transcript(anyio.current_time, sink=found.lines.append))

    async def listen() -> None:
        found.heard, found.errors = await everything(heard), await everything(complaints)

    async with anyio.create_task_group() as tasks:
        process = await SimSpawner(tasks, lambda command, env: Program(program)).spawn(["server"])
        tasks.start_soon(listen)
        for line in said:
            await say.send(line)
        await say.aclose()
        found.code = await carry(process, Ends(hear_said, answer, complain), faults, Chance(7), logged)
        found.seconds = anyio.current_time() - begun
        await answer.aclose()
        await complain.aclose()
    return found


@virtual
async def test_all_that_is_said_passes_and_is_told() -> None:
    found = await carried([CALL, CALL])
    assert (found.heard, found.errors, found.code) == (ANSWER * 2, b"!!", 3)
    assert [str(event) for event in found.told if isinstance(event, Said) and event.up] == [
        f"client  tools/call 1  {len(CALL) - 1} bytes"
    ] * 2
    assert {record["kind"] for record in found.records} == {"sent", "received", "process"}


@virtual
async def test_a_client_hears_what_faults_made_of_it() -> None:
    garbage = stdout_garbage(text="boo", after=messages(1))
    found = await carried([CALL, CALL], garbage, pipe_split(times=0))
    assert found.heard == ANSWER + b"boo\n" + ANSWER
    assert str(garbage) in [event.fault for event in found.told if isinstance(event, Fired)]
    assert "server  a line that is no message  3 bytes" in map(str, found.told)


@virtual
async def test_a_killed_process_ends_the_relay_with_its_signal() -> None:
    found = await carried([CALL, CALL], sigkill(after=messages(1)))
    assert found.code == -9


@virtual
async def test_a_process_that_does_not_end_with_its_input_has_some_time() -> None:
    found = await carried([CALL], program=deaf)
    assert found.code < 0
    assert GRACE <= found.seconds <= GRACE + 5


@virtual
async def test_a_cut_ends_what_the_client_hears() -> None:
    found = await carried([CALL, CALL], cut(after=messages(1)))
    assert found.heard == ANSWER


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (jsonrpc.request("a", "ping"), "ping 'a'"),
        (jsonrpc.notification("notifications/initialized"), "notifications/initialized"),
        (jsonrpc.response(7, {}), "answers 7"),
        ({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": ""}}, "answers 7"),
        (None, "a line that is no message"),
    ],
)
def test_a_line_in_short(line: Any, told: str) -> None:
    assert about(line) == told
