"""A2A: chunks on a stream, their order, and the artifact that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from seatrial import NOWHERE, A2aLab, Reason, Role, Update, Violation, check, expect
from seatrial.judge.a2a.streams import consecutive, content, steps, whole

from .watching import STREAM, ticks


@check(
    "a2a.stream.order",
    "Events arrive in the order in which they were generated, and none is lost",
    needs=STREAM,
    mutants=("task-stream.swaps-events", "task-stream.drops-event", "task-stream.exception-first"),
    patience=0.5,
)
async def events_arrive_in_order(lab: A2aLab) -> None:
    """A stream of numbered chunks, and one of an agent that breaks after some events, which must come first."""
    async with lab.session() as session:
        stream = await ticks(lab, session)
        found = steps(stream.updates)
        if len(found) < 2:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the chunks are not numbered", *stream.records)
        lab.expect(consecutive(found, "numbered chunks", stream.records))
        lab.expect(whole(stream.updates, await session.task(stream.task_id)))
        if lab.effects.has(Role.RAISE):
            broken = await session.play_stream(await lab.effects.plan(Role.RAISE, text="after 3"))
            await broken.ended(lab.tempo.answer)
            kept = await session.task(broken.task_id or NOWHERE)
            if broken.is_stream and kept.kind == "task":
                lab.expect(whole(broken.updates, kept, "the events before the exception"))


@check(
    "a2a.stream.artifact-append",
    "The chunks of an artifact join to the stored artifact",
    needs=STREAM,
    mutants=("artifact.append-replaces", "artifact.append-first", "artifact.last-chunk-always"),
    patience=0.5,
)
async def chunks_join_to_the_artifact(lab: A2aLab) -> None:
    """The first chunk of an artifact does not append, none follows its last, and together they are what is stored."""
    async with lab.session() as session:
        stream = await ticks(lab, session)
        chunks = [update for update in stream.updates if update.kind == "artifact"]
        lab.expect(_chunked(chunks))
        lab.expect(whole(stream.updates, await session.task(stream.task_id)))
        if not any(chunk.last_chunk for chunk in chunks):
            lab.note("no chunk was marked as the last", *stream.records[-2:])


def _chunked(chunks: Sequence[Update]) -> Iterator[Violation]:
    """What is wrong with the flags of chunks, artifact by artifact."""
    known: dict[str, bool] = {}
    for chunk in chunks:
        for artifact in chunk.artifacts:
            ident = str(artifact.get("artifactId"))
            if ident not in known and chunk.appends:
                yield Violation("the first chunk of an artifact does not append", content(artifact), (chunk.record,))
            if known.get(ident) and chunk.appends:
                yield Violation("nothing is appended after the last chunk", content(artifact), (chunk.record,))
            known[ident] = chunk.last_chunk


@check(
    "a2a.stream.ids-consistent",
    "All events of a stream name one task and one context",
    needs=STREAM,
    mutants=("task-stream.foreign-context", "task-stream.foreign-task"),
    patience=0.5,
)
async def events_name_one_task(lab: A2aLab) -> None:
    """The ids of all events of a stream of chunks."""
    async with lab.session() as session:
        stream = await ticks(lab, session)
        for name, found in (
            ("task", {update.task_id for update in stream.updates}),
            ("context", {update.context_id for update in stream.updates}),
        ):
            told = f"{len(found)}: {sorted(found)}"
            lab.expect(expect.that(len(found) == 1 and "" not in found, f"one {name} id", told, *stream.records))
