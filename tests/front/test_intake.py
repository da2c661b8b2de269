"""Inputs: what is unknown is left alone, what is malformed starts no run."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.fixtures.front import Early

from ..clock import virtual
from .client import seen, serving, text, types, user

PROTOBUF = "application/vnd.ag-ui.event+proto"


@pytest.mark.parametrize("body", [b"{nope", b"", b"[1]", b'"x"', b'{"threadId": "\xff"}'])
@virtual
async def test_what_is_no_json_object_is_refused(body: bytes) -> None:
    async with serving() as client:
        assert await client.refused(body) == 400


@pytest.mark.parametrize("missing", ["threadId", "runId", "messages"])
@virtual
async def test_a_required_field_is_required(missing: str) -> None:
    async with serving() as client:
        body = client.body("hello")
        del body[missing]
        assert await client.refused(body) == 400


MALFORMED: list[dict[str, Any]] = [
    {"threadId": 5},
    {"runId": None},
    {"messages": {}},
    {"messages": ["hello"]},
    {"messages": [{"id": "m", "content": "no role"}]},
    {"messages": [{"role": "user", "content": "no id"}]},
    {"messages": [user(5)]},
    {"messages": [user([{"type": "text"}])]},
    {"messages": [user([{"type": "image", "source": {"type": "url"}}])]},
    {"messages": [{"id": "m", "role": "tool", "content": "x"}]},
    {"messages": [{"id": "m", "role": "assistant", "toolCalls": [{"id": "c"}]}]},
    {"tools": "x"},
    {"tools": [{"name": "pick"}]},
    {"context": [{"value": "x"}]},
    {"resume": [{"interruptId": "i", "status": "maybe"}]},
    {"protocolVersion": 1.0},
    {"tools": None},
]


@pytest.mark.parametrize("fields", MALFORMED, ids=str)
@virtual
async def test_a_malformed_known_field_is_refused_before_anything_happens(fields: dict[str, Any]) -> None:
    async with serving() as client:
        assert await client.refused(client.body("tool 0 k", **fields)) == 400
        assert await client.ledger("k") == []


@virtual
async def test_a_refusal_is_short_and_repeats_nothing() -> None:
    async with serving() as client:
        secret = {"sk-secret-marker": "x" * 1_000_000}
        reply = await (await client.begin(client.body("hello", tools="sk-secret-marker", **secret))).reply()
    assert reply.status == 400
    assert len(reply.body) < 200
    assert b"marker" not in reply.body


SERVED: list[dict[str, Any]] = [
    {"protocolVersion": version} for version in ("1.1", "1.10", "1.99", "0.9", "banana", "", "1", "1.0.0")
] + [
    {"future": {"x": 1}, "tools": [{"name": "t", "description": "d", "new": 1}]},
    {"context": [{"description": "d", "value": "v", "new": 1}]},
    {"messages": [{"id": "w", "role": "wizard", "spell": 1}, {**user("hello"), "mood": "good"}]},
    {"messages": [user([{"type": "text", "text": "hello"}, {"type": "hologram", "beam": 1}])]},
    {"messages": [user([{"type": "text", "text": "hello"}, {"type": "binary", "mimeType": "x/y", "data": "AA=="}])]},
    {"messages": [user([{"type": "image", "source": {"type": "url", "value": "http://x.invalid/i.png"}}])]},
    {"messages": [user([{"type": "document", "source": {"type": "file", "value": "f", "provider": "unknown"}}])]},
    {"messages": []},
    {
        "messages": [
            {
                "id": "a",
                "role": "assistant",
                "toolCalls": [{"id": "c", "type": "function", "function": {"name": "pick", "arguments": "{}"}}],
            },
            user("hello"),
        ]
    },
    {"state": None},
]


@pytest.mark.parametrize("fields", SERVED, ids=str)
@virtual
async def test_what_is_newer_or_cannot_be_used_is_served(fields: dict[str, Any]) -> None:
    async with serving() as client:
        assert types(await client.run("hello", **fields))[-1] == "RUN_FINISHED"


@virtual
async def test_three_fields_are_enough() -> None:
    async with serving() as client:
        reply = await (await client.begin({"threadId": "t", "runId": "r", "messages": [user("hello")]})).reply()
    assert text(seen(reply)) == "Voilà, you said: hello"


@virtual
async def test_an_unknown_major_version_is_refused_where_there_are_versions() -> None:
    async with serving() as client:
        assert await client.refused(client.body("hello", protocolVersion="2.0")) == 400
    async with serving(Early) as client:
        assert types(await client.run("hello", protocolVersion="2.0"))[-1] == "RUN_FINISHED"


@virtual
async def test_null_stood_for_absent_before_1_0() -> None:
    async with serving(Early) as client:
        assert types(await client.run("hello", tools=None, context=None, resume=None))[-1] == "RUN_FINISHED"


@pytest.mark.parametrize("accept", [None, "*/*", PROTOBUF, f"text/event-stream, {PROTOBUF};q=0"])
@virtual
async def test_the_answer_is_an_event_stream_whatever_is_accepted(accept: str | None) -> None:
    async with serving() as client:
        reply = await (await client.begin(client.body("hello"), {"Accept": accept})).reply()
    assert (reply.status, reply.headers["content-type"]) == (200, "text/event-stream")
    assert b"\r" not in reply.body


@virtual
async def test_other_requests_are_refused_with_their_status() -> None:
    async with serving() as client:
        assert await client.refused(client.body("hello"), {"Content-Type": "text/plain"}) == 415
        assert await client.refused(client.body("hello"), {"Content-Type": None}) == 415
        assert await client.refused(client.body("x" * 10_000_000)) == 413
        for verb, path, status in (("PUT", "/agent", 405), ("POST", "/agent/x", 404), ("POST", "/stop/none", 404)):
            assert (await (await client.send(verb, path=path)).reply()).status == status, path
        assert (await (await client.send("HEAD", path="/agent")).reply()).body == b""


@virtual
async def test_context_reaches_the_model() -> None:
    async with serving() as client:
        await client.run("chat k", context=[{"description": "d", "value": "marker-1"}])
        assert "model sees context marker-1" in await client.ledger("k")


@virtual
async def test_capabilities_are_declared() -> None:
    async with serving() as client:
        declared = (await (await client.send("GET", path="/capabilities")).reply()).json
    assert declared["transport"]["streaming"]
    assert not declared["transport"]["resumable"]
    assert "subagents" in declared["multiAgent"]
