"""How AG-UI is recognised, and what is said where there is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from seatrial import Role, Stimulus
from seatrial.protocols.agui.driver import Agui

from ..clock import virtual
from .scripted import Serve, answered, finished, meeting, said, started, streamed


def declaring(version: Any) -> Serve:
    return streamed(lambda body: started(body, protocolVersion=version), *said("hi"), finished)


SILENT = streamed(started, *said("hi"), finished)


@pytest.mark.parametrize(
    ("script", "column", "edition"),
    [
        (declaring("1.0"), "1.0", ""),
        (declaring("1.7"), "1.0", ""),
        (declaring("banana"), "1.0", ""),
        (declaring(1), "1.0", ""),
        (declaring("0.1"), "0.1", "0.1.21"),
        (SILENT, "0.1", "0.1.21"),
        (streamed({"type": "RUN_ERROR", "message": "no"}), "0.1", "0.1.21"),
    ],
)
def test_the_declared_version_makes_the_column(script: Serve, column: str, edition: str) -> None:
    @virtual
    async def test() -> None:
        async with meeting(script) as met:
            claims, failures = await met.discover()
            (spoken,) = claims.spoken
            other = {"1.0": "0.1", "0.1": "1.0"}[column]
            assert (spoken.version, spoken.edition, failures) == (column, edition, [])
            assert dict(claims.refused) == {(other, "sse"): spoken.record}
            assert len(met.endpoint.requests) == 1

    test()


@virtual
async def test_an_old_server_that_refuses_the_input_of_1_0_is_asked_in_its_own_way() -> None:
    async with meeting(answered(422, b"{}"), SILENT) as met:
        claims, _ = await met.discover(milestone="0.1.4")
        assert [(spoken.version, spoken.edition) for spoken in claims.spoken] == [("0.1", "0.1.4")]
        assert ["protocolVersion" in body for body in met.endpoint.bodies] == [True, False]


@virtual
async def test_stated_versions_are_taken_at_their_word() -> None:
    async with meeting(SILENT) as met:
        claims, _ = await met.discover("1.0")
        assert [(s.version, s.server["declared"]) for s in claims.spoken] == [("1.0", None)]
        assert claims.refused == {}


@virtual
async def test_the_owners_prompt_is_said_and_the_declared_capabilities_are_read() -> None:
    chat = Stimulus(role=Role.CHAT, verb="prompt", name="ahoy {text}")
    declared = {"transport": {"streaming": True}}
    async with meeting(declaring("1.0"), answered(200, json.dumps(declared).encode())) as met:
        claims, _ = await met.discover(stimuli={Role.CHAT: chat}, capabilities_url="/capabilities")
        assert met.endpoint.bodies[0]["messages"][0]["content"] == "ahoy hello"
        assert met.endpoint.requests[1].target == "/capabilities"
        assert claims.spoken[0].server == {"declared": "1.0", "capabilities": declared}


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        (answered(401), "wants credentials"),
        (answered(200, b"<html>", "text/html"), "serves HTML"),
        (answered(404), "HTTP 404; is this the address"),
        (answered(400, b'{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": ""}}'), "JSON-RPC"),
        (answered(200, b"{}"), "application/json instead of an event stream"),
        (streamed({"hello": "world"}), "without a RUN_STARTED"),
        (declaring("2.0"), "no AG-UI version that Seatrial knows"),
    ],
)
def test_what_is_no_ag_ui_is_told_in_one_sentence(script: Serve, sentence: str) -> None:
    @virtual
    async def test() -> None:
        async with meeting(script) as met:
            claims, failures = await met.discover()
            assert claims.spoken == ()
            assert set(claims.refused) == {("1.0", "sse"), ("0.1", "sse")}
            assert sentence in Agui().reason(failures)

    test()
