"""AG-UI: failures inside a run, and how its client hears of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from seatrial import AguiLab, AguiSession, Answer, Outcome, Play, Reason, Refusal, Role, Run, Violation, check, expect
from seatrial.judge.errors import leaks

from ..inputs import end

EXCEPTION = re.compile(r"internal-marker|\b[A-Z]\w*(Error|Exception)\b\s*[:(]")
"""The name of an exception before its text, and how a word begins that a target's owner may hide in one."""
TOLD = ("RUN_ERROR", "SUBAGENT_ERROR", "TOOL_CALL_RESULT")
"""Events that may tell of a failure, in `message` or `content`."""
STATUSES = ("429", "400", "500")
"""What the model upstream answers: try later, never try again, broken."""


async def _failures(lab: AguiLab) -> list[Play]:
    """What fails and can be asked for: before and after the first piece of an answer, at the model, in a tool.

    Raises Inconclusive where there is nothing of it.
    """
    asked = [(role, values) for role, values in _wanted(lab) if lab.effects.has(role)]
    if not asked:
        lab.inconclusive(Reason.NO_STIMULUS, "none of the roles boom, tool-failing and model-error is configured")
    return [await lab.effects.plan(role, **values) for role, values in asked]


def _wanted(lab: AguiLab) -> list[tuple[Role, dict[str, Any]]]:
    counted = lab.effects.has(Role.BOOM) and "count" in lab.effects.stimulus(Role.BOOM).placeholders
    booms = [(Role.BOOM, {"count": count}) for count in ((0, 2) if counted else (2,))]
    return [*booms, (Role.MODEL_ERROR, {"text": "500"}), (Role.TOOL_FAILING, {})]


async def _ended(lab: AguiLab, session: AguiSession, play: Play) -> tuple[Run, Outcome]:
    run = await session.play(play)
    return run, await end(lab, run)


@check(
    "agui.err.failure-in-stream",
    "A failure after the start of a run is told by RUN_ERROR in its stream",
    mutants=("fail.torn-without-error", "fail.failure-as-success", "fail.failure-as-500"),
)
async def failure_is_told_in_the_stream(lab: AguiLab) -> None:
    """The agent fails before and after its first delta, and where they can be played the model and a tool do.

    A run whose tool failed may go on with that and finish. A body that is torn behind its RUN_ERROR is a soft
    violation here: how a stream ends has a row of its own.
    """
    async with lab.session() as session:
        for play in await _failures(lab):
            run, outcome = await _ended(lab, session, play)
            told = [event for event in run.of("RUN_ERROR") if event.text("message")]
            handled = isinstance(outcome, Answer) and bool(run.tool_calls or play.role == Role.TOOL_FAILING)
            lab.expect(_in_stream(run, outcome, bool(told) or handled))
            lab.expect(_closed(run))
            if handled and not told:
                lab.note("the run has handled the failure of its tool", outcome)


def _in_stream(run: Run, outcome: Outcome, told: bool) -> Violation | None:
    expected = "status 200 and a stream that ends with RUN_ERROR and a message"
    actual = f"{run.status}, {', '.join(run.types[-4:]) or 'no events'}; {expect.shown(outcome)}"
    return expect.that(run.status == 200 and told, expected, actual, outcome)


def _closed(run: Run) -> Violation | None:
    ending = run.exchange.ending
    broken = run.terminal is not None and ending in ("torn", "reset")
    return expect.that(not broken, "the body ends in order", f"it is {ending}", run.sent, run.exchange.end, soft=True)


@check(
    "agui.err.text-not-secret",
    "What is told of a failure shows nothing of the server's insides",
    mutants=("fail.exception-text", "fail.tool-exception-text"),
)
async def failure_tells_no_insides(lab: AguiLab) -> None:
    """The texts of RUN_ERROR, and of the results of a failing tool: no stack trace, path, secret or marker."""
    async with lab.session() as session:
        heard = 0
        for play in await _failures(lab):
            run, _ = await _ended(lab, session, play)
            texts = [(event.record, event.text("message") or event.text("content")) for event in run.of(*TOLD)]
            heard += len(texts)
            lab.expect([found for record, text in texts if text and (found := _gives_away(text, record))])
        if not heard:
            lab.inconclusive(Reason.STIMULUS_FAILED, "no failure was told")


def _gives_away(text: str, record: int) -> Violation | None:
    found = [*leaks(text), *(["the text of an exception"] if EXCEPTION.search(text) else [])]
    return expect.that(not found, "no insides of the server", f"{', '.join(found)} in {text!r:.200}", record)


@check(
    "agui.err.tool-failure-visible",
    "The failure of a server-side tool is not presented as a success",
    needs={Role.TOOL_FAILING},
    mutants=("fail.tool-failure-as-success", "fail.tool-failure-empty"),
)
async def failing_tool_is_told(lab: AguiLab) -> None:
    """A tool that raises: RUN_ERROR, or a result in which a reader finds the failure."""
    async with lab.session() as session:
        run, outcome = await _ended(lab, session, await lab.effects.plan(Role.TOOL_FAILING))
        if isinstance(outcome, Answer) and not run.of(*TOLD):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the run told neither a result of a tool nor an error", outcome)
        silent = [event for event in run.results if not _tells_failure(event.payload.get("content"))]
        told = bool(run.of("RUN_ERROR")) or bool(run.results and not silent)
        actual = expect.shown([event.payload.get("content") for event in silent] or outcome)
        expected = "RUN_ERROR, or a result that tells of the failure"
        lab.expect(expect.that(told, expected, actual, run.sent, *(event.record for event in silent)))


FAILURE = re.compile(r"error|fail|exception|unable|could not|can(not|'t)|refus|denied|invalid|wrong", re.IGNORECASE)
"""Words by which a reader knows that something went wrong."""


def _tells_failure(content: object) -> bool:
    return FAILURE.search(expect.shown(content, 4000)) is not None


@check(
    "agui.err.retryable-class",
    "A failure that may pass is told from one that stays",
    needs={Role.MODEL_ERROR},
    mutants=("fail.model-errors-alike",),
)
async def passing_failures_are_told_from_lasting_ones(lab: AguiLab) -> None:
    """The model answers 429, 400 and 500: the code or the text of RUN_ERROR differs between 400 and the others."""
    if "text" not in lab.effects.stimulus(Role.MODEL_ERROR).placeholders:
        lab.inconclusive(Reason.NO_STIMULUS, "the stimulus model-error takes no status of the model ({text})")
    async with lab.session() as session:
        told = {status: await _model_error(lab, session, status) for status in STATUSES}
        lasting, records = told["400"]
        for status in ("429", "500"):
            words, more = told[status]
            expected = f"another code or text for {status} than for 400"
            lab.expect(expect.that(words != lasting, expected, words, *records, *more))


async def _model_error(lab: AguiLab, session: AguiSession, status: str) -> tuple[list[object], Sequence[int]]:
    """Code and text of the run's error."""
    run, outcome = await _ended(lab, session, await lab.effects.plan(Role.MODEL_ERROR, text=status))
    if not isinstance(outcome, Refusal) or run.terminal is None:
        lab.inconclusive(Reason.STIMULUS_FAILED, f"status {status} of the model led to no RUN_ERROR", outcome)
    return [run.terminal.payload.get("code"), outcome.text], outcome.records
