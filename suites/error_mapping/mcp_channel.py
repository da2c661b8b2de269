"""MCP: what comes back on which channel: ids, notifications, stray responses, text."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import (
    SILENT,
    Answer,
    Feature,
    Isolation,
    McpLab,
    Message,
    Outcome,
    Reason,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    expect,
    is_response,
)
from seatrial.judge import framing

LONG = "an id of many characters " * 20
IDS_OF_RESULTS: Sequence[Any] = (0, -1, "", "é", 2**53 - 1, LONG)
IDS_OF_ERRORS: Sequence[Any] = (-2, "0", " ", "ü", 2**53 - 2, LONG + "2")
"""No id twice: within a session of the older era none may be used again."""

CLIENT_ERROR = range(400, 500)

ASKING: Mapping[Role, tuple[str, Any]] = {
    Role.ELICIT: ("elicitation/create", {"action": "decline"}),
    Role.SAMPLING: (
        "sampling/createMessage",
        {"role": "assistant", "model": "seatrial", "content": {"type": "text", "text": "hello"}},
    ),
}
"""What makes the server ask, its request, and a client's answer."""


@check(
    "mcp.err.id-echo",
    "A response carries the id of its request, with the same value and JSON type",
    mutants=("err.id-as-text", "err.falsy-id-lost", "err.error-without-id"),
    isolation=Isolation.SESSION,
)
async def ids_come_back_as_they_are(lab: McpLab) -> None:
    """Zero, a negative and a very large number, an empty, a non-ASCII and a long text: in results and in errors."""
    async with lab.session() as session:
        kinds = (("a result", session.cheap, IDS_OF_RESULTS), ("an error", "no/such", IDS_OF_ERRORS))
        for kind, method, ids in kinds:
            for exchange in [await session.begin(method, id=id) for id in ids]:
                outcome = await exchange.outcome()
                wanted = f"{kind} with id {expect.shown(json.dumps(exchange.request_id), 40)}"
                lab.expect(expect.that(bool(exchange.responses), wanted, _ids(exchange.messages) or outcome, outcome))


def _ids(messages: Sequence[Message]) -> str:
    found = [m.payload.get("id", "no id") for m in messages if is_response(m)]
    return f"a response with id {json.dumps(found[0])}" if found else ""


NOTIFICATIONS: Sequence[tuple[str, Any]] = (
    ("notifications/cancelled", {"requestId": "no-such-request"}),
    ("notifications/progress", {"progressToken": "no-such-token", "progress": 1}),
    ("notifications/no_such", {"a": 1}),
    ("notifications/no_such", None),
)


@check(
    "mcp.err.notification-202",
    "An accepted notification is answered with 202 and no body",
    mutants=(
        "err.notification-200",
        "err.notification-with-body",
        "err.unknown-notification-500",
        "err.notification-closing-400",
    ),
)
async def notifications_are_accepted_with_202(lab: McpLab) -> None:
    """Two notifications that name nothing, and two unknown ones; then again, as the last of their connections.
    A refusal by 4xx is recorded: it is no acceptance. One of what was accepted before is a warning."""
    async with lab.session() as session:
        for method, params in NOTIFICATIONS:
            outcome = await (await session.notify(method, params)).outcome()
            refused = isinstance(outcome, Refusal) and outcome.reply.status in CLIENT_ERROR
            if refused:
                lab.note(f"{method} was refused: {expect.shown(outcome)}", outcome)
            lab.expect(None if refused else expect.accepted(outcome))
            again = await (await session.notify(method, params, headers={"Connection": "close"})).outcome()
            # What a connection does after a message says nothing about the message (RFC 9112, 9.6).
            lab.expect(None if refused else _soft(expect.accepted(again)))


@check(
    "mcp.err.notification-never-answered",
    "A notification gets no JSON-RPC answer, be it unknown or malformed",
    mutants=("err.notification-answered", "err.bad-notification-answered"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def notifications_stay_unanswered(lab: McpLab) -> None:
    """Unknown notifications, and known ones with params that are no object; then a request, and a quiet while.

    No response with an id may appear. Over stdio a response without one is a warning where the message was well formed.
    """
    async with lab.session() as session:
        told = [await session.notify(method, params) for method, params in NOTIFICATIONS]
        well_formed = await _heard_since(lab, session, told)
        told = [await session.send({**session.message("notifications/cancelled"), "params": odd}) for odd in ([1], "x")]
        malformed = await _heard_since(lab, session, told)
        named = [message for message in (*well_formed, *malformed) if message.payload.get("id") is not None]
        lab.expect(expect.silent(named, "no response to a notification"))
        if not named and not lab.over_http:
            lab.expect(_soft(expect.silent(well_formed, "no response to a notification")))


async def _heard_since(lab: McpLab, session: Session, told: Sequence[Any]) -> list[Message]:
    """The responses that came for notifications, or for nothing."""
    before = len(told[0].messages) if not lab.over_http else 0
    await session.fence()
    await lab.quiet()
    places = told if lab.over_http else [*told, session.stdio.inbox]
    return [message for place in places for message in place.messages[before:] if is_response(message)]


def _soft(found: Violation | None) -> Violation | None:
    return found and Violation(found.expected, found.actual, found.records, soft=True)


STRAYS: Sequence[dict[str, Any]] = ({"result": {}}, {"error": {"code": -1, "message": "no"}})


@check(
    "mcp.err.response-202",
    "A stray response from the client is accepted with 202, or refused with an HTTP error",
    requirements=("mcp.err.response-202", "mcp.err.response-rejected"),
    mutants=("err.stray-response-500", "err.stray-response-accepted", "err.own-answer-400", "err.own-answer-200"),
    isolation=Isolation.SESSION,
)
async def stray_responses_do_no_harm(lab: McpLab) -> None:
    """A result and an error with an id that the server never used; in 2026-07-28 clients have no responses to send.
    Then, where something makes the server ask, the answer that it asked for: one that it refuses is a warning."""
    requirement = "mcp.err.response-202" if lab.holds("mcp.err.response-202") else "mcp.err.response-rejected"
    for part in STRAYS:
        async with lab.session() as session:
            outcome = await (await session.send({"jsonrpc": "2.0", "id": "no-such-request", **part})).outcome()
            lab.expect(_stray(outcome, requirement), requirement)
            lab.expect(expect.answered(await session.fence(), "the next request is answered"), requirement)
    if requirement == "mcp.err.response-202" and (role := next(filter(lab.effects.has, ASKING), None)):
        lab.expect(await _asked_for(lab, role), requirement)


async def _asked_for(lab: McpLab, role: Role) -> Violation | None:
    """What is wrong with how the answer to a request of the server was taken; None where it did not ask."""
    method, answer = ASKING[role]
    declared: dict[str, Any] = {"elicitation": {}, "sampling": {}}
    async with lab.session(capabilities=declared, replies={method: SILENT}) as session:
        await session.start(await lab.effects.plan(role))
        request = await session.hears(method)
        if request is None:
            return None
        outcome = await (await session.respond(request, answer)).outcome()
    refused = isinstance(outcome, Refusal) and outcome.reply.status in CLIENT_ERROR
    return _soft(expect.accepted(outcome)) if refused else expect.accepted(outcome)


def _stray(outcome: Outcome, requirement: str) -> Violation | None:
    refused = isinstance(outcome, Refusal) and outcome.reply.status in CLIENT_ERROR
    if requirement == "mcp.err.response-rejected":
        return expect.that(refused, "HTTP status 4xx", outcome, outcome)
    return None if refused else expect.accepted(outcome)


@check(
    "mcp.err.content-type-of-reply",
    "A request is answered as JSON or as an event stream",
    mutants=("err.reply-as-text",),
    isolation=Isolation.SESSION,
)
async def replies_are_json_or_event_stream(lab: McpLab) -> None:
    """A cheap request, lists, an unknown method and, where one may be called, a tool: every reply of the case."""
    async with lab.session() as session:
        for method in (session.cheap, "tools/list", "prompts/list", "resources/list", "no/such"):
            await session.request(method)
        if lab.effects.has(Role.QUICK):
            await session.perform(await lab.effects.plan(Role.QUICK))
    judgement = framing.content_type_of_reply(lab.histories, lab.spoken)
    if not judgement.seen:
        lab.inconclusive(Reason.REPLY_LOST, "no request was answered")
    lab.expect(judgement.violations)


TEXTS = (
    "\U0001f6a2 ship and \U0001f468\u200d\U0001f469\u200d\U0001f467 family",
    "\u05e9\u05dc\u05d5\u05dd \u202eright to left\u202c",
    "line\u2028separator\u2029and\u0085next",
    "nul\x00inside",
    "e\u0301 is not \u00e9",
)


@check(
    "mcp.err.utf8-roundtrip",
    "Text survives the way through the server unchanged",
    needs={Role.ECHO},
    mutants=("err.text-in-latin-1", "err.text-split-at-separators", "err.nul-ends-text"),
)
async def text_survives(lab: McpLab) -> None:
    """Emoji with joiners, right-to-left text, the Unicode line separators, an escaped NUL and a combining accent."""
    async with lab.session() as session:
        for text in TEXTS:
            lab.expect(await echoed(lab, session, text))


@check(
    "mcp.err.stdio-no-embedded-newline",
    "A message over stdio has no embedded newline",
    needs={Role.ECHO},
    mutants=("err.pretty-printed",),
)
async def newlines_stay_inside_their_message(lab: McpLab) -> None:
    """Echo a text with LF, CR and CRLF: it comes back whole, and no line is half a message."""
    async with lab.session() as session:
        lab.expect(await echoed(lab, session, "one\ntwo\r\nthree\rfour"))
        halves = [number for number, _ in session.stdio.foreign]
        lab.expect(expect.that(not halves, "one message per line", f"{len(halves)} lines that are none", *halves))


async def echoed(lab: McpLab, session: Session, text: str) -> Violation | None:
    play = await lab.effects.plan(Role.ECHO, text=text)
    if text not in _texts(play.params):
        lab.inconclusive(Reason.NO_STIMULUS, "the stimulus of the role echo takes no {text}")
    outcome = await session.perform(play)
    back = _texts(outcome.result) if isinstance(outcome, Answer) else []
    whole = any(text in found for found in back)
    return expect.that(whole, f"the text {expect.shown(json.dumps(text))} comes back", outcome, outcome)


def _texts(value: Any) -> list[str]:
    """Every text in a JSON value."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]


TALKATIVE = (Role.CALL, Role.QUICK, Role.ECHO, Role.FAILING, Role.CRASH, Role.LOGS, Role.PROGRESS, Role.PROMPT)


@check(
    "mcp.err.stdio-stdout-pure",
    "Standard output carries nothing but JSON-RPC messages",
    mutants=("err.prints", "err.banner", "err.pretty-printed"),
    isolation=Isolation.SESSION,
)
async def stdout_is_pure(lab: McpLab) -> None:
    """A whole life of a process, from start to exit: the lists, an unknown method, and every stimulus that is quick."""
    async with lab.session() as session:
        for method in _known_lists(lab):
            await session.request(method)
        await session.request("no/such")
        for role in TALKATIVE:
            if lab.effects.has(role):
                await session.perform(await lab.effects.plan(role))
        await session.stdio.close_stdin()
        await session.stdio.inbox.finished()
    lab.expect(framing.stdio_stdout_pure(lab.histories, lab.spoken).violations)


def _known_lists(lab: McpLab) -> list[str]:
    kinds = (Feature.TOOLS, Feature.PROMPTS, Feature.RESOURCES)
    return [f"{kind.value}/list" for kind in kinds if lab.declares(kind)]
