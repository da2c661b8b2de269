"""Deliveries of a good sender have no finding; every single misdeed has one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.judge import deliveries as judge
from seatrial.receiver import Delivery

FAILED = (500, 503, 0)
"""0 is an attempt that got no answer."""
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["task", "id", "taskId", "statusUpdate", "message"]), inner, max_size=4)
    ),
    max_leaves=8,
)


def delivery(number: int, payload: Any, code: int = 200, began: float = 0.0, lasts: float = 0.1) -> Delivery:
    body, ended = json.dumps(payload).encode(), began + lasts
    answered = ended if code else None
    headers = (("Content-Type", "application/json"), ("X-Token", "t"))
    return Delivery(
        "hook", number, "POST", "/hook", headers, body, payload, True, began, "", 100 + number, code, answered, ended
    )


@st.composite
def sent(draw: st.DrawFn) -> list[Delivery]:
    """Events 0, 1, 2... in order, each retried until it is acknowledged, the waits doubling."""
    found: list[Delivery] = []
    now = 0.0
    for event in range(draw(st.integers(1, 5))):
        codes = [*draw(st.lists(st.sampled_from(FAILED), max_size=4)), draw(st.sampled_from((200, 202, 204)))]
        for attempt, code in enumerate(codes):
            found.append(delivery(len(found) + 1, event, code, now))
            now += 0.1 + 2.0**attempt
    return found


def place(one: Delivery) -> float | None:
    return one.payload if isinstance(one.payload, int) else None


def appended(deliveries: list[Delivery], one: Delivery, code: int) -> list[Delivery]:
    """The same event once more, at the end."""
    return [*deliveries, delivery(len(deliveries) + 1, one.payload, code, deliveries[-1].began + 100)]


@given(sent())
def test_a_good_sender_has_no_finding(deliveries: list[Delivery]) -> None:
    assert judge.duplicates(deliveries) is None
    assert judge.stopped_after_success(deliveries) is None
    assert judge.in_order(deliveries, place) is None
    assert judge.gaps_grow(deliveries) is None
    assert judge.carries(deliveries, "x-token", "t") is None
    assert judge.overlaps(deliveries) == []


@given(sent(), st.data())
def test_an_acknowledged_event_that_comes_again_is_a_duplicate(deliveries: list[Delivery], data: st.DataObject) -> None:
    one = data.draw(st.sampled_from([each for each in deliveries if each.acknowledged]))
    code = data.draw(st.sampled_from((200, *FAILED)))
    finding = judge.duplicates(appended(deliveries, one, code))
    assert finding is not None and finding.records == (one.record, 100 + len(deliveries) + 1)
    retried = sum(each.payload == one.payload for each in deliveries) > 1
    assert (judge.stopped_after_success(appended(deliveries, one, code)) is not None) is retried


@given(sent(), st.sampled_from((200, *FAILED)))
def test_an_event_that_was_never_acknowledged_may_come_again(deliveries: list[Delivery], code: int) -> None:
    failing = delivery(len(deliveries) + 1, "other", 503, deliveries[-1].began + 50)
    assert judge.duplicates(appended([*deliveries, failing], failing, code)) is None


def test_a_copy_beside_an_open_attempt_that_is_acknowledged_later_is_a_duplicate() -> None:
    slow = delivery(1, "a", 200, 0.0, lasts=3.0)
    copy = delivery(2, "a", 200, 0.5)
    assert judge.duplicates([slow, copy]) is not None
    assert judge.duplicates([replace(slow, code=0, answered=None, left=True), copy]) is None
    assert judge.overlaps([slow, copy]) == [(slow, copy)]


def test_events_may_be_named_by_more_than_their_bytes() -> None:
    one, two = delivery(1, {"id": "1", "generation": 1}), delivery(2, {"id": "1", "generation": 2}, began=1)
    assert judge.duplicates([one, two]) is None
    assert judge.duplicates([one, two], lambda each: each.payload["id"]) is not None


def test_a_body_that_was_not_read_as_a_whole_is_no_evidence_of_repetition() -> None:
    one = delivery(1, "a")
    assert judge.duplicates([one, replace(one, number=2, whole=False)]) is None


@given(sent(), st.data())
def test_an_earlier_event_after_a_later_one_is_found(deliveries: list[Delivery], data: st.DataObject) -> None:
    early = delivery(len(deliveries) + 1, data.draw(st.integers(-5, -1)), 200, deliveries[-1].began + 5)
    finding = judge.in_order([*deliveries, early], place)
    assert finding is not None and early.record in finding.records
    assert judge.in_order([*deliveries, replace(early, payload="elsewhere")], place) is None


def test_a_retry_keeps_the_place_of_its_first_attempt() -> None:
    tries = [delivery(1, 1, 500), delivery(2, 2, 200, 1), delivery(3, 1, 200, 2)]
    assert judge.in_order(tries, place) is None


@given(st.floats(0.1, 60), st.integers(2, 6), st.floats(0.5, 1.1))
def test_waits_that_do_not_grow_are_found(wait: float, retries: int, factor: float) -> None:
    now, tries = 0.0, []
    for attempt in range(retries + 1):
        tries.append(delivery(attempt + 1, "a", 500, now))
        now += 0.1 + wait * factor ** (attempt / max(retries - 1, 1))
    assert judge.gaps(tries)[0] == pytest.approx(wait)
    assert len(judge.gaps(tries)) == retries
    assert judge.gaps_grow(tries) is not None


def test_one_wait_alone_proves_nothing_and_waits_after_success_do_not_count() -> None:
    tries = [delivery(1, "a", 500), delivery(2, "a", 200, 5), delivery(3, "a", 200, 5.2)]
    assert judge.gaps_grow(tries) is None
    assert judge.gaps([replace(tries[0], ended=None), tries[1]]) == [5]


@given(sent(), st.data())
def test_what_comes_after_the_end_is_found(deliveries: list[Delivery], data: st.DataObject) -> None:
    last = data.draw(st.sampled_from(deliveries))
    finding = judge.nothing_after(deliveries, last.began, "the end")
    late = [each.record for each in deliveries if each.began > last.began]
    assert (finding.records if finding else ()) == tuple(late)


@pytest.mark.parametrize(
    ("headers", "actual"),
    [((), "no such header"), ((("X-TOKEN", "u"),), "another value"), ((("x-token", "t"),) * 2, "2 values")],
)
def test_a_header_that_is_not_as_configured_is_found(headers: tuple[tuple[str, str], ...], actual: str) -> None:
    finding = judge.carries([delivery(1, 1), replace(delivery(2, 2), headers=headers)], "X-Token", "t")
    assert finding is not None and actual in finding.actual and finding.records == (102,)


@pytest.mark.parametrize(
    ("payload", "task"),
    [
        ({"task": {"id": "1"}}, "1"),
        ({"statusUpdate": {"taskId": "2"}}, "2"),
        ({"artifactUpdate": {"taskId": "3"}}, "3"),
        ({"message": {"taskId": "4", "messageId": "m"}}, "4"),
        ({"message": {"messageId": "m"}}, None),
        ({"kind": "task", "id": "5"}, "5"),
        ({"kind": "status-update", "taskId": "6"}, "6"),
    ],
)
def test_a_task_is_named_in_every_shape(payload: Any, task: str | None) -> None:
    assert judge.task_id(payload) == task
    assert judge.isolated([delivery(1, payload)], {task or ""}) is None
    assert (judge.isolated([delivery(1, payload)], {"7"}) is None) is (task is None)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_no_payload_breaks_a_judge(payloads: list[Any]) -> None:
    deliveries = [delivery(number, payload) for number, payload in enumerate(payloads)]
    for finding in (judge.duplicates(deliveries), judge.isolated(deliveries, ()), judge.gaps_grow(deliveries)):
        assert finding is None or set(finding.records) <= {each.record for each in deliveries}
