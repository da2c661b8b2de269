"""What a target cannot do: flood the evidence, outlive the run, or take the turn of another."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from anyio.abc import ByteReceiveStream, ByteSendStream
from seatrial import expect
from seatrial.engine import Options, run
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Console, Endpoint, Reference
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.labs import McpLab
from seatrial.model import Isolation, Verdict
from seatrial.protocols.exchange import FLOOD
from seatrial.protocols.outcome import Answer
from seatrial.transport.network import Process
from seatrial.transport.sim import Program

from ..clock import virtual
from .declare import HTTP, STDIO, suite_of, verdict_of


class Gushing(Console):
    """A process that prints without end after the method `gush`, on both of its streams."""

    def take(self, line: bytes, channel: Any) -> None:
        if b'"gush"' in line:
            for _ in range(3 * FLOOD):
                channel.write(b"y\n")
        else:
            super().take(line, channel)


class Streaming(Endpoint):
    """A server whose answer to the method `gush` is a stream without end."""

    async def handle(self, request: Any, connection: Any) -> None:
        if b'"gush"' not in request.body:
            await super().handle(request, connection)
            return
        await connection.stream.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n")
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                await connection.stream.send(b"data: {}\n\n" * 1000)


@pytest.mark.parametrize(("binding", "part"), [(STDIO, Gushing), (HTTP, Streaming)])
def test_a_flood_is_cut_off(binding: str, part: Any) -> None:
    kept: list[int] = []

    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            lost = await session.request("gush", within=60)
            lab.expect(expect.that("more than" in str(getattr(lost, "why", "")), "cut off", lost))
        async with lab.session() as session:
            lab.expect(expect.answered(await session.request("tools/list")))
        kept.append(len(lab.recorder.records))

    assert verdict_of(body, build=build_of(part), binding=binding).verdict is Verdict.PASS
    assert kept[0] < 1.2 * FLOOD


def test_messages_that_are_written_at_once_do_not_mix() -> None:
    ends: list[Any] = []

    async def body(lab: McpLab) -> None:
        async with lab.session() as session, anyio.create_task_group() as tasks:

            async def ask() -> None:
                ends.append(await session.request("ping", {"pad": "x" * 300_000}))

            tasks.start_soon(ask)
            tasks.start_soon(ask)
        lab.expect(None)

    verdict_of(body, binding=STDIO, isolation=Isolation.SESSION)
    assert [type(end) for end in ends] == [Answer, Answer]


def test_the_last_of_a_long_standard_error_is_kept() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            flow = session.stdio.process.stderr.flow  # type: ignore[attr-defined]
            with anyio.fail_after(5):
                for _ in range(40):
                    await flow.send(b"." * 1024 * 1024)
                await flow.send(b"\nlast words\n")
                await lab.quiet()
            lab.expect(expect.that(session.stdio.stderr[-1] == "last words", "kept", session.stdio.stderr[-1][:80]))

    assert verdict_of(body, binding=STDIO).verdict is Verdict.PASS


@dataclass(slots=True)
class Stubborn(SimulatedTarget):
    """Its processes neither answer nor heed the end of their input or SIGTERM, and outlive a run."""

    spawned: list[Process] = field(default_factory=list)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        yield

    def _program(self, command: Sequence[str], env: Mapping[str, str]) -> Program:
        return Program(_deaf, {signal.SIGTERM: lambda: None})

    async def process(self) -> Process:
        self.spawned.append(await SimulatedTarget.process(self))
        return self.spawned[-1]


async def _deaf(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    await anyio.sleep_forever()
    return 0


async def _passes(lab: McpLab) -> None:
    lab.expect(None)


@virtual
async def test_an_interrupt_during_discovery_leaves_no_process() -> None:
    target = Stubborn(
        build=Reference, protocol="mcp", name="deaf", address="deaf", bindings=(STDIO,), stimuli={}, listens=False
    )
    async with SimulatedTarget.open(target):
        with anyio.move_on_after(1):
            await run(target, [suite_of(_passes)], Options(), lambda event: None)
        assert target.spawned
        assert [process.returncode for process in target.spawned] == [-signal.SIGKILL] * len(target.spawned)
