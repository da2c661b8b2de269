"""AG-UI: what a broken run leaves behind does not come back by itself: half a message, a tool, a word of the user."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from seatrial import AguiLab, Isolation, Play, Reason, Role, Run, Violation, check, expect, gained
from seatrial.faults import FIN

from ..threads import concluded
from .breaking import broken, positions, whole

PARTIAL = 6
"""Events of a slow run after which some of its text has come."""
SHORTEST = 6
"""Characters of a text that nobody says by chance."""
CUTS = 8
"""Places at which the run of a tool is cut."""


@check(
    "agui.replay.partial-not-duplicated",
    "What a broken run left behind does not come back by itself",
    needs={Role.SLOW, Role.CHAT, Role.WITNESS},
    faults=("cut",),
    mutants=("thread.restores-partials", "thread.remembers-input", "thread.repeats-tools"),
    isolation=Isolation.SESSION,
)
async def leftovers_stay_away(lab: AguiLab) -> None:
    """A slow run is cut, and its half message dropped. In the next run of the thread neither MESSAGES_SNAPSHOT nor the
    witness may show it, and no message of the user may be there twice. Runs with a tool are cut at every event: the
    next run, which brings the history, must not execute the tool again."""
    play = await lab.effects.plan(Role.SLOW, seconds=2.0)
    lost = await broken(lab, play, PARTIAL, FIN)
    said = lost.input["messages"]
    run, shown = await _next(lab, said, lost.thread)
    lab.expect(list(_restored(lost, run, shown)))
    lab.expect(_twice(run))
    _, fresh = await _next(lab, said, None)
    heard, once = _naming(play, shown), _naming(play, fresh)
    lab.expect(expect.that(heard <= once, f"the words of the user reach the model {once} times", heard, run.sent))
    if lab.effects.has(Role.TOOL):
        await _tools_run_once(lab)


async def _next(lab: AguiLab, messages: list[Any], thread: str | None) -> tuple[Run, list[str]]:
    """An ordinary run with these messages, and what the witness shows of it."""
    play = await lab.effects.plan(Role.CHAT)
    async with lab.session() as session:
        before = await lab.effects.baseline(play, session)
        run = await session.play(play, thread=thread, messages=messages)
        lab.need(await concluded(lab, run, play), "an ordinary run")
        return run, list(gained(before, await lab.effects.reading(play.key, session)))


def _restored(lost: Run, run: Run, shown: list[str]) -> Iterator[Violation]:
    """Where half a message comes back."""
    idents = {event.text("messageId") for event in lost.of("TEXT_MESSAGE_START", "TEXT_MESSAGE_CHUNK")}
    text = lost.text.strip()
    for event in run.of("MESSAGES_SNAPSHOT"):
        back = [m for m in _objects(event.payload.get("messages")) if m.get("id") in idents]
        if back:
            yield Violation("a snapshot without the half message", f"it has {back}", (lost.sent, event.record))
    if len(text) >= SHORTEST and any(text in token for token in shown):
        yield Violation("a model that is not given the half message", f"it sees {text!r}", (lost.sent, run.sent))


def _objects(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _twice(run: Run) -> list[Violation]:
    """Messages of the user that the client holds twice after a run."""
    held = Counter(str(m.get("content")) for m in _objects(run.messages()) if m.get("role") == "user")
    many = [text for text, number in held.items() if number > 1]
    return [Violation("every message of the user once", f"{text} is there twice", (run.sent,)) for text in many]


def _naming(play: Play, shown: list[str]) -> int:
    """How often the witness names the key of a play."""
    return sum(play.key in token for token in shown)


async def _tools_run_once(lab: AguiLab) -> None:
    """Cut a run with a tool at its events, and see that the next run of the thread leaves the tool alone."""
    control = await lab.effects.control(Role.TOOL, seconds=0.2)
    marks = set(control.seen) - set((await lab.effects.control(Role.CHAT)).seen)
    if not marks:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of a tool", *control.records)
    _, uncut = await whole(lab, Role.TOOL, seconds=0.2)
    for after, how in positions(len(uncut.events), CUTS):
        play = await lab.effects.plan(Role.TOOL, seconds=0.2)
        async with lab.session() as session:
            before = await lab.effects.baseline(play, session)
        lost = await broken(lab, play, after, how)
        await _next(lab, lost.messages(), lost.thread)
        async with lab.session() as session:
            seen = gained(before, await lab.effects.reading(play.key, session))
        many = [mark for mark in sorted(marks) if seen.count(mark) > control.seen.count(mark)]
        lab.expect(expect.that(not many, "the tool is not executed again", f"again: {many}", lost.sent))
