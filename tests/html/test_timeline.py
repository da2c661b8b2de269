"""From records to the steps of a sequence diagram."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from seatrial.evidence import Evidence
from seatrial.reports.timeline import STEPS, Lane, Shape, Timeline, drawn, said, timeline
from seatrial.transcript import Kind, Record, Transcript

CASE, OTHER = "shop/a[1,http,none]", "shop/b[1,http,none]"
ROOM = 10**6

Told = tuple[Kind, str, dict[str, Any]]
Kept = Callable[..., Evidence]


@pytest.fixture
def kept(tmp_path: Path) -> Kept:
    """The evidence of some records, each of `CASE` if no other case is named."""

    def write(records: Iterable[Told], case: str = CASE) -> Evidence:
        file = tmp_path / "evidence.jsonl"
        begun = len(file.read_text().splitlines()) if file.exists() else 0
        with file.open("a") as out:
            transcript = Transcript(lambda: 0.5, sink=lambda line: print(line, file=out), _numbers=count(begun + 1))
            recorder = transcript.scope(case)
            for kind, operation, data in records:
                recorder.note(kind, operation, **data)
        return Evidence.read(file)

    return write


def sent(number: int, body: str = "x") -> Told:
    message = {"method": "tools/call", "id": number, "params": body}
    return (
        Kind.SENT,
        f"post:{number}",
        {"verb": "POST", "url": "http://h/mcp", "headers": [["a", "b"]], "message": message},
    )


def answered(number: int) -> Told:
    return Kind.RECEIVED, f"post:{number}", {"message": {"result": {}, "id": number}}


def ended(number: int, ending: str = "closed", error: str = "") -> Told:
    return Kind.END, f"post:{number}", {"ending": ending, "error": error}


FIRED: Told = (Kind.FIRED, "connection:1 up, byte 40", {"fault": "cut(after=bytes(40))"})


def numbers(found: Timeline) -> list[int]:
    return [step.record for step in found.steps if step.record]


def test_a_call_is_an_arrow_there_and_one_back(kept: Kept) -> None:
    found = timeline(CASE, (), kept([sent(1), answered(1), ended(1)]), ROOM)
    assert [(step.source, step.goal, step.label, step.shape) for step in found.steps] == [
        (Lane.HARNESS, Lane.TARGET, "tools/call #1", Shape.MESSAGE),
        (Lane.TARGET, Lane.HARNESS, "result #1", Shape.MESSAGE),
        (Lane.TARGET, Lane.HARNESS, "closed", Shape.CLOSED),
    ]
    assert found.lanes == (Lane.HARNESS, Lane.TARGET)
    assert found.steps[0].head == ("POST http://h/mcp", "a: b")
    assert found.steps[0].body.splitlines()[1] == ' "method": "tools/call",'


@pytest.mark.parametrize(
    ("ending", "error", "shape", "label"),
    [
        ("closed", "", Shape.CLOSED, "closed"),
        ("torn", "peer closed", Shape.TORN, "torn: peer closed"),
        ("reset", "connection reset", Shape.TORN, "reset: connection reset"),
        ("left", "left by fin", Shape.LEFT, "left by fin"),
        ("left", "", Shape.LEFT, "left"),
    ],
)
def test_the_ways_in_which_a_body_ends_are_told_apart(
    kept: Kept, ending: str, error: str, shape: Shape, label: str
) -> None:
    step = timeline(CASE, (), kept([sent(1), ended(1, ending, error)]), ROOM).steps[-1]
    assert (step.shape, step.label) == (shape, label)
    assert (step.source is Lane.HARNESS) == (shape is Shape.LEFT)


def test_an_exchange_without_an_end_is_still_open(kept: Kept) -> None:
    found = timeline(CASE, (), kept([sent(1), ended(1), sent(2), (Kind.SENT, "stdio:1", {"message": {}})]), ROOM)
    assert [(step.operation, step.shape) for step in found.steps if not step.record] == [("post:2", Shape.OPEN)]


def test_a_fault_fires_on_the_relay_and_a_fault_of_a_webhook_on_the_receiver(kept: Kept) -> None:
    hook: Told = (Kind.FIRED, "hook:a", {"fault": "ack_lost()", "at": "hook-a, delivery 1"})
    relayed, received = timeline(CASE, (), kept([FIRED, hook]), ROOM).steps
    assert (relayed.shape, relayed.source, relayed.label) == (Shape.FAULT, Lane.RELAY, "cut(after=bytes(40))")
    assert (received.source, received.label) == (Lane.RECEIVER, "ack_lost() at hook-a, delivery 1")


def test_lifelines_are_those_on_which_something_happens(kept: Kept) -> None:
    records: list[Told] = [
        (Kind.WITNESS, "", {"reading": "ticks=3"}),
        (Kind.DELIVERY, "hook:a", {"number": 1, "message": {"kind": "task"}, "verb": "POST", "target": "/a"}),
    ]
    found = timeline(CASE, (), kept(records), ROOM)
    assert found.lanes == (Lane.HARNESS, Lane.TARGET, Lane.RECEIVER, Lane.WITNESS)
    assert [(step.source, step.goal) for step in found.steps] == [
        (Lane.WITNESS, Lane.HARNESS),
        (Lane.TARGET, Lane.RECEIVER),
    ]


def test_a_record_that_a_finding_cites_is_marked_also_when_it_is_of_another_case(kept: Kept) -> None:
    kept([sent(1)])
    found = timeline(CASE, (1, 2), kept([sent(7)], OTHER), ROOM)
    assert [(step.record, step.cited, step.case) for step in found.steps if step.record] == [
        (1, True, ""),
        (2, True, OTHER),
    ]
    assert found.total == 1


def test_of_many_records_the_cited_ones_fault_firings_their_neighbours_and_both_ends_are_shown(kept: Kept) -> None:
    many = [sent(number) for number in range(1, 1001)]
    many[699] = FIRED
    found = timeline(CASE, (500,), kept(many), ROOM)
    shown = numbers(found)
    assert len(shown) == STEPS
    assert {1, 2, 498, 499, 500, 501, 502, 698, 699, 700, 701, 702, 999, 1000} <= set(shown)
    assert shown == sorted(shown)
    assert found.total == 1000
    assert sum(step.skipped for step in found.steps) + found.rest + STEPS == 1000


def test_no_more_is_shown_than_there_is_room_for_and_what_is_cited_comes_first(kept: Kept) -> None:
    evidence = kept([sent(number, "y" * 500) for number in range(1, 101)])
    found = timeline(CASE, (50,), evidence, 3_000)
    assert 50 in numbers(found)
    assert 1 < len(numbers(found)) < 6
    assert numbers(timeline(CASE, (50,), evidence, 0)) == [50]


def test_a_cited_body_is_shown_longer_than_another_and_both_tell_their_size() -> None:
    record = Record(1, 0.0, Kind.RECEIVED, "post:1", {"raw": "z" * 30_000})
    plain, cited = drawn(record), drawn(record, cited=True)
    assert 0 < len(plain.body) < len(cited.body) < 30_000
    assert plain.size == cited.size == 30_000


def test_a_deep_and_wide_message_is_not_blown_up() -> None:
    wide: Any = [0] * 200_000
    for _ in range(250):
        wide = [wide]
    step = drawn(Record(1, 0.0, Kind.RECEIVED, "post:1", {"message": wide}))
    assert step.size < 10**6


def test_a_case_that_recorded_nothing_has_no_steps(kept: Kept) -> None:
    assert timeline(OTHER, (99,), kept([sent(1)]), ROOM) == Timeline()


@pytest.mark.parametrize("kind", Kind)
def test_every_kind_of_record_can_be_drawn_even_an_empty_one(kind: Kind) -> None:
    assert drawn(Record(3, 1.5, kind, "op", {})).record == 3


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"method": "ping", "id": 3}, "ping #3"),
        ({"method": "notifications/progress"}, "notifications/progress"),
        ({"error": {"code": -32601}, "id": "a"}, "error -32601 #a"),
        ({"error": "strange", "id": 1}, "error strange #1"),
        ({"result": {}, "id": 1}, "result #1"),
        ([{}, {}], "batch of 2"),
        ({"type": "RUN_STARTED"}, "RUN_STARTED"),
        ({"task": {}, "x": 1}, "task, x"),
        ({}, "{}"),
        (17, "17"),
        (None, ""),
    ],
)
def test_a_message_in_a_few_words(message: Any, words: str) -> None:
    assert said(message) == words
