"""MCP: one response per request, and every message on the one stream that it belongs to."""

from __future__ import annotations

from seatrial import (
    MODERN,
    Exchange,
    Histories,
    Isolation,
    Judgement,
    McpLab,
    Reason,
    Role,
    Session,
    Spoken,
    check,
    expect,
    is_response,
)
from seatrial.judge import dedup

from ..plays import reports
from .hearing import answered, attentive, playable, progress_for, settled, standalone


@check(
    "mcp.dup.one-response-per-request",
    "A request gets one response, and no second one",
    mutants=("response.twice",),
    monitor=True,
)
def requests_get_one_response(histories: Histories, spoken: Spoken) -> Judgement:
    """Every response of the run: none is the second for its request, and none answers what was not asked."""
    return dedup.one_response_per_request(histories, spoken)


@check(
    "mcp.dup.response-on-own-stream",
    "No response arrives on the stream of a GET",
    mutants=("response.on-get-stream",),
    isolation=Isolation.SESSION,
)
async def responses_stay_off_the_get_stream(lab: McpLab) -> None:
    """A GET stream is open while cheap requests, lists and calls run at once."""
    async with lab.session() as session:
        stream = await _listener(lab, session)
        exchanges = [await session.begin(method) for method in (session.cheap, "tools/list", "no/such")]
        for role in (Role.QUICK, Role.PROGRESS, Role.FAILING):
            if lab.effects.has(role):
                exchanges.append(await session.start(await lab.effects.plan(role), token=f"of-{role.value}"))
        for exchange in exchanges:
            await exchange.outcome()
        await settled(lab, session)
        lab.expect(expect.silent(filter(is_response, stream.messages), "no response on the stream of a GET"))


async def _listener(lab: McpLab, session: Session) -> Exchange:
    stream = session.open_stream()
    if await stream.status() != 200:
        lab.not_applicable("the server offers no GET streams", stream.sent, stream.end)
    return stream


@check(
    "mcp.dup.one-stream-per-message",
    "A message is sent on one stream of the client only",
    mutants=("streams.broadcast", "progress.on-both-streams"),
    isolation=Isolation.SESSION,
)
async def messages_take_one_stream(lab: McpLab) -> None:
    """Two GET streams, where the server grants them, and calls that report progress, log, and change the tools, all
    at once: what comes on a GET stream comes on no other, and progress on one stream only. What came before both were
    open does not count: somebody else may change the tools then, and again later."""
    plays = [await lab.effects.plan(role) for role in playable(lab, Role.PROGRESS, Role.LOGS, Role.MUTATE_TOOLS)]
    plays += [play for play in plays if play.role == Role.PROGRESS]
    async with lab.session() as session:
        listeners = [stream for stream in (await standalone(session), await standalone(session)) if stream]
        await settled(lab, session)
        before = [len(stream.messages) for stream in listeners]
        calls = [await session.start(play, token=f"of-{number}") for number, play in enumerate(plays)]
        for exchange, play in zip(calls, plays, strict=True):
            await answered(lab, exchange, play)
        await settled(lab, session)
        heard = [stream.messages[count:] for stream, count in zip(listeners, before, strict=True)]
        spoken = [*(stream.messages for stream in calls), *heard]
        if not any(message.method for messages in spoken for message in messages):
            lab.inconclusive(Reason.STIMULUS_FAILED, "no notification came", *(call.sent for call in calls))
    lab.expect(dedup.on_one_stream([stream.messages for stream in calls], heard))


CITY = {"action": "accept", "content": {"city": "Paris"}}


@check(
    "mcp.dup.related-on-own-stream",
    "Messages that relate to a request travel on its own stream",
    requirements=("mcp.dup.related-on-own-stream", "mcp.dup.related-on-own-stream.modern"),
    needs={Role.PROGRESS},
    mutants=("progress.on-get-stream", "progress.on-other-call", "asking.on-get-stream"),
    isolation=Isolation.SESSION,
)
async def related_messages_stay_on_their_stream(lab: McpLab) -> None:
    """Two calls with progress tokens of their own run at once, beside a GET stream in the older era: the progress of
    each comes on its own stream. Where a call asks the client for input, that request comes on the call's stream."""
    await _progress_on_own_stream(lab)
    if lab.effects.has(Role.ELICIT) and "2025-06-18" <= lab.version < MODERN:
        await _question_on_own_stream(lab)


async def _progress_on_own_stream(lab: McpLab) -> None:
    plays = [await reports(lab, count=5), await reports(lab, count=5)]
    async with attentive(lab) as session:
        calls = [await session.start(play, token=f"of-{play.key}") for play in plays]
        for call, play in zip(calls, plays, strict=True):
            await answered(lab, call, play)
        await settled(lab, session)
        heard = [progress_for(session, call.token) for call in calls]
    if not any(heard):
        lab.inconclusive(Reason.STIMULUS_FAILED, "no progress came", *(call.sent for call in calls))
    for call, found in zip(calls, heard, strict=True):
        foreign = [message for stream, message in found if stream is not call]
        lab.expect(expect.silent(foreign, f"no progress of {call.operation} on another stream"), OWN_STREAM)


OWN_STREAM = "mcp.dup.related-on-own-stream"


async def _question_on_own_stream(lab: McpLab) -> None:
    play = await lab.effects.plan(Role.ELICIT)
    async with attentive(lab, capabilities={"elicitation": {}}, replies={"elicitation/create": CITY}) as session:
        call = await session.start(play)
        await call.outcome()
        asked = [(x, m) for x, m in session.received if m.method == "elicitation/create"]
    foreign = [message for stream, message in asked if stream is not call]
    lab.expect(expect.silent(foreign, "the call's question to the client comes on the call's stream"), OWN_STREAM)
