"""Find out which versions an A2A agent declares, and say in one sentence why it declares none."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from ...claims import Claims, Spoken
from ...pace import Withheld
from ..driver import Inquiry, Opener
from ..outcome import Answer, Lost, Outcome
from .card import Interface, capabilities, is_card
from .messages import Form
from .session import NOWHERE, Session
from .versions import HTTP_JSON, NEWEST_RELEASE, V03, V10


async def discover(asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
    """The interfaces that the agent card declares. What is declared is spoken: whether it works is for checks."""
    spoken: list[Spoken] = []
    failed: list[Outcome] = []
    refused: dict[tuple[str, str], int] = {}
    for version in asked.versions:
        for binding in asked.bindings:
            async with opener(version, binding) as session:
                outcome = await session.open()
                session.form = await _learnt(session)
            if session.interface is not None and isinstance(outcome, Answer):
                spoken.append(_spoken(session, session.interface, outcome, asked.release))
            else:
                failed.append(outcome)
                refused[version, binding] = outcome.records[-1]
    return Claims(tuple(spoken), refused), failed


async def _learnt(session: Session) -> Form:
    """The form in which 0.3 over HTTP+JSON is written here: a message to a task that does not exist must be refused
    as such, not for its form. Where neither form is, or both are, that of the specification."""
    if session.interface is None or (session.version, session.binding) != (V03, HTTP_JSON):
        return session.form
    with suppress(Withheld):  # nothing may be said to it
        for form in (Form.V03, Form.PROTO):
            session.form = form
            outcome = await session.send("hello", task=NOWHERE)
            if outcome.reply.status == 404:
                return form
    return Form.V03


def form(version: str, known: Spoken | None) -> Form:
    """How messages of a column are written: as discovery learnt it, else as the version says."""
    return Form(known.server["form"]) if known else Form(version)


def _spoken(session: Session, interface: Interface, outcome: Answer, release: str) -> Spoken:
    card = session.card
    server = {"name": card.get("name"), "capabilities": capabilities(card), "card": card}
    server |= {"url": interface.url, "form": session.form.value}
    known = release or NEWEST_RELEASE if interface.version == V10 else ""
    return Spoken(interface.version, interface.binding, server, outcome.message.record, release=known)


def reason(failures: Sequence[Outcome]) -> str:
    """Why it is no A2A agent that we can talk to, as the rest of a sentence that begins with the address."""
    if not failures:
        return "was not asked: A2A has no such version and binding"
    worst = failures[-1]
    status = worst.reply.status
    if isinstance(worst, Lost) and status is not None and status < 300:
        return worst.why if worst.why.startswith("the agent card") else f"serves no agent card: {worst.why}"
    if isinstance(worst, Lost):
        return f"gives no agent card: {worst.why}"
    if status in (401, 403):
        return f"answers {status} for its agent card: it wants credentials; give them with --header"
    if isinstance(worst, Answer) and not is_card(worst.result):
        return "serves JSON that is no agent card at /.well-known/agent-card.json"
    return f"has no agent card (HTTP {status}) at /.well-known/agent-card.json"
