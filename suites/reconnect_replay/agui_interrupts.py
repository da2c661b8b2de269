"""AG-UI: a run that stops for an answer, and the one that brings it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from seatrial import AguiLab, AguiSession, Answer, Outcome, Reason, Role, Run, Violation, check, expect
from seatrial.judge.agui import Rule

from ..approvals import Waiting, answer, approved, ignored, interrupted, performed, read, resumed, trace, traced
from ..threads import CLOSED, concluded, wrong

NEEDS = {Role.INTERRUPT, Role.WITNESS}


def not_success(run: Run, outcome: Outcome) -> Violation | None:
    """A run that could not go on must not say that it did; an absent outcome says so."""
    holds = (run.outcome or {}).get("type") != "success"
    return expect.that(holds, "another interrupt, or a refusal, but no success", outcome, outcome)


@check(
    "agui.interrupt.outcome-form",
    "An interrupted run ends with the interrupt outcome, at least one interrupt, and nothing open",
    needs={Role.INTERRUPT},
    mutants=("interrupt.without-outcome", "interrupt.one-id-for-all", "interrupt.leaves-call-open"),
)
async def an_interrupted_run_says_what_it_waits_for(lab: AguiLab) -> None:
    """The stimulus is played with one interrupt and with two, where their number can be asked for. Each outcome must
    list interrupts with ids of their own; no message and no call may be open."""
    async with lab.session() as session:
        for count in (1, 2):
            play = await lab.effects.plan(Role.INTERRUPT, count=count)
            run = await session.play(play)
            outcome = await concluded(lab, run, play)
            # before 1.0 an absent outcome was legal, as servers sent it that knew of no other
            undated = lab.version != "1.0" and run.terminal is not None and "outcome" not in run.terminal.payload
            lab.expect(expect.that(bool(run.interrupts), "the outcome interrupt", outcome, outcome, soft=undated))
            lab.expect(wrong(lab, run, {Rule.INTERRUPT_FORM, *CLOSED}))


@check(
    "agui.interrupt.not-success",
    "An interrupted run is not reported as success",
    needs={Role.INTERRUPT},
    mutants=("interrupt.told-as-success", "interrupt.without-outcome"),
)
async def an_interrupted_run_is_no_success(lab: AguiLab) -> None:
    """The stimulus is played: neither the outcome success nor an absent one, which means the same, may follow."""
    play = await lab.effects.plan(Role.INTERRUPT, count=1)
    async with lab.session() as session:
        run = await session.play(play)
        outcome = await concluded(lab, run, play)
    if not isinstance(outcome, Answer):
        lab.inconclusive(Reason.STIMULUS_FAILED, "the interrupted run did not finish", outcome)
    lab.expect(not_success(run, outcome))


@check(
    "agui.interrupt.resume-completes",
    "A resume that covers every interrupt performs the action once and ends the run",
    needs=NEEDS,
    mutants=("resume.acts-twice", "resume.fails"),
)
async def a_resume_completes_the_work(lab: AguiLab) -> None:
    """An interrupt is approved in a new run of the thread. It must finish, and the witness must show the action, and
    show it once."""
    async with lab.session() as session:
        waiting = await interrupted(lab, session)
        _, outcome = await approved(lab, session, waiting)
        finished = isinstance(outcome, Answer)
        lab.require(expect.that(finished, "the resumed run comes to its RUN_FINISHED", outcome, outcome))
        found = traced(lab, waiting, await read(lab, session, waiting.play))
        times, record = await performed(lab, session, waiting, found)
        lab.expect(expect.that(times == 1, "the action is performed once", f"it was performed {times} times", record))


async def _idle(lab: AguiLab, wrongly: Callable[[Waiting, AguiSession], Awaitable[None]], what: str) -> None:
    """No action may follow what `wrongly` does to a thread that waits, and the right answer must still lead to it."""
    async with lab.session() as session:
        found = await trace(lab, session)
        waiting = await interrupted(lab, session)
        await wrongly(waiting, session)
        times, record = await performed(lab, session, waiting, found)
        lab.require(expect.that(not times, f"{what} performs no action", f"it was performed {times} times", record))
        _, outcome = await approved(lab, session, waiting)
        times, record = await performed(lab, session, waiting, found)
        lab.expect(expect.that(times == 1, "the interrupt stays open for its own answer", outcome, outcome, record))


@check(
    "agui.interrupt.no-action-without-answer",
    "An interrupted action is not performed without an answer",
    needs={*NEEDS, Role.CHAT},
    mutants=("interrupt.acts-unasked", "interrupt.forgotten"),
)
async def no_answer_no_action(lab: AguiLab) -> None:
    """The thread goes on without a resume: once with its history alone, once with another word of the user. The
    witness must show no action; the run must not end in success, but interrupt again or be refused."""

    async def unanswered(waiting: Waiting, session: AguiSession) -> None:
        run = await session.run(thread=waiting.run.thread, messages=waiting.history)
        lab.expect(not_success(run, await concluded(lab, run, waiting.play)))
        lab.expect(not_success(*await ignored(lab, session, waiting)))

    await _idle(lab, unanswered, "a run without a resume")


@check(
    "agui.interrupt.bogus-id-never-answers",
    "An answer to another id does not release an open interrupt",
    needs=NEEDS,
    mutants=("resume.any-id-will-do", "resume.bogus-id-closes"),
)
async def a_made_up_id_answers_nothing(lab: AguiLab) -> None:
    """A resume with a made-up id, and one with the id of the tool call. The witness must show no action, and the right
    answer must still be taken."""

    async def bogus(waiting: Waiting, session: AguiSession) -> None:
        call = str(waiting.interrupts[0].get("toolCallId", session.fresh()))
        for ident in (session.fresh(), call):
            await resumed(lab, session, waiting, [answer({**waiting.interrupts[0], "id": ident})])

    await _idle(lab, bogus, "an answer to another id")


@check(
    "agui.interrupt.other-thread",
    "A resume on another thread answers nothing",
    needs=NEEDS,
    mutants=("resume.across-threads",),
)
async def another_thread_answers_nothing(lab: AguiLab) -> None:
    """The answer, and the history, are sent on a thread that nobody used before. The witness must show no action, and
    the thread of the interrupt must still take the answer."""

    async def elsewhere(waiting: Waiting, session: AguiSession) -> None:
        entries = [answer(interrupt) for interrupt in waiting.interrupts]
        await resumed(lab, session, waiting, entries, thread=session.fresh())

    await _idle(lab, elsewhere, "a resume on another thread")


@check(
    "agui.interrupt.cancelled-entry",
    "An abandoned interrupt performs no action",
    needs=NEEDS,
    mutants=("resume.cancelled-acts", "resume.cancelled-hangs"),
)
async def an_abandoned_interrupt_does_nothing(lab: AguiLab) -> None:
    """The interrupt is answered with the status cancelled. The run should end in a terminal event, without the action
    that an approval leads to."""
    async with lab.session() as session:
        found = await trace(lab, session)
        waiting = await interrupted(lab, session)
        entries = [answer(interrupt, "cancelled") for interrupt in waiting.interrupts]
        run, outcome = await resumed(lab, session, waiting, entries)
        lab.expect(expect.that(run.terminal is not None, "the run ends in a terminal event", outcome, outcome))
        times, record = await performed(lab, session, waiting, found)
        lab.expect(expect.that(not times, "no action", f"it was performed {times} times", record))


@check(
    "agui.interrupt.partial-cover",
    "A run with an interrupt left open does not end as success",
    needs={Role.INTERRUPT},
    mutants=("resume.partial-is-enough",),
)
async def one_answer_is_not_two(lab: AguiLab) -> None:
    """Two interrupts, one answer: the first one's, on another thread the second one's. The run must be refused, or be
    interrupted again by the one that is open."""
    async with lab.session() as session:
        for which in (0, 1):
            waiting = await interrupted(lab, session, 2)
            run, outcome = await resumed(lab, session, waiting, [answer(waiting.interrupts[which])])
            lab.require(not_success(run, outcome))
            still = {interrupt.get("id") for interrupt in run.interrupts}
            open_ = waiting.interrupts[1 - which].get("id")
            holds = not run.interrupts or open_ in still
            lab.expect(expect.that(holds, "the interrupt that is open is told again", outcome, outcome))


@check(
    "agui.interrupt.tool-call-not-restarted",
    "A resumed tool call is not started again, and its result names the call that was interrupted",
    requirements=("agui.interrupt.tool-call-not-restarted", "agui.interrupt.tool-call-not-restarted.v1"),
    needs={Role.INTERRUPT},
    mutants=("resume.restarts-call", "resume.result-of-another-call"),
)
async def a_resumed_call_goes_on(lab: AguiLab) -> None:
    """An interrupt that belongs to a tool call is approved. The resumed run should start no call with that id or that
    name, and give the result of that call."""
    async with lab.session() as session:
        waiting = await interrupted(lab, session)
        ident = waiting.interrupts[0].get("toolCallId")
        call = next((call for call in waiting.run.tool_calls if call.id == ident), None)
        if call is None:
            lab.inconclusive(
                Reason.STIMULUS_FAILED, "the interrupt belongs to no tool call of its run", waiting.run.sent
            )
        run, outcome = await approved(lab, session, waiting)
    again = [c.id for c in run.tool_calls if c.id == call.id or c.name == call.name]
    told = [event.text("toolCallId") for event in run.results]
    lab.expect(expect.that(not again, "no second start of the call", f"started again: {again}", outcome))
    lab.expect(expect.that(call.id in told, f"a result of {call.id}", f"results of {told}", outcome))
