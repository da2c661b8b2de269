"""A stranger's server is read only, asked seldom and not too often, and left alone when it says so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from seatrial.conduct import Conduct
from seatrial.discovery import load_suites
from seatrial.faults import cut
from seatrial.faults.stage import How
from seatrial.fixtures.agent.stimuli import STIMULI as SAID
from seatrial.fixtures.front.stimuli import STIMULI as PROMPTED
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Tools
from seatrial.fixtures.reference.stimuli import STIMULI
from seatrial.fixtures.serving import HttpRequest, HttpResponse
from seatrial.model import Harm, Isolation, Reason, Result, Role, Verdict
from seatrial.stimuli import Stimulus
from seatrial.transcript import Kind, decode
from seatrial.transport.sim import SimNetwork
from seatrial.wire.json import JsonError, loads

from ..abroad import visit
from ..gate import SERVERS, Gate
from ..sailing import references, sail, voyage

BAD = (Verdict.FAIL, Verdict.WARN, Verdict.ERROR)
READERS = ("echo", "quick")


class Declaring(Tools):
    """Says which of its tools read only."""

    def describe(self, tool: Any, version: str) -> Any:
        return super().describe(tool, version) | {"annotations": {"readOnlyHint": tool.name in READERS}}


def safe(stimuli: Mapping[str, Stimulus], *roles: Role) -> dict[str, Stimulus]:
    """The stimuli, of which these roles (all where none is named) are said to be safe."""
    return {role: replace(s, safe=not roles or role in roles) for role, s in stimuli.items()}


def messages(request: HttpRequest) -> Iterator[dict[str, Any]]:
    """The JSON objects that a request carries."""
    try:
        payload = loads(request.body)
    except JsonError:
        return
    yield from (part for part in (payload if isinstance(payload, list) else [payload]) if isinstance(part, dict))


def called(gate: Gate) -> set[str]:
    """The names of the tools that were called."""
    calls = (m for request in gate.requests for m in messages(request) if m.get("method") == "tools/call")
    return {str(call["params"].get("name")) for call in calls if isinstance(call.get("params"), dict)}


def busiest_second(times: list[float]) -> int:
    """The most requests that began within one second (a float's breadth less)."""
    return max(sum(begin <= time < begin + 1 - 1e-6 for time in times) for begin in times)


def bad(results: tuple[Result, ...]) -> list[str]:
    return [f"{r.case.id}: {r.verdict} {r.violations[:1]} {r.traceback}" for r in results if r.verdict in BAD]


def reasons(results: tuple[Result, ...]) -> Counter[Reason | None]:
    return Counter(result.reason for result in results)


def test_somebody_elses_server_is_only_read_within_rate_and_budget_and_judged_as_far_as_that_goes() -> None:
    gate = Gate()
    found = visit(
        "mcp", STIMULI, gate, server=build_of(Declaring), versions=("2025-11-25",), conduct=Conduct(budget=600)
    )
    assert len(gate.requests) == 600
    assert busiest_second(gate.times) <= 5
    assert called(gate) & {s.name for s in STIMULI.values() if s.verb == "tool"} <= set(READERS)
    assert found.ledger.events == {}
    assert {request.get("user-agent").split("/")[0] for request in gate.requests} == {"seatrial"}
    assert bad(found.results) == []
    assert reasons(found.results)[Reason.BUDGET] > 0 and reasons(found.results)[Reason.UNSAFE] > 0
    assert Counter(r.verdict for r in found.results)[Verdict.PASS] > 50
    assert "safe mode" in found.started.options["care"]["vendor"]


@pytest.mark.parametrize(
    ("protocol", "stimuli", "role"), [("a2a", SAID, Role.ECHO), ("agui", PROMPTED, Role.CHAT)], ids=["a2a", "agui"]
)
def test_an_agent_is_told_only_what_its_owner_says_is_safe(
    protocol: str, stimuli: Mapping[str, Stimulus], role: Role
) -> None:
    gate = Gate()
    versions = ("1.0",)
    found = visit(protocol, safe(stimuli, role), gate, versions=versions, conduct=Conduct(rate=1000, budget=10**6))
    told = {text for request in gate.requests for message in messages(request) for text in said(protocol, message)}
    assert told and all(text.startswith(stimuli[role].name.partition("{")[0]) for text in told)
    assert bad(found.results) == []
    assert Verdict.PASS in {result.verdict for result in found.results}


def said(protocol: str, message: dict[str, Any]) -> Iterator[str]:
    """What the user says last, read without the code under test."""
    if protocol == "agui":
        users = [m for m in message.get("messages", ()) if m.get("role") == "user"]
        yield from (str(m.get("content")) for m in users[-1:])
    params = message.get("params", message)
    whole = params.get("message") if isinstance(params, dict) else None
    yield from (str(part.get("text")) for part in (whole or {}).get("parts", ()))


def test_an_agent_without_anything_safe_to_say_is_told_nothing() -> None:
    gate = Gate()
    with pytest.raises(BaseExceptionGroup) as failure:
        visit("agui", PROMPTED, gate)
    assert "safe mode" in str(failure.value.exceptions) and gate.requests == []


def test_no_fault_surrounds_a_strangers_server() -> None:
    gate = Gate()
    with pytest.raises(BaseExceptionGroup) as failure:
        visit("mcp", STIMULI, gate, profile="own", plan=(cut(how=How.RESET),))
    assert "needs --allow-effects" in str(failure.value.exceptions) and gate.requests == []


def test_what_its_owner_lets_be_done_is_done_at_the_same_pace() -> None:
    gate = Gate()
    found = visit(
        "mcp",
        STIMULI,
        gate,
        checks=("mcp.can.stops-work",),
        versions=("2025-11-25",),
        conduct=Conduct(allow_effects=True),
    )
    assert [result.verdict for result in found.results] == [Verdict.PASS]
    assert found.ledger.events and busiest_second(gate.times) <= 5


def test_a_server_of_this_machine_is_run_as_ever() -> None:
    gate = Gate()
    found = visit("mcp", STIMULI, gate, checks=("mcp.can.stops-work",), versions=("2025-11-25",), network=Home())
    assert [result.verdict for result in found.results] == [Verdict.PASS]
    assert found.ledger.events and "care" not in found.started.options


class Home(SimNetwork):
    """A network in which every host is this one."""

    async def addresses(self, host: str) -> tuple[str, ...]:
        return ("127.0.0.1", "::1")


def test_safe_mode_can_be_had_at_home_too() -> None:
    gate, asked = Gate(), Conduct(safe=True)
    checks = ("mcp.can.stops-work",)
    found = visit("mcp", STIMULI, gate, server=build_of(Declaring), checks=checks, network=Home(), conduct=asked)
    assert set(reasons(found.results)) == {Reason.UNSAFE} and found.ledger.events == {}


VERSIONS = {"mcp": ("2025-11-25", "2026-07-28"), "a2a": (), "agui": ()}
MANY_AT_ONCE, MANY = 16, 50
"""Requests of one case that are in flight together, and requests of one case in all: more is a load."""


@pytest.mark.parametrize("protocol", ["mcp", "a2a", "agui"])
def test_every_check_that_would_disturb_a_server_says_so(protocol: str) -> None:
    """All stimuli are safe here: what the guard still stops, or what is very much, a check has to declare."""
    lines: list[str] = []
    for target in references(protocol):
        target.stimuli = safe(target.stimuli)
        asked = Conduct(safe=True, rate=10**6, budget=10**6)
        results = voyage(target, sink=lines.append, conduct=asked, versions=VERSIONS[protocol])
        stopped = [r for r in results if r.reason is Reason.UNSAFE and not r.case.exclusion]
        assert [r.case.id for r in stopped if Harm.MALFORMED in r.detail] == []
    heavy = {case for case, (top, number) in traffic(lines).items() if top > MANY_AT_ONCE or number > MANY}
    assert {case for case in heavy if "[" in case and "." in case.partition("[")[0]} == set()


def traffic(lines: list[str]) -> dict[str, tuple[int, int]]:
    """By case: the most requests over HTTP that were in flight together, and how many there were."""
    flying, top, number = Counter[str](), Counter[str](), Counter[str]()
    for case, record in map(decode, lines):
        if record.operation.startswith("stdio"):
            continue
        flying[case] += (record.kind is Kind.SENT) - (record.kind is Kind.END)
        number[case] += record.kind is Kind.SENT
        top[case] = max(top[case], flying[case])
    return {case: (top[case], number[case]) for case in number}


def test_a_check_that_wants_a_process_of_its_own_does_harm() -> None:
    checks = [check for suite in load_suites() for check in suite.checks]
    assert [check.id for check in checks if check.isolation is Isolation.PROCESS and check.harm is Harm.NONE] == []


def refusing(period: int) -> Callable[[int], HttpResponse | None]:
    """One request of each so many came too soon."""
    return lambda number: HttpResponse(429, b"later", {"Retry-After": "1"}) if number % period == period - 1 else None


COLUMNS: Mapping[str, dict[str, Any]] = {
    "mcp": {"versions": ("2025-11-25",), "bindings": ("streamable-http",)},
    "a2a": {"versions": ("1.0",), "bindings": ("JSONRPC",)},
    "agui": {"versions": ("1.0",)},
}


@pytest.mark.parametrize("period", [8, 9])
@pytest.mark.parametrize("protocol", COLUMNS)
def test_a_server_that_limits_its_clients_is_judged_as_one_that_does_not(protocol: str, period: int) -> None:
    gate = Gate(refusing(period))
    results = sail(gate.before(SERVERS[protocol]), protocol=protocol, **COLUMNS[protocol])
    assert bad(results) == []
    unjudged = [r for r in results if r.verdict is Verdict.INCONCLUSIVE]
    assert {r.reason for r in unjudged if not r.case.check.limits} <= {Reason.RATE_LIMITED}
    assert len(unjudged) < len(results) / 10


@pytest.mark.parametrize(("every", "verdict"), [(2, Verdict.PASS), (1, Verdict.INCONCLUSIVE)])
def test_a_witness_that_limits_its_readers_is_read_after_its_rest(every: int, verdict: Verdict) -> None:
    gate = Gate()

    def impatient(number: int) -> HttpResponse | None:
        readings = sum("/_ledger" in request.path for request in gate.requests)
        early = "/_ledger" in gate.requests[-1].path and readings % every == 0
        return HttpResponse(429, b"later", {"Retry-After": "1"}) if early else None

    gate.refuses = impatient
    checks = ("agui.cancel.disconnect-during-tool",)
    results = sail(gate.before(SERVERS["agui"]), protocol="agui", checks=checks, **COLUMNS["agui"])
    assert [r.verdict for r in results] == [verdict]
    assert any("/_ledger" in request.path for request in gate.requests)
    assert verdict is Verdict.PASS or set(reasons(results)) == {Reason.RATE_LIMITED}


@pytest.mark.parametrize("protocol", COLUMNS)
def test_a_server_that_takes_no_more_is_soon_left_alone(protocol: str) -> None:
    busy = HttpResponse(503, b"busy", {"Retry-After": "2"})
    gate = Gate(lambda number: busy if number > 150 else None)
    results = sail(gate.before(SERVERS[protocol]), protocol=protocol, **COLUMNS[protocol])
    assert bad(results) == [] and len(gate.requests) < 350
    assert {Reason.RATE_LIMITED} <= set(reasons(results)) <= {*ABSENT, Reason.RATE_LIMITED, Reason.NOTHING_SEEN, None}


ABSENT = {Reason.FEATURE_ABSENT, Reason.CAPABILITY_ABSENT, Reason.VERSION_NOT_CLAIMED}


def test_one_that_wants_to_rest_too_long_is_not_waited_for() -> None:
    gate = Gate(lambda number: HttpResponse(429, headers={"Retry-After": "3600"}) if number > 20 else None)
    found = visit("mcp", STIMULI, gate, versions=("2025-11-25",), checks=("mcp.err.*",), network=Home())
    assert len(gate.requests) < 50 and Reason.RATE_LIMITED in reasons(found.results) and bad(found.results) == []


def test_the_pause_is_as_long_as_the_target_asks_for() -> None:
    gate = Gate(lambda number: HttpResponse(429, headers={"Retry-After": "7"}) if number == 12 else None)
    visit("mcp", STIMULI, gate, versions=("2025-11-25",), checks=("mcp.err.*",), conduct=Conduct(allow_effects=True))
    gaps = [later - earlier for earlier, later in pairwise(gate.times)]
    assert 7 <= max(gaps) < 8 and max(gaps) == gaps[11]


@pytest.mark.parametrize("protocol", COLUMNS)
def test_a_budget_holds_whatever_is_sent_and_repeated_on_the_way(protocol: str) -> None:
    """Relays send some requests twice; raw bytes, retries and goodbyes count like everything else."""
    gate, stimuli = Gate(), {"mcp": STIMULI, "a2a": SAID, "agui": PROMPTED}[protocol]
    asked = Conduct(allow_effects=True, rate=10**6, budget=400)
    found = visit(protocol, stimuli, gate, conduct=asked, **COLUMNS[protocol])
    assert len(gate.requests) == 400 and bad(found.results) == []
    assert Reason.BUDGET in reasons(found.results)
