"""A target that says what no peer should: one outcome or another, never an error of ours, never an endless case."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial import expect
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Console, Endpoint
from seatrial.labs import McpLab
from seatrial.model import Verdict

from .declare import HTTP, STDIO, E, verdict_of

DEEP = b'{"jsonrpc":"2.0","id":77,"result":' + b"[" * 900 + b"]" * 900 + b"}"

PAYLOADS = {
    "deep": DEEP,
    "infinite": b'{"jsonrpc":"2.0","id":77,"result":{"n":1e999}}',
    "not-a-number": b'{"jsonrpc":"2.0","id":77,"result":{"n":NaN}}',
    "huge-integer": b'{"jsonrpc":"2.0","id":77,"result":{"n":' + b"9" * 5000 + b"}}",
    "surrogate": b'{"jsonrpc":"2.0","id":77,"result":{"t":"\\ud800"}}',
    "error-string": b'{"jsonrpc":"2.0","id":77,"error":"no"}',
    "error-null": b'{"jsonrpc":"2.0","id":77,"error":null}',
    "odd-method": b'{"jsonrpc":"2.0","id":77,"method":{"a":1},"params":7}',
    "odd-params": b'{"jsonrpc":"2.0","id":77,"method":"ping","params":[1]}',
    "no-utf8": b'{"jsonrpc":"2.0","id":77,"result":{"t":"\xff\xfe"}}',
    "number": b"7",
    "nul": b"\0\0\0",
}


def http(body: bytes, head: bytes = b"Content-Type: application/json\r\n") -> bytes:
    return b"HTTP/1.1 200 OK\r\n%bContent-Length: %d\r\n\r\n%b" % (head, len(body), body)


def sse(body: bytes) -> bytes:
    return http(b"id: \xe6\x97\xa5\ndata: " + body + b"\n\n", b"Content-Type: text/event-stream\r\n")


ANSWERS = {
    **{f"json-{name}": http(body) for name, body in PAYLOADS.items()},
    **{f"sse-{name}": sse(body) for name, body in PAYLOADS.items()},
    "garbage": b"\x16\x03\x01 no http at all\r\n\r\n",
    "no-length-gzip": b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b\x08",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" * 40 + http(b"{}"),
    "switching": b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n",
    "redirect": b"HTTP/1.1 307 T\r\nLocation: http://[/\r\nContent-Length: 0\r\n\r\n",
    "header-bytes": http(b"{}", b"X-Odd: \xff\xfe\r\nContent-Type: \xe6\r\n"),
    "header-name": b"HTTP/1.1 200 OK\r\nb\xffd: 1\r\n\r\n",
    "endless-header": b"HTTP/1.1 200 OK\r\nX: " + b"a" * 300_000,
    "odd-length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
    "odd-chunk": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "silence": b"",
}


def speaking(answers: dict[str, bytes]) -> Any:
    """A server of HTTP that answers the method `odd` with raw bytes, by the name in its parameters."""

    class Odd(Endpoint):
        async def handle(self, request: Any, connection: Any) -> None:
            found = next((raw for name, raw in answers.items() if f'"odd:{name}"'.encode() in request.body), None)
            if found is None:
                await super().handle(request, connection)
                return
            await connection.stream.send(found)
            connection.gone = True

    return build_of(Odd)


def saying(lines: dict[str, bytes]) -> Any:
    class Odd(Console):
        def take(self, line: bytes, channel: Any) -> None:
            found = next((raw for name, raw in lines.items() if f'"odd:{name}"'.encode() in line), None)
            if found is None:
                super().take(line, channel)
            else:
                channel.write(found + b"\n")

    return build_of(Odd)


def asking(name: str) -> Any:
    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            exchange = await session.begin(f"odd:{name}", id=77)
            await exchange.outcome(1)
            if exchange.last_event_id and lab.over_http:
                await session.resume(exchange).finished(1)
        lab.expect(None)

    return body


@pytest.mark.parametrize("name", ANSWERS)
def test_no_answer_over_http_is_an_error_of_ours(name: str) -> None:
    assert verdict_of(asking(name), build=speaking(ANSWERS), binding=HTTP).verdict is not Verdict.ERROR


@pytest.mark.parametrize("name", PAYLOADS)
def test_no_line_is_an_error_of_ours(name: str) -> None:
    assert verdict_of(asking(name), build=saying(PAYLOADS), binding=STDIO).verdict is not Verdict.ERROR


def test_what_follows_is_not_harmed() -> None:
    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            await (await session.begin("odd:deep", id=77)).outcome(1)
            lab.expect(expect.answered(await session.request("ping")))

    assert verdict_of(body, build=saying(PAYLOADS), binding=STDIO).verdict is Verdict.PASS


@pytest.mark.parametrize("binding", [HTTP, STDIO])
def test_a_text_that_is_no_unicode_is_repeated_as_it_came(binding: str) -> None:
    """A lone surrogate, in a cursor or a name, can be said in JSON but not in UTF-8."""

    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            outcome = await session.request("tools/call", {"name": "\ud800", "arguments": {}})
            lab.expect(expect.refused(outcome))

    assert verdict_of(body, binding=binding, version=E).verdict is Verdict.PASS
