"""MCP: a server of 2026-07-28 sends no requests; what it needs of the client it asks for in its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial import (
    Answer,
    Histories,
    Isolation,
    Judgement,
    Lab,
    Outcome,
    Reason,
    Refusal,
    Role,
    Spoken,
    Violation,
    check,
    expect,
)
from seatrial.judge import lifecycle

from .hearing import playable

INVALID_REQUEST = -32600


@check(
    "mcp.dup.no-server-requests",
    "The server sends no requests",
    mutants=("modern.pings-its-client",),
    monitor=True,
)
def servers_send_no_requests(histories: Histories, spoken: Spoken) -> Judgement:
    """No message of the run has both a method and an id."""
    return lifecycle.no_server_requests(histories, spoken)


@check(
    "mcp.dup.server-cancelled-only-listen",
    "A server cancels subscriptions only",
    mutants=("modern.cancels-calls",),
    monitor=True,
)
def servers_cancel_subscriptions_only(histories: Histories, spoken: Spoken) -> Judgement:
    """Every notifications/cancelled of the run names a subscriptions/listen request."""
    return lifecycle.cancels_subscriptions_only(histories, spoken)


KINDS: Mapping[str, str] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""What may be asked for, and the capability that a client declares for it."""

EVERYTHING: Mapping[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
ASKING = (Role.ELICIT, Role.ELICIT_URL, Role.SAMPLING, Role.ROOTS)


def asks(outcome: Outcome) -> dict[str, Any] | None:
    """The result of a request, if it is one that asks for input."""
    result = outcome.result if isinstance(outcome, Answer) else None
    return result if isinstance(result, dict) and result.get("resultType") == "input_required" else None


def input_requests(result: Mapping[str, Any]) -> dict[str, Any]:
    found = result.get("inputRequests")
    return found if isinstance(found, dict) else {}


ELSEWHERE: tuple[tuple[str, dict[str, Any]], ...] = (
    ("server/discover", {}),
    ("tools/list", {}),
    ("resources/list", {}),
    ("resources/templates/list", {}),
    ("prompts/list", {}),
    ("completion/complete", {"ref": {"type": "ref/prompt", "name": "x"}, "argument": {"name": "x", "value": ""}}),
)


@check(
    "mcp.dup.mrtr-only-on-three-methods",
    "Only tools/call, prompts/get and resources/read ask for input",
    mutants=("rounds.in-lists", "rounds.in-discovery"),
    isolation=Isolation.SESSION,
)
async def other_methods_ask_for_nothing(lab: Lab) -> None:
    """Discovery, the lists and a completion, asked by a client that could give any input."""
    async with lab.session(capabilities=EVERYTHING) as session:
        for method, params in ELSEWHERE:
            outcome = await session.request(method, params)
            lab.expect(expect.that(asks(outcome) is None, f"{method} asks for no input", outcome, outcome))


@check(
    "mcp.dup.mrtr-has-content",
    "A result that asks for input says what it needs",
    mutants=("rounds.empty", "rounds.of-another-kind"),
    isolation=Isolation.SESSION,
)
async def interim_results_say_what_they_need(lab: Lab) -> None:
    """Each call that asks for input, by a client that can give any: there are inputRequests or a requestState, and
    every request is one of the three kinds."""
    seen = 0
    async with lab.session(capabilities=EVERYTHING) as session:
        for role in playable(lab, *ASKING):
            outcome = await session.perform(await lab.effects.plan(role))
            if result := asks(outcome):
                seen += 1
                lab.expect(_content(result, outcome))
    if not seen:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no call asked for input")


def _content(result: Mapping[str, Any], outcome: Outcome) -> list[Violation]:
    state, requests = result.get("requestState"), result.get("inputRequests")
    something = isinstance(state, str) or (isinstance(requests, dict) and bool(requests))
    found = [expect.that(something, "inputRequests or a requestState", outcome, outcome)]
    for name, request in input_requests(result).items():
        good = isinstance(request, dict) and request.get("method") in KINDS
        what = f"the input request {name!r} is elicitation/create, sampling/createMessage or roots/list"
        found.append(expect.that(good, what, request, outcome))
    return [violation for violation in found if violation]


@check(
    "mcp.dup.mrtr-caps",
    "Input is asked for only by means that the client declared",
    mutants=("rounds.undeclared-means", "rounds.empty-means-all"),
    isolation=Isolation.SESSION,
)
async def undeclared_means_are_not_used(lab: Lab) -> None:
    """Each call that asks for input, by a client without one of the three capabilities at a time, and without any."""
    roles = playable(lab, *ASKING)
    for declared in _without_one():
        async with lab.session(capabilities=declared) as session:
            for role in roles:
                outcome = await session.perform(await lab.effects.plan(role))
                lab.expect(_declared_only(asks(outcome) or {}, declared, outcome))


def _without_one() -> Iterator[dict[str, Any]]:
    for missing in KINDS.values():
        yield {name: value for name, value in EVERYTHING.items() if name != missing}
    yield {}


def _declared_only(result: Mapping[str, Any], declared: Mapping[str, Any], outcome: Outcome) -> Violation | None:
    methods = {str(r.get("method")) for r in input_requests(result).values() if isinstance(r, dict)}
    undeclared = sorted(method for method in methods if method in KINDS and KINDS[method] not in declared)
    what = f"no request for a capability other than {', '.join(declared) or 'none'}"
    return expect.that(not undeclared, what, undeclared, outcome)


ANSWERS: Mapping[str, Any] = {
    "elicitation/create": {"action": "accept", "content": {"city": "Paris", "name": "Ada"}},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "ok"}, "model": "none"},
    "roots/list": {"roots": []},
}


@check(
    "mcp.dup.mrtr-same-id-retry",
    "A retry with the same request id does not hang",
    mutants=("rounds.same-id-hangs",),
    isolation=Isolation.SESSION,
)
async def same_id_is_answered_again(lab: Lab) -> None:
    """The second round of a call, which should have an id of its own, is sent under the id of the first: served, or
    refused with -32600."""
    seen = 0
    async with lab.session(capabilities=EVERYTHING) as session:
        for role in playable(lab, *ASKING):
            play = await lab.effects.plan(role)
            first = await session.perform(play, id=f"both-{role.value}")
            if result := asks(first):
                seen += 1
                again = await session.request(play.method, _second(play.params, result), id=f"both-{role.value}")
                good = isinstance(again, Answer) or (isinstance(again, Refusal) and again.code == INVALID_REQUEST)
                lab.expect(expect.that(good, "a result or error -32600", again, first, again))
    if not seen:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no call asked for input")


def _second(params: Mapping[str, Any], result: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of the second round: what was asked for, and the state as it came."""
    methods = {name: str(r.get("method")) for name, r in input_requests(result).items() if isinstance(r, dict)}
    responses = {name: ANSWERS[method] for name, method in methods.items() if method in ANSWERS}
    state = {"requestState": result["requestState"]} if "requestState" in result else {}
    return {**params, "inputResponses": responses, **state}
