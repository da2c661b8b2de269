"""What is recorded, what is kept secret, and what a witness proves."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from seatrial.transcript import BODY_LIMIT, Kind, Redactor, Transcript, decode
from seatrial.witness import Control, Sighting, about, added, text_of, tokens


def test_secrets_are_redacted_when_recording() -> None:
    lines: list[str] = []
    recorder = Transcript(lambda: 0.0, Redactor(("hunter2",)), lines.append).scope("case")
    recorder.note(
        Kind.SENT,
        "post:1",
        url="http://user:pass@host/mcp",
        headers=[("Authorization", "Bearer x"), ("X-Note", "hunter2!")],
        message={"a": ["hunter2"], "hunter2": 1},
    )
    text = lines[0] + str(recorder.records[0].data)
    assert not any(secret in text for secret in ("hunter2", "Bearer x", "user:pass"))
    assert "X-Note" in text


def test_a_long_text_is_shortened_and_counted() -> None:
    recorder = Transcript(lambda: 0.0).scope("case")
    recorder.note(Kind.RECEIVED, "post:1", raw="x" * (BODY_LIMIT + 5))
    kept = recorder.records[0].data["raw"]
    assert len(kept) < BODY_LIMIT + 100
    assert f"{BODY_LIMIT + 5} characters" in kept


def test_records_are_numbered_across_cases_and_survive_their_line() -> None:
    lines: list[str] = []
    transcript = Transcript(lambda: 1.5, sink=lines.append)
    first, second = transcript.scope("a"), transcript.scope("b")
    assert [
        first.note(Kind.NOTE, text="1"),
        second.note(Kind.NOTE, text="2"),
        first.note(Kind.NOTE, text="\u2028"),
    ] == [1, 2, 3]
    assert [decode(line) for line in lines] == [
        ("a", first.records[0]),
        ("b", second.records[0]),
        ("a", first.records[1]),
    ]


def test_a_json_list_gives_its_elements_and_other_text_its_words() -> None:
    assert tokens('["start w", {"b": 1}]') == ("start w", '{"b": 1}')
    assert tokens("ticks=4 events=start,done") == ("ticks=4", "events=start", "done")


@given(st.lists(st.text(min_size=1), max_size=6), st.lists(st.text(min_size=1), max_size=6))
def test_what_a_log_gained_is_what_was_appended(before: list[str], more: list[str]) -> None:
    assert added(before, [*before, *more]) == tuple(more)


def test_text_of_a_result_is_its_text_blocks() -> None:
    assert (
        text_of({"content": [{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}]})
        == "a\nb"
    )
    assert text_of({"x": 1}) == '{"x": 1}'


def test_what_names_a_task_is_alike_for_all_tasks() -> None:
    lines = ("execute t1", "execute t2", "tick t1", "done t1")
    assert about(lines, "t1") == ("execute (name)", "tick (name)", "done (name)")
    assert about(lines, "t2") == ("execute (name)",)


def test_a_witness_that_names_no_task_is_taken_as_a_whole() -> None:
    assert about(("tick", "tick"), "t1") == ("tick", "tick")
    assert about(("tick",), "") == ("tick",)


CONTROL = Control(2.0, ("ticks=20", "events=start", "done"), (1,))


def test_a_play_finished_when_it_left_what_the_control_left_last() -> None:
    assert Sighting(("ticks=20", "events=start", "done"), CONTROL, ()).finished
    assert not Sighting(("ticks=3", "events=start", "cancelled"), CONTROL, ()).finished


def test_a_play_that_left_nothing_never_began() -> None:
    assert not Sighting((), CONTROL, ()).began


def test_a_witness_that_shows_nothing_proves_no_end() -> None:
    assert not Sighting(("x",), Control(2.0, (), ()), ()).finished
