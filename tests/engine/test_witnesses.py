"""A witness that cannot be read proves nothing, and is no error of ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from seatrial.engine import Options, run
from seatrial.fixtures.reference.target import simulated
from seatrial.labs import McpLab
from seatrial.model import Reason, Result, Role, Verdict
from seatrial.stimuli import Stimulus
from seatrial.target import Server

from ..clock import real
from .declare import HTTP, STDIO, D, suite_of


async def reads_the_witness(lab: McpLab) -> None:
    async with lab.session() as session:
        await lab.effects.reading("k", session)
    lab.expect(None)


async def read(binding: str, verb: str, name: str) -> Result:
    target = simulated()
    witness = Stimulus(role=Role.WITNESS, verb=verb, name=name)
    target.stimuli, target.listens = {**target.stimuli, Role.WITNESS: witness}, binding == HTTP
    asked: Any = Options(versions=(D,), bindings=(binding,))
    (result,) = await run(target, [suite_of(reads_the_witness)], asked, lambda event: None)
    return result


@pytest.mark.parametrize("binding", [HTTP, STDIO])
@pytest.mark.parametrize(
    ("verb", "name"),
    [
        ("file", "/nowhere/at/all.log"),
        ("command", "no-such-command-anywhere {key}"),
        ("command", "an 'unfinished quote"),
        ("get", "http://127.0.0.1:40001/nowhere"),
        ("get", "http://127.0.0.1:9/refused"),
        ("get", "/nowhere"),
        ("tool", "fail"),
    ],
)
def test_a_witness_that_cannot_be_read_makes_the_case_inconclusive(binding: str, verb: str, name: str) -> None:
    @real
    async def test() -> None:
        result = await read(binding, verb, name)
        assert (result.verdict, result.reason) == (Verdict.INCONCLUSIVE, Reason.STIMULUS_FAILED), result.traceback

    test()


@real
async def test_the_end_of_a_long_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"x" * 3_000_000 + b" last")
    assert (await read(HTTP, "file", str(file))).verdict is Verdict.PASS


@real
async def test_a_path_is_one_of_the_targets_own_host_and_port() -> None:
    assert "http://127.0.0.1:40001/nowhere cannot be read: HTTP 404" in (await read(HTTP, "get", "/nowhere")).detail
    assert "is only a path, but the target has no url" in (await read(STDIO, "get", "/nowhere")).detail


@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("/live/k", "http://127.0.0.1:4100/live/k"),
        ("http://127.0.0.1:9/live", "http://127.0.0.1:9/live"),
    ],
)
def test_a_server_knows_its_own_places(place: str, address: str) -> None:
    assert Server("http://127.0.0.1:4100/a/mcp?x=1").at(place) == address
