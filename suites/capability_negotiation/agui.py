"""AG-UI: what a client accepts, and the format that it gets."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial import AguiLab, Refusal, Role, Run, Violation, check, expect
from seatrial.judge.agui import streams

from ..inputs import EVENT_STREAM, end, is_stream, shown

PROTOBUF = "application/vnd.ag-ui.event+proto"
WITHOUT_PROTOBUF = (EVENT_STREAM, f"{EVENT_STREAM}, {PROTOBUF};q=0", f"{PROTOBUF};q=0.0, {EVENT_STREAM};q=0.5")
WITH_PROTOBUF = (f"{EVENT_STREAM}, {PROTOBUF}", f"{PROTOBUF};q=0.1, {EVENT_STREAM}", PROTOBUF)
WILD = ("*/*", None)
PREFIX = 4
"""Bytes of the length before each frame, big-endian."""


@check(
    "agui.cap.sse-supported",
    "A run that starts is answered with status 200 and an event stream",
    needs={Role.CHAT},
    mutants=("accept.second-run-as-json",),
)
async def run_is_an_event_stream(lab: AguiLab) -> None:
    """A first run, then another on its thread with what was said."""
    async with lab.session() as session:
        first = await shown(lab, session, Role.CHAT)
        second = await shown(lab, session, Role.CHAT, thread=first.thread, messages=first.messages())
        for run in (first, second):
            lab.expect(_streamed(run))


def _streamed(run: Run) -> Violation | None:
    actual = f"{run.status} {run.exchange.reply.media_type}, {len(run.events)} events"
    return expect.that(is_stream(run), f"200 {EVENT_STREAM} with events", actual, run.sent, run.exchange.end)


@check(
    "agui.cap.sse-when-proto-not-admitted",
    "Server-sent events are the answer where the client does not admit protobuf",
    needs={Role.CHAT},
    mutants=("accept.protobuf-by-substring", "accept.unknown-types-406"),
)
async def sse_where_protobuf_is_not_admitted(lab: AguiLab) -> None:
    """Accept names the event stream alone, and protobuf beside it with a quality of 0, in both orders."""
    async with lab.session() as session:
        for accept in WITHOUT_PROTOBUF:
            lab.expect(_streamed(await shown(lab, session, Role.CHAT, accept=accept)))


@check(
    "agui.cap.proto-only-accept-still-served",
    "A client that accepts protobuf alone is served by a server that lacks it",
    needs={Role.CHAT},
    mutants=("accept.protobuf-alone-406",),
)
async def protobuf_alone_is_served(lab: AguiLab) -> None:
    """The media type is ignored, so that the answer is an event stream; protobuf is one too, where it is spoken."""
    async with lab.session() as session:
        run = await shown(lab, session, Role.CHAT, accept=PROTOBUF)
        lab.expect(_streamed(run) if not _is_protobuf(run) else None)


@check(
    "agui.cap.wildcard-accept",
    "A client that accepts anything, or says nothing of it, is served",
    needs={Role.CHAT},
    mutants=("accept.header-demanded",),
)
async def wildcard_is_served(lab: AguiLab) -> None:
    """Accept with a wildcard, and no such header: an event stream or protobuf, which is recorded."""
    async with lab.session() as session:
        for accept in WILD:
            run = await shown(lab, session, Role.CHAT, accept=accept)
            lab.expect(_streamed(run) if not _is_protobuf(run) else None)
            lab.note(f"with Accept {accept or 'left out'} the answer is {run.exchange.reply.media_type}", run.sent)


@check(
    "agui.cap.content-type-truthful",
    "A body is in the format that its Content-Type names",
    needs={Role.CHAT},
    mutants=("accept.protobuf-in-name-only", "accept.sse-in-name-only"),
)
async def content_type_is_true(lab: AguiLab) -> None:
    """Every way to accept: data blocks with one JSON event each, or frames of protobuf that fill the body.

    What is refused has no such body.
    """
    async with lab.session() as session:
        for accept in (*WITHOUT_PROTOBUF, *WITH_PROTOBUF, *WILD):
            run = await shown(lab, session, Role.CHAT, accept=accept)
            await run.ended()
            refused = isinstance(await end(lab, run), Refusal) and not run.events
            lab.expect(None if refused else _true_to_its_type(lab, run))


def _true_to_its_type(lab: AguiLab, run: Run) -> Violation | None:
    if _is_protobuf(run):
        size = len(run.exchange.reply.body)
        whole = size > 0 and sum(_frames(run.exchange.reply.body)) == size
        return expect.that(whole, "frames that fill the body", f"{size} bytes that do not", run.sent, run.exchange.end)
    strays = [s.strays for h in lab.histories.values() for s in streams(h) if s.operation == run.exchange.operation]
    records = [record for found in strays for record in found]
    good = is_stream(run) and not records
    actual = f"{run.exchange.reply.media_type or 'no media type'} with {len(run.events)} events"
    return expect.that(good, "data blocks with one JSON event each", actual, run.sent, *records)


def _is_protobuf(run: Run) -> bool:
    return run.status == 200 and run.exchange.reply.media_type == PROTOBUF


def _frames(body: bytes) -> Iterator[int]:
    """The sizes of the frames, prefixes included, as they are told."""
    at = 0
    while at + PREFIX <= len(body):
        size = PREFIX + int.from_bytes(body[at : at + PREFIX], "big")
        yield size
        at += size
