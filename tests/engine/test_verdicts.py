"""How a case becomes a verdict."""

from __future__ import annotations

import signal

import pytest
from seatrial import expect
from seatrial.faults import FIN, RESET, cut, drop_response, events, messages
from seatrial.labs import McpLab
from seatrial.model import Feature, Isolation, Level, Reason, Role, Verdict, Violation

from .declare import STDIO, E, row, verdict_of

WRONG = Violation("right", "wrong")


async def broken(lab: McpLab) -> None:
    lab.expect(WRONG)


async def holds(lab: McpLab) -> None:
    lab.expect(None)


@pytest.mark.parametrize(
    ("level", "verdict"),
    [
        (Level.MUST, Verdict.FAIL),
        (Level.SHOULD, Verdict.WARN),
        (Level.MAY, Verdict.PASS),
        (Level.INFO, Verdict.PASS),
    ],
)
def test_the_level_of_the_broken_row_decides(level: Level, verdict: Verdict) -> None:
    result = verdict_of(broken, row(level=level))
    assert result.verdict is verdict
    assert [v.actual for v in (*result.violations, *result.notes)] == ["wrong"]


def test_an_ambiguous_must_warns() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(Violation("right", "wrong", soft=True))

    assert verdict_of(body).verdict is Verdict.WARN


def test_the_worst_row_decides() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(WRONG, "t.should")
        lab.expect(None, "t.must")

    rows = row("t.must"), row("t.should", Level.SHOULD)
    assert verdict_of(body, *rows).verdict is Verdict.WARN


def test_a_row_that_was_not_looked_at_makes_the_case_inconclusive() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(None, "t.one")

    result = verdict_of(body, row("t.one"), row("t.two"))
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.NOT_EXERCISED)
    assert "t.two" in result.detail


def test_a_waived_row_is_named_in_the_notes() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(None, "t.one")
        lab.waive("no prompt has arguments", "t.two")

    result = verdict_of(body, row("t.one"), row("t.two"))
    assert result.verdict is Verdict.PASS
    assert "no prompt has arguments" in result.notes[0].actual


def test_a_variant_of_a_row_is_found_by_its_family() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(WRONG, "t.one")

    result = verdict_of(body, row("t.one.modern", Level.SHOULD, (E,)), version=E)
    assert result.violations[0].requirement == "t.one.modern"


def test_a_crash_of_ours_is_an_error_with_its_traceback() -> None:
    async def body(lab: McpLab) -> None:
        lab.expect(WRONG)
        raise ZeroDivisionError

    result = verdict_of(body)
    assert result.verdict is Verdict.ERROR
    assert "ZeroDivisionError" in result.traceback
    assert result.violations == ()


def test_a_check_that_never_ends_is_inconclusive() -> None:
    async def body(lab: McpLab) -> None:
        await lab.quiet(10_000)

    result = verdict_of(body)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.DEADLINE)


def test_require_ends_the_check() -> None:
    async def body(lab: McpLab) -> None:
        lab.require(WRONG)
        raise AssertionError("not reached")

    assert verdict_of(body).verdict is Verdict.FAIL


def test_not_applicable_names_its_record() -> None:
    async def body(lab: McpLab) -> None:
        lab.not_applicable("no such thing", lab.claim_record)

    result = verdict_of(body)
    assert result.verdict is Verdict.NOT_APPLICABLE
    assert len(result.records) == 1


def test_a_fault_that_never_fired_proves_nothing() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(cut(on="prompts/get", after=events(1), how=RESET)) as session:
            lab.expect(expect.answered(await session.request("tools/list")))

    result = verdict_of(body, isolation=Isolation.SESSION)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NEVER_FIRED)


def test_a_violation_older_than_the_fault_does_not_count() -> None:
    async def body(lab: McpLab) -> None:
        play = await lab.effects.plan(Role.PROGRESS, count=4, gap=0.1)
        async with lab.session(cut(on="tools/call", after=events(2), how=RESET)) as session:
            early = await session.request("tools/list")
            lab.expect(expect.that(False, "right", "wrong", early))
            exchange = await session.start(play, token="t")
            await exchange.finished()

    result = verdict_of(body, isolation=Isolation.SESSION, needs={Role.PROGRESS})
    assert result.verdict is Verdict.PASS


def test_a_missing_capability_is_not_applicable_and_names_its_record() -> None:
    absent = verdict_of(holds, needs={Feature.RESOURCES_LIST_CHANGED})
    assert (absent.verdict, absent.reason) == (Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT)
    assert len(absent.records) == 1


def test_a_lost_reply_is_neither_an_answer_nor_a_refusal() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(drop_response(on="tools/list", how=RESET)) as session:
            lost = await session.request("tools/list")
            lab.expect(expect.responded(lost))

    result = verdict_of(body, isolation=Isolation.SESSION)
    assert result.verdict is Verdict.FAIL
    assert "no response" in result.violations[0].actual


def test_a_violation_that_does_not_count_hides_no_death() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session(cut(on="prompts/get", after=messages(1), how=FIN)) as session:
            lab.expect(expect.that(False, "right", "wrong", await session.request("tools/list")))
            session.stdio.process.send_signal(signal.SIGKILL)
            await session.stdio.wait_exit(5)

    result = verdict_of(body, binding=STDIO, isolation=Isolation.SESSION)
    assert result.verdict is Verdict.WARN
    assert "process ended" in result.violations[0].actual
