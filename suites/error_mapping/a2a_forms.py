"""A2A: parameters that are malformed. One row for each way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from seatrial import (
    HTTP_JSON,
    V03,
    A2aLab,
    A2aSession,
    Check,
    Ending,
    Feature,
    Outcome,
    Refusal,
    Role,
    check,
    expect,
)
from seatrial.judge.a2a import errors

from ..tasks import completed

Malformed = tuple[str, str, Any]
"""What is wrong, in words; the operation; its parameters."""
HUGE = 12 * 1024 * 1024
STREAMED = " Where the agent streams, the same by a stream."
NO_STREAMS = ("UnsupportedOperation", "MethodNotFound")


def message(session: A2aSession, **changed: Any) -> dict[str, Any]:
    """The parameters of a send with members of its message changed; None takes one away."""
    whole = {**session.message("hello"), **changed}
    return session.sending({name: value for name, value in whole.items() if value is not None})


def with_parts(session: A2aSession, parts: list[Any]) -> dict[str, Any]:
    return session.sending(session.message(parts))


def wrong_shapes(session: A2aSession) -> Iterable[Malformed]:
    parts = "content" if "content" in session.message("hello") else "parts"
    yield "no message", "SendMessage", {}
    for value in ("hello", ["hello"], 7):
        yield f"the message {value!r}", "SendMessage", {"message": value}
    yield "a number for the parts", "SendMessage", message(session, **{parts: 7})
    yield "a text for a part", "SendMessage", with_parts(session, ["hello"])
    worded = {**session.sending("hello"), "configuration": {"historyLength": "many"}}
    yield "a word for the length of the history", "SendMessage", worded
    if session.binding != HTTP_JSON:
        yield "a text for the parameters", "GetTask", "hello"
        for operation in ("GetTask", "CancelTask"):
            yield f"{operation} without an id", operation, {}
            yield f"{operation} with an object for the id", operation, {"id": {"a": 1}}


def no_parts(session: A2aSession) -> Iterable[Malformed]:
    yield "parts []", "SendMessage", with_parts(session, [])


def no_message_id(session: A2aSession) -> Iterable[Malformed]:
    yield "no messageId", "SendMessage", message(session, messageId=None)


def bad_roles(session: A2aSession) -> Iterable[Malformed]:
    for role in ("user", "ROLE_BOGUS"):
        yield f"the role {role}", "SendMessage", message(session, role=role)


def bad_parts(session: A2aSession) -> Iterable[Malformed]:
    yield "a part with text and url", "SendMessage", with_parts(session, [{"text": "a", "url": "https://a.invalid/b"}])
    yield "a part without content", "SendMessage", with_parts(session, [{"mediaType": "text/plain"}])


def page_sizes(session: A2aSession) -> Iterable[Malformed]:
    for size in (0, 101, -1):
        yield f"pageSize {size}", "ListTasks", {"pageSize": size}


def bad_tokens(session: A2aSession) -> Iterable[Malformed]:
    yield "pageToken zzz", "ListTasks", {"pageToken": "zzz"}


@dataclass(frozen=True, slots=True)
class Row:
    """One way of being malformed, and the sentence that must hold."""

    id: str
    title: str
    make: Callable[[A2aSession], Iterable[Malformed]]
    probe: str
    mutants: tuple[str, ...]
    softly: tuple[str, ...] = ()
    """Versions that do not say it in so many words: a violation is a warning there."""
    served: str = ""
    """An operation that must be had for this to be asked."""


def refused(row: Row) -> Check:
    """The check of a row: refused as invalid parameters, and the agent serves on."""

    async def body(lab: A2aLab) -> None:
        async with lab.session() as session:
            if row.served:
                lab.need(await session.call(row.served, {}), row.served)
            for what, operation, params in _by_streams_too(lab, row.make(session)):
                outcome = await _opened(session, operation, params)
                # By JSON-RPC 4.2 what has no object or list for its parameters is no request either.
                more = () if isinstance(params, Mapping) else ("InvalidRequest",)
                # An agent without the streams that it declares breaks another rule.
                streams = NO_STREAMS if operation == "SendStreamingMessage" else ()
                soft = lab.version in row.softly or errors.broken_off(outcome)
                found = errors.refused(lab.spoken, outcome, "InvalidParams", *more, *streams, soft=soft)
                lab.expect(found and replace(found, expected=f"{what}: {found.expected}"))
            await lab.survives(session)

    body.__doc__ = row.probe if row.served else row.probe + STREAMED
    return check(row.id, row.title, mutants=row.mutants)(body)


def _by_streams_too(lab: A2aLab, made: Iterable[Malformed]) -> Iterable[Malformed]:
    for what, operation, params in made:
        yield what, operation, params
        if operation == "SendMessage" and lab.declares(Feature.STREAMING):
            yield f"{what}, by a stream", "SendStreamingMessage", params


async def _opened(session: A2aSession, operation: str, params: Any) -> Outcome:
    """The first that comes; of a stream no more is read."""
    exchange = await session.begin(operation, params)
    outcome = await exchange.outcome()
    if operation == "SendStreamingMessage" and exchange.ending is Ending.OPEN:
        await exchange.leave()
    return outcome


ROWS = (
    Row(
        "a2a.err.invalid-params",
        "Invalid parameters are refused as such",
        wrong_shapes,
        "A send with no message or no object for it, with no list of parts or no object in it; a word for a number;"
        " over JSON-RPC a read and a cancel without an id, and with an object for it.",
        (
            *("a2a.params-not-looked-at", "a2a.invalid-params-internal", "a2a.text-params-internal"),
            "a2a.streams-not-validated",
        ),
    ),
    Row(
        "a2a.err.empty-parts",
        "A message without parts is refused",
        no_parts,
        "A send whose message has an empty list of parts; 0.3 says only in passing that it has one or more.",
        ("a2a.no-parts-served",),
        softly=(V03,),
    ),
    Row(
        "a2a.err.missing-message-id",
        "A message without a messageId is refused",
        no_message_id,
        "A send whose message has no id.",
        ("a2a.nameless-messages-served", "a2a.streams-not-validated"),
    ),
    Row(
        "a2a.err.bad-role",
        "A role that is not a 1.0 name is refused",
        bad_roles,
        "A send in the role of 0.3, and in one that nobody has.",
        ("a2a.any-role-served",),
    ),
    Row(
        "a2a.err.part-oneof",
        "A part has exactly one kind of content",
        bad_parts,
        "A send with a part of two contents, and with one of none.",
        ("a2a.any-part-served", "a2a.streams-not-validated"),
    ),
    Row(
        "a2a.err.page-size-range",
        "A page size outside its range is refused",
        page_sizes,
        "Lists with pages of 0, of 101 and of -1 tasks.",
        ("a2a.any-page-size-served",),
        served="ListTasks",
    ),
    Row(
        "a2a.err.page-token-bad",
        "An unknown page token is refused",
        bad_tokens,
        "A list from a token that the agent never gave.",
        ("a2a.bad-token-starts-over",),
        served="ListTasks",
    ),
)
CHECKS = tuple(map(refused, ROWS))


@check(
    "a2a.err.params-detail",
    "An invalid-parameters error names the fields",
    mutants=("a2a.fields-not-named",),
)
async def invalid_fields_are_named(lab: A2aLab) -> None:
    """A send without a message; the error must hold a google.rpc.BadRequest with fieldViolations."""
    async with lab.session() as session:
        outcome = await session.call("SendMessage", {})
        lab.expect(errors.refused(lab.spoken, outcome, "InvalidParams"))
        lab.expect(expect.that(_names_fields(outcome), "fieldViolations in a BadRequest", _data(outcome), outcome))


def _data(outcome: Outcome) -> Any:
    return outcome.data if isinstance(outcome, Refusal) else None


def _names_fields(outcome: Outcome) -> bool:
    data = _data(outcome)
    entries = [entry for entry in data if isinstance(entry, Mapping)] if isinstance(data, list) else []
    return any(str(e.get("@type", "")).endswith("google.rpc.BadRequest") and e.get("fieldViolations") for e in entries)


@check(
    "a2a.err.large-payload",
    "A very large message is refused cleanly or processed",
    needs={Role.ECHO},
    faults=("oversize",),
    mutants=("a2a.huge-messages-break",),
)
async def huge_message_is_survived(lab: A2aLab) -> None:
    """A text of 12 MB; then a plain request."""
    async with lab.session() as session:
        exchange = await session.begin("SendMessage", session.sending("x" * HUGE))
        outcome = await exchange.outcome(6 * lab.tempo.answer)
        status = outcome.reply.status or 0
        # An answer that repeats it all may be longer than what is read of one: that it comes is enough.
        clean = 0 < status < 500
        lab.expect(expect.that(clean, "a result, or a refusal of the client's own fault", outcome, outcome))
        await lab.survives(session)


@check(
    "a2a.err.history-negative",
    "A negative history length is refused",
    needs={Role.ECHO},
    mutants=("a2a.negative-history-served",),
)
async def negative_history_is_refused(lab: A2aLab) -> None:
    """A completed task is read with a history length of -1."""
    async with lab.session() as session:
        task = await completed(lab, session)
        lab.expect(errors.refused(lab.spoken, await session.get(task.task_id, -1), "InvalidParams"))
