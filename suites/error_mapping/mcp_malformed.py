"""MCP: what cannot be read, what is no message, and what is a broken one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import (
    MODERN,
    NO_ID,
    Answer,
    Isolation,
    Lost,
    McpLab,
    Outcome,
    Refusal,
    Session,
    Violation,
    check,
    codes,
    dumps,
    expect,
)

CLIENT_ERROR = frozenset(range(400, 500))

UNREADABLE = (b'{"jsonrpc":"2.0","id":1,"method":"ping"', b"hello", b'{"jsonrpc":"2.0",}')
NOT_UTF8 = (b"\xff\xfe\xfd", b"\xc3(\xff")


def with_value(session: Session, value: bytes, id: Any) -> bytes:
    """A request for nothing, with these bytes for the value of a parameter."""
    return dumps(session.message("no/such", {"a": 0}, id=id)).replace(b'"a":0', b'"a":' + value)


def spoilt_text(session: Session, id: Any) -> bytes:
    """A request that is JSON but for the encoding of one text: a lenient decoder reads it."""
    return with_value(session, b'"\xff\xfe"', id)


async def provoked(session: Session, message: Any, request_id: Any = NO_ID) -> Outcome:
    """Send a broken message with the headers of a good one, so that only the message is to blame."""
    return await session.provoke(message, headers=session.envelope.headers(session.cheap, None), request_id=request_id)


def silent(lab: McpLab, outcome: Outcome) -> bool:
    """Over stdio a message without a readable id may be dropped."""
    return not lab.over_http and isinstance(outcome, Lost)


@check(
    "mcp.err.parse",
    "A body that is not JSON is refused as a parse error, and no id is made up for it",
    requirements=("mcp.err.parse", "mcp.err.parse-id"),
    faults=("malform", "corrupt"),
    mutants=("err.parse-500", "err.parse-as-invalid-request", "err.parse-id-made-up"),
    isolation=Isolation.PROCESS,
)
async def unreadable_body_is_a_parse_error(lab: McpLab) -> None:
    """Truncated JSON, a plain word, a stray comma, and over HTTP bytes that are not UTF-8, alone and in a text.

    A 4xx without a JSON-RPC body passes, and so does silence over stdio as long as the next request is answered.
    """
    async with lab.session() as session:
        for body in (*UNREADABLE, *(NOT_UTF8 if lab.over_http else ())):
            outcome = await provoked(session, body)
            lab.expect(_parse_error(lab, outcome), "mcp.err.parse")
            lab.expect(_no_made_up_id(lab, outcome), "mcp.err.parse-id")
        if lab.over_http:
            outcome = await provoked(session, spoilt_text(session, "spoilt"), "spoilt")
            whole = (outcome.reply.status or 500) < 500
            lab.expect(expect.that(whole, "no HTTP status 5xx", outcome, outcome), "mcp.err.parse")
        lab.expect(expect.answered(await session.fence(), "the next request is answered"), "mcp.err.parse")


def _parse_error(lab: McpLab, outcome: Outcome) -> Violation | None:
    if silent(lab, outcome):
        return None
    what = "error -32700" + (" with HTTP status 400" if lab.over_http else "")
    if isinstance(outcome, Refusal) and outcome.code is None:
        return expect.refused(outcome, statuses=CLIENT_ERROR, what=what)
    soft = isinstance(outcome, Refusal) and outcome.code == codes.PARSE_ERROR and outcome.reply.status in CLIENT_ERROR
    return expect.refused(outcome, {codes.PARSE_ERROR}, statuses={400}, soft=soft, what=what)


def _no_made_up_id(lab: McpLab, outcome: Outcome) -> Violation | None:
    """The member may be missing from 2025-11-25 on; before, two pages disagree for Streamable HTTP."""
    message = getattr(outcome, "message", None)
    if message is None:
        return None
    if "id" not in message.payload:
        return expect.that(lab.version >= "2025-11-25", "an id of null", "no id", outcome, soft=True)
    return expect.that(message.payload["id"] is None, "an id of null", message.payload, outcome)


def broken_messages(session: Session) -> Sequence[tuple[Any, Any]]:
    """JSON that is no JSON-RPC message, each with its id where that can be read."""
    first, second, third = session.next_id(), session.next_id(), session.next_id()
    good = session.message(session.cheap, {}, id=first)
    nameless = {name: value for name, value in good.items() if name != "method"}
    return (
        ({"foo": 1}, NO_ID),
        (7, NO_ID),
        ([], NO_ID),
        ({**good, "jsonrpc": "1.0"}, first),
        ({**good, "id": second, "method": 5}, second),
        ({**nameless, "id": third}, third),
    )


@check(
    "mcp.err.not-jsonrpc",
    "JSON that is not a JSON-RPC message is refused with -32600",
    faults=("malform",),
    mutants=("err.not-jsonrpc-as-params", "err.invalid-silent", "err.jsonrpc-unread"),
    isolation=Isolation.SESSION,
)
async def json_that_is_no_message_is_refused(lab: McpLab) -> None:
    """An object of another kind, a number, an empty array; jsonrpc "1.0", a numeric method and no method, with an id.

    Over HTTP the status is 400. Over stdio silence passes only where no id could be read.
    """
    async with lab.session() as session:
        for message, request_id in broken_messages(session):
            outcome = await provoked(session, message, request_id)
            if request_id is not NO_ID or not silent(lab, outcome):
                lab.expect(_invalid_request(lab, outcome, empty=message == []))
        lab.expect(expect.answered(await session.fence(), "the next request is answered"))


def _invalid_request(lab: McpLab, outcome: Outcome, *, empty: bool = False) -> Violation | None:
    """Another code of the same kind is soft, and so is a status of 200: no clause gives requests a status of 400.

    An empty array is soft: JSON-RPC 2.0 section 6 refuses it, but only one version of MCP has batches at all.
    """
    what = "error -32600" + (" with HTTP status 400" if lab.over_http else "")
    related = {codes.PARSE_ERROR, codes.INVALID_PARAMS, *({codes.HEADER_MISMATCH} if lab.version == MODERN else ())}
    if isinstance(outcome, Refusal) and outcome.code is None:
        return expect.refused(outcome, statuses=CLIENT_ERROR, what=what)
    rightly = isinstance(outcome, Refusal) and outcome.code in {codes.INVALID_REQUEST, *related}
    soft = empty or (rightly and outcome.reply.status in {200, *CLIENT_ERROR})
    return expect.refused(outcome, {codes.INVALID_REQUEST}, statuses={400}, soft_codes=related, soft=soft, what=what)


@check(
    "mcp.err.null-id",
    "A request whose id is null is refused and not taken for a notification",
    faults=("malform",),
    mutants=("err.null-id-notification", "err.null-id-answered"),
    isolation=Isolation.SESSION,
)
async def null_id_is_refused(lab: McpLab) -> None:
    """A cheap request with id null: -32600, or over HTTP any 4xx. Silence over stdio is no more than a warning."""
    async with lab.session() as session:
        outcome = await provoked(session, session.message(session.cheap, {}, id=None), None)
        what = "error -32600, or HTTP status 4xx"
        by_status = isinstance(outcome, Refusal) and outcome.reply.status in CLIENT_ERROR
        wanted = () if by_status else {codes.INVALID_REQUEST}
        lab.expect(expect.refused(outcome, wanted, soft=silent(lab, outcome), what=what))


@check(
    "mcp.err.fractional-id",
    "A request whose id is a fraction is refused or answered, not swallowed",
    faults=("malform",),
    mutants=("err.fractional-id-swallowed",),
    isolation=Isolation.SESSION,
)
async def fractional_id_is_not_swallowed(lab: McpLab) -> None:
    """A cheap request with id 1.5: an error, or the answer with that id. A 202 or silence is the violation."""
    async with lab.session() as session:
        outcome = await provoked(session, session.message(session.cheap, {}, id=1.5), 1.5)
        same = not isinstance(outcome, Answer) or outcome.message.payload.get("id") == 1.5
        lab.expect(expect.responded(outcome, "an error, or an answer with id 1.5"))
        lab.expect(expect.that(same, "an answer with id 1.5", outcome, outcome))
        lab.note(f"a fractional id: {expect.shown(outcome)}", outcome)


@check(
    "mcp.err.params-not-object",
    "A request whose params are not an object is refused",
    faults=("malform",),
    mutants=("err.params-array-served", "err.params-array-internal"),
    isolation=Isolation.SESSION,
)
async def params_that_are_no_object_are_refused(lab: McpLab) -> None:
    """A cheap request with an array, a text and a number for params: -32600 or -32602."""
    async with lab.session() as session:
        for params in ([1], "text", 7):
            request_id = session.next_id()
            message = {**session.message(session.cheap, id=request_id), "params": params}
            outcome = await provoked(session, message, request_id)
            lab.expect(_bad_params(lab, outcome))


def _bad_params(lab: McpLab, outcome: Outcome) -> Violation | None:
    """A parse error is a refusal too, if an odd one; in 2026-07-28 the headers may be compared with the body first."""
    soft = {codes.PARSE_ERROR, *({codes.HEADER_MISMATCH} if lab.version == MODERN else ())}
    wanted, what = {codes.INVALID_REQUEST, codes.INVALID_PARAMS}, "error -32600 or -32602"
    return expect.refused(outcome, wanted, statuses={200, *CLIENT_ERROR}, soft_codes=soft, what=what)


REST: Mapping[str, Any] = {"capabilities": {}, "clientInfo": {"name": "seatrial", "version": "0"}}
INCOMPLETE: Sequence[tuple[Mapping[str, Any], bool]] = (
    ({"params": REST}, False),
    ({}, False),
    ({"params": {**REST, "protocolVersion": 7}}, True),
    ({"params": {**REST, "protocolVersion": None}}, True),
)
"""What an initialize request carries, and whether a server may make something of it all the same."""


@check(
    "mcp.err.init-without-version",
    "An initialize request without its required parameters is refused and does no harm",
    mutants=("err.init-default-version", "err.init-crash"),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def incomplete_initialize_is_refused(lab: McpLab) -> None:
    """initialize without protocolVersion, without params, with a numeric version and with null for one.

    Then a new client (over stdio: the same one) begins a session and is served.
    """
    async with lab.session(opened=False) as session:
        for rest, lenient in INCOMPLETE:
            request_id = session.next_id()
            message = {**session.message("initialize", id=request_id), **rest}
            lab.expect(_incomplete(await session.provoke(message, request_id=request_id), lenient))
        if not lab.over_http:
            lab.expect(expect.answered(await session.initialize(), "a complete initialize is served afterwards"))
    async with lab.session(opened=False) as session:
        lab.require(expect.answered(await session.initialize(), "a new session is served"))
        lab.expect(expect.answered(await session.fence(), "a new session is served"))


def _incomplete(outcome: Outcome, lenient: bool) -> Violation | None:
    """Any error of a server that did not break is soft. `lenient`: a version of another type may be taken for one."""
    if lenient and isinstance(outcome, Answer):
        return None
    other = isinstance(outcome, Refusal) and outcome.reply.status in {None, 200, *CLIENT_ERROR}
    return expect.refused(outcome, {codes.INVALID_PARAMS}, soft=other, what="error -32602")
