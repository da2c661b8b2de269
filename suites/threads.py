"""AG-UI: runs in the state that a check needs. A part that cannot be had makes the case INCONCLUSIVE."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Outcome, Play, Reason, Role, Run, Violation
from seatrial.judge.agui import Finding, Rule, Stream, judge_stream, profile, streams, violation

DELTAS = ("TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_CHUNK")
"""Events with a piece of what a slow run says."""
CLOSED = frozenset({Rule.TEXT_TRIAD, Rule.TOOL_TRIAD, Rule.REASONING_TRIAD, Rule.REASONING_SPAN, Rule.STEPS_BALANCED})
"""What finds fault with an item that is open at RUN_FINISHED."""


def patience(lab: AguiLab, play: Play) -> float:
    """Seconds within which a play is surely over."""
    return max(play.lasts, 0.0) * 2 + 2 * lab.tempo.answer


async def concluded(lab: AguiLab, run: Run, play: Play) -> Outcome:
    """The end of a run that plays a stimulus."""
    return await run.conclude(patience(lab, play))


async def played(
    lab: AguiLab, session: AguiSession, role: Role, *, plan: dict[str, Any] | None = None, **wishes: Any
) -> Run:
    """Play a role to its RUN_FINISHED, whatever the outcome. Raises Inconclusive for another end.

    `plan`: what the stimulus is asked for; `wishes`: the other fields of the input.
    """
    play = await lab.effects.plan(role, **(plan or {}))
    run = await session.play(play, **wishes)
    outcome = await concluded(lab, run, play)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus {role.value} did not come to its end", outcome)
    return run


async def underway(lab: AguiLab, run: Run, count: int = 3, *types: str) -> Run:
    """Wait until a run has shown so many events, of some types or of any.

    Raises Inconclusive when it ends before it could be interfered with.
    """
    shown = await run.count(count, *types, within=2 * lab.tempo.answer)
    if not shown or run.terminal is not None:
        what = "was over" if run.terminal else "did not show what was waited for"
        records = [event.record for event in run.events[-1:]]
        lab.inconclusive(
            Reason.STIMULUS_FAILED, f"the run {what} before it could be interfered with", run.sent, *records
        )
    return run


def wrong(lab: AguiLab, run: Run, rules: Collection[Rule]) -> list[Violation]:
    """What breaks some rules of the grammar in the stream of a run that no fault of ours disturbed."""
    return misspoken(lab, stream_of(lab, run), rules)


def misspoken(lab: AguiLab, stream: Stream, rules: Collection[Rule]) -> list[Violation]:
    """The same, of a stream or a part of it."""
    return [violation(finding) for finding in _faults(lab, stream) if finding.rule in rules]


def broken_rules(lab: AguiLab, run: Run) -> frozenset[Rule]:
    """The rules of the grammar that the stream of a run breaks."""
    return frozenset(finding.rule for finding in _faults(lab, stream_of(lab, run)))


def _faults(lab: AguiLab, stream: Stream) -> list[Finding]:
    return judge_stream(replace(stream, whole=True), profile(lab.version, lab.spoken.edition or lab.version))


def stream_of(lab: AguiLab, run: Run) -> Stream:
    """The stream of a run, as the judges of streams take it. Raises Inconclusive when there is none."""
    records = [record for history in lab.histories.values() for record in history]
    found = next((stream for stream in streams(records) if stream.sent == run.sent), None)
    if found is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the run was not answered by an event stream", run.sent)
    return found
