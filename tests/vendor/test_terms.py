"""Whose a target is, what is due to it, how fast it is asked, and how it asks for a rest."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from itertools import pairwise

import anyio
import pytest
from seatrial.care import user_agent
from seatrial.conduct import Conduct, Leave, Terms, loopback
from seatrial.model import Reason
from seatrial.pace import INSISTENCE, Pace, Withheld
from seatrial.protocols.a2a.messages import said
from seatrial.protocols.agui.asking import prompted
from seatrial.protocols.limits import BRIEF, rest
from seatrial.protocols.mcp.tools import called
from seatrial.stimuli import Stimulus

from ..clock import virtual


@pytest.mark.parametrize(
    ("addresses", "ours"),
    [
        (["127.0.0.1"], True),
        (["127.9.9.9", "::1"], True),
        (["::ffff:127.0.0.1"], True),
        (["127.0.0.1", "192.0.2.1"], False),
        (["10.0.0.1"], False),
        (["fe80::1%eth0"], False),
        (["0.0.0.0"], False),
        ([], False),
    ],
)
def test_a_host_is_ours_if_all_its_addresses_are(addresses: Sequence[str], ours: bool) -> None:
    assert loopback(addresses) is ours


@pytest.mark.parametrize(
    ("conduct", "foreign", "terms"),
    [
        (Conduct(), False, Terms()),
        (Conduct(), True, Terms(True, 5.0, 3000, 2)),
        (Conduct(safe=True), False, Terms(True, 5.0, 3000, 2)),
        (Conduct(allow_effects=True), True, Terms(False, 5.0, 3000, 2)),
        (Conduct(rate=50, budget=9), True, Terms(True, 50, 9, 2)),
        (Conduct(rate=50, budget=9), False, Terms(False, 50, 9, None)),
    ],
)
def test_what_is_due_to_a_target(conduct: Conduct, foreign: bool, terms: Terms) -> None:
    assert conduct.towards(foreign) == terms


def test_a_tool_is_called_that_is_safe_or_declared_read_only_or_not_there() -> None:
    stimuli = {"slow": Stimulus(role="slow", verb="tool", name="rebuild", safe=True)}
    stimuli["prompt"] = Stimulus(role="prompt", verb="prompt_name", name="deploy")
    leave = Leave(stimuli, frozenset({"rebuild", "search", "deploy", "drop"}), frozenset({"search"}))
    assert {name: bool(leave.refusal(name)) for name in ("rebuild", "search", "nosuch", "deploy", "drop")} == {
        "rebuild": False,
        "search": False,
        "nosuch": False,
        "deploy": True,
        "drop": True,
    }


def test_an_agent_is_told_what_a_safe_text_says_whatever_is_filled_in() -> None:
    stimuli = {"echo": Stimulus(role="echo", verb="text", name="echo {text} ({key})", safe=True)}
    leave = Leave(stimuli)
    assert leave.refusal("echo a\nb (7)") == "" and leave.refusal("erase a (7)") and leave.refusal("")


def test_stopping_a_run_acts_also_by_get() -> None:
    stop = Stimulus(role="stop", verb="get", name="/stop/{thread}")
    assert not Leave().plays(stop) and Leave().plays(Stimulus(role="witness", verb="get", name="/witness"))


def test_what_messages_ask_for_is_read_wherever_it_stands() -> None:
    calls = [{"method": "tools/call", "params": {"name": n}} for n in ("a", "b")]
    assert list(called(calls)) == ["a", "b"] and list(called({"method": "tools/list", "params": {"name": "a"}})) == []
    part, file = {"text": "hello"}, {"file": {"uri": "https://x"}}
    assert list(said({"method": "SendMessage", "params": {"message": {"parts": [part]}}})) == ["hello"]
    assert list(said({"message": {"content": [part, file]}})) == ["hello", str(file)]
    assert list(said({"method": "GetTask", "params": {"id": "1"}})) == []
    history = [{"role": "user", "content": "one"}, {"role": "assistant", "content": "no"}]
    assert list(prompted({"messages": history})) == ["one"] and list(prompted({"threadId": "t"})) == []
    assert list(prompted({"messages": []})) == [""]


NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("status", "value", "seconds"),
    [
        (429, "7", 7.0),
        (429, None, BRIEF),
        (429, "soon", BRIEF),
        (429, "-3", BRIEF),
        (429, "Sun, 01 Mar 2026 12:00:30 GMT", 30.0),
        (429, "Sun, 01 Mar 2026 11:00:00 GMT", 0.0),
        (503, " 2 ", 2.0),
        (503, None, None),
        (200, "7", None),
        (500, "7", None),
    ],
)
def test_a_wish_to_rest_is_read_in_both_its_forms(status: int, value: str | None, seconds: float | None) -> None:
    headers = [] if value is None else [("retry-AFTER", value)]
    assert rest(status, headers, NOW) == seconds


@virtual
async def test_requests_go_evenly_and_none_beyond_the_budget() -> None:
    pace, times = Pace(rate=4, budget=9), list[float]()

    async def ask() -> None:
        try:
            await pace.admit()
        except Withheld as withheld:
            assert withheld.reason is Reason.BUDGET
        else:
            times.append(anyio.current_time())

    async with anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(ask)
    assert len(times) == pace.sent == 9 and pace.spent
    assert all(later - earlier >= 0.25 - 1e-9 for earlier, later in pairwise(times))


@virtual
async def test_a_rest_holds_everybody_and_one_too_long_nobody() -> None:
    pace, begun = Pace(), anyio.current_time()
    pace.pause(30)
    await pace.admit()
    assert anyio.current_time() - begun == 30 and pace.rested(begun) and not pace.rested(begun + 31)
    with pytest.raises(Withheld, match="61 s of rest"):
        pace.pause(61)


@virtual
async def test_a_target_that_refuses_again_and_again_is_left_alone() -> None:
    pace = Pace()
    for _ in range(INSISTENCE):
        await pace.admit()
        with pytest.raises(Withheld):
            pace.refuse("no")
    with pytest.raises(Withheld, match="refused 5 requests"):
        await pace.admit()
    pace.taken()
    await pace.admit()


def test_the_user_agent_names_us_and_whom_to_ask() -> None:
    assert user_agent("mailto:qa@example.org").endswith(" (+mailto:qa@example.org)")
    assert user_agent().startswith("seatrial/") and "(" not in user_agent()
