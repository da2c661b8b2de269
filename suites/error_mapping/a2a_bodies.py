"""A2A: what an answer looks like, whatever it says: media types, error details, statuses, names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from seatrial import (
    NOWHERE,
    A2aLab,
    A2aSession,
    Answer,
    Histories,
    Isolation,
    Judgement,
    Outcome,
    Refusal,
    Role,
    Spoken,
    Violation,
    check,
    expect,
)
from seatrial.judge.a2a import enveloped, errors, told

JSON = "application/json"
A2A_JSON = "application/a2a+json"
INFO = "google.rpc.ErrorInfo"
DOMAIN = "a2a-protocol.org"
CANONICAL = {400: {"INVALID_ARGUMENT", "FAILED_PRECONDITION"}, 404: {"NOT_FOUND"}, 409: {"FAILED_PRECONDITION"}}
"""The names of google.rpc that go with the statuses of A2A's own errors."""


async def answers(lab: A2aLab, session: A2aSession) -> list[tuple[str, Outcome]]:
    """A call that succeeds and one that fails."""
    play = await lab.effects.plan(Role.ECHO)
    return [("a send", await session.perform(play)), ("a read of no task", await session.get(NOWHERE))]


def typed(outcome: Outcome, what: str, *wanted: str) -> Violation | None:
    found = outcome.reply.media_type
    return expect.that(found in wanted, f"{what}: {' or '.join(wanted)}", found or "no media type", outcome)


@check(
    "a2a.err.resp-content-type-jsonrpc",
    "JSON-RPC responses are application/json",
    needs={Role.ECHO},
    mutants=("a2a.text-responses",),
)
async def responses_are_json(lab: A2aLab) -> None:
    """The media types of a result and of an error."""
    async with lab.session() as session:
        for what, outcome in await answers(lab, session):
            lab.expect(typed(outcome, what, JSON))


@check(
    "a2a.err.resp-content-type-rest",
    "HTTP+JSON responses, errors included, are application/a2a+json",
    needs={Role.ECHO},
    mutants=("a2a.plain-json-over-rest", "a2a.plain-json-errors"),
)
async def rest_responses_are_a2a_json(lab: A2aLab) -> None:
    """The media types of a result and of an error; 11.1 makes no exception for errors."""
    async with lab.session() as session:
        for what, outcome in await answers(lab, session):
            lab.expect(typed(outcome, what, A2A_JSON))


def details(outcome: Outcome) -> list[Any]:
    """The details of an error: `data` of JSON-RPC, `details` of HTTP+JSON."""
    found = outcome.data if isinstance(outcome, Refusal) else None
    return found if isinstance(found, list) else []


def is_info(detail: Any) -> bool:
    return (
        isinstance(detail, Mapping)
        and str(detail.get("@type", "")).endswith(INFO)
        and bool(detail.get("reason"))
        and detail.get("domain") == DOMAIN
    )


def informed(lab: A2aLab, outcome: Outcome) -> Violation | None:
    """A TaskNotFound with an ErrorInfo that has reason and domain."""
    found = details(outcome)
    what = f"an {INFO} with a reason and the domain {DOMAIN}"
    refused = errors.refused(lab.spoken, outcome, "TaskNotFound")
    return refused or expect.that(any(map(is_info, found)), what, found, outcome)


@check("a2a.err.errorinfo-rest", "An A2A error over HTTP+JSON carries an ErrorInfo", mutants=("a2a.no-error-info",))
async def rest_error_has_info(lab: A2aLab) -> None:
    """A read of a task that does not exist."""
    async with lab.session() as session:
        lab.expect(informed(lab, await session.get(NOWHERE)))


@check("a2a.err.errorinfo-jsonrpc", "An A2A error over JSON-RPC carries an ErrorInfo", mutants=("a2a.no-error-info",))
async def rpc_error_has_info(lab: A2aLab) -> None:
    """A read of a task that does not exist; a MUST of release 1.0.0."""
    async with lab.session() as session:
        lab.expect(informed(lab, await session.get(NOWHERE)))


@check("a2a.err.data-array", "Error data is a list of typed objects", mutants=("a2a.data-as-text", "a2a.data-untyped"))
async def data_is_a_list(lab: A2aLab) -> None:
    """The data of an A2A error and of an error of JSON-RPC; an error without data says nothing."""
    async with lab.session() as session:
        seen = 0
        for outcome in (await session.get(NOWHERE), await session.call("SendMessage", {})):
            data = outcome.data if isinstance(outcome, Refusal) else None
            if data is None:
                continue
            seen += 1
            typed_ = isinstance(data, list) and all(isinstance(d, Mapping) and d.get("@type") for d in data)
            lab.expect(expect.that(typed_, "a list of objects with @type", data, outcome))
        if not seen:
            lab.not_applicable("its errors carry no data", lab.claim_record)


@check(
    "a2a.err.rest-status-body",
    "The HTTP status and the error body agree",
    mutants=("a2a.status-not-in-body", "a2a.status-without-name"),
)
async def status_and_body_agree(lab: A2aLab) -> None:
    """A read of a task that does not exist, and a send of nothing."""
    async with lab.session() as session:
        for outcome in (await session.get(NOWHERE), await session.call("SendMessage", {})):
            if not isinstance(outcome, Refusal):
                lab.expect(errors.refused(lab.spoken, outcome))
                continue
            lab.expect(_agreement(outcome))


def _agreement(outcome: Refusal) -> Iterator[Violation]:
    status = outcome.reply.status or 0
    payload = outcome.message.payload if outcome.message else None
    error = payload.get("error") if isinstance(payload, Mapping) else None
    known = error if isinstance(error, Mapping) else {}
    name = known.get("status")
    claims: Sequence[tuple[bool, str, Any]] = (
        (known.get("code") == status, f"error.code {status}", known.get("code")),
        (isinstance(name, str), "error.status", name),
        (name in CANONICAL.get(status, {name}), f"the canonical name of {status}", name),
        (isinstance(known.get("message"), str) and bool(known.get("message")), "error.message", known.get("message")),
    )
    for holds, what, found in claims:
        if violation := expect.that(holds, what, found, outcome):
            yield violation


@check("a2a.err.rest-404-405", "Unknown paths and methods are refused cleanly", mutants=("a2a.unknown-path-500",))
async def unknown_paths_are_refused(lab: A2aLab) -> None:
    """A path that nobody has, and PUT on that of a send."""
    async with lab.session() as session:
        for verb, path in (("GET", "/seatrial/nope"), ("PUT", "/message:send")):
            outcome = await session.rest(verb, path).outcome()
            status = outcome.reply.status or 0
            lab.expect(expect.that(400 <= status < 500, f"{verb} {path}: 4xx", f"HTTP {status}", outcome))


@check(
    "a2a.err.rest-bad-json",
    "A body that is not JSON is refused over HTTP+JSON with 400 and a google.rpc.Status",
    faults=("malform",),
    mutants=("a2a.rest-bad-json-500",),
    isolation=Isolation.PROCESS,
)
async def rest_bad_json_is_refused(lab: A2aLab) -> None:
    """A brace too few, and a plain word, where a message belongs."""
    async with lab.session() as session:
        for body in (b"{x", b"hello"):
            outcome = await session.post(body, path="/message:send").outcome()
            status = outcome.reply.status
            lab.expect(expect.that(status == 400, f"the body {body!r}: HTTP 400", f"HTTP {status}", outcome))
            named = isinstance(outcome, Refusal) and outcome.message is not None and "error" in outcome.message.payload
            lab.expect(expect.that(named, "a body with an error", outcome, outcome))
        await lab.survives(session)


@check(
    "a2a.err.content-type-json",
    "A body with a foreign media type is processed or refused cleanly",
    faults=("rewrite_type",),
    mutants=("a2a.foreign-type-500",),
)
async def foreign_type_is_handled(lab: A2aLab) -> None:
    """A read or a send, declared as text/plain."""
    async with lab.session() as session:
        operation = "SendMessage"
        params = session.sending("hello", task=NOWHERE)
        outcome = await session.call(operation, params, headers={"Content-Type": "text/plain"})
        status = outcome.reply.status or 0
        good = isinstance(outcome, Answer | Refusal) and status < 500
        lab.expect(expect.that(good, "a result, or an error that blames the client", outcome, outcome))


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SNAKE = re.compile(r"[a-z]+_[a-z_]+")
_STATES = re.compile(r"TASK_STATE_[A-Z_]+")


@check(
    "a2a.err.timestamp-format",
    "Timestamps are UTC in ISO 8601 with Z",
    mutants=("a2a.offset-timestamps",),
    monitor=True,
)
def timestamps_end_with_z(histories: Histories, spoken: Spoken) -> Judgement:
    """Every timestamp of a task that the agent sent."""
    found = [(text, r) for payload, r in told(histories, spoken.version) for text in _members(payload, "timestamp")]
    bad = [(text, r) for text, r in found if not (isinstance(text, str) and _MOMENT.fullmatch(text))]
    return Judgement(len(found), tuple(Violation("ISO 8601 with Z", repr(text), (r,)) for text, r in bad[:5]))


@check(
    "a2a.err.camel-case-enums",
    "JSON uses camelCase keys and the enum names of the protocol",
    mutants=("a2a.early-states-in-new",),
    monitor=True,
)
def names_are_those_of_the_protocol(histories: Histories, spoken: Spoken) -> Judgement:
    """Every state and every key of a task, a message or an event that the agent sent, metadata aside."""
    states = [(value, r) for payload, r in told(histories, spoken.version) for value in _members(payload, "state")]
    keys = [
        (key, r) for payload, r in told(histories, spoken.version) for key in _keys(payload) if _SNAKE.fullmatch(key)
    ]
    bad = [(f"the state {v!r}", r) for v, r in states if not (isinstance(v, str) and _STATES.fullmatch(v))]
    bad += [(f"the key {key}", r) for key, r in keys if _SNAKE.fullmatch(key)]
    return Judgement(len(states), tuple(Violation("names of 1.0", text, (r,)) for text, r in bad[:5]))


@check(
    "a2a.err.result-xor-error",
    "A response has either a result or an error",
    mutants=("a2a.result-beside-error",),
    monitor=True,
)
def one_of_result_and_error(histories: Histories, spoken: Spoken) -> Judgement:
    """Every JSON-RPC response of the run."""
    found = list(enveloped(histories))
    bad = [(payload, record) for payload, record in found if ("result" in payload) == ("error" in payload)]
    return Judgement(
        len(found),
        tuple(Violation("result or error, not both", expect.shown(payload), (record,)) for payload, record in bad[:5]),
    )


OPEN = frozenset({"metadata", "data", "params", "details"})
"""Members whose inside belongs to the agent."""


def _members(value: Any, name: str) -> Iterator[Any]:
    for key, item in _pairs(value):
        if key == name and not isinstance(item, Mapping | list):
            yield item
        if key not in OPEN:
            yield from _members(item, name)


def _keys(value: Any) -> Iterator[str]:
    for key, item in _pairs(value):
        if key:
            yield key
        if key not in OPEN:
            yield from _keys(item)


def _pairs(value: Any) -> Iterable[tuple[str, Any]]:
    if isinstance(value, Mapping):
        return [(str(key), item) for key, item in value.items()]
    return [("", item) for item in value] if isinstance(value, list) else ()
