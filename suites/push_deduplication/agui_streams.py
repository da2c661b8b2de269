"""AG-UI: how the pieces of a run come: while they are made, with nothing between them, and whole when joined."""

from __future__ import annotations

from typing import Any

from seatrial import (
    AguiLab,
    Answer,
    JsonError,
    Reason,
    Role,
    Run,
    StreamEvent,
    ToolCall,
    check,
    expect,
    gained,
    loads,
)

from ..approvals import read
from ..threads import DELTAS, concluded, played

READS = 3
"""So many pieces come apart from each other, where they are sent as they are made."""


@check(
    "agui.order.tool-args-concat",
    "The argument deltas of a call join to what its tool receives",
    requirements=("agui.order.tool-args-concat", "agui.order.tool-args-json"),
    needs={Role.TOOL, Role.WITNESS},
    mutants=("args.unsent", "args.other-value"),
)
async def arguments_reach_the_tool(lab: AguiLab) -> None:
    """A tool of the server is called, and its witness asked what it received. The text of each call that has a result
    must be there as a value; a call without any text, where the tool was given something, has lost it."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.TOOL)
        before = await lab.effects.baseline(play, session)
        run = await session.play(play)
        lab.need(await concluded(lab, run, play), "the stimulus tool")
        after = await read(lab, session, play)
    received = [given for token in gained(before, after) if (given := _given(token))]
    if not received:
        lab.inconclusive(Reason.NOT_EXERCISED, "the witness does not show what a tool receives", after.record)
    calls = _answered(run)
    if not calls:
        lab.inconclusive(Reason.STIMULUS_FAILED, "no tool call with a result came", run.sent)
    for call in calls:
        shown = any(_joins(call, given) for given in received)
        what = f"the arguments of {call.name} as the tool received them"
        seen = f"{call.arguments!r:.80} where the witness shows {expect.shown(received, 120)}"
        lab.expect(expect.that(shown, what, seen, run.sent, after.record), "agui.order.tool-args-concat")
        told = bool(call.arguments.strip())
        lab.expect(expect.that(told, what, seen, run.sent, after.record), "agui.order.tool-args-json")


def _answered(run: Run) -> list[ToolCall]:
    answered = {event.text("toolCallId") for event in run.results}
    return [call for call in run.tool_calls if call.id in answered]


def _given(token: str) -> dict[str, Any]:
    """What an entry of a witness says that a tool was given: the members of an object in what is said of a tool."""
    head, brace, tail = token.partition("{")
    value = _value(brace + tail)
    members = value if isinstance(value, dict) else {}
    kept = {name: item for name, item in members.items() if item != "tool"}
    return kept if "tool" in head or len(kept) < len(members) else {}


def _joins(call: ToolCall, given: dict[str, Any]) -> bool:
    value = _value(call.arguments)
    return isinstance(value, dict) and bool(value) and all(given.get(name) == item for name, item in value.items())


def _value(text: str) -> Any:
    try:
        return loads(text)
    except JsonError:
        return None


@check(
    "agui.order.incremental",
    "Content arrives while it is produced",
    needs={Role.SLOW},
    mutants=("stream.held-back",),
)
async def content_arrives_while_it_is_produced(lab: AguiLab) -> None:
    """A slow run is read to its end: its first content must come before half of it is over, and its pieces in at
    least three reads."""
    async with lab.session() as session:
        run = await played(lab, session, Role.SLOW, plan={"seconds": 1.5})
    pieces = run.of(*DELTAS)
    if len(pieces) < READS or run.terminal is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the slow run said only {len(pieces)} pieces", run.sent)
    begun = run.exchange.begun
    half = begun + (run.terminal.time - begun) / 2
    early, reads = pieces[0].time <= half, len({piece.time for piece in pieces})
    actual = f"{len(pieces)} pieces in {reads} reads, the first after {pieces[0].time - begun:.1f} s"
    records = (pieces[0].record, run.terminal.record)
    what = f"content before half of {run.terminal.time - begun:.1f} s, in at least {READS} reads"
    lab.expect(expect.that(early and reads >= READS, what, actual, *records))


@check(
    "agui.order.keepalive-legal",
    "Between the events of a stream there are comments or nothing",
    needs={Role.SLOW},
    mutants=("frame.ping-as-data",),
)
async def only_comments_come_between_events(lab: AguiLab) -> None:
    """Every block of the stream of a slow run is one event of AG-UI, or has no data."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.SLOW, seconds=1.5)
        run = await session.play(play)
        outcome = await concluded(lab, run, play)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the slow run did not come to its end", outcome)
    foreign = [block for block in run.exchange.events if _is_foreign(block)]
    actual = f"{len(foreign)} others: {', '.join(str(block.data)[:60] for block in foreign[:3])}"
    records = [block.record for block in foreign[:20]]
    lab.expect(expect.that(not foreign, "events and comments only", actual, run.sent, *records))


def _is_foreign(block: StreamEvent) -> bool:
    value = _value(block.data) if block.data is not None else {"type": ""}
    return not (isinstance(value, dict) and isinstance(value.get("type"), str))
