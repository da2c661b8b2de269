"""A2A over JSON-RPC: what cannot be read, what is no request, and what an envelope must carry back."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from seatrial import (
    NO_ID,
    NOWHERE,
    A2aLab,
    A2aSession,
    Exchange,
    Isolation,
    Outcome,
    Reason,
    Refusal,
    Violation,
    check,
    codes,
    dumps,
    expect,
    same_id,
)

UNREADABLE = (b"{bad", b"hello", b'{"jsonrpc":"2.0","id":1,"method":"GetTask"')
UNCERTAIN = (b"", b"\xff\xfe\xfd")
"""Bodies that a library may take for something before JSON is looked for: they must only do no harm."""
IDS = ("a text", "", 7, 0, 2**53)
SCALARS = ("hello", 7, True)
ODD_MEMBERS: Mapping[str, Sequence[Any]] = {
    "method": (7, {}, ["GetTask"]),
    "jsonrpc": ("1.0", 2.0, ""),
    "id": ({"a": 1}, [1], True, False),
}


def method(session: A2aSession, operation: str = "GetTask") -> str:
    return "tasks/get" if session.version == "0.3" else operation


def asking(session: A2aSession, **changed: Any) -> dict[str, Any]:
    """A request for a task that does not exist, with members changed; None takes one away."""
    whole = {"jsonrpc": "2.0", "id": "seatrial-7", "method": method(session), "params": {"id": NOWHERE}, **changed}
    return {name: value for name, value in whole.items() if value is not None}


def coded(outcome: Outcome, wanted: Collection[int], what: str) -> Violation | None:
    """Refused with one of these JSON-RPC errors."""
    return expect.refused(outcome, wanted, what=f"{what}: error {' or '.join(map(str, wanted))}")


def id_of(outcome: Outcome) -> tuple[bool, Any]:
    """Whether an error has a member `id`, and what it is."""
    payload = outcome.message.payload if isinstance(outcome, Refusal) and outcome.message else {}
    return "id" in payload, payload.get("id")


@check(
    "a2a.err.parse",
    "A body that is not JSON is refused as a parse error with a null id",
    faults=("malform",),
    mutants=("a2a.parse-as-invalid-request", "a2a.parse-id-left-out"),
    isolation=Isolation.PROCESS,
)
async def unreadable_body_is_a_parse_error(lab: A2aLab) -> None:
    """A brace too few, a plain word, and a request cut short; an empty body and bytes that are no text do no harm."""
    async with lab.session() as session:
        for body in UNREADABLE:
            outcome = await session.post(body).outcome()
            lab.expect(coded(outcome, {codes.PARSE_ERROR}, f"the body {body!r}"))
            lab.expect(expect.that(id_of(outcome) == (True, None), "the id is there and null", outcome, outcome))
        for body in UNCERTAIN:
            lab.expect(expect.responded(await session.post(body).outcome(), f"an answer to the body {body!r}"))
        await lab.survives(session)


def broken(session: A2aSession) -> Iterable[tuple[str, Any]]:
    """JSON that is no request, one rule broken in each."""
    yield "no method", asking(session, method=None)
    yield "no jsonrpc", asking(session, jsonrpc=None)
    for member, values in ODD_MEMBERS.items():
        for value in values:
            yield f"the {member} {value!r}", asking(session, **{member: value})
    for value in SCALARS:
        yield f"the body {value!r}", value


@check(
    "a2a.err.invalid-request",
    "JSON that is not a JSON-RPC request is refused as an invalid request",
    faults=("malform",),
    mutants=(
        "a2a.invalid-request-served",
        "a2a.odd-ids-served",
        "a2a.invalid-request-as-params",
        "a2a.body-of-any-kind-breaks",
    ),
    isolation=Isolation.PROCESS,
)
async def no_request_is_refused(lab: A2aLab) -> None:
    """No method, a method that is no text, another version of JSON-RPC or none, an id that is an object, a list or a
    boolean, and JSON that is no object at all."""
    async with lab.session() as session:
        for what, message in broken(session):
            outcome = await session.post(message).outcome()
            # A parser of RFC 4627 takes an object or a list only: to it, a scalar is no JSON.
            wanted = {codes.INVALID_REQUEST, *((codes.PARSE_ERROR,) if message in SCALARS else ())}
            lab.expect(coded(outcome, wanted, what))
            _, echoed = id_of(outcome)
            known = echoed is None or (isinstance(message, dict) and same_id(echoed, message.get("id")))
            lab.expect(expect.that(known, f"{what}: the id of the request, or null", outcome, outcome))
        await lab.survives(session)


@check(
    "a2a.err.method-not-found",
    "An unknown method is refused with -32601",
    mutants=("a2a.unknown-method-as-params", "a2a.unknown-method-as-unsupported"),
)
async def unknown_method_is_not_found(lab: A2aLab) -> None:
    """Methods that no version of A2A has, with parameters that would fit many."""
    async with lab.session() as session:
        for name in ("Nope", "seatrial/nope", "message/nope"):
            outcome = await (await session.rpc(name, {"id": NOWHERE})).outcome()
            lab.expect(coded(outcome, {codes.METHOD_NOT_FOUND}, f"the method {name}"))


@check(
    "a2a.err.id-echo",
    "A response carries the id of its request with the same type",
    mutants=("a2a.ids-as-text", "a2a.zero-id-lost"),
)
async def ids_are_echoed(lab: A2aLab) -> None:
    """Ids that are texts, an empty one too, and numbers, 0 and a large one too: of reads that fail, and of a send."""
    async with lab.session() as session:
        for ident in IDS:
            await _echoed(lab, await session.rpc(method(session), {"id": NOWHERE}, id=ident))
        for ident in ("another text", 8):
            await _echoed(lab, await session.begin("SendMessage", session.sending("hello"), id=ident))


async def _echoed(lab: A2aLab, exchange: Exchange) -> None:
    ident = exchange.request_id
    outcome = await exchange.outcome()
    lab.expect(expect.responded(outcome, f"a response to the request with the id {ident!r}"))
    for message in exchange.messages:
        found = message.payload.get("id") if isinstance(message.payload, dict) else None
        lab.expect(expect.that(same_id(found, ident), f"the id {ident!r}", repr(found), message.record))


@check(
    "a2a.err.notification-silent",
    "A request without an id gets no JSON-RPC response",
    mutants=("a2a.notifications-answered",),
)
async def notification_is_not_answered(lab: A2aLab) -> None:
    """A read without an id. An answer with a null id is a warning: many libraries send one."""
    async with lab.session() as session:
        exchange = await session.rpc(method(session), {"id": NOWHERE}, id=NO_ID)
        if not await exchange.finished():
            lab.inconclusive(Reason.REPLY_LOST, "the exchange did not end", exchange.sent)
        answers = [m for m in exchange.messages if isinstance(m.payload, dict) and "jsonrpc" in m.payload]
        anonymous = all(m.payload.get("id") is None for m in answers)
        records = [m.record for m in answers]
        lab.expect(expect.that(not answers, "no response", [m.payload for m in answers], *records, soft=anonymous))


@check(
    "a2a.err.batch",
    "A batch is answered by a list or refused as an invalid request",
    mutants=("a2a.batch-breaks-server",),
    isolation=Isolation.PROCESS,
)
async def batch_is_handled(lab: A2aLab) -> None:
    """Two reads in a list, and an empty list."""
    async with lab.session() as session:
        for batch in ([asking(session), asking(session, id="seatrial-8")], []):
            exchange = session.post(batch)
            await exchange.finished()
            status, payloads = exchange.reply.status or 0, [m.payload for m in exchange.messages]
            refused = len(payloads) == 1 and _code(payloads[0]) == codes.INVALID_REQUEST
            listed = exchange.reply.body[:1] == b"[" and len(payloads) == len(batch)
            what = f"a list of {len(batch)}: as many answers in a list, or one error {codes.INVALID_REQUEST}"
            good = status < 500 and (refused or (listed and bool(batch)))
            lab.expect(expect.that(good, what, f"HTTP {status}: {dumps(payloads)!r}", exchange.sent, exchange.end))
        await lab.survives(session)


def _code(payload: Any) -> Any:
    error = payload.get("error") if isinstance(payload, dict) else None
    return error.get("code") if isinstance(error, dict) else None
