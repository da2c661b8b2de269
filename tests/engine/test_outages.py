"""What a fault does to the target's processes is no fault of the target's, and is done to ours alone."""

from __future__ import annotations

import pytest
from seatrial import expect
from seatrial.faults import (
    UP,
    Fault,
    cut,
    failover,
    harness_jump,
    messages,
    pause,
    request,
    restart,
    sigkill,
    sigterm,
    skew,
    stdin_eof,
)
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Console
from seatrial.fixtures.reference.console import Channel
from seatrial.labs import McpLab
from seatrial.model import Isolation, Reason, Verdict
from seatrial.protocols.outcome import Lost

from ..sailing import sail
from .declare import HTTP, STDIO, D, suite_of, verdict_of


class Mortal(Console):
    """A process that ends by itself when it is asked for its tools."""

    def take(self, line: bytes, channel: Channel) -> None:
        if b'"tools/list"' in line:
            channel.broken = True
        else:
            super().take(line, channel)


async def loses_its_listing(lab: McpLab, *faults: Fault) -> None:
    async with lab.session(*faults) as session:
        outcome = await session.request("tools/list")
        await session.stdio.wait_exit(lab.tempo.answer)
        lab.expect(expect.that(isinstance(outcome, Lost), "lost", outcome, outcome))


AT_THE_LISTING = messages(1, "tools/list")
FATAL = (
    sigkill(after=AT_THE_LISTING),
    sigterm(after=AT_THE_LISTING),
    stdin_eof(after=AT_THE_LISTING),
    cut(after=AT_THE_LISTING, direction=UP),
)


@pytest.mark.parametrize("fault", FATAL, ids=lambda fault: fault.name)
def test_a_process_that_a_fault_ended_is_not_blamed(fault: Fault) -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(fault, opened=False) as session:
            await session.open()
            await session.request("tools/list")
            await session.stdio.wait_exit(lab.tempo.answer)
            lab.expect(expect.that(session.stdio.exited is not None, "it ended", "it runs"))

    result = verdict_of(body, binding=STDIO, isolation=Isolation.PROCESS, faults=(fault.name,))
    assert (result.verdict, result.violations) == (Verdict.PASS, ())


def test_a_process_that_ended_by_itself_is() -> None:
    async def body(lab: McpLab) -> None:
        await loses_its_listing(lab)

    result = verdict_of(body, binding=STDIO, build=build_of(Mortal), isolation=Isolation.PROCESS)
    assert result.verdict is not Verdict.PASS


@pytest.mark.parametrize("fault", [pause(), restart(), failover(), skew()], ids=lambda fault: fault.name)
def test_nothing_is_done_to_a_process_of_somebody_else(fault: Fault) -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(fault) as session:
            lab.expect(expect.answered(await session.request("tools/list")))

    made = suite_of(body, isolation=Isolation.SESSION, faults=(fault.name,))
    (result,) = sail(None, [made], versions=(D,), bindings=(HTTP,), attached=True)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NOT_MOUNTABLE)
    assert "that Seatrial starts itself" in result.detail


def test_a_replica_that_is_not_there_cannot_be_stopped() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(failover(replica=2), replicas=2) as session:
            lab.expect(expect.answered(await session.request("tools/list")))

    result = verdict_of(body, isolation=Isolation.PROCESS, faults=("failover",))
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NOT_MOUNTABLE)


@pytest.mark.parametrize("binding", [HTTP, STDIO])
def test_a_call_is_given_up_when_the_clock_jumps_and_the_next_is_answered(binding: str) -> None:
    on, after = ("", AT_THE_LISTING) if binding == STDIO else ("tools/list", request(1))
    fault = harness_jump(on=on, after=after, direction=UP, seconds=30.0)

    async def body(lab: McpLab) -> None:
        async with lab.session(fault) as session:
            first = await session.request("tools/list")
            lab.expect(expect.that(isinstance(first, Lost), "given up", first, first))
            lab.expect(expect.answered(await session.fence(), "the next is answered"))

    result = verdict_of(body, binding=binding, isolation=Isolation.PROCESS, faults=("harness_jump",))
    assert (result.verdict, result.detail) == (Verdict.PASS, "")
