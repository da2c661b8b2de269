"""AG-UI: the state that a client holds and hands back: runs go on from it, whatever the server remembers."""

from __future__ import annotations

from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Outcome, Play, Reason, Role, Run, Violation, check, expect
from seatrial.judge.agui import Rule

from ..inputs import handled
from ..threads import concluded, wrong

FOLLOWS = frozenset({Rule.PATCH_VALID, Rule.PATCH_APPLIES, Rule.CONVERGES})
"""What finds fault with deltas and snapshots that do not go on from the state of the input."""
STATES = ("STATE_SNAPSHOT", "STATE_DELTA")
CHANGE = 40
"""How far a client changes a number."""


async def changing(lab: AguiLab, session: AguiSession, play: Play, **wishes: Any) -> Run:
    """A run that changes the state, to its end. Raises Inconclusive when it tells of no state, or fails."""
    run = await session.play(play, **wishes)
    outcome = await concluded(lab, run, play)
    if not isinstance(outcome, Answer) or not run.of(*STATES):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus state told of no state", outcome)
    return run


def altered(state: Any) -> Any:
    """A state as a client may change it: its first number is another, or else its first text."""
    members = state.items() if isinstance(state, dict) else ()
    numbers = {name: value + CHANGE for name, value in members if type(value) is int}
    texts = {name: f"{value}-altered" for name, value in members if isinstance(value, str)}
    return {**state, **dict([*numbers.items(), *texts.items()][:1])} if members else state


def ends_as(run: Run, other: Run, what: str, *, soft: bool = False) -> Violation | None:
    """Do both runs leave their client with the same state?"""
    told = f"{what}: {expect.shown(other.state)}"
    return expect.that(run.state == other.state, told, run.state, run.sent, other.sent, soft=soft)


@check(
    "agui.state.roundtrip",
    "A run goes on from the state in its input",
    needs={Role.STATE},
    mutants=("state.server-knows-better", "state.last-of-anyone"),
)
async def runs_go_on_from_their_input(lab: AguiLab) -> None:
    """A run changes the state. The next ones are given what it left, then that with one value changed by the client: on
    two new threads, and on the old one, whose state the server may remember. All deltas must apply to what was
    given. Two new threads should end with one state; then so must the old one."""
    play = await lab.effects.plan(Role.STATE)
    async with lab.session() as session:
        first = await changing(lab, session, play, state={})
        for state in (first.state, altered(first.state)):
            fresh = [await changing(lab, session, play, state=state) for _ in range(2)]
            again = await changing(lab, session, play, state=state, thread=first.thread, messages=first.messages())
            for run in (*fresh, again):
                lab.expect(wrong(lab, run, FOLLOWS))
            if lab.expect(ends_as(fresh[1], fresh[0], "the state that the same input led to before", soft=True)):
                lab.expect(ends_as(again, fresh[0], "the state that the same input leads to on a new thread"))


@check(
    "agui.state.input-null-vs-absent",
    "An absent state counts as an empty object",
    needs={Role.STATE},
    mutants=("state.absent-is-null",),
)
async def an_absent_state_is_empty(lab: AguiLab) -> None:
    """A run whose input leaves the state out: its deltas must apply to an empty object, and it must end as one that was
    given an empty object. What becomes of null is noted."""
    play = await lab.effects.plan(Role.STATE)
    async with lab.session() as session:
        empty = await changing(lab, session, play, state={})
        absent = await changing(lab, session, play, without=("state",))
        lab.expect(wrong(lab, absent, FOLLOWS))
        lab.expect(ends_as(absent, empty, "the state that an empty object leads to"))
        null = await session.play(play, state=None)
        outcome = await concluded(lab, null, play)
    lab.note(f"with the state null the run got: {expect.shown(outcome)}", outcome)


@check(
    "agui.state.write-version-conflict",
    "Of two runs with the same stale state each goes on from that, or is refused",
    needs={Role.STATE},
    faults=("concurrent",),
    mutants=("state.merges-writes", "state.server-knows-better"),
)
async def stale_states_are_told_apart(lab: AguiLab) -> None:
    """Two runs of a thread are given the same state at once. Each must end as the same input does on a new thread: the
    last write wins, and nothing is merged unseen. A refusal is as good."""
    play = await lab.effects.plan(Role.STATE)
    async with lab.session() as session:
        first = await changing(lab, session, play, state={})
        stale = {"state": altered(first.state)}
        alone = [await changing(lab, session, play, **stale) for _ in range(2)]
        if alone[0].state != alone[1].state:
            lab.inconclusive(
                Reason.STIMULUS_FAILED, "equal inputs lead to unequal states", alone[0].sent, alone[1].sent
            )
        for run, outcome in await _both(lab, session, play, first, stale):
            lab.expect(handled(outcome, "a run beside another"))
            lab.expect(wrong(lab, run, FOLLOWS) if isinstance(outcome, Answer) else None)
            lab.expect(ends_as(run, alone[0], "the state that the input leads to") if run.finished_ok else None)


async def _both(
    lab: AguiLab, session: AguiSession, play: Play, first: Run, stale: dict[str, Any]
) -> list[tuple[Run, Outcome]]:
    """Two runs that go on from a first one at once, with their ends."""
    thread = {"thread": first.thread, "messages": first.messages()}
    runs = [await session.play(play, **thread, **stale) for _ in range(2)]
    return [(run, await concluded(lab, run, play)) for run in runs]
