"""Failures inside a run: one RUN_ERROR, nothing after it, nothing of the inside in it."""

from __future__ import annotations

import json

import h11
import pytest
from anyio import current_time
from seatrial.fixtures.front import Early, Front, Runs
from seatrial.fixtures.front.run import Run
from seatrial.fixtures.mutants import build_of

from ..clock import virtual
from .client import only, serving, types


@pytest.mark.parametrize("front", [Front, Early])
@pytest.mark.parametrize("deltas", [0, 3])
@virtual
async def test_a_failure_ends_the_run_once(front: type[Front], deltas: int) -> None:
    async with serving(front) as client:
        events = await client.run(f"boom {deltas} k")
    assert types(events).count("RUN_ERROR") == 1
    assert types(events)[-1] == "RUN_ERROR"
    assert len(only(events, "TEXT_MESSAGE_CONTENT")) == deltas
    assert "internal-marker" not in json.dumps(events)


@virtual
async def test_a_tool_that_fails_is_told_as_failed_and_the_run_goes_on() -> None:
    async with serving() as client:
        events = await client.run("tool-failing k")
    (result,) = only(events, "TOOL_CALL_RESULT")
    assert "failed" in result["content"]
    assert "internal-marker" not in json.dumps(events)
    assert types(events)[-1] == "RUN_FINISHED"


@virtual
async def test_failures_of_the_model_are_told_apart() -> None:
    async with serving() as client:
        ends = [(await client.run(f"model-error {status} k"))[-1] for status in (429, 400, 500, "hello")]
    assert len({end["code"] for end in ends}) == 3
    assert ends[2]["code"] == ends[3]["code"]


@virtual
async def test_a_model_that_hangs_is_given_up() -> None:
    async with serving() as client:
        before = current_time()
        events = await client.run("model-hang k")
        assert current_time() - before == pytest.approx(5, abs=0.1)
        assert (await client.ledger("k"))[-1] == "model closed after a failure"
    assert types(events) == ["RUN_STARTED", "RUN_ERROR"]


class Raises(Runs):
    """Breaks where a failure is to be told."""

    async def fail(self, run: Run, error: Exception) -> None:
        raise error


@virtual
async def test_a_fault_of_the_server_tears_one_stream_and_ends_nothing_else() -> None:
    async with serving(build_of(Raises)) as client:
        torn = await client.begin(client.body("boom 1 k", threadId="t"))
        with pytest.raises(h11.RemoteProtocolError):
            await torn.reply()
        assert types(await client.run("hello", threadId="t"))[-1] == "RUN_FINISHED"
