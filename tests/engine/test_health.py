"""A target that ends or stops answering, and who is blamed for it."""

from __future__ import annotations

from typing import Any

import anyio
from seatrial import expect
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Console, Endpoint
from seatrial.labs import McpLab
from seatrial.model import Isolation, Reason, Result, Verdict
from seatrial.registry import check, suite

from ..sailing import sail
from .declare import HTTP, STDIO, D, lists_tools, row, verdict_of


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


async def sends_fatal(lab: McpLab) -> None:
    async with lab.session() as session:
        await session.request("fatal", within=1)
    lab.expect(None)


async def ends_it(lab: McpLab) -> None:
    async with lab.session() as session:
        await session.stdio.close_stdin()
        lab.expect(expect.that(await session.stdio.wait_exit(5) == 0, "exit code 0", "another"))


def test_a_process_that_ends_by_itself_is_a_finding() -> None:
    result = verdict_of(sends_fatal, binding=STDIO, isolation=Isolation.SESSION, build=build_of(Dying))
    assert result.verdict is Verdict.WARN
    assert "process ended" in result.violations[0].actual


def test_a_lent_process_that_ends_is_a_finding_although_the_check_stops_there() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            lab.need(await session.request("fatal"))

    result = verdict_of(body, binding=STDIO, build=build_of(Dying))
    assert result.verdict is Verdict.WARN
    assert "process ended" in result.violations[0].actual


def test_a_process_that_we_ended_is_no_finding() -> None:
    assert verdict_of(ends_it, binding=STDIO, isolation=Isolation.SESSION).verdict is Verdict.PASS


def test_a_target_that_stops_answering_is_blamed_on_the_case_that_does_it_twice() -> None:
    table = (row("t.fatal"), row("t.polite"))
    checks = (
        check("t.fatal", "It survives.", isolation=Isolation.SESSION)(sends_fatal),
        check("t.polite", "It answers.")(lists_tools),
    )
    results = sail(build_of(Deaf), [suite("t", checks, table)], versions=(D,), bindings=(HTTP,))
    found = {result.case.check.id: result for result in results}
    assert (found["t.fatal"].verdict, found["t.fatal"].reason) == (Verdict.WARN, Reason.TARGET_UNHEALTHY)
    assert found["t.polite"].verdict is Verdict.PASS


async def asks_late(lab: McpLab) -> None:
    async with lab.session() as session:
        await lab.quiet(15)
        lab.expect(expect.answered(await session.request("tools/list")))


async def sends_fatal_again(lab: McpLab) -> None:
    for _ in range(2):
        async with lab.session(opened=False) as session:
            await session.request("fatal", within=1)
        await lab.quiet(15)
    lab.expect(None)


async def asks_for_long(lab: McpLab) -> None:
    for _ in range(4):
        async with lab.session() as session:
            lab.expect(expect.answered(await session.request("tools/list")))
        await lab.quiet(4)


async def ends_its_session(lab: McpLab) -> None:
    async with lab.session() as session:
        await session.end().finished()
    lab.expect(None)


class Sulking(Console):
    """A process that answers the method `fatal`, and nothing after it."""

    def take(self, line: bytes, channel: Any) -> None:
        if not getattr(channel, "sulking", False):
            super().take(line, channel)
        channel.sulking = getattr(channel, "sulking", False) or b'"fatal"' in line


def sailed(
    build: Any, *bodies: tuple[Any, Isolation], binding: str = HTTP, attached: bool = False, **options: Any
) -> list[Result]:
    table = [row(f"t.{number}") for number in range(len(bodies))]
    checks = [check(r.id, "It holds.", isolation=isolation)(b) for r, (b, isolation) in zip(table, bodies, strict=True)]
    asked = {"versions": (D,), **options}
    return list(sail(build, [suite("t", checks, table)], bindings=(binding,), attached=attached, **asked))


OWN, LENT = Isolation.SESSION, Isolation.SHARED


def test_a_target_that_stays_away_fails_nobody_who_was_under_way() -> None:
    results = sailed(build_of(Deaf), (sends_fatal, OWN), *[(asks_late, LENT)] * 3, (lists_tools, LENT), attached=True)
    assert [result.verdict for result in results[1:4]] == [Verdict.INCONCLUSIVE] * 3
    assert {result.reason for result in results[:4]} == {Reason.TARGET_UNHEALTHY}


def test_a_case_that_was_alone_with_a_target_that_stays_away_is_blamed() -> None:
    results = sailed(build_of(Deaf), (sends_fatal, OWN), (lists_tools, LENT), attached=True, concurrency=1)
    assert [result.verdict for result in results] == [Verdict.WARN, Verdict.INCONCLUSIVE]


def test_what_others_under_way_still_do_to_the_target_is_not_blamed_on_a_second_attempt() -> None:
    results = sailed(build_of(Deaf), (sends_fatal_again, OWN), (asks_for_long, OWN))
    assert [result.verdict for result in results] == [Verdict.WARN, Verdict.PASS]


def test_a_lent_session_that_is_over_harms_nobody() -> None:
    results = sailed(None, (ends_its_session, LENT), (lists_tools, LENT), attached=True, concurrency=1)
    assert [result.verdict for result in results] == [Verdict.PASS, Verdict.PASS]


def test_a_lent_process_that_sulks_harms_nobody() -> None:
    results = sailed(
        build_of(Sulking), (sends_fatal, LENT), (lists_tools, LENT), binding=STDIO, attached=True, concurrency=1
    )
    assert results[1].verdict is Verdict.PASS


def test_a_version_that_is_named_twice_is_one_column() -> None:
    assert len(sailed(None, (lists_tools, LENT), versions=(D, D))) == 1
