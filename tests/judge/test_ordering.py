"""Progress that rises under its own token has no finding; every single corruption has one."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge import ordering, pagination
from seatrial.judge.pagination import Page
from seatrial.protocols.outcome import Message

from .streams import REQUEST_ID, TOKEN, calls, progress, stream


@settings(deadline=None)
@given(calls())
def test_a_well_reported_call_has_no_finding(call: list[Message]) -> None:
    assert ordering.progress_increases(call) is None
    assert ordering.progress_names(call, [TOKEN]) is None
    assert ordering.progress_ends(call, TOKEN, REQUEST_ID) is None


@settings(deadline=None)
@given(calls(), st.data())
def test_a_value_that_does_not_rise_is_found(call: list[Message], data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(call) - 2))
    before = call[at - 1].payload["params"]["progress"]
    stuck = Message(progress(data.draw(st.integers(-5, before))), 99)
    finding = ordering.progress_increases([*call[:at], stuck, *call[at:]])
    assert finding is not None and 99 in finding.records


def test_two_tokens_rise_each_for_itself() -> None:
    assert ordering.progress_increases(stream([progress(5, "a"), progress(1, "b"), progress(6, "a")])) is None


@pytest.mark.parametrize("value", ["1", None, True, []])
def test_progress_that_is_no_number_is_found(value: Any) -> None:
    assert ordering.progress_increases(stream([progress(value)])) is not None


@pytest.mark.parametrize(("given_token", "seen"), [(1, "1"), ("1", 1), (1, True), ("a", "b"), (0, False), ("", None)])
def test_another_token_or_another_type_is_found(given_token: Any, seen: Any) -> None:
    assert ordering.progress_names(stream([progress(1, seen)]), [given_token]) is not None


def test_progress_without_a_token_is_found() -> None:
    finding = ordering.progress_names(stream([progress(1)]), [])
    assert finding is not None and finding.expected == "no progress without a token"


@settings(deadline=None)
@given(calls())
def test_a_report_after_the_response_is_found(call: list[Message]) -> None:
    late = Message(progress(2000), 99)
    finding = ordering.progress_ends([*call, late], TOKEN, REQUEST_ID)
    assert finding is not None and finding.records == (99,)


PAGES = [Page(("a", "b"), "1", 10), Page(("c",), "2", 11), Page(("d",), None, 12)]


def test_a_walk_through_all_pages_has_no_finding() -> None:
    assert pagination.terminates(PAGES) is None
    assert pagination.nothing_on_two_pages(PAGES) is None
    assert pagination.same_items(PAGES, [Page(("a",), "x", 1), Page(("b", "c", "d"), None, 2)]) is None


def test_a_walk_that_breaks_a_rule_is_found() -> None:
    assert pagination.terminates(PAGES[:2]) is not None
    assert pagination.terminates([PAGES[0], PAGES[0], PAGES[2]]) is not None
    assert pagination.nothing_on_two_pages([*PAGES[:2], Page(("a",), None, 13)]) is not None
    assert pagination.same_items(PAGES, PAGES[:2]) is not None
