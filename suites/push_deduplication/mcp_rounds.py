"""MCP: a server of 2026-07-28 sends no requests; what it needs of the client it asks for in its results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from seatrial import (
    Answer,
    Histories,
    Isolation,
    Judgement,
    McpLab,
    Outcome,
    Reason,
    Refusal,
    Role,
    Spoken,
    Violation,
    check,
    codes,
    expect,
)
from seatrial.judge import lifecycle

from .hearing import playable


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


def asking(outcome: Outcome) -> Answer | None:
    """The result of a request, if it is one that asks for input."""
    return outcome if isinstance(outcome, Answer) and outcome.asks else None


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
async def other_methods_ask_for_nothing(lab: McpLab) -> None:
    """Discovery, the lists and a completion, asked by a client that could give any input."""
    async with lab.session(capabilities=EVERYTHING) as session:
        for method, params in ELSEWHERE:
            outcome = await session.request(method, params)
            lab.expect(expect.that(asking(outcome) is None, f"{method} asks for no input", outcome, outcome))


@check(
    "mcp.dup.mrtr-has-content",
    "A result that asks for input says what it needs",
    mutants=("rounds.empty", "rounds.of-another-kind"),
    isolation=Isolation.SESSION,
)
async def interim_results_say_what_they_need(lab: McpLab) -> None:
    """Each call that asks for input, by a client that can give any: there are inputRequests or a requestState, and
    every request is one of the three kinds."""
    seen = 0
    async with lab.session(capabilities=EVERYTHING) as session:
        for role in playable(lab, *ASKING):
            outcome = await session.perform(await lab.effects.plan(role))
            if interim := asking(outcome):
                seen += 1
                lab.expect(_content(interim))
    if not seen:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no call asked for input")


def _content(interim: Answer) -> list[Violation]:
    something = isinstance(interim.members.get("requestState"), str) or bool(interim.input_requests)
    found = [expect.that(something, "inputRequests or a requestState", interim, interim)]
    for name, request in interim.input_requests.items():
        good = isinstance(request, dict) and request.get("method") in KINDS
        what = f"the input request {name!r} is elicitation/create, sampling/createMessage or roots/list"
        found.append(expect.that(good, what, request, interim))
    return [violation for violation in found if violation]


@check(
    "mcp.dup.mrtr-caps",
    "Input is asked for only by means that the client declared",
    mutants=("rounds.undeclared-means", "rounds.empty-means-all"),
    isolation=Isolation.SESSION,
)
async def undeclared_means_are_not_used(lab: McpLab) -> None:
    """Each call that asks for input, by a client without one of the three capabilities at a time, and without any."""
    roles = playable(lab, *ASKING)
    for declared in _without_one():
        async with lab.session(capabilities=declared) as session:
            for role in roles:
                outcome = await session.perform(await lab.effects.plan(role))
                lab.expect(_declared_only(outcome, declared))


def _without_one() -> Iterator[dict[str, Any]]:
    for missing in KINDS.values():
        yield {name: value for name, value in EVERYTHING.items() if name != missing}
    yield {}


def _declared_only(outcome: Outcome, declared: Mapping[str, Any]) -> Violation | None:
    methods = set(_methods(outcome).values())
    undeclared = sorted(method for method in methods if method in KINDS and KINDS[method] not in declared)
    what = f"no request for a capability other than {', '.join(declared) or 'none'}"
    return expect.that(not undeclared, what, undeclared, outcome)


def _methods(outcome: Outcome) -> dict[str, str]:
    """What is asked for, by name: nothing in a result that does not ask."""
    interim = asking(outcome)
    requests = interim.input_requests if interim else {}
    return {name: str(request.get("method")) for name, request in requests.items() if isinstance(request, dict)}


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
async def same_id_is_answered_again(lab: McpLab) -> None:
    """The second round of a call, which should have an id of its own, is sent under the id of the first: served, or
    refused with -32600."""
    seen = 0
    async with lab.session(capabilities=EVERYTHING) as session:
        for role in playable(lab, *ASKING):
            play = await lab.effects.plan(role)
            first = await session.perform(play, id=f"both-{role.value}")
            if interim := asking(first):
                seen += 1
                again = await session.request(play.method, _second(play.params, interim), id=f"both-{role.value}")
                good = isinstance(again, Answer) or (isinstance(again, Refusal) and again.code == codes.INVALID_REQUEST)
                lab.expect(expect.that(good, "a result or error -32600", again, first, again))
    if not seen:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no call asked for input")


def _second(params: Mapping[str, Any], interim: Answer) -> dict[str, Any]:
    """The parameters of the second round: what was asked for, and the state as it came."""
    responses = {name: ANSWERS[method] for name, method in _methods(interim).items() if method in ANSWERS}
    state = {name: value for name, value in interim.members.items() if name == "requestState"}
    return {**params, "inputResponses": responses, **state}
