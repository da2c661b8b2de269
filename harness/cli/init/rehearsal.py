"""A stimulus played once, to see whether it does what its role asks for."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import anyio

from ...effects import MEASURED
from ...lab import Lab
from ...listing import walk
from ...model import Role
from ...protocols.a2a.updates import update_in
from ...protocols.agui.run import events
from ...protocols.driver import Play
from ...protocols.exchange import Exchange
from ...protocols.mcp.versions import LOG_LEVEL, MODERN
from ...protocols.outcome import Answer, Lost, Message, Outcome, Refusal
from ...witness import text_of
from .proposal import Proposal, mirrored

CLIENT: dict[str, Any] = {"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}}
"""Some targets list a tool only for clients that can play their part in it."""

REPLIES: dict[str, Any] = {
    "elicitation/create": {"action": "decline"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "ok"}, "model": "none"},
    "roots/list": {"roots": []},
}

SECONDS, COUNT, GAP = 2.0, 5, 0.1
TEXT = "hello from seatrial"
_PATIENCE = 6.0
"""Seconds beyond those it is asked for in which a play is over, or given up."""

_AT_ONCE = 1.0
_AGAIN = 0.2
"""Seconds until a task is asked after again."""

_LIST = "tools/list"
_KEPT = 300
"""Characters of an answer that are shown."""


@dataclass(frozen=True, slots=True)
class Sight:
    """What a play came to. `state`: of an A2A task. `kinds`: methods of what the server sent, types of AG-UI events."""

    seconds: float
    answered: bool
    failed: bool
    said: str
    progress: int = 0
    structured: bool = False
    state: str = ""
    kinds: frozenset[str] = field(default_factory=frozenset)

    @property
    def succeeded(self) -> bool:
        return self.answered and not self.failed


@dataclass(frozen=True, slots=True)
class Finding:
    """A proposal that was tried, corrected by what was seen, and whether it does what its role asks for."""

    proposal: Proposal
    sight: Sight
    fits: bool


@asynccontextmanager
async def stage(lab: Lab[Any]) -> AsyncIterator[Any]:
    """A session in which proposals are tried, whose client can do what a server may ask of one, and hears it ask."""
    if not _speaks_mcp(lab):
        async with lab.session() as session:
            yield session
        return
    async with lab.session(capabilities=CLIENT, replies=REPLIES) as session:
        if lab.over_http and lab.version < MODERN:
            await session.listen()
        yield session


def mirror(lab: Lab[Any], session: Any, tools: Mapping[str, Mapping[str, Any]]) -> None:
    """From now on calls mirror in headers what the schemas of these tools want mirrored."""
    if _speaks_mcp(lab) and lab.version >= MODERN:
        session.envelope.mirrored = {name: mirrored(tool) for name, tool in tools.items()}


def _speaks_mcp(lab: Lab[Any]) -> bool:
    return lab.case.rows[0].protocol == "mcp"


async def found_fitting(lab: Lab[Any], session: Any, proposals: Sequence[Proposal]) -> list[Finding]:
    """Try one proposal after the other until one fits; all that is said to an agent, since it may play any role."""
    findings: list[Finding] = []
    for proposal in proposals:
        findings.append(await rehearse(lab, session, proposal))
        findings += _besides(findings[-1])
        if findings[-1].fits and proposal.stimulus.verb != "text":
            break
    return findings


async def rehearse(lab: Lab[Any], session: Any, proposal: Proposal) -> Finding:
    """Play a proposal once."""
    sight = await _seen(lab, session, proposal)
    stimulus = proposal.stimulus
    if stimulus.verb == "tool":
        stimulus = replace(stimulus, progress=sight.progress > 0)
    elif stimulus.verb == "text":
        stimulus = replace(stimulus, role=_role_of(sight, proposal.role))
    corrected = replace(proposal, stimulus=stimulus)
    return Finding(corrected, sight, fits(corrected, sight))


async def _seen(lab: Lab[Any], session: Any, proposal: Proposal) -> Sight:
    play = await _asking_for_logs(lab, session, _play(lab, proposal))
    tools = await _tools(session, proposal)
    before = 0 if proposal.role is Role.ROOTS else len(session.received)  # Some ask for roots at once, and keep them.
    begun = anyio.current_time()
    exchange = await (session.start(play, token=play.key) if _speaks_mcp(lab) else session.start(play))
    outcome = await exchange.outcome(play.lasts + _PATIENCE)
    with anyio.move_on_after(_PATIENCE):
        outcome = await _ended(session, outcome)
    seconds = anyio.current_time() - begun
    heard = _heard(session.received[before:], outcome)
    return _sight(exchange, outcome, seconds, heard | (set() if await _tools(session, proposal) == tools else {_LIST}))


async def _ended(session: Any, outcome: Outcome) -> Outcome:
    """The end of a task of A2A that goes on when its send is answered; any other outcome as it is."""
    task = update_in(outcome)
    while task.kind == "task" and task.state in ("submitted", "working"):
        await anyio.sleep(_AGAIN)
        outcome = await session.get(task.task_id)
        task = update_in(outcome)
    return outcome


async def _asking_for_logs(lab: Lab[Any], session: Any, play: Play) -> Play:
    """Log messages are sent to who wants them."""
    if play.role != Role.LOGS:
        return play
    if lab.version >= MODERN:
        return replace(play, params={**play.params, "_meta": {LOG_LEVEL: "debug"}})
    if "logging" in session.declared:
        await session.request("logging/setLevel", {"level": "debug"})
    return play


async def _tools(session: Any, proposal: Proposal) -> Any:
    """What the list of tools shows, where it is what a play should change."""
    if proposal.role is not Role.MUTATE_TOOLS:
        return None
    return (await walk(session, _LIST)).entries


def _play(lab: Lab[Any], proposal: Proposal) -> Play:
    stimulus = proposal.stimulus
    key = lab.effects.fresh_key()
    filled = stimulus.fill(seconds=SECONDS, count=COUNT, gap=GAP, text=TEXT, key=key)
    method, params = lab.berth.driver.request(filled)
    lasts = stimulus.lasts or (SECONDS if stimulus.role in MEASURED else 0.0)
    return Play(stimulus.role, method, params, lasts, COUNT, GAP, key)


def _heard(received: Sequence[tuple[Exchange, Message]], outcome: Outcome) -> frozenset[str]:
    """The methods of what the server sent meanwhile, or asks for in an interim result; `url` where a link is meant."""
    asked = [message.payload for _, message in received if message.method]
    wishes = outcome.input_requests.values() if isinstance(outcome, Answer) else ()
    asked += [wish for wish in wishes if isinstance(wish, dict)]
    kinds = {str(wish.get("method")) for wish in asked}
    modes = (wish.get("params") for wish in asked if wish.get("method") == "elicitation/create")
    return frozenset(kinds | {"url" for mode in modes if isinstance(mode, dict) and mode.get("mode") == "url"})


def _sight(exchange: Exchange, outcome: Outcome, seconds: float, kinds: frozenset[str]) -> Sight:
    result = outcome.result if isinstance(outcome, Answer) else None
    return Sight(
        seconds,
        isinstance(outcome, Answer),
        not isinstance(outcome, Answer) or outcome.failed,
        _said(exchange, outcome)[:_KEPT],
        len(exchange.progress),
        isinstance(result, dict) and isinstance(result.get("structuredContent"), dict),
        update_in(outcome).state,
        kinds | {event.type for event in events(exchange)},
    )


def _said(exchange: Exchange, outcome: Outcome) -> str:
    """What came back, as a person would read it."""
    match outcome:
        case Lost():
            return outcome.why or "nothing came back"
        case Refusal():
            return f"error {outcome.code or ''}: {outcome.text}"
        case Answer():
            told = [event.text("delta") or "" for event in events(exchange)] or update_in(outcome).texts
            return "".join(told) or text_of(outcome.result)
        case _:
            return "accepted, and no more"


def fits(proposal: Proposal, sight: Sight) -> bool:
    """Does what was seen do what the role asks for?"""
    judge = _FITS.get(proposal.role)
    return judge(sight, proposal) if judge else sight.succeeded


def _takes_its_time(sight: Sight, proposal: Proposal) -> bool:
    wanted = proposal.stimulus.duration(SECONDS)
    return sight.succeeded and wanted * 0.7 <= sight.seconds <= wanted + 5


def _echoes(sight: Sight, proposal: Proposal) -> bool:
    """A tool gives its text back; an agent completes its task."""
    return sight.state == "completed" if proposal.stimulus.verb == "text" else TEXT in sight.said


def _asks(method: str, url: bool = False) -> Callable[[Sight, Proposal], bool]:
    return lambda sight, proposal: method in sight.kinds and ("url" in sight.kinds) == url


_FITS: Mapping[Role, Callable[[Sight, Proposal], bool]] = {
    Role.ECHO: lambda sight, proposal: sight.succeeded and _echoes(sight, proposal),
    Role.QUICK: lambda sight, _: sight.succeeded and sight.seconds < _AT_ONCE,
    Role.SLOW: _takes_its_time,
    Role.PROGRESS: lambda sight, _: sight.succeeded and sight.progress > 1,
    Role.LOGS: lambda sight, _: "notifications/message" in sight.kinds,
    Role.FAILING: lambda sight, _: sight.answered and sight.failed,
    Role.CRASH: lambda sight, _: sight.failed,
    Role.MUTATE_TOOLS: lambda sight, _: sight.succeeded and _LIST in sight.kinds,
    Role.STRUCTURED: lambda sight, _: sight.succeeded and sight.structured,
    Role.ELICIT: _asks("elicitation/create"),
    Role.ELICIT_URL: _asks("elicitation/create", url=True),
    Role.SAMPLING: _asks("sampling/createMessage"),
    Role.ROOTS: _asks("roots/list"),
    Role.CHAT: lambda sight, _: sight.succeeded and "RUN_FINISHED" in sight.kinds,
}
"""A role that is not here asks for success."""


def _role_of(sight: Sight, role: Role) -> Role:
    """The role that an A2A agent really played, by the end of what it was asked."""
    played = {"input-required": Role.ASK, "auth-required": Role.AUTH, "failed": Role.FAIL, "rejected": Role.REJECT}
    if sight.answered and not sight.state and role is Role.ECHO:
        return Role.MESSAGE
    return played.get(sight.state, role)


_SHOWN = {
    "TOOL_CALL_START": Role.TOOL,
    "STATE_DELTA": Role.STATE,
    "STEP_STARTED": Role.STEPS,
    "REASONING_START": Role.REASON,
    "ACTIVITY_SNAPSHOT": Role.ACTIVITY,
    "TEXT_MESSAGE_CHUNK": Role.CHUNKS,
}
"""Type of an AG-UI event -> the role that a run with it plays."""


def _besides(finding: Finding) -> Iterator[Finding]:
    """The further roles that an AG-UI run played."""
    if finding.proposal.role is Role.CHAT and finding.fits:
        for role in dict.fromkeys(role for kind, role in _SHOWN.items() if kind in finding.sight.kinds):
            stimulus = replace(finding.proposal.stimulus, role=role)
            yield replace(finding, proposal=replace(finding.proposal, stimulus=stimulus))
