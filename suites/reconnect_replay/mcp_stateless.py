"""MCP: nothing hangs on a connection any more (2026-07-28): calls, state and subscriptions."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

from seatrial import (
    Answer,
    Departure,
    Exchange,
    Feature,
    Inconclusive,
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
)
from seatrial.faults import round_robin

from ..plays import patience
from ..subscriptions import ACKNOWLEDGED, TOOLS, TOOLS_CHANGED, acknowledgement, opened, subscribed, tag

HANDLE = "handle"
"""The parameter by which the partner of a stateful call is found."""
PAGES = 20
"""How many pages of a list are looked at."""
DROPPED = 50
"""How many subscriptions are dropped."""


@check(
    "mcp.rec.modern-no-resume",
    "A GET with Last-Event-ID is answered with 405",
    mutants=("modern.get-served",),
)
async def streams_cannot_be_resumed(lab: McpLab) -> None:
    """What a client of an earlier version would send to resume a stream."""
    async with lab.session() as session:
        stream = session.open_stream("1", headers={"Mcp-Method": None})
        status = await stream.status()
        await stream.leave()
        lab.expect(expect.that(status == 405, "HTTP status 405", f"HTTP status {status}", stream.sent, stream.end))


@check(
    "mcp.rec.modern-reissue",
    "A lost call can be issued again with a new id",
    needs={Role.SLOW},
    faults=("reset",),
    mutants=("modern.one-at-a-time",),
    isolation=Isolation.SESSION,
)
async def lost_call_is_issued_again(lab: McpLab) -> None:
    """A slow call is reset in its middle, and sent again at once with another id."""
    play = await lab.effects.plan(Role.SLOW, seconds=1.0)
    async with lab.session() as session:
        lost = await session.start(play, token="first")
        await lab.quiet(0.3)
        if lost.responses:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the slow call was over at once", lost.sent)
        await lost.leave(Departure.RST)
        again = await session.start(play, token="second")
        lab.expect(expect.answered(await again.outcome(patience(lab, play)), "the second call succeeds"))


@check(
    "mcp.rec.modern-any-connection",
    "Every connection, and every replica, gives the same answers",
    faults=("round_robin",),
    mutants=("modern.first-replica-only",),
    isolation=Isolation.PROCESS,
)
async def every_replica_answers_alike(lab: McpLab) -> None:
    """The same requests, each on a connection of its own, in turn to two servers where there can be two."""
    async with lab.session(round_robin(), opened=False) as session:
        for method, params in await _questions(lab):
            outcomes = [await session.request(method, params) for _ in range(4)]
            for outcome in outcomes:
                lab.require(expect.answered(outcome))
            told = {_gist(outcome) for outcome in outcomes}
            lab.expect(expect.that(len(told) == 1, f"the same answers to {method}", sorted(told), *outcomes))


async def _questions(lab: McpLab) -> list[tuple[str, dict[str, Any] | None]]:
    found: list[tuple[str, dict[str, Any] | None]] = [("server/discover", None)]
    if lab.declares(Feature.TOOLS):
        found.append(("tools/list", None))
    if lab.effects.has(Role.ECHO):
        play = await lab.effects.plan(Role.ECHO)
        found.append((play.method, play.params))
    return found


def _gist(outcome: Outcome) -> str:
    """What must not depend on the replica: capabilities, the names in a list, the content of a call."""
    result = outcome.result if isinstance(outcome, Answer) and isinstance(outcome.result, dict) else {}
    tools = result.get("tools")
    names = [tool.get("name") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else None
    return json.dumps([result.get("capabilities"), names, result.get("content")], sort_keys=True)


@check(
    "mcp.rec.modern-no-hidden-state",
    "State is reached through an explicit handle, never through the connection",
    needs={Role.STATEFUL},
    mutants=("modern.handle-by-session", "modern.handle-ignored"),
    isolation=Isolation.SESSION,
)
async def state_travels_in_its_handle(lab: McpLab) -> None:
    """A call gives a handle; the tool with a parameter `handle` takes it, over HTTP on another connection, and no
    made-up one."""
    async with lab.session() as session, lab.session(opened=False) as other:
        opened = lab.need(await session.perform(await lab.effects.plan(Role.STATEFUL)), "the stateful call")
        handle = _handle(opened.result)
        partner = await _partner(lab, session)
        made_up = await session.request("tools/call", {"name": partner, "arguments": {HANDLE: f"{handle[::-1]}x"}})
        lab.expect(expect.that(_rejects(made_up), "no state without its handle", made_up, made_up))
        elsewhere = other if lab.over_http else session
        outcome = await elsewhere.request("tools/call", {"name": partner, "arguments": {HANDLE: handle}})
        works = isinstance(outcome, Answer) and not _rejects(outcome)
        lab.expect(expect.that(works, "the handle works", outcome, opened, outcome))


def _handle(result: Any) -> str:
    """The handle in a result: its structured content, a member of that, or the last word of its text."""
    structured = result.get("structuredContent") if isinstance(result, dict) else None
    if isinstance(structured, dict):
        structured = structured.get(HANDLE)
    if isinstance(structured, str):
        return structured
    texts = [block.get("text", "") for block in result.get("content", ()) if isinstance(block, dict)]
    words = re.findall(r"\S+", " ".join(texts))
    return words[-1] if words else ""


async def _partner(lab: McpLab, session: Session) -> str:
    """The tool whose parameter is the handle."""
    async for tool in _listed(lab, session):
        schema = tool.get("inputSchema")
        if isinstance(schema, dict) and HANDLE in (schema.get("properties") or {}):
            return str(tool.get("name"))
    raise Inconclusive(Reason.NO_STIMULUS, f"no tool has a parameter {HANDLE}")


async def _listed(lab: McpLab, session: Session) -> AsyncIterator[dict[str, Any]]:
    """The tools of the first pages."""
    cursor: dict[str, Any] | None = None
    for _ in range(PAGES):
        page = lab.need(await session.request("tools/list", cursor), "tools/list").result
        for tool in page.get("tools", ()):
            yield tool
        if not isinstance(page.get("nextCursor"), str):
            return
        cursor = {"cursor": page["nextCursor"]}


def _rejects(outcome: Outcome) -> bool:
    return isinstance(outcome, Refusal) or (isinstance(outcome, Answer) and outcome.failed)


# Subscriptions


@check(
    "mcp.rec.listen-reestablish",
    "A subscription is opened again as a new one",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    faults=("reset",),
    mutants=("listen.old-tag", "listen.no-second-ack"),
    isolation=Isolation.SESSION,
)
async def subscription_begins_anew(lab: McpLab) -> None:
    """A subscription is dropped, another opened under a new id, and the tool list changed."""
    async with lab.session() as session:
        await _drop(session, await subscribed(lab, session, TOOLS, id="first"))
        second = await session.listen(TOOLS, id="second")
        beginning = await second.message(lambda message: True)
        lab.require(_is_told(second, beginning, ACKNOWLEDGED, "an acknowledgement of the new id comes first"))
        lab.need(await session.perform(await lab.effects.plan(Role.MUTATE_TOOLS)), "the change")
        change = await second.message(lambda message: message.method == TOOLS_CHANGED)
        lab.expect(_is_told(second, change, TOOLS_CHANGED, "the change is told under the new id"))
        strays = [m for _, m in session.received if m.record > second.sent and tag(m) == "first"]
        lab.expect(expect.silent(strays, "nothing under the old id"))


def _is_told(stream: Exchange, message: Message | None, method: str, what: str) -> Violation | None:
    """A notification of this method, tagged with the id of its subscription."""
    if message is None:
        return expect.that(False, what, "nothing came", stream.sent)
    tagged = message.method == method and tag(message) == stream.request_id
    return expect.that(tagged, what, message.payload, stream.sent, message.record)


async def _drop(session: Session, stream: Exchange) -> None:
    """Lose a subscription: by a reset over HTTP; over stdio only a cancellation ends one."""
    if stream.depart is not None:
        await stream.leave(Departure.RST)
    else:
        await session.cancel(stream)
        await session.fence()


@check(
    "mcp.rec.listen-no-replay",
    "Changes during a disconnect are not replayed",
    needs={Role.MUTATE_TOOLS, Feature.TOOLS_LIST_CHANGED},
    faults=("reset",),
    mutants=("listen.catches-up",),
    isolation=Isolation.PROCESS,
)
async def missed_changes_stay_missed(lab: McpLab) -> None:
    """The tool list changes while no subscription is open; then one is opened."""
    async with lab.session() as session:
        await _drop(session, await subscribed(lab, session, TOOLS, id="first"))
        await lab.quiet(0.3)
        lab.need(await session.perform(await lab.effects.plan(Role.MUTATE_TOOLS)), "the change")
        second = await subscribed(lab, session, TOOLS, id="second")
        await lab.quiet()
        lab.expect(expect.silent((m for m in second.messages if m.method == TOOLS_CHANGED), "no change from before"))


@check(
    "mcp.rec.listen-drop-detected",
    "Dropped subscriptions are released",
    faults=("reset",),
    mutants=("listen.never-released",),
    isolation=Isolation.PROCESS,
)
async def dropped_subscriptions_are_released(lab: McpLab) -> None:
    """Fifty subscriptions are reset one after the other; then one more is opened."""
    async with lab.session() as session:
        for number in range(DROPPED):
            await _drop(session, await subscribed(lab, session, TOOLS, id=f"dropped-{number}"))
        last = await opened(session, TOOLS, id="last")
        accepted = acknowledgement(last) is not None
        lab.expect(expect.that(accepted, "a new subscription is accepted", await last.outcome(0), last.sent))
        lab.expect(expect.answered(await session.fence()))
