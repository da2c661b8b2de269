"""A2A: what an answer looks like, whatever it says: media types, error details, statuses, names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
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
    update_in,
)
from seatrial.judge.a2a import enveloped, errors, told

JSON = "application/json"
A2A_JSON = "application/a2a+json"
CANONICAL = {
    400: {"INVALID_ARGUMENT", "FAILED_PRECONDITION", "OUT_OF_RANGE", "UNIMPLEMENTED"},
    404: {"NOT_FOUND"},
    409: {"FAILED_PRECONDITION", "ABORTED", "ALREADY_EXISTS"},
    500: {"INTERNAL", "UNKNOWN", "DATA_LOSS"},
}
"""The names of google.rpc that go with a status; 1.0.0 gives UNIMPLEMENTED to some errors with 400."""


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


async def conditions(lab: A2aLab, session: A2aSession) -> list[tuple[str, Outcome]]:
    """Errors of A2A's own by name, and what came where they are due; some need a task that is over."""
    found = [("TaskNotFound", await session.get(NOWHERE))]
    if not lab.effects.has(Role.ECHO):
        return found
    task = update_in(await session.perform(await lab.effects.plan(Role.ECHO)))
    if task.terminal:
        found.append(("TaskNotCancelable", await session.cancel(task.task_id)))
        found.append(("UnsupportedOperation", await session.send("and on", task=task.task_id)))
    return found


async def errors_are_informed(lab: A2aLab) -> None:
    """A task that does not exist is read, a completed one cancelled and sent to.

    Where another error than the one that is due comes, that is another row's finding.
    """
    async with lab.session() as session:
        for name, outcome in await conditions(lab, session):
            if name != "TaskNotFound" and errors.refused(lab.spoken, outcome, name) is not None:
                continue
            lab.expect(errors.informed(outcome, name))


REST_INFO = check(
    "a2a.err.errorinfo-rest",
    "An A2A error over HTTP+JSON carries an ErrorInfo",
    mutants=("a2a.no-error-info", "a2a.reason-of-its-own", "a2a.domain-of-its-own"),
)(errors_are_informed)

JSONRPC_INFO = check(
    "a2a.err.errorinfo-jsonrpc",
    "An A2A error over JSON-RPC carries an ErrorInfo",
    mutants=("a2a.no-error-info", "a2a.reason-of-its-own", "a2a.domain-of-its-own"),
)(errors_are_informed)


async def failures(session: A2aSession) -> list[Outcome]:
    """An error of A2A's own, one of JSON-RPC, and one of a message with a fault in its depth."""
    part = session.message([{"mediaType": "text/plain"}])
    return [
        await session.get(NOWHERE),
        await session.call("SendMessage", {}),
        await session.call("SendMessage", session.sending(part)),
    ]


@check("a2a.err.data-array", "Error data is a list of typed objects", mutants=("a2a.data-as-text", "a2a.data-untyped"))
async def data_is_a_list(lab: A2aLab) -> None:
    """The data of an A2A error and of errors of JSON-RPC; an error without data says nothing."""
    async with lab.session() as session:
        seen = 0
        for outcome in await failures(session):
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
    """A task that does not exist is read, a completed one cancelled and sent to; a send without a message."""
    async with lab.session() as session:
        provoked = [outcome for _, outcome in await conditions(lab, session)]
        for outcome in (*provoked, await session.call("SendMessage", {})):
            if isinstance(outcome, Refusal):
                lab.expect(_agreement(outcome))
        lab.expect(errors.refused(lab.spoken, provoked[0]))


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
    """A brace too few, a plain word, and a message that breaks off, where a message belongs."""
    async with lab.session() as session:
        for body in (b"{x", b"hello", b'{"message": {"messageId": "seatrial"'):
            outcome = await session.post(body, path="/message:send").outcome()
            status = outcome.reply.status
            lab.expect(expect.that(status == 400, f"the body {body!r}: HTTP 400", f"HTTP {status}", outcome))
            payload = outcome.message.payload if isinstance(outcome, Refusal) and outcome.message else None
            named = isinstance(payload, Mapping) and isinstance(payload.get("error"), Mapping)
            lab.expect(expect.that(named, f"the body {body!r}: a google.rpc.Status", outcome, outcome))
        await lab.survives(session)


@check(
    "a2a.err.content-type-json",
    "A body with a foreign media type is processed or refused cleanly",
    faults=("rewrite_type",),
    mutants=("a2a.foreign-type-500",),
)
async def foreign_type_is_handled(lab: A2aLab) -> None:
    """A send to a task that does not exist, declared as text, as a form, as nonsense, and not at all."""
    async with lab.session() as session:
        params = session.sending("hello", task=NOWHERE)
        for declared in ("text/plain", "application/x-www-form-urlencoded", "nonsense", None):
            outcome = await session.call("SendMessage", params, headers={"Content-Type": declared})
            clean = isinstance(outcome, Answer | Refusal) and (outcome.reply.status or 0) < 500
            what = f"Content-Type {declared}: a result, or an error that blames the client"
            lab.expect(expect.that(clean, what, outcome, outcome))


_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_SNAKE = re.compile(r"[a-z]+_[a-z_]+")
ENUMS = {"state": re.compile(r"TASK_STATE_[A-Z_]+"), "role": re.compile(r"ROLE_[A-Z]+")}
"""Members whose value is the name of an enum's entry."""


@check(
    "a2a.err.timestamp-format",
    "Timestamps are UTC in ISO 8601 with Z",
    mutants=("a2a.offset-timestamps",),
    monitor=True,
)
def timestamps_end_with_z(histories: Histories, spoken: Spoken) -> Judgement:
    """Every timestamp of a task that the agent sent."""
    found = [(text, r) for payload, r in told(histories, spoken.version) for text in _values(payload, "timestamp")]
    bad = [(text, r) for text, r in found if not (isinstance(text, str) and _MOMENT.fullmatch(text))]
    return Judgement(len(found), tuple(Violation("ISO 8601 with Z", repr(text), (r,)) for text, r in bad[:5]))


@check(
    "a2a.err.camel-case-enums",
    "JSON uses camelCase keys and the enum names of the protocol",
    mutants=("a2a.early-states-in-new", "a2a.early-roles-in-new", "a2a.snake-case-keys"),
    monitor=True,
)
def names_are_those_of_the_protocol(histories: Histories, spoken: Spoken) -> Judgement:
    """Every state, role and key of a task, a message or an event that the agent sent, metadata aside."""
    found = [(key, value, r) for payload, r in told(histories, spoken.version) for key, value in _members(payload)]
    bad = [(f"the {key} {value!r}", r) for key, value, r in found if key in ENUMS and _is_strange(key, value)]
    bad += [(f"the key {key}", r) for key, _, r in found if _SNAKE.fullmatch(key)]
    return Judgement(len(found), tuple(Violation("names of 1.0", text, (r,)) for text, r in bad[:5]))


def _is_strange(name: str, value: Any) -> bool:
    """Is that no value of this enum?"""
    if isinstance(value, Mapping | list):
        return False
    return not isinstance(value, str) or not ENUMS[name].fullmatch(value)


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


OPEN = frozenset({"metadata", "data", "params", "details", "history"})
"""Members whose inside belongs to the agent, or to whoever wrote to it."""


def _values(payload: Any, name: str) -> Iterator[Any]:
    return (value for key, value in _members(payload) if key == name and not isinstance(value, Mapping | list))


def _members(payload: Any) -> Iterator[tuple[str, Any]]:
    """Every member, at whatever depth."""
    waiting = [payload]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            yield from value.items()
            waiting += (item for key, item in value.items() if key not in OPEN)
        elif isinstance(value, list):
            waiting += value
