"""MCP: log messages, none below the level that was asked for, and none where none was."""

from __future__ import annotations

from collections.abc import Sequence

from seatrial import (
    LOG_LEVEL,
    Exchange,
    Feature,
    Isolation,
    McpLab,
    Message,
    Play,
    Reason,
    Role,
    Session,
    check,
    expect,
)

from ..plays import reports
from ..subscriptions import EVERY_LIST, subscribed
from .hearing import LOG, answered, attentive, everything, settled

LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
NEEDS: set[Role | Feature] = {Role.LOGS, Feature.LOGGING}


def below(messages: Sequence[Message], threshold: str) -> list[Message]:
    lowest = LEVELS.index(threshold)
    return [m for m in messages if m.params.get("level") in LEVELS[:lowest]]


async def logged(lab: McpLab, session: Session, level: str, asked: str | None = None) -> list[Message]:
    """Have messages of a level logged; what of them is heard. `asked` is the logLevel of the request itself."""
    play = await lab.effects.plan(Role.LOGS, level=level)
    since = len(session.received)
    await answered(lab, await logging_call(session, play, asked), play)
    await settled(lab, session, play)
    return [message for message in everything(session, since) if message.method == LOG]


async def logging_call(session: Session, play: Play, asked: str | None) -> Exchange:
    meta = {"_meta": {LOG_LEVEL: asked}} if asked else {}
    return await session.begin(play.method, {**play.params, **meta})


def must_log(lab: McpLab, messages: Sequence[Message]) -> None:
    """Raises Inconclusive where the target logs nothing even when everything is wanted."""
    if not messages:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no log message came although every level was asked for")


@check(
    "mcp.dup.log-threshold",
    "No log message below the set level is sent",
    needs=NEEDS,
    mutants=("logs.level-ignored", "logs.level-by-name"),
    isolation=Isolation.SESSION,
)
async def set_level_is_a_threshold(lab: McpLab) -> None:
    """Messages of the level info, then of warning, are logged while the set level is debug, error and critical."""
    async with attentive(lab) as session:
        await _set_level(lab, session, "debug")
        must_log(lab, await logged(lab, session, "info"))
        for threshold in ("error", "critical"):
            await _set_level(lab, session, threshold)
            for level in ("info", "warning"):
                heard = below(await logged(lab, session, level), threshold)
                lab.expect(expect.silent(heard, f"no message below {threshold}"))


async def _set_level(lab: McpLab, session: Session, level: str) -> None:
    lab.need(await session.request("logging/setLevel", {"level": level}), "logging/setLevel")
    await session.fence()


@check(
    "mcp.dup.log-needs-loglevel",
    "A request without logLevel gets no log messages",
    needs=NEEDS,
    mutants=("logs.unasked", "logs.level-remembered"),
    isolation=Isolation.SESSION,
)
async def logs_have_to_be_asked_for(lab: McpLab) -> None:
    """The same call with logLevel debug, which brings messages, and then without any: no message."""
    async with lab.session() as session:
        must_log(lab, await logged(lab, session, "info", "debug"))
        for level in ("info", "error"):
            lab.expect(expect.silent(await logged(lab, session, level), "no log message that was not asked for"))


@check(
    "mcp.dup.log-threshold-modern",
    "No log message below the request's logLevel is sent",
    needs=NEEDS,
    mutants=("logs.request-level-ignored", "logs.level-by-name"),
    isolation=Isolation.SESSION,
)
async def log_level_of_a_request_is_a_threshold(lab: McpLab) -> None:
    """Messages of the levels info and warning are logged by calls with logLevel debug, error and emergency."""
    async with lab.session() as session:
        must_log(lab, await logged(lab, session, "info", "debug"))
        for threshold in ("error", "emergency"):
            for level in ("info", "warning"):
                heard = below(await logged(lab, session, level, threshold), threshold)
                lab.expect(expect.silent(heard, f"no message below {threshold}"))


@check(
    "mcp.dup.log-only-own-stream",
    "Log messages travel on the stream of the request that asked for them",
    needs=NEEDS,
    mutants=("logs.on-subscription", "logs.on-other-call"),
    isolation=Isolation.SESSION,
)
async def logs_stay_on_their_stream(lab: McpLab) -> None:
    """A call with logLevel debug runs beside a subscription and, where there is one, a call that takes its time."""
    play = await lab.effects.plan(Role.LOGS)
    work = await reports(lab, count=10) if lab.effects.has(Role.PROGRESS) else None
    async with lab.session() as session:
        await subscribed(lab, session, EVERY_LIST, optional=True)
        if work:
            beside = await session.start(work, token=f"of-{work.key}")
            await beside.progressed(1)
        call = await logging_call(session, play, "debug")
        await answered(lab, call, play)
        await settled(lab, session, play)
        heard = [(stream, message) for stream, message in session.received if message.method == LOG]
    must_log(lab, [message for _, message in heard])
    lab.expect(expect.silent([m for stream, m in heard if stream is not call], "log messages on their call's stream"))
