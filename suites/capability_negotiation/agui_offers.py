"""AG-UI: what a client offers and gives along: tools, context, content."""

from __future__ import annotations

from seatrial import AguiLab, Reason, Role, check, expect

from ..inputs import CONFIRM, MARKER, asked, end, seen, served, shown, told, unanswered

PARTS = {
    "an image by URL": {
        "type": "image",
        "source": {"type": "url", "value": "https://pictures.invalid/one.png", "mimeType": "image/png"},
    },
    "a file of an unknown provider": {
        "type": "document",
        "source": {"type": "file", "value": "file-7f3a", "provider": "nobody.invalid", "mimeType": "application/pdf"},
    },
}


@check(
    "agui.cap.frontend-tool-called-when-offered",
    "A tool that the client offers is called and left to it",
    needs={Role.FRONT},
    mutants=("offer.tools-ignored", "offer.answered-by-server"),
)
async def offered_tool_is_called(lab: AguiLab) -> None:
    """One tool in the input and the prompt for it: a call with its name, and no result of that call."""
    async with lab.session() as session:
        run = await shown(lab, session, Role.FRONT)
        waiting = unanswered(run)
        calls = [call for call in run.tool_calls if call.name == CONFIRM["name"]]
        if not calls and waiting:
            names = ", ".join(call.name for call in waiting)
            lab.inconclusive(Reason.STIMULUS_FAILED, f"the stimulus front calls another tool: {names}", run.sent)
        records = [event.record for event in run.of("TOOL_CALL_START", "TOOL_CALL_RESULT")]
        good = bool(calls) and all(call in waiting for call in calls)
        actual = f"{len(calls)} calls of it, {len([call for call in calls if call in waiting])} without a result"
        lab.expect(expect.that(good, "a call of confirm without a result", actual, run.sent, *records))


@check(
    "agui.cap.no-unoffered-frontend-tool",
    "A tool that the client did not offer is not left waiting for it",
    needs={Role.FRONT},
    mutants=("offer.unoffered-called",),
)
async def tool_that_was_not_offered_does_not_wait(lab: AguiLab) -> None:
    """The same prompt without tools: the run may end as it likes, but not with a call of that tool for the client."""
    async with lab.session() as session:
        run = await shown(lab, session, Role.FRONT, tools=[])
        lab.need(await end(lab, run), "the stimulus front without a tool")
        waits = [] if run.interrupts else [call.name for call in unanswered(run)]
        records = [event.record for event in run.of("TOOL_CALL_START")]
        lab.expect(expect.that(not waits, "no call that waits for the client", f"{waits} wait", run.sent, *records))


@check(
    "agui.cap.tools-context-optional",
    "Only threadId, runId and messages are required",
    needs={Role.CHAT},
    mutants=("offer.context-demanded", "offer.state-demanded"),
)
async def short_input_is_served(lab: AguiLab) -> None:
    """An input with these three, then with each of the others left out alone."""
    optional = ("state", "tools", "context", "forwardedProps", "protocolVersion")
    async with lab.session() as session:
        lab.expect(served(await asked(lab, session, without=optional), "an input of threadId, runId and messages"))
        for name in optional:
            lab.expect(served(await asked(lab, session, without=(name,)), f"an input without {name}"))


@check(
    "agui.cap.unusable-content-part-skipped",
    "A content part that the agent cannot use does not fail the run",
    needs={Role.CHAT},
    mutants=("offer.image-refused", "offer.file-fails-run"),
)
async def unusable_part_is_skipped(lab: AguiLab) -> None:
    """Text with an image by a URL that leads nowhere, and with a file of a provider that nobody knows."""
    async with lab.session() as session:
        for what, part in PARTS.items():
            lab.expect(served(await told(lab, session, part), f"a text with {what}"))


@check(
    "agui.cap.context-injected",
    "What the client gives as context reaches the agent",
    needs={Role.CHAT, Role.WITNESS},
    mutants=("offer.context-unseen",),
)
async def context_reaches_the_agent(lab: AguiLab) -> None:
    """An entry with a marker: the witness, where it shows what the model is asked, must show it."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.CHAT)
        run = await session.play(play, context=[{"description": "the user's favourite word", "value": MARKER}])
        lab.need(await end(lab, run), "the stimulus chat")
        reading = await seen(lab, session, play)
        if reading is None:
            lab.inconclusive(Reason.NO_WITNESS, "no witness shows what the model is asked", run.sent)
        lab.expect(expect.that(MARKER in reading.text, "the model is given the context", reading.text, reading.record))
