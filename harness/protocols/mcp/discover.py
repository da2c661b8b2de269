"""Find out which MCP versions a target speaks, and say in one sentence why it speaks none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import anyio

from ...claims import Claims, Spoken
from ..driver import Inquiry, Opener, Unspoken
from ..exchange import Exchange
from ..outcome import Answer, Ending, Lost, Outcome, Refusal
from .session import Session
from .versions import Era, era, exists


async def discover(asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
    """The versions that work over each binding, asked for all at once, and the outcomes of those that do not."""
    found: dict[tuple[str, str], tuple[Spoken | None, Outcome]] = {}

    async def ask(version: str, binding: str) -> None:
        async with opener(version, binding) as session:
            outcome = await session.open()
            answer = _spoken(session, binding, outcome) or await _unlisted(session, binding, outcome)
            found[version, binding] = (answer, outcome)

    for binding in asked.bindings:
        async with anyio.create_task_group() as tasks:
            for version in (*asked.versions, *asked.beside):
                if exists(version, binding):
                    tasks.start_soon(ask, version, binding)
    if not any(answer for answer, _ in found.values()):
        await _refuse_deprecated(found, opener)
    spoken, beside = (
        tuple(answer for b in asked.bindings for v in versions if (v, b) in found and (answer := found[v, b][0]))
        for versions in (asked.versions, asked.beside)
    )
    failed = {(v, b): outcome for (v, b), (answer, outcome) in found.items() if not answer and v in asked.versions}
    refused = {column: outcome.records[-1] for column, outcome in failed.items()}
    return Claims(spoken, refused, beside), list(failed.values())


async def _refuse_deprecated(found: Mapping[tuple[str, str], tuple[Spoken | None, Outcome]], opener: Opener) -> None:
    """Raises Unspoken where the transport of 2024-11-05 is offered (2025-11-25: basic/transports#backwards-
    compatibility): a GET is answered by a stream whose first event is `endpoint`."""
    refused = [column for column, (_, outcome) in found.items() if outcome.reply.status in (400, 404, 405)]
    if not refused:
        return
    async with opener(*refused[0]) as session:
        stream = session.open_stream()
        if await stream.until(_is_deprecated):
            raise Unspoken(
                f"{session.http.url} speaks HTTP+SSE, MCP's transport of 2024-11-05, and Seatrial does not; "
                "give the address of its Streamable HTTP endpoint, or the command that starts it over stdio"
            )


def _is_deprecated(stream: Exchange) -> bool | None:
    if stream.events:
        return stream.events[0].event == "endpoint"
    return None if stream.ending is Ending.OPEN else False


def _spoken(session: Session, binding: str, outcome: Outcome) -> Spoken | None:
    if not isinstance(outcome, Answer) or not isinstance(outcome.result, dict):
        return None
    if not _agreed(session.version, outcome.result):
        return None
    return Spoken(session.version, binding, outcome.result, outcome.message.record, session_issued(session))


async def _unlisted(session: Session, binding: str, outcome: Outcome) -> Spoken | None:
    """A modern server that does not list the version, and yet serves it."""
    if session.era is Era.STATEFUL or not isinstance(outcome, Answer):
        return None
    served = await session.served()
    return Spoken(session.version, binding, session.server, served.message.record) if served else None


def _agreed(version: str, result: dict[str, object]) -> bool:
    if era(version) is Era.STATEFUL:
        return result.get("protocolVersion") == version
    listed = result.get("supportedVersions")
    return not isinstance(listed, list) or version in listed


def session_issued(session: Session) -> bool:
    return session.era is Era.STATEFUL and session.session_id is not None


def reason(failures: Sequence[Outcome]) -> str:
    """Why no version is spoken there, as the rest of a sentence that begins with the address."""
    if not failures:
        return "was not asked: no version of MCP exists for its binding"
    return _told(next((f for f in failures if isinstance(f, Lost)), None) or failures[-1])


def _told(outcome: Outcome) -> str:
    status, media = outcome.reply.status, outcome.reply.media_type
    if status in (401, 403):
        return f"answers {status}: it wants credentials; give them with --header or headers in seatrial.toml"
    if media == "text/html":
        return f"serves HTML (status {status}), not MCP; give the address of the MCP endpoint"
    if isinstance(outcome, Lost):
        return f"gives no MCP answer: {outcome.why}"
    if isinstance(outcome, Refusal) and outcome.code is None:
        return f"answers HTTP {status} and no JSON-RPC; is this the address of the MCP endpoint?"
    if isinstance(outcome, Refusal):
        return f"refuses every MCP version: error {outcome.code} {outcome.text[:200]!r}"
    return "answers, but with no MCP version that Seatrial knows"
