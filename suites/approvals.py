"""AG-UI: threads that wait for an approval, answers to it, and the trace that an approved action leaves."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Outcome, Play, Reading, Reason, Role, Run, gained

from .threads import concluded

Object = dict[str, Any]

_ACTION = re.compile(r"\W*(event\W+)?tool", re.IGNORECASE)
"""How a witness names what a tool does, as against what its model does: `tool deploy`, `tool_runs`."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """A thread that waits. `asked` is what the witness showed before and after the run that was interrupted."""

    play: Play
    run: Run
    asked: tuple[Reading, Reading]

    @property
    def interrupts(self) -> list[Object]:
        return self.run.interrupts

    @property
    def history(self) -> list[Any]:
        """The messages with which the next run of the thread begins."""
        return self.run.messages()


async def interrupted(lab: AguiLab, session: AguiSession, count: int = 1) -> Waiting:
    """Play an interrupt. Raises Inconclusive when the run does not end in so many interrupts."""
    play = await lab.effects.plan(Role.INTERRUPT, count=count)
    before = await lab.effects.baseline(play, session)
    run = await session.play(play)
    outcome = await concluded(lab, run, play)
    if len(run.interrupts) < count:
        told = f"the run raised {len(run.interrupts)} interrupts, not {count}"
        lab.inconclusive(Reason.STIMULUS_FAILED, told, outcome)
    return Waiting(play, run, (before, await read(lab, session, play)))


async def read(lab: AguiLab, session: AguiSession, play: Play) -> Reading:
    """What the witness shows a moment later; nothing where there is none."""
    if not lab.effects.has(Role.WITNESS):
        return Reading()
    await lab.quiet(0.3)
    return await lab.effects.reading(play.key, session)


def answer(interrupt: Object, status: str = "resolved") -> Object:
    """An entry of resume: a yes, or what its schema takes for one."""
    entry: Object = {"interruptId": interrupt.get("id"), "status": status}
    return entry if status == "cancelled" else {**entry, "payload": _yes(interrupt.get("responseSchema"))}


def _yes(schema: Any) -> Any:
    kind = schema.get("type") if isinstance(schema, dict) else None
    return {"boolean": True, "string": "yes"}.get(str(kind), {"approved": True})


async def resumed(
    lab: AguiLab, session: AguiSession, waiting: Waiting, entries: Sequence[Object], *, thread: str = ""
) -> tuple[Run, Outcome]:
    """A new run of the thread with these entries and the history, and nothing more said."""
    run = await session.run(thread=thread or waiting.run.thread, messages=waiting.history, resume=entries)
    return run, await concluded(lab, run, waiting.play)


async def approved(lab: AguiLab, session: AguiSession, waiting: Waiting) -> tuple[Run, Outcome]:
    """A resume that says yes to every interrupt."""
    return await resumed(lab, session, waiting, [answer(interrupt) for interrupt in waiting.interrupts])


async def ignored(lab: AguiLab, session: AguiSession, waiting: Waiting) -> tuple[Run, Outcome]:
    """A new run of the thread without a resume, in which the user says something else."""
    play = await lab.effects.plan(Role.CHAT)
    run = await session.play(play, thread=waiting.run.thread, messages=waiting.history)
    return run, await concluded(lab, run, play)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the witness shows of an action and of nothing before it, keys aside."""

    marks: frozenset[str]

    def times(self, seen: Sequence[str], key: str) -> int:
        """How often the action was performed: as often as its rarest mark is there."""
        neutral = _neutral(seen, key)
        return min((neutral.count(mark) for mark in self.marks), default=0)

    def parts(self, seen: Sequence[str], key: str) -> frozenset[str]:
        """What of the action was performed, be it only a part of it."""
        return self.marks.intersection(_neutral(seen, key))


def _neutral(seen: Sequence[str], key: str) -> list[str]:
    return [token.replace(key, "") for token in seen]


async def trace(lab: AguiLab, session: AguiSession) -> Trace:
    """That of an action which is approved on a thread of its own. Raises Inconclusive when there is none."""
    waiting = await interrupted(lab, session)
    _, outcome = await approved(lab, session, waiting)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, "an approval did not lead to a finished run", outcome)
    return traced(lab, waiting, await read(lab, session, waiting.play))


def traced(lab: AguiLab, waiting: Waiting, after: Reading) -> Trace:
    """What came since the interrupt that was not there before."""
    asked = gained(*waiting.asked)
    return left(lab, gained(waiting.asked[1], after), waiting.play.key, after.record, asked)


def left(lab: AguiLab, seen: Sequence[str], key: str, record: int, known: Sequence[str] = ()) -> Trace:
    """Of what a witness has shown, and that is not known already, what names a tool, where anything does."""
    marks = set(_neutral(seen, key)) - set(_neutral(known, key))
    if not marks:
        lab.inconclusive(Reason.NO_WITNESS, "the witness shows nothing of the action", record)
    return Trace(frozenset(filter(_ACTION.match, marks)) or frozenset(marks))


async def performed(lab: AguiLab, session: AguiSession, waiting: Waiting, found: Trace) -> tuple[int, int]:
    """How often the action was performed since the interrupt, and the record that shows it."""
    after = await read(lab, session, waiting.play)
    return found.times(gained(waiting.asked[1], after), waiting.play.key), after.record
