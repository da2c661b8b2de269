"""MCP: what gateways make of answers and of requests, and what a session may not lose by it (Streamable HTTP)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from seatrial import Answer, Exchange, Harm, Isolation, McpLab, Refusal, check, expect
from seatrial.faults import (
    UP,
    Fault,
    Flush,
    Malformation,
    Short,
    Where,
    buffer,
    case,
    concurrent,
    duplicate_header,
    duplicate_response,
    informational,
    malform,
    messages,
    oversize,
    pipeline,
    recode,
    redirect,
    rename_header,
    reorder_responses,
    request,
    rewrite_type,
    status,
    strip_headers,
    truncate_body,
)

LISTING = "tools/list"
"""What gateways disturb here: it costs little and has no effect."""
OWN_HEADERS = ("Mcp-*", "Accept")

ANSWERS: Sequence[Fault] = (
    status(code=502, body="bad gateway"),
    redirect(code=307, location="/elsewhere"),
    duplicate_response(),
    informational(),
    buffer(honour=False, times=1),
    recode(flush=Flush.NEVER, honour=False, times=1),
    recode(flush=Flush.NEVER, truncated=True, honour=False, times=1),
    *(truncate_body(how=how) for how in Short),
)

REQUESTS: Sequence[Fault] = (
    *(truncate_body(direction=UP, at=20, how=how) for how in Short),
    *(malform(kind=kind) for kind in Malformation),
    *(oversize(where=where, size=20_000) for where in Where),
    strip_headers(names=OWN_HEADERS),
    rename_header(names=OWN_HEADERS),
    duplicate_header(header="Accept", values=("text/plain",)),
    case(),
    rewrite_type(),
)


def in_turn(faults: Sequence[Fault]) -> list[Fault]:
    """The first works on the first listing, the second on the second, and so on."""
    return [
        replace(fault, on=LISTING, after=messages(n) if isinstance(fault.after, messages) else request(n))
        for n, fault in enumerate(faults, 1)
    ]


async def _goes_on(lab: McpLab, faults: Sequence[Fault]) -> None:
    """A listing through each of the faults; after each the same session is asked something that nothing disturbs, and
    once more where that was not answered: a gateway may have given its answer to the wrong request."""
    async with lab.session(*in_turn(faults)) as session:
        for fault in faults:
            outcome = await session.request(LISTING)
            lab.note(f"through {fault}: {expect.shown(outcome)}", outcome)
            after = await session.fence()
            after = after if isinstance(after, Answer) else await session.fence()
            lab.expect(expect.answered(after, f"the session goes on after {fault}"))


@check(
    "mcp.rec.gateway-answers",
    "A session goes on after a gateway mangled an answer",
    faults=tuple(dict.fromkeys(fault.name for fault in ANSWERS)),
    mutants=("gateway.lists-end-the-session",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def mangled_answers_end_no_session(lab: McpLab) -> None:
    """Answers to a listing are replaced by 502 and by a redirect, come twice, come behind interim responses, are held
    back, compressed, and cut short in five ways. After each the session is asked again."""
    await _goes_on(lab, ANSWERS)


@check(
    "mcp.rec.gateway-requests",
    "A session goes on after a gateway mangled a request",
    faults=tuple(dict.fromkeys(fault.name for fault in REQUESTS)),
    mutants=("gateway.odd-requests-end-the-session",),
    isolation=Isolation.PROCESS,
    harm=Harm.MALFORMED,
    patience=2.0,
)
async def mangled_requests_end_no_session(lab: McpLab) -> None:
    """Requests for a listing are cut short, malformed, inflated, and come with other headers. How each is answered is
    noted; after each the session is asked again."""
    await _goes_on(lab, REQUESTS)


@check(
    "mcp.rec.requests-together",
    "Requests that come together are answered each",
    faults=("pipeline", "concurrent", "reorder_responses"),
    mutants=("together.drops-what-is-behind", "together.answers-the-latest"),
    isolation=Isolation.SESSION,
)
async def requests_that_come_together_are_answered(lab: McpLab) -> None:
    """Three listings on one connection, none waiting for the answer before it; three at the same moment on three
    connections; and three whose answers come in the opposite order. Each has an answer with its own id."""
    for fault in (pipeline(on=LISTING, n=3), concurrent(on=LISTING, n=3), reorder_responses(on=LISTING, window=3)):
        async with lab.session(fault) as session:
            begun: list[Exchange] = [await session.begin(LISTING) for _ in range(3)]
            outcomes = [await exchange.outcome() for exchange in begun]
            after = await session.fence()
        for number, outcome in enumerate(outcomes, 1):
            what = f"number {number} of 3 through {fault} is answered"
            lab.expect(expect.that(isinstance(outcome, Answer | Refusal), what, outcome, outcome, after))
