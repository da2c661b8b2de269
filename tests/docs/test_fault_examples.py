"""Each example of the table of faults takes effect, in a busy session with the bundled MCP server."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anyio
import pytest
from seatrial import Isolation, McpLab, Role, Session
from seatrial.faults import Fault, mount_for, parse

from ..engine.declare import HTTP, STDIO, D, suite_of
from ..sailing import sail
from .pages import ROOT, rows

EXAMPLES = [row[3] for row in rows(ROOT / "docs" / "faults.md", "fault") if row[2] != "WebSocket"]
CAPABILITIES: Mapping[str, Any] = {"elicitation": {}, "sampling": {}}
REPLIES: Mapping[str, Any] = {"elicitation/create": {"action": "decline"}}


async def call(lab: McpLab, session: Session) -> None:
    """A call that reports its progress."""
    await session.perform(await lab.effects.plan(Role.PROGRESS, count=4, gap=0.1), token=f"token-{session.next_id()}")


async def cancelled_call(lab: McpLab, session: Session) -> None:
    exchange = await session.start(await lab.effects.plan(Role.SLOW, seconds=1.0))
    await lab.quiet(0.2)
    await session.cancel(exchange)


async def busy(lab: McpLab, session: Session) -> None:
    """A listener where there is one; calls at once, one that is cancelled, one that asks back; readings of a task."""
    if await session.open() and lab.over_http:
        session.open_stream()
    async with anyio.create_task_group() as tasks:
        for _ in range(3):
            tasks.start_soon(call, lab, session)
    await cancelled_call(lab, session)
    await session.perform(await lab.effects.plan(Role.ELICIT))
    for _ in range(4):
        await session.request("tasks/get", {"taskId": "none"})
    await session.request("tools/call", {"name": 'no "such" töol'})
    await session.fence()


def firings(fault: Fault, binding: str) -> set[Fault]:
    """The faults that took effect in a busy session in virtual time."""
    fired: set[Fault] = set()

    async def body(lab: McpLab) -> None:
        """A busy session."""
        async with lab.session(fault, opened=False, capabilities=CAPABILITIES, replies=REPLIES) as session:
            await busy(lab, session)
        await lab.quiet(10.0)
        fired.update(lab.firings)

    made = suite_of(body, isolation=Isolation.PROCESS, faults=(fault.name,))
    (result,) = sail(None, [made], versions=(D,), bindings=(binding,))
    assert not result.traceback, result.traceback
    return fired


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_example_takes_effect(example: str) -> None:
    fault = parse(example)
    binding = HTTP if mount_for(fault, HTTP) else STDIO
    assert firings(fault, binding) == {fault}


@pytest.mark.parametrize("example", [one for one in EXAMPLES if mount_for(parse(one), STDIO)])
def test_the_example_takes_effect_on_a_pipe(example: str) -> None:
    fault = parse(example)
    assert firings(fault, STDIO) == {fault}
