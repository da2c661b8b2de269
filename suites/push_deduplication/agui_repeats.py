"""AG-UI: inputs, messages, tool calls and answers that come twice, and how often they are acted on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from seatrial import AguiLab, AguiSession, Isolation, Play, Reading, Role, Run, check, expect, gained
from seatrial.faults import replay_request

from ..approvals import Trace, answer, approved, interrupted, left, performed, read, trace
from ..inputs import handled
from ..threads import concluded

TOOLS: Mapping[str, Any] = {"seconds": 0.2}
Seen = Sequence[str]
"""What a witness has shown."""


async def seen_of(lab: AguiLab, session: AguiSession, role: Role, **plan: Any) -> tuple[Play, Run, Reading, Seen]:
    """A run of a role to its RUN_FINISHED, the reading after it, and what that has beyond the one before."""
    play = await lab.effects.plan(role, **plan)
    before = await lab.effects.baseline(play, session)
    run = await session.play(play)
    lab.need(await concluded(lab, run, play), f"the stimulus {role.value}")
    after = await read(lab, session, play)
    return play, run, after, gained(before, after)


async def tools_trace(lab: AguiLab, session: AguiSession) -> Trace:
    """What the witness shows of a run that uses tools, and not of mere talk. Raises Inconclusive for nothing."""
    word, _, _, said = await seen_of(lab, session, Role.CHAT)
    play, _, after, seen = await seen_of(lab, session, Role.TOOL, **TOOLS)
    return left(lab, seen, play.key, after.record, [token.replace(word.key, "") for token in said])


async def times(lab: AguiLab, session: AguiSession, found: Trace, play: Play, before: Reading) -> tuple[int, int]:
    """How often the tools of a play were used since a reading, and the record that shows it."""
    after = await read(lab, session, play)
    return found.times(gained(before, after), play.key), after.record


@check(
    "agui.dedup.same-run-id-twice",
    "A repeated input is served or refused, and its tools work no more often than it came",
    needs={Role.TOOL, Role.CHAT, Role.WITNESS},
    faults=("replay_request",),
    mutants=("repeat.known-run-hangs",),
    isolation=Isolation.SESSION,
)
async def repeated_inputs_are_counted(lab: AguiLab) -> None:
    """An input is delivered twice by a proxy, then sent a third time by us. The witness counts how often its tools have
    worked: from once, where the server knew the run, to once for each delivery."""
    async with lab.session() as session:
        found = await tools_trace(lab, session)
    play = await lab.effects.plan(Role.TOOL, **TOOLS)
    async with lab.session(replay_request(on="POST", copies=1)) as session:
        before = await lab.effects.baseline(play, session)
        run = await session.play(play)
        lab.expect(handled(await run.conclude(5 * lab.tempo.answer), "an input that came twice"))
    async with lab.session() as session:
        again = session.ask(run.input)
        outcome = await concluded(lab, again, play)
        lab.expect(handled(outcome, "an input that came a third time"))
        number, record = await times(lab, session, found, play, before)
    lab.expect(expect.that(1 <= number <= 3, "one to three uses of its tools", f"{number} uses", record))
    lab.note(f"an input that came three times used its tools {number} times", record)


@check(
    "agui.dedup.same-message-id-twice",
    "A new run with the messages of an earlier one is served or refused",
    needs={Role.CHAT, Role.WITNESS},
    mutants=("repeat.known-message-500",),
)
async def repeated_messages_are_counted(lab: AguiLab) -> None:
    """A run is asked for, then another one of the thread with the same messages, ids included. Whether the model was
    asked again is noted."""
    async with lab.session() as session:
        play, first, before, _ = await seen_of(lab, session, Role.CHAT)
        second = await session.run(thread=first.thread, messages=first.input["messages"])
        outcome = await concluded(lab, second, play)
        lab.expect(handled(outcome, "a run whose messages an earlier run had"))
        seen = gained(before, await read(lab, session, play))
    lab.note(f"messages that came again were worked on {'again' if seen else 'no more'}", outcome)


@check(
    "agui.dedup.history-resent-not-reexecuted",
    "A tool call of the history is not executed again",
    needs={Role.TOOL, Role.CHAT, Role.WITNESS},
    mutants=("repeat.history-executed",),
)
async def the_history_is_not_executed(lab: AguiLab) -> None:
    """A run uses its tools; the next one of the thread brings all of its messages, and another word of the user. The
    witness must not show the tools at work for the first one again."""
    async with lab.session() as session:
        found = await tools_trace(lab, session)
        play, first, before, _ = await seen_of(lab, session, Role.TOOL, **TOOLS)
        word = await lab.effects.plan(Role.CHAT)
        second = await session.play(word, thread=first.thread, messages=first.messages())
        lab.need(await concluded(lab, second, word), "a run with the history of the thread")
        after = await read(lab, session, play)
    again = found.parts(gained(before, after), play.key)
    lab.expect(expect.that(not again, "no use of a tool that has worked already", sorted(again), after.record))


@check(
    "agui.dedup.resume-replay-safe",
    "An answer that comes twice acts once",
    requirements=("agui.dedup.resume-replay-safe", "agui.dedup.resume-replay-safe.v1"),
    needs={Role.INTERRUPT, Role.WITNESS},
    mutants=("resume.acts-again",),
)
async def repeated_answers_act_once(lab: AguiLab) -> None:
    """An interrupt is approved, then the same answer is sent twice more: in a new run, and as the very same input. The
    witness must show one action. Of two answers at once, on another thread, one should act."""
    async with lab.session() as session:
        found = await trace(lab, session)
        waiting = await interrupted(lab, session)
        run, outcome = await approved(lab, session, waiting)
        lab.need(outcome, "an approval")
        await approved(lab, session, waiting)
        await concluded(lab, session.ask(run.input), waiting.play)
        number, record = await performed(lab, session, waiting, found)
        lab.expect(expect.that(number == 1, "one action", f"{number} actions", record))
        racing = await interrupted(lab, session)
        entries = [answer(interrupt) for interrupt in racing.interrupts]
        wishes = {"thread": racing.run.thread, "messages": racing.history, "resume": entries}
        for one in [await session.run(**wishes) for _ in range(2)]:
            await concluded(lab, one, racing.play)
        number, record = await performed(lab, session, racing, found)
    actual = f"{number} actions"
    lab.expect(expect.that(number == 1, "one action of two answers at once", actual, record, soft=True))
