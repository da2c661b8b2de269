"""MCP: input that may end a server: bytes that are no text, garbage lines, depth and size."""

from __future__ import annotations

from seatrial import Isolation, McpLab, Outcome, Session, Violation, check, dumps, expect
from seatrial.faults import corrupt, first, pipe_split

from .mcp_malformed import NOT_UTF8, provoked, spoilt_text, with_value

DEPTH = 2000
SIZE = 8 * 1024 * 1024
SERVES_ON = "the next request is answered"


def clean(outcome: Outcome) -> Violation | None:
    """An answer, an error that does not say that the server broke, or over stdio silence."""
    status = outcome.reply.status
    broke = status is not None and status >= 500
    return expect.that(not broke, "a clean answer, or a refusal by 4xx", outcome, outcome)


@check(
    "mcp.err.invalid-utf8",
    "Bytes that are not UTF-8 do not end the server",
    faults=("corrupt",),
    mutants=("err.utf8-ends-process", "err.utf8-ends-session"),
    isolation=Isolation.PROCESS,
)
async def broken_text_does_not_end_the_server(lab: McpLab) -> None:
    """A request of which a byte is spoilt on its way; a body (over stdio a line) of bytes that are no UTF-8, alone
    and inside JSON; each time then a plain request."""
    async with lab.session(corrupt(after=first('"tools/list'))) as session:
        outcome = await session.provoke(session.message("tools/list", id="spoilt"))
        lab.note(f"spoilt on its way: {expect.shown(outcome)}", outcome)
        lab.expect(expect.answered(await session.fence(), SERVES_ON))
    async with lab.session() as session:
        for body in (*NOT_UTF8, spoilt_text(session, "spoilt")):
            outcome = await provoked(session, body)
            lab.note(f"not UTF-8: {expect.shown(outcome)}", outcome)
            lab.expect(expect.answered(await session.fence(), SERVES_ON))


@check(
    "mcp.err.stdio-survives-garbage",
    "Broken or oddly framed input does not end a stdio server",
    faults=("pipe_split",),
    mutants=("err.utf8-ends-process", "err.garbage-ends-process", "err.carriage-return-kept"),
    isolation=Isolation.PROCESS,
)
async def garbage_does_not_end_a_stdio_server(lab: McpLab) -> None:
    """Lines of garbage, not UTF-8 and blank ones; then requests with CRLF, two in one write, and in pieces."""
    async with lab.session() as session:
        for garbage in (b"hello", b"\xff\xfe", b"\n \n\r\n", b"{\n}", b"\x00"):
            await session.stdio.write(garbage + b"\n")
            lab.expect(expect.answered(await session.fence(), f"a request after {garbage!r} is answered"))
        for outcome, how in (
            (await with_crlf(session), "that ends with CRLF"),
            (await joined(session), "after another"),
        ):
            lab.expect(expect.answered(outcome, f"a request {how} in one write is answered"))
    async with lab.session(pipe_split()) as session:
        lab.expect(expect.answered(await session.fence(), "a request that comes in pieces is answered"))


async def with_crlf(session: Session) -> Outcome:
    id = session.next_id()
    exchange = await session.send(dumps(session.message(session.cheap, {}, id=id)) + b"\r", request_id=id)
    return await exchange.outcome()


async def joined(session: Session) -> Outcome:
    first, second = session.next_id(), session.next_id()
    both = b"\n".join(dumps(session.message(session.cheap, {}, id=id)) for id in (first, second))
    exchange = await session.send(both, request_id=second)
    return await exchange.outcome()


@check(
    "mcp.err.deep-json",
    "Deeply nested JSON does not end the server",
    faults=("oversize",),
    mutants=("err.deep-json-500",),
    isolation=Isolation.PROCESS,
)
async def depth_does_not_end_the_server(lab: McpLab) -> None:
    """Two thousand nested arrays, as a message and inside the params of a request; then a plain request."""
    async with lab.session() as session:
        deep = b"[" * DEPTH + b"]" * DEPTH
        for body in (deep, with_value(session, deep, "deep")):
            outcome = await provoked(session, body, "deep")
            lab.expect(clean(outcome))
            lab.note(f"{DEPTH} nested arrays: {expect.shown(outcome)}", outcome)
            await lab.survives(session)


@check(
    "mcp.err.huge-body",
    "A very large body does not end the server",
    faults=("oversize",),
    mutants=("err.huge-body-500",),
    isolation=Isolation.PROCESS,
)
async def size_does_not_end_the_server(lab: McpLab) -> None:
    """A request with a text of 8 MB in its params; then a plain request. A connection that ends early is no harm."""
    async with lab.session() as session:
        outcome = await session.request(session.cheap, {"padding": "x" * SIZE}, within=lab.tempo.scaled(40))
        lab.expect(clean(outcome))
        lab.note(f"{SIZE} bytes: {expect.shown(outcome)}", outcome)
        await lab.survives(session)
