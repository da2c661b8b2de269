"""Whatever JSON a target sends, every judge comes to an end with a judgement: the target is not trusted."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.claims import Spoken
from seatrial.judge import errors, ordering, replay
from seatrial.judge.traffic import Judgement

from .monitors import EVERY, Monitor
from .streams import STDIO, D, E, History, histories, modern, notification, request, stream

NAMES = st.sampled_from(
    ["jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data", "_meta"]
) | (
    st.sampled_from(["capabilities", "progressToken", "progress", "resultType", "tools", "protocolVersion", "content"])
)
WORDS = st.sampled_from(["2.0", "notifications/progress", "notifications/message", "tools/list", "complete", "x"])
SCALARS = st.none() | st.booleans() | st.integers(-32100, 5) | st.floats() | WORDS | st.text(max_size=4)
VALUES: st.SearchStrategy[Any] = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=6), max_leaves=12
)
MESSAGES = st.lists(st.dictionaries(NAMES, VALUES, max_size=6) | VALUES, min_size=1, max_size=4)
REQUESTS = [
    request("initialize", 1),
    request("tools/list", 2),
    modern("tools/call", 3),
    notification("notifications/x"),
]


@pytest.mark.parametrize("monitor", EVERY, ids=lambda monitor: monitor.__name__)
@settings(max_examples=40, deadline=None)
@given(payloads=MESSAGES, sent=st.sampled_from(REQUESTS), spoken=st.sampled_from([D, E, STDIO]))
def test_no_message_breaks_a_monitor(monitor: Monitor, payloads: list[Any], sent: Any, spoken: Spoken) -> None:
    stdio = spoken == STDIO
    operation = "stdio:1" if stdio else "post:1"
    history = History()
    history.sent(operation, sent)
    history.status(operation, 400 if len(payloads) > 2 else 200, "text/event-stream" if len(payloads) > 1 else "")
    history.heard(operation, *payloads, event_id="1")
    judgement = monitor(histories(history), spoken)
    assert isinstance(judgement, Judgement)
    assert judgement.seen or not judgement.violations
    assert {record for found in judgement.violations for record in found.records} <= {r.number for r in history.records}


@settings(max_examples=40, deadline=None)
@given(MESSAGES)
def test_no_message_breaks_a_judge_of_a_stream(payloads: list[Any]) -> None:
    messages = stream(payloads)
    names = [replay.progress(message) for message in messages]
    assert replay.complete(messages, [], names) is None
    replay.nothing_twice(messages)
    replay.in_order(messages, list(dict.fromkeys(names)))
    assert replay.same(messages, messages) is None
    ordering.progress_increases(messages)
    ordering.progress_names(messages, [1])
    ordering.progress_ends(messages, 1, 1)
    for message in messages:
        errors.no_leak(message.payload, message.record)
