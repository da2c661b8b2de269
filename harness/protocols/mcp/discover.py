"""Find out which MCP versions a target speaks, and say in one sentence why it speaks none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from ...claims import Claims, Spoken
from ..outcome import Answer, Lost, Outcome, Refusal
from .session import Session
from .versions import Era, era, exists

Opener = Callable[[str], AbstractAsyncContextManager[Session]]
"""Opens a fresh, uninitialised session of a version."""


async def discover(binding: str, versions: Sequence[str], opener: Opener) -> tuple[Claims, list[Outcome]]:
    """The versions that work over one binding, and the outcomes of those that do not."""
    spoken: list[Spoken] = []
    refused: dict[tuple[str, str], int] = {}
    failures: list[Outcome] = []
    for version in sorted((v for v in versions if exists(v, binding)), reverse=True):
        async with opener(version) as session:
            outcome = await session.open()
            found = _spoken(session, binding, outcome)
        if found:
            spoken.insert(0, found)
        else:
            refused[version, binding] = outcome.records[-1]
            failures.append(outcome)
        if _hopeless(outcome):
            break
    return Claims(tuple(spoken), refused), failures


def _spoken(session: Session, binding: str, outcome: Outcome) -> Spoken | None:
    if not isinstance(outcome, Answer) or not isinstance(outcome.result, dict):
        return None
    if not _agreed(session.version, outcome.result):
        return None
    return Spoken(session.version, binding, outcome.result, outcome.message.record, session_issued(session))


def _agreed(version: str, result: dict[str, object]) -> bool:
    if era(version) is Era.STATEFUL:
        return result.get("protocolVersion") == version
    listed = result.get("supportedVersions")
    return not isinstance(listed, list) or version in listed


def session_issued(session: Session) -> bool:
    return session.era is Era.STATEFUL and session.session_id is not None


def _hopeless(outcome: Outcome) -> bool:
    """Nobody is there at all, so that asking for older versions is of no use."""
    return isinstance(outcome, Lost) and ("refused" in outcome.why or "certificate" in outcome.why.lower())


def reason(address: str, failures: Sequence[Outcome]) -> str:
    """One sentence: why no version is spoken there."""
    if not failures:
        return f"{address} was not asked: no version of MCP exists for its binding"
    worst = next((f for f in failures if isinstance(f, Lost)), None) or failures[-1]
    return f"{address} {_told(worst)}"


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
