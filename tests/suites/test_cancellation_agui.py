"""The fake model as a witness: it sees who hangs up behind an agent, whatever the agent says of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import fields
from typing import Any

import pytest
from anyio import create_task_group
from seatrial import Role, Stimulus, Verdict
from seatrial.fixtures.front import Front, Model, Runs
from seatrial.fixtures.front.run import Run
from seatrial.fixtures.front.target import simulated
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.model import Result
from seatrial.model_server import ModelServer
from seatrial.suites import cancellation
from seatrial.transport.http import Holder, HttpClient
from seatrial.wire.json import dumps, loads
from seatrial.wire.sse import SseDecoder

from ..sailing import voyage

PORT = 4181
ORIGIN = f"http://127.0.0.1:{PORT}"


class Answer:
    """The pieces of one answer of the fake model."""

    def __init__(self, chunks: AsyncIterator[bytes]) -> None:
        self.chunks, self.count = chunks, 0

    async def __aiter__(self) -> AsyncIterator[str]:
        decoder = SseDecoder()
        async for chunk in self.chunks:
            for event in decoder.feed(chunk):
                if event.data and event.data != "[DONE]":
                    self.count += 1
                    yield loads(event.data)["choices"][0]["delta"].get("content") or ""


class Asking(Model):
    """Asks the fake model for as many pieces as are wanted."""

    @asynccontextmanager
    async def asked(self, run: Run, pieces: Iterable[str], **options: Any) -> AsyncIterator[Any]:
        prompt = f"slow {len(list(pieces))} {options.get('gap') or 0.01} {run.key}"
        body = dumps({"model": "fake", "stream": True, "messages": [{"role": "user", "content": prompt}]})
        client, headers = HttpClient(self.server.network), (("Content-Type", "application/json"),)
        try:
            async with client.stream("POST", f"{ORIGIN}/v1/chat/completions", headers, body, Holder()) as response:
                yield Answer(response.chunks)
        finally:
            await client.aclose()


class RunsOn(Runs):
    """Works for a client that has left."""

    def disconnect_stops(self, run: Run) -> bool:
        return False


class Modelled(SimulatedTarget):
    """The bundled endpoint with the fake model behind it."""

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        async with super().open(), create_task_group() as tasks:
            await ModelServer(self.network, tasks, port=PORT).open()
            yield
            tasks.cancel_scope.cancel()


def results(check: str, runs: type[Runs]) -> tuple[Result, ...]:
    plain = simulated(type("Behind", (Front,), {"replaced": {Model: Asking, Runs: runs}}))
    target = Modelled(**{field.name: getattr(plain, field.name) for field in fields(plain)})
    witness = Stimulus(role=Role.WITNESS, verb="get", name=f"{ORIGIN}/ledger?key={{key}}")
    target.stimuli = {**target.stimuli, Role.WITNESS: witness}
    return voyage(target, [cancellation.suite()], checks=[check])


@pytest.mark.parametrize("check", ["agui.cancel.disconnect-stops-work", "agui.cancel.disconnect-before-first-byte"])
def test_the_fake_model_shows_that_work_stops(check: str) -> None:
    (result,) = results(check, Runs)
    assert (result.verdict, result.notes) == (Verdict.PASS, ())


@pytest.mark.parametrize("check", ["agui.cancel.disconnect-stops-work", "agui.cancel.disconnect-before-first-byte"])
def test_the_fake_model_shows_that_work_goes_on(check: str) -> None:
    (result,) = results(check, RunsOn)
    assert result.verdict is Verdict.PASS
    assert {note.requirement for note in result.notes} == {check}
