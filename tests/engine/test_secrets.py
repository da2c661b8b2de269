"""What the user entrusts to Seatrial is in no evidence, no event and no finding."""

from __future__ import annotations

import json
from typing import Any

import pytest
from seatrial import expect
from seatrial.engine import Options, run
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Endpoint
from seatrial.fixtures.reference.target import simulated
from seatrial.labs import McpLab
from seatrial.transcript import Kind, Redactor, Transcript

from ..clock import virtual
from .declare import HTTP, D, suite_of

TOKEN = "token-of-the-other-principal"


class Parrot(Endpoint):
    """Repeats the credentials in the text of an error."""

    async def handle(self, request: Any, connection: Any) -> None:
        if b'"repeat"' not in request.body:
            await super().handle(request, connection)
            return
        error = {"code": -32000, "message": f"no access with {request.get('authorization').split()[1]}"}
        body = json.dumps({"jsonrpc": "2.0", "id": 2, "error": error}).encode()
        head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        await connection.stream.send(head + body)
        connection.gone = True


async def is_repeated(lab: McpLab) -> None:
    async with lab.session(opened=False, identity="other") as session:
        lab.expect(expect.answered(await session.request("repeat", id=2)))


@virtual
async def test_a_secret_that_the_target_repeats_is_nowhere() -> None:
    told: list[str] = []
    target = simulated(build_of(Parrot))
    target.identities = {**target.identities, "other": {"Authorization": f"Bearer {TOKEN}"}}
    target.address = "http://someone:hunter2@127.0.0.1/mcp"
    asked = Options(versions=(D,), bindings=(HTTP,))
    await run(target, [suite_of(is_repeated)], asked, lambda event: told.append(repr(event)), told.append)
    assert any("no access with [redacted]" in text for text in told)
    assert not [text for text in told if TOKEN in text or "hunter2" in text]


@pytest.mark.parametrize(
    "url", ["http://u:secret@h/", "http://:secret@h/", "http://u:a@secret@h/", "http://u:p:secret@h", "http://secret@h"]
)
def test_no_userinfo_survives(url: str) -> None:
    assert "secret" not in Redactor().text(f"see {url} there")


@pytest.mark.parametrize("text", ["http://h/a@b", "http://h?x=a@b", "mail a@b", "http://h/ and a@b"])
def test_an_address_without_userinfo_is_kept(text: str) -> None:
    assert Redactor().text(text) == text


def test_a_secret_at_the_cut_is_not_shown_in_part() -> None:
    recorder = Transcript(lambda: 0.0, Redactor(("hunter2hunter2",))).scope("case")
    recorder.note(Kind.RECEIVED, raw="x" * (64 * 1024 - 7) + "hunter2hunter2" + "y" * 100)
    assert "hunter" not in recorder.records[0].data["raw"]


def test_evidence_is_json_whatever_number_a_target_says() -> None:
    lines: list[str] = []
    Transcript(lambda: 0.0, sink=lines.append).scope("case").note(Kind.RECEIVED, message={"n": float("inf")})
    assert "Infinity" not in lines[0]
