"""A plan that surrounds a whole run: every case meets its faults, nothing else does."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from typing import Any

import pytest
from seatrial import expect
from seatrial.faults import Fault, cut, drop_response, latency, octets, restart, sigkill, slices, status
from seatrial.labs import McpLab
from seatrial.model import Isolation, Reason, Result, Verdict
from seatrial.protocols.outcome import Lost
from seatrial.transcript import Kind, decode

from ..sailing import sail
from .declare import HTTP, STDIO, D, lists_tools, suite_of

LOSING = drop_response(on="tools/list")


def amid(*plan: Fault, body: Any = lists_tools, binding: str = HTTP, **options: Any) -> Result:
    """The result of one case that a plan surrounds."""
    suites = [suite_of(body, **options.pop("declared", {}))]
    asked = {"profile": "mine", "plan": plan, "versions": (D,), "bindings": (binding,), **options}
    (result,) = sail(None, suites, **asked)
    return result


def test_a_malign_fault_meets_a_case_that_asked_for_none() -> None:
    lines: list[str] = []
    result = amid(LOSING, sink=lines.append)
    assert result.case.column.profile == "mine"
    assert result.verdict is Verdict.FAIL
    fired = [(case, record) for case, record in map(decode, lines) if record.kind is Kind.FIRED]
    assert [(case, record.data["fault"]) for case, record in fired] == [(result.case.id, str(LOSING))]


def test_it_meets_every_case_of_its_own_session() -> None:
    async def loses(lab: McpLab) -> None:
        async with lab.session() as session:
            lab.expect(expect.answered(await session.request("ping")))
            assert isinstance(await session.request("tools/list"), Lost)
            lab.expect(expect.answered(await session.request("tools/list")))

    assert amid(LOSING, body=loses).verdict is Verdict.PASS


def test_a_malign_fault_that_never_fired_makes_its_case_inconclusive() -> None:
    result = amid(drop_response(on="prompts/get"))
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NEVER_FIRED)
    assert "prompts/get" in result.detail


def test_it_is_named_once_however_many_sessions_it_surrounded() -> None:
    async def two(lab: McpLab) -> None:
        for _ in range(2):
            await lists_tools(lab)

    assert amid(drop_response(on="prompts/get"), body=two).detail.count("drop_response") == 1


def test_a_rest_that_the_plan_asked_for_is_no_limit_of_the_target() -> None:
    resting = status(on="tools/list", code=503, headers=(("Retry-After", "2"),))
    assert amid(resting).verdict is Verdict.PASS
    assert amid(resting, drop_response(on="prompts/get")).reason is Reason.FAULT_NEVER_FIRED


def test_a_malign_fault_that_has_no_place_on_a_binding_is_said_once_by_its_case() -> None:
    result = amid(LOSING, binding=STDIO)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NOT_MOUNTABLE)
    assert result.detail == f"{LOSING} cannot be mounted on stdio"


def test_a_fault_of_a_process_meets_a_case_over_stdio() -> None:
    result = amid(sigkill(), binding=STDIO)
    assert result.verdict is not Verdict.PASS


RESTARTING = restart(on="tools/list")


async def asks_twice(lab: McpLab) -> None:
    """Whatever becomes of the first request, the next session is answered."""
    async with lab.session() as session:
        await session.request("tools/list")
    async with lab.session(opened=False) as session:
        lab.expect(expect.answered(await session.open()))
    assert lab.server not in (None, lab.berth.main)


def test_what_happens_to_servers_happens_to_one_of_the_cases_own() -> None:
    lines: list[str] = []
    assert amid(RESTARTING, body=asks_twice, sink=lines.append).verdict is Verdict.PASS
    (fired,) = [record for _, record in map(decode, lines) if record.kind is Kind.FIRED]
    assert fired.data["fault"] == str(RESTARTING)


def test_nothing_happens_to_a_server_that_somebody_else_runs() -> None:
    result = amid(RESTARTING, body=asks_twice, attached=True)
    assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.FAULT_NOT_MOUNTABLE)


@pytest.mark.parametrize("isolation", list(Isolation))
def test_a_benign_plan_changes_no_verdict(isolation: Isolation) -> None:
    assert amid(latency(seconds=2.0), declared={"isolation": isolation}).verdict is Verdict.PASS


def met(body: Any = lists_tools, **declared: Any) -> dict[str, set[str]]:
    """Which faults of a benign plan fired, by the case (or other use of a session) that they met."""
    lines: list[str] = []
    assert amid(latency(), slices(), body=body, declared=declared, sink=lines.append).verdict is Verdict.PASS
    found: dict[str, set[str]] = defaultdict(set)
    for case, record in map(decode, lines):
        if record.kind is Kind.FIRED:
            found[re.sub(r".*/|\[.*", "", case)].add(record.data["fault"].split("(")[0])
    return found


def test_what_meets_a_lent_session_is_recorded_for_who_has_it() -> None:
    """One that fires with each connection: here, while the target is asked what it speaks."""
    assert met() == {"discovery": {"latency", "slice"}}


def test_a_check_that_says_itself_how_bytes_are_cut_is_left_alone() -> None:
    async def compares(lab: McpLab) -> None:
        async with lab.session(ambient=False) as session:
            lab.expect(expect.answered(await session.request("tools/list")))

    async def cuts(lab: McpLab) -> None:
        async with lab.session(slices(largest=8), ambient=False) as session:
            lab.expect(expect.answered(await session.request("tools/list")))

    assert "t.one" not in met(compares)
    assert met(cuts, faults=("slice",))["t.one"] == {"slice"}


def test_the_health_of_the_target_is_not_asked_for_through_malign_faults() -> None:
    lines: list[str] = []
    result = amid(cut(after=octets(0), times=0), sink=lines.append)
    assert result.verdict is Verdict.INCONCLUSIVE
    records = [(case, record) for case, record in map(decode, lines)]
    assert {case for case, record in records if record.kind is Kind.FIRED} == {result.case.id}
    assert not any("not answered" in json.dumps(dict(record.data)) for _, record in records)


def test_equal_seeds_give_equal_firings() -> None:
    def firings() -> list[tuple[str, str, Any]]:
        lines: list[str] = []
        amid(LOSING, latency(seconds=1.0, jitter=1.0), seed=5, sink=lines.append)
        found = [(case, record) for case, record in map(decode, lines) if record.kind is Kind.FIRED]
        return sorted((case, record.operation, record.data["fault"]) for case, record in found)

    first = firings()
    assert first
    assert firings() == first
