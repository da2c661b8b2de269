"""What the streams of an A2A task tell of its artifacts."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.judge.a2a.streams import complete, consecutive, covers, ends, joined, once, same_tail, steps, whole
from seatrial.protocols.a2a.updates import Update, read


def chunk(text: str, *, append: bool = True, ident: str = "A", record: int = 1) -> Update:
    artifact = {"artifactId": ident, "parts": [{"text": text}]}
    return read({"artifactUpdate": {"taskId": "t", "artifact": artifact, "append": append}}, record)


def task(record: int = 9, **artifacts: str) -> Update:
    made = [{"artifactId": name, "parts": [{"text": text}]} for name, text in artifacts.items()]
    return read({"task": {"id": "t", "status": {"state": "TASK_STATE_WORKING"}, "artifacts": made}}, record)


def status(state: str, **members: Any) -> Update:
    return read({"statusUpdate": {"taskId": "t", "status": {"state": state}, **members}}, 5)


def test_a_chunk_appends_or_replaces_and_a_task_begins_anew() -> None:
    assert joined([chunk("1 ", append=False), chunk("2 ")]) == {"A": "1 2 "}
    assert joined([chunk("1 "), chunk("other", append=False)]) == {"A": "other"}
    assert joined([chunk("1 "), task(A="1 2 "), chunk("3 ")]) == {"A": "1 2 3 "}


def test_parts_that_are_no_text_count_too() -> None:
    made = {"artifactId": "A", "parts": [{"data": {"n": 1}}, {"text": "x"}]}
    assert joined([read({"artifactUpdate": {"taskId": "t", "artifact": made}})]) == {"A": '{"data": {"n": 1}}x'}


def test_snapshot_and_tail_are_the_whole() -> None:
    assert whole([task(A="1 2 "), chunk("3 ")], task(A="1 2 3 ")) is None


@pytest.mark.parametrize("tail", [[chunk("3 ")], [chunk("2 "), chunk("2 "), chunk("3 ")]], ids=["hole", "repetition"])
def test_a_hole_and_a_repetition_are_told_by_where_they_are(tail: list[Update]) -> None:
    found = whole([task(A="1 "), *tail], task(A="1 2 3 "))
    assert found is not None
    assert "from character 0: '1 2 3 '" in found.expected
    assert "from character 0: '1 " in found.actual


@pytest.mark.parametrize(
    ("tail", "held"),
    [
        ([task(A="1 2 "), chunk("2 "), chunk("3 ")], True),
        ([chunk("2 "), chunk("3 "), status("TASK_STATE_COMPLETED")], True),
        ([chunk("1 "), chunk("3 ")], False),
        ([chunk("2 ")], False),
        ([status("TASK_STATE_COMPLETED")], False),
    ],
    ids=["overlapping", "whole", "hole", "short", "nothing"],
)
def test_what_came_last_is_the_end_of_the_artifact(tail: list[Update], held: bool) -> None:
    assert (ends(tail, task(A="1 2 3 "), "they") is None) is held


def test_an_artifact_that_one_side_lacks_is_named() -> None:
    found = whole([task(A="1")], task(A="1", B="2"))
    assert found is not None
    assert found.actual == "no artifact B"


def test_numbered_chunks_are_told_once_by_snapshot_and_tail() -> None:
    final = task(A="1 2 3 ")
    assert once([task(A="1 "), chunk("2 "), chunk("3 ")], final) is None
    assert once([task(A="1 2 "), chunk("1 ", append=False), chunk("2 "), chunk("3 ")], final) is not None
    assert once([task(A="x"), chunk("y")], task(A="xy")) is None


def test_a_task_has_every_chunk_that_its_control_has() -> None:
    assert complete(task(A="1 2 3"), task(A="1 2 3")) is None
    assert complete(task(A="1 2 2 3"), task(A="1 2 3")) is not None
    assert complete(task(A="7"), task(A="no numbers")) is None


def test_a_snapshot_covers_what_was_seen_before_it() -> None:
    assert covers(task(A="1 2 3 "), [chunk("1 ", append=False), chunk("2 ")]) is None
    assert covers(task(A="1 "), [chunk("1 ", append=False), chunk("2 ")]) is not None


def test_readers_are_compared_from_where_the_later_one_joined() -> None:
    first = [task(), chunk("1 "), chunk("2 "), status("TASK_STATE_COMPLETED")]
    assert same_tail(first, [task(A="1 "), *first[2:]]) is None
    assert same_tail(first, [task(A="1 "), first[3]]) is None
    assert same_tail(first, [task(A="1 "), chunk("1 "), first[3]]) is not None
    assert same_tail(first, []) is not None


def test_what_says_nothing_makes_no_difference_between_readers() -> None:
    one, other = status("TASK_STATE_WORKING", metadata={}), status("TASK_STATE_WORKING")
    assert same_tail([one], [other]) is None


@pytest.mark.parametrize(("numbers", "count", "right"), [((1, 2, 3), 0, True), ((1, 3), 0, False), ((1, 2), 3, False)])
def test_numbers_are_consecutive(numbers: tuple[int, ...], count: int, right: bool) -> None:
    assert (consecutive(numbers, "steps", count=count) is None) is right


def test_the_number_of_a_chunk_is_the_first_in_it() -> None:
    assert steps([chunk("tick-4 of 9"), chunk("none"), chunk("x7 x7")]) == [4, 7]
