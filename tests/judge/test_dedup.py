"""Messages on their one stream, and what the monitors of responses and cancellations let pass."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.judge import dedup, lifecycle
from seatrial.judge.traffic import Judgement

from .streams import D, E, History, histories, modern, notification, progress, refusal, request, response, stream

CHANGED = notification("notifications/tools/list_changed")
LINE = notification("notifications/message", level="info", data="step 1")


@pytest.mark.parametrize(
    ("calls", "listeners"),
    [
        ([[progress(1), response()]], [[progress(1)]]),
        ([[progress(1)], [progress(1)]], []),
        ([], [[CHANGED], [CHANGED]]),
        ([[CHANGED]], [[CHANGED]]),
    ],
)
def test_a_message_on_two_streams_is_found_with_both_records(calls: list[Any], listeners: list[Any]) -> None:
    found = dedup.on_one_stream([stream(each) for each in calls], [stream(each) for each in listeners])
    assert found is not None
    assert len(found.records) == 2


@pytest.mark.parametrize(
    ("calls", "listeners"),
    [
        ([[progress(1), progress(2)], [progress(1, "other")]], [[CHANGED]]),
        ([[LINE], [LINE]], []),
        ([[response()], [response()]], []),
        ([], [[CHANGED, CHANGED], []]),
    ],
)
def test_equal_calls_may_say_equal_things_on_their_own_streams(calls: list[Any], listeners: list[Any]) -> None:
    assert dedup.on_one_stream([stream(each) for each in calls], [stream(each) for each in listeners]) is None


def test_an_error_that_http_gives_to_no_request_is_no_second_response() -> None:
    history = History().exchange("get:1", None, refusal(request_id="server-error"), status=409)
    assert dedup.one_response_per_request(histories(history), D) == Judgement(1)


def test_a_second_response_is_found_even_where_http_refused_the_first() -> None:
    history = History().exchange("post:1", request("ping", 1), refusal(request_id=1), refusal(request_id=1), status=400)
    assert len(dedup.one_response_per_request(histories(history), D).violations) == 1


@pytest.mark.parametrize(("named", "findings"), [(7, 0), ("7", 1), (8, 1), (None, 1)])
def test_a_server_may_cancel_a_subscription_by_its_very_id(named: Any, findings: int) -> None:
    cancelled = notification("notifications/cancelled", requestId=named)
    history = History().exchange("post:1", modern("subscriptions/listen", 7), cancelled, media_type="text/event-stream")
    history.exchange("post:2", modern("tools/list", 8), response(8))
    assert len(lifecycle.cancels_subscriptions_only(histories(history), E).violations) == findings
