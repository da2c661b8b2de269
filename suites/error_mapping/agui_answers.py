"""AG-UI: failures that a client brings: of its own tools, and answers to interrupts that nobody raised."""

from __future__ import annotations

from typing import Any

from seatrial import AguiLab, AguiSession, Outcome, Play, Reason, Refusal, Role, Run, RunEvent, Violation, check, expect

from ..inputs import CONFIRM, MARKER, end, refused, seen, served, shown, unanswered

FAILURE = f"the user's screen is locked {MARKER}"


@check(
    "agui.err.frontend-tool-error-answered",
    "The failure of a frontend tool reaches the agent, which goes on",
    needs={Role.FRONT},
    mutants=("fail.tool-error-refused", "fail.tool-error-unseen", "fail.tool-error-dropped"),
)
async def frontend_tool_error_reaches_the_agent(lab: AguiLab) -> None:
    """A second run brings the tool message with an error. Where the witness shows it, the model was told of it.

    That a messages snapshot keeps the error with the message is a soft part: it must be complete, says another row.
    """
    async with lab.session() as session:
        play = await lab.effects.plan(Role.FRONT)
        failed = await _failed(lab, session, play)
        run = await session.run(thread=failed[0], messages=failed[1], tools=[CONFIRM])
        lab.expect(served(await end(lab, run), "a run with the failure of a frontend tool"))
        lab.expect(_kept(run))
        reading = await seen(lab, session, play)
        if reading is None:
            lab.waive("no witness shows what the model was told")
        else:
            lab.expect(expect.that(MARKER in reading.text, "the model is told", reading.text, reading.record))


async def _failed(lab: AguiLab, session: AguiSession, play: Play) -> tuple[str, list[Any]]:
    """Thread and messages after a run that left a call to us, which failed."""
    run = await session.play(play, tools=[CONFIRM])
    lab.need(await end(lab, run), "the stimulus front")
    left = [call for call in unanswered(run) if call.name == CONFIRM["name"]]
    if not left:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"the run did not call the tool {CONFIRM['name']}", run.sent)
    told = [{"id": session.fresh(), "role": "tool", "toolCallId": c.id, "content": "", "error": FAILURE} for c in left]
    return str(run.thread), [*run.messages(), *told]


def _kept(run: Run) -> list[Violation]:
    """What snapshots have lost of the failed tool messages that they restate."""
    failed = {message["id"] for message in run.input["messages"] if message.get("error")}
    bare = [
        (message["id"], event.record)
        for event in run.of("MESSAGES_SNAPSHOT")
        for message in _restated(event)
        if message.get("id") in failed and not message.get("error")
    ]
    return [Violation("a snapshot keeps the error", f"none in {id}", (run.sent, at), soft=True) for id, at in bare]


def _restated(snapshot: RunEvent) -> list[dict[str, Any]]:
    """The messages in a snapshot that are objects."""
    found = snapshot.payload.get("messages")
    return [message for message in found if isinstance(message, dict)] if isinstance(found, list) else []


@check(
    "agui.err.interrupt-unknown-resume",
    "An answer to an interrupt that nobody raised is ignored, before 1.0 refused",
    requirements=("agui.err.interrupt-unknown-resume", "agui.err.interrupt-unknown-resume.early"),
    needs={Role.CHAT},
    mutants=("fail.unknown-resume-fails", "fail.unknown-resume-acts", "fail.unknown-resume-ignored-early"),
)
async def unknown_interrupt_is_not_answered(lab: AguiLab) -> None:
    """A fresh thread and a resume entry with an id that was made up, beside a plain prompt; no tool may work for it.

    Before 1.0 it is a soft violation to take no notice where no stimulus shows that the agent has interrupts at all.
    """
    entry = {"interruptId": f"interrupt-{MARKER}", "status": "resolved", "payload": {"approved": True}}
    async with lab.session() as session:
        run = await shown(lab, session, Role.CHAT, resume=[entry])
        outcome = await end(lab, run)
        results = [event.record for event in run.results]
        lab.expect(expect.that(not results, "nothing is executed for it", "a tool has worked", *results))
        if lab.version == "0.1":
            lab.expect(_refused_early(outcome, run, knows_interrupts=lab.effects.has(Role.INTERRUPT)))
        else:
            lab.expect(served(outcome, "an input with an answer to no interrupt"))


def _refused_early(outcome: Outcome, run: Run, *, knows_interrupts: bool) -> Violation | None:
    """RUN_ERROR; a refusal by HTTP says the same another way."""
    by_event = isinstance(outcome, Refusal) and bool(run.of("RUN_ERROR"))
    by_http = refused(outcome, "the answer") is None
    return expect.that(by_event, "RUN_ERROR", outcome, outcome, soft=by_http or not knows_interrupts)
