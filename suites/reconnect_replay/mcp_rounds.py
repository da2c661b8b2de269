"""MCP: second rounds of calls that ask for input, and the state that they bring back (2026-07-28)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from seatrial import (
    Answer,
    Feature,
    Isolation,
    McpLab,
    Outcome,
    Play,
    Reason,
    Refusal,
    Role,
    Session,
    Violation,
    check,
    expect,
)
from seatrial.faults import request, restart, skew

from ..plays import STARTING

CAPABILITIES: Mapping[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
ELICIT = {Role.ELICIT}
LONG = 10 * 365 * 86400.0
"""Seconds for which nobody means a state to be good."""


@dataclass(frozen=True, slots=True)
class Round:
    """A call that was answered with a demand for input. `state` is None where none came."""

    play: Play
    first: Answer
    requests: Mapping[str, Any]
    state: str | None

    def params(self, **changes: Any) -> dict[str, Any]:
        """Those of the second round; a change of None leaves a member out."""
        own = {"inputResponses": {name: _reply(request) for name, request in self.requests.items()}}
        state = {} if self.state is None else {"requestState": self.state}
        merged = {**self.play.params, **own, **state, **changes}
        return {name: value for name, value in merged.items() if value is not None}


def _reply(request: Any) -> dict[str, Any]:
    """A fitting answer of the client."""
    method = request.get("method") if isinstance(request, dict) else None
    if method == "roots/list":
        return {"roots": []}
    if method == "sampling/createMessage":
        return {"role": "assistant", "content": {"type": "text", "text": "Paris"}, "model": "seatrial"}
    schema = request.get("params", {}).get("requestedSchema", {}) if isinstance(request, dict) else {}
    properties = schema.get("properties", {}) if isinstance(schema, dict) else {}
    return {"action": "accept", "content": {name: _value(shape) for name, shape in properties.items()}}


def _value(shape: Any) -> Any:
    """A value that fits a primitive schema."""
    kind = shape if isinstance(shape, dict) else {}
    if isinstance(kind.get("enum"), list) and kind["enum"]:
        return kind["enum"][0]
    samples: dict[Any, Any] = {"boolean": True, "integer": kind.get("minimum", 1), "number": kind.get("minimum", 1)}
    return samples.get(kind.get("type"), "Paris")


@asynccontextmanager
async def _client(lab: McpLab) -> AsyncIterator[Session]:
    """A client that can be asked."""
    async with lab.session(capabilities=CAPABILITIES) as session:
        yield session


async def _asked(lab: McpLab, session: Session, play: Play | None = None) -> Round:
    """Play a call until it asks. Raises Inconclusive when it does not."""
    play = play or await lab.effects.plan(Role.ELICIT)
    first = lab.need(await session.perform(play), "a call that asks for input")
    if not first.asks:
        lab.inconclusive(Reason.STIMULUS_FAILED, "the call did not ask for input", first)
    return Round(play, first, first.input_requests, first.members.get("requestState"))


async def _retry(session: Session, asked: Round, within: float | None = None, **changes: Any) -> Outcome:
    return await session.request(asked.play.method, asked.params(**changes), within=within)


def _completed(outcome: Outcome) -> bool:
    return isinstance(outcome, Answer) and isinstance(outcome.result, dict) and not (outcome.asks or outcome.failed)


def _completes(outcome: Outcome, asked: Round, what: str) -> Violation | None:
    return expect.that(_completed(outcome), what, outcome, asked.first, outcome)


def _refuses(outcome: Outcome, asked: Round, what: str, *, soft: bool = False) -> Violation | None:
    """An error, a failed call or a new demand for input: in any case it was not executed."""
    refused = isinstance(outcome, Refusal) or (isinstance(outcome, Answer) and not _completed(outcome))
    return expect.that(refused, what, outcome, asked.first, outcome, soft=soft)


def _stateful(lab: McpLab, asked: Round) -> str:
    if not isinstance(asked.state, str):
        lab.not_applicable("the demand for input brings no requestState", asked.first)
    return asked.state


@check(
    "mcp.rec.mrtr-new-connection",
    "The second round works on another connection",
    needs=ELICIT,
    mutants=("rounds.forgotten",),
    isolation=Isolation.SESSION,
)
async def second_round_needs_no_connection(lab: McpLab) -> None:
    """Over HTTP the answers go out on a connection of their own; over stdio after other requests."""
    async with _client(lab) as session:
        asked = await _asked(lab, session)
        await session.fence()
        if not lab.over_http:
            lab.expect(_completes(await _retry(session, asked), asked, "the call completes"))
            return
    async with lab.session(capabilities=CAPABILITIES, opened=False) as other:
        lab.expect(_completes(await _retry(other, asked), asked, "the call completes on another connection"))


@check(
    "mcp.rec.mrtr-after-restart",
    "The second round after a restart completes or fails cleanly",
    needs={Role.ELICIT, Feature.PROCESS},
    faults=("restart",),
    mutants=("rounds.lost-hangs",),
    isolation=Isolation.PROCESS,
)
async def second_round_survives_a_restart(lab: McpLab) -> None:
    """The answers reach another process than the one that asked: over HTTP one that was started on its port."""
    play = await lab.effects.plan(Role.ELICIT)
    faults = (restart(on=play.method, after=request(2)),) if lab.over_http else ()
    async with lab.session(*faults, capabilities=CAPABILITIES) as session:
        asked = await _asked(lab, session, play)
        outcome = await _retry(session, asked, lab.tempo.scaled(STARTING)) if lab.over_http else None
    async with lab.session(capabilities=CAPABILITIES) as successor:
        if outcome is None:
            outcome = await _retry(successor, asked)
        lab.expect(expect.responded(outcome, "the call completes, or an error says that it does not"))
        lab.expect(expect.answered(await successor.fence(), "the server goes on"))


@check(
    "mcp.rec.mrtr-tampered-state",
    "A requestState that was changed is refused",
    needs=ELICIT,
    faults=("corrupt",),
    mutants=("rounds.unsigned",),
    isolation=Isolation.SESSION,
)
async def tampered_state_is_refused(lab: McpLab) -> None:
    """The state with one character changed, cut off, foreign, and empty; each in a round of its own."""
    for what, tampered in TAMPERINGS.items():
        async with _client(lab) as session:
            asked = await _asked(lab, session)
            state = tampered(_stateful(lab, asked))
            outcome = await _retry(session, asked, requestState=state)
            lab.expect(_refuses(outcome, asked, f"a requestState {what} is refused", soft=not state))


def _with_one_changed(state: str) -> str:
    middle = len(state) // 2
    return state[:middle] + ("A" if state[middle : middle + 1] != "A" else "B") + state[middle + 1 :]


TAMPERINGS: Mapping[str, Callable[[str], str]] = {
    "with one character changed": _with_one_changed,
    "cut off": lambda state: state[: len(state) // 2],
    "of another kind": lambda state: "c2VhdHJpYWw=",
    "that is empty": lambda state: "",
}


@check(
    "mcp.rec.mrtr-other-request",
    "A requestState is bound to its request",
    needs=ELICIT,
    mutants=("rounds.any-request",),
    isolation=Isolation.SESSION,
)
async def state_belongs_to_its_request(lab: McpLab) -> None:
    """The state of one call is brought to the same call with other arguments."""
    async with _client(lab) as session:
        asked, other = await _asked(lab, session), await lab.effects.plan(Role.ELICIT)
        state = _stateful(lab, asked)
        if other.params == asked.play.params:
            lab.inconclusive(Reason.STIMULUS_FAILED, "the call takes no other arguments", asked.first)
        foreign = await _asked(lab, session, other)
        outcome = await _retry(session, foreign, requestState=state)
        lab.expect(_refuses(outcome, asked, "the state of another request is refused"))


@check(
    "mcp.rec.mrtr-other-principal",
    "A requestState is bound to its principal",
    needs={Role.ELICIT, Feature.IDENTITIES},
    mutants=("rounds.any-principal",),
    isolation=Isolation.SESSION,
)
async def state_belongs_to_its_principal(lab: McpLab) -> None:
    """The state that one principal was given is brought by another."""
    async with lab.session(capabilities=CAPABILITIES, identity="first") as owner:
        asked = await _asked(lab, owner)
        _stateful(lab, asked)
    async with lab.session(capabilities=CAPABILITIES, identity="second") as thief:
        outcome = await _retry(thief, asked)
        lab.expect(_refuses(outcome, asked, "the state of another principal is refused"))


@check(
    "mcp.rec.mrtr-expired",
    "A requestState that has expired is refused",
    needs={Role.ELICIT, Feature.PROCESS},
    faults=("skew",),
    mutants=("rounds.never-expires",),
    isolation=Isolation.PROCESS,
)
async def expired_state_is_refused(lab: McpLab) -> None:
    """A process whose clock is ten years behind gives a state, which is brought to one whose clock is right. The
    control is a state of a process that is a second behind."""
    for behind in (1.0, LONG):
        async with lab.session(skew(seconds=-behind), capabilities=CAPABILITIES) as past:
            asked = await _asked(lab, past)
            _stateful(lab, asked)
        async with _client(lab) as session:
            outcome = await _retry(session, asked)
        if behind == LONG:
            lab.expect(_refuses(outcome, asked, "a requestState of ten years ago is refused"))
        elif not _completed(outcome):
            lab.inconclusive(Reason.STIMULUS_FAILED, "a requestState is of no use in another process", outcome)


@check(
    "mcp.rec.mrtr-replay-completed",
    "Replaying a finished round does not repeat its effect unnoticed",
    needs=ELICIT,
    mutants=("rounds.repeats",),
    isolation=Isolation.SESSION,
)
async def finished_round_is_not_repeated(lab: McpLab) -> None:
    """A finished second round is sent again: refused, or answered with the same result. The witness is recorded."""
    async with _client(lab) as session:
        asked = await _asked(lab, session)
        _stateful(lab, asked)
        done = await _retry(session, asked)
        if not _completed(done):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the second round did not complete", done)
        again = await _retry(session, asked)
        same = isinstance(done, Answer) and isinstance(again, Answer) and again.result == done.result
        if not same:
            lab.expect(_refuses(again, asked, "refused, or the same result"))
        lab.expect(expect.responded(again))
        if lab.effects.has(Role.WITNESS):
            reading = await lab.effects.reading(asked.play.key, session)
            lab.note(f"after the replay the witness shows {reading.text[:200]}", reading.record)


@check(
    "mcp.rec.mrtr-missing-response",
    "A round with a missing answer asks again",
    needs=ELICIT,
    mutants=("rounds.missing-fails",),
    isolation=Isolation.SESSION,
)
async def missing_answer_is_asked_for_again(lab: McpLab) -> None:
    """The second round leaves out one of the answers."""
    async with _client(lab) as session:
        asked = await _asked(lab, session)
        kept = dict(list(asked.params()["inputResponses"].items())[1:])
        outcome = await _retry(session, asked, inputResponses=kept)
        asks_again = isinstance(outcome, Answer) and outcome.asks
        lab.expect(expect.that(asks_again, "a new demand for input", outcome, asked.first, outcome))


@check(
    "mcp.rec.mrtr-extra-response",
    "An unknown answer is ignored",
    needs=ELICIT,
    mutants=("rounds.extra-fails",),
    isolation=Isolation.SESSION,
)
async def unknown_answer_is_ignored(lab: McpLab) -> None:
    """The second round brings an answer that nobody asked for."""
    async with _client(lab) as session:
        asked = await _asked(lab, session)
        answers = {**asked.params()["inputResponses"], "seatrial-unasked": {"action": "accept", "content": {}}}
        outcome = await _retry(session, asked, inputResponses=answers)
        lab.expect(_completes(outcome, asked, "the call completes"))
