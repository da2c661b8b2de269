"""MCP: progress that increases, names the token that was given, and ends with its request."""

from __future__ import annotations

from typing import Any

from seatrial import Isolation, McpLab, Message, Play, Reason, Role, check, expect
from seatrial.judge import ordering

from ..plays import reports
from .hearing import answered, attentive, everything, must_report, performed, progress_for, settled

NEEDS = {Role.PROGRESS}


@check(
    "mcp.dup.progress-increases",
    "The progress value increases with every notification",
    needs=NEEDS,
    mutants=("progress.stands-still", "progress.counts-down"),
    isolation=Isolation.SESSION,
)
async def progress_increases(lab: McpLab) -> None:
    """A call that reports its progress several times."""
    play = await reports(lab, count=5)
    async with attentive(lab) as session:
        exchange = await performed(lab, session, play, token=f"of-{play.key}")
        await settled(lab, session)
        found = must_report(lab, everything(session), exchange.sent, least=2)
    lab.expect(ordering.progress_increases(found))


TOKENS: tuple[Any, ...] = ("of a call, \u03b1", 4101, "4102", 0)
"""A text, a number, a text that looks like a number, and a number that looks like nothing."""


@check(
    "mcp.dup.progress-token-match",
    "Progress names a token of an active request, unchanged",
    needs=NEEDS,
    mutants=("progress.token-as-text", "progress.own-token"),
    isolation=Isolation.SESSION,
)
async def tokens_come_back_unchanged(lab: McpLab) -> None:
    """Calls with tokens of several kinds run at once: every report carries one of them, with its value and type."""
    plays = [await reports(lab) for _ in TOKENS]
    async with attentive(lab) as session:
        exchanges = [await session.start(p, token=t) for p, t in zip(plays, TOKENS, strict=True)]
        for exchange, play in zip(exchanges, plays, strict=True):
            await answered(lab, exchange, play)
        await settled(lab, session)
        found = must_report(lab, everything(session), *(exchange.sent for exchange in exchanges))
    lab.expect(ordering.progress_names(found, TOKENS))


@check(
    "mcp.dup.progress-stops",
    "Progress stops when the request is complete",
    needs=NEEDS,
    mutants=("progress.after-the-answer", "progress.on-and-on"),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def progress_stops_with_the_response(lab: McpLab) -> None:
    """A call that reports its progress; after its response nothing more may come for its token, on any stream."""
    play = await reports(lab)
    async with attentive(lab) as session:
        exchange = await session.start(play, token=f"of-{play.key}")
        await answered(lab, exchange, play)
        await lab.quiet(0.2)
        known = len(session.received)
        await lab.quiet(1.0)
        must_report(lab, everything(session), exchange.sent)
        late = [m for x, m in progress_for(session, exchange.token) if (x, m) in session.received[known:]]
    lab.expect(ordering.progress_ends(exchange.messages, exchange.token, exchange.request_id))
    lab.expect(expect.silent(late, "no progress after the response"))


@check(
    "mcp.dup.no-progress-without-token",
    "A request without a progress token gets no progress",
    needs=NEEDS,
    mutants=("progress.unasked",),
    isolation=Isolation.SESSION,
    patience=2.0,
)
async def no_token_no_progress(lab: McpLab) -> None:
    """A call that reports its progress when it is asked to is played again without a token."""
    asking, silent = await reports(lab), await reports(lab)
    async with attentive(lab) as session:
        exchange = await performed(lab, session, asking, token=f"of-{asking.key}")
        await settled(lab, session)
        must_report(lab, everything(session), exchange.sent)
        known = len(session.received)
        await performed(lab, session, silent)
        await settled(lab, session)
        lab.expect(ordering.progress_names(everything(session, known), ()))


@check(
    "mcp.dup.progress-not-lost",
    "All progress that a tool reported arrives",
    needs=NEEDS,
    mutants=("progress.last-one-lost", "progress.zero-is-none"),
    isolation=Isolation.SESSION,
)
async def progress_is_not_lost(lab: McpLab) -> None:
    """A call that reports its progress a known number of times: so many arrive, or fewer that end at the total. Another
    whose token is zero: it gets progress too."""
    play, other = await reports(lab, count=8, gap=0.05), await reports(lab)
    async with attentive(lab) as session:
        exchange = await performed(lab, session, play, token=f"of-{play.key}")
        await settled(lab, session)
        found = must_report(lab, everything(session), exchange.sent)
        falsy = await performed(lab, session, other, token=0)
        await settled(lab, session)
        wanted = "progress for the token 0, as for another"
        lab.expect(expect.that(bool(progress_for(session, 0)), wanted, "none came", falsy.sent))
    total = found[-1].params.get("total")
    if not play.count and total is None:
        lab.inconclusive(Reason.NO_STIMULUS, "nobody knows how often this call reports", exchange.sent)
    wanted = f"{play.count or 'all'} reports, or the last at the total"
    actual = f"{len(found)} reports, the last one {found[-1].params.get('progress')} of {total}"
    lab.expect(expect.that(_whole(play, found), wanted, actual, *(message.record for message in found)))


def _whole(play: Play, found: list[Message]) -> bool:
    last = found[-1].params
    return (bool(play.count) and len(found) >= play.count) or last.get("progress") == last.get("total")
