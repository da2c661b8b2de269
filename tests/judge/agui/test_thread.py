"""What holds between the runs of one thread."""

from __future__ import annotations

from typing import Any

from seatrial.judge.agui import V0, V1, RunInput, Stream, judge_thread
from seatrial.judge.agui.grammar import whole

from .wire import BODY, JsonObject, call, ids, result, run, sequence, text, text_chunk


def asked(name: str, *parts: JsonObject | list[JsonObject], **changes: Any) -> Stream:
    return whole(sequence(run(*parts)), RunInput({**BODY, "runId": name, **changes}))


def test_a_message_id_is_new_in_every_run_of_a_thread() -> None:
    first, second = asked("r-1", text("m", "x")), asked("r-2", text("m", "y"))
    assert ids(judge_thread([first, second], V1)) == ["order.message-id-unique-thread"]
    assert judge_thread([first, second], V0) == []


def test_a_chunk_names_a_message_too() -> None:
    first, second = asked("r-1", text("m", "x")), asked("r-2", text_chunk("m"))
    assert ids(judge_thread([first, second], V1)) == ["order.message-id-unique-thread"]


def test_a_tool_result_has_a_new_id_too() -> None:
    first = asked("r-1", text("m", "x"))
    second = asked("r-2", call("c"), result("c", "m"))
    assert ids(judge_thread([first, second], V1)) == ["order.tool-result-own-message-id"]


def test_ids_mean_nothing_in_another_thread_or_in_the_same_run() -> None:
    first = asked("r-1", text("m", "x"))
    assert judge_thread([first, asked("r-2", text("m", "x"), threadId="t-2")], V1) == []
    assert judge_thread([first, asked("r-1", text("m", "x"))], V1) == []
    assert judge_thread([asked("r-1", text("m", "x"), text("m", "y"))], V1) == []


def test_an_id_of_the_input_is_left_to_the_judge_of_the_stream() -> None:
    first = asked("r-1", text("m", "x"))
    second = asked("r-2", text("m", "y"), messages=[{"id": "m", "role": "assistant", "content": "x"}])
    assert judge_thread([first, second], V1) == []
