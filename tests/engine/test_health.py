"""A target that ends or stops answering, and who is blamed for it."""

from __future__ import annotations

from typing import Any

import anyio
from seatrial import expect
from seatrial.fixtures.mutants import _build_of
from seatrial.fixtures.reference import Console, Endpoint
from seatrial.lab import Lab
from seatrial.model import Isolation, Reason, Verdict
from seatrial.registry import check, suite

from ..sailing import sail
from .declare import HTTP, STDIO, D, row, verdict_of


class Dying(Console):
    """A process that ends at the method `fatal`."""

    def take(self, line: bytes, channel: Any) -> None:
        if b'"fatal"' in line:
            channel.broken = True
        else:
            super().take(line, channel)


class Deaf(Endpoint):
    """A server of HTTP that answers nobody after the method `fatal`, until it is started again."""

    deaf = False

    async def handle(self, request: Any, connection: Any) -> None:
        self.deaf = self.deaf or b'"fatal"' in request.body
        if self.deaf:
            await anyio.sleep_forever()
        await super().handle(request, connection)


async def sends_fatal(lab: Lab) -> None:
    async with lab.session() as session:
        await session.request("fatal", within=1)
    lab.expect(None)


async def ends_it(lab: Lab) -> None:
    async with lab.session() as session:
        await session.stdio.close_stdin()
        lab.expect(expect.that(await session.stdio.wait_exit(5) == 0, "exit code 0", "another"))


async def asks_politely(lab: Lab) -> None:
    async with lab.session() as session:
        lab.expect(expect.answered(await session.request("tools/list")))


def test_a_process_that_ends_by_itself_is_a_finding() -> None:
    result = verdict_of(sends_fatal, binding=STDIO, isolation=Isolation.SESSION, build=_build_of(Dying))
    assert result.verdict is Verdict.WARN
    assert "process ended" in result.violations[0].actual


def test_a_process_that_we_ended_is_no_finding() -> None:
    assert verdict_of(ends_it, binding=STDIO, isolation=Isolation.SESSION).verdict is Verdict.PASS


def test_a_target_that_stops_answering_is_blamed_on_the_case_that_does_it_twice() -> None:
    table = (row("t.fatal"), row("t.polite"))
    checks = (
        check("t.fatal", "It survives.", isolation=Isolation.SESSION)(sends_fatal),
        check("t.polite", "It answers.")(asks_politely),
    )
    results = sail(_build_of(Deaf), [suite("t", checks, table)], versions=(D,), bindings=(HTTP,))
    found = {result.case.check.id: result for result in results}
    assert (found["t.fatal"].verdict, found["t.fatal"].reason) == (Verdict.WARN, Reason.TARGET_UNHEALTHY)
    assert found["t.polite"].verdict is Verdict.PASS
