"""MCP: cancellation and time when the server itself waits for the client."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import SILENT, Exchange, Isolation, McpLab, Message, Reason, Role, Session, check, expect

METHODS = {Role.ELICIT: "elicitation/create", Role.SAMPLING: "sampling/createMessage"}
CAPABILITIES: Mapping[str, Any] = {"elicitation": {}, "sampling": {}}
ANSWERS: Mapping[Role, Any] = {
    Role.ELICIT: {"action": "accept", "content": {}},
    Role.SAMPLING: {"role": "assistant", "model": "seatrial", "content": {"type": "text", "text": "hello"}},
}


def _role(lab: McpLab) -> Role:
    """What makes the server ask the client. Elicitation came with 2025-06-18. Raises Inconclusive."""
    wanted = (Role.ELICIT, Role.SAMPLING) if lab.version >= "2025-06-18" else (Role.SAMPLING,)
    found = next((role for role in wanted if lab.effects.has(role)), None)
    return found or lab.inconclusive(Reason.NO_STIMULUS, f"nothing makes the server ask ({' or '.join(wanted)})")


async def _asked(lab: McpLab, session: Session, role: Role) -> tuple[Exchange, Message]:
    """A call that waits for the client, and the request that it waits for. Raises Inconclusive."""
    if lab.over_http:
        session.open_stream()
    exchange = await session.start(await lab.effects.plan(role))
    request = await session.hears(METHODS[role])
    if request is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the server did not send {METHODS[role]}", exchange.sent)
    return exchange, request


def _withdrawn(session: Session, request: Message) -> list[Message]:
    """The server's cancellations of its own request."""
    return [m for m in session.heard("notifications/cancelled") if m.params.get("requestId") == request.payload["id"]]


@check(
    "mcp.can.nested-request-cancelled",
    "Cancelling a call that waits for the client ends that wait",
    faults=("late_answer",),
    mutants=("cancel.nested-waits-on",),
    isolation=Isolation.SESSION,
)
async def cancelling_ends_a_nested_wait(lab: McpLab) -> None:
    """A tool asks the client and gets no answer; its call is cancelled, and only then the client answers. That must
    not bring the call back to life, and the next request must be served."""
    role = _role(lab)
    silence = dict.fromkeys(METHODS.values(), SILENT)
    async with lab.session(capabilities=CAPABILITIES, replies=silence) as session:
        exchange, request = await _asked(lab, session, role)
        await session.cancel(exchange)
        await lab.quiet(0.5)
        await session.respond(request, ANSWERS[role])
        await lab.quiet()
        results = [message for message in exchange.responses if "result" in message.payload]
        lab.expect(expect.silent(results, "a late answer does not finish a cancelled call"))
        lab.expect(expect.answered(await session.fence(), "the server goes on to serve"))
        told = "withdrew" if _withdrawn(session, request) else "did not withdraw"
        lab.note(f"the server {told} its own request when the call was cancelled", request.record)
