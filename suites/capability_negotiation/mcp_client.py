"""MCP: the server asks of a client only what the client has declared."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from seatrial import (
    CLIENT_CAPABILITIES,
    MODERN,
    Answer,
    Check,
    Isolation,
    McpLab,
    Outcome,
    Reason,
    Refusal,
    Role,
    Session,
    check,
    codes,
    expect,
)

Capabilities = Mapping[str, Any]

EVERYTHING: Capabilities = {"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}}

REPLIES = {
    "elicitation/create": {"action": "decline"},
    "sampling/createMessage": {"role": "assistant", "content": {"type": "text", "text": "ok"}, "model": "none"},
    "roots/list": {"roots": []},
}

ASKING = {
    Role.ELICIT: ("elicitation", "elicitation/create"),
    Role.ELICIT_URL: ("elicitation", "elicitation/create"),
    Role.SAMPLING: ("sampling", "sampling/createMessage"),
    Role.ROOTS: ("roots", "roots/list"),
}
"""Role -> the capability that the client needs for it, and the request that it gets."""

SAFE = (Role.QUICK, Role.CALL, Role.FAILING, Role.STRUCTURED, Role.PROMPT, Role.RESOURCE, *ASKING)
"""What may be played without asking the target's owner again."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Something that the server wants of the client: a request of its own, or one in a result or an error."""

    payload: Mapping[str, Any]
    record: int

    @property
    def params(self) -> Mapping[str, Any]:
        found = self.payload.get("params")
        return found if isinstance(found, dict) else {}

    @property
    def mode(self) -> str:
        """Of an elicitation: without a word it is a form."""
        return str(self.params.get("mode", "form"))


def wishes(session: Session, outcome: Outcome, method: str) -> list[Wish]:
    """All that the server wanted in a session, and in the outcome of a call."""
    sent = [Wish(m.payload, m.record) for m in session.heard(method) if "id" in m.payload]
    return sent + [wish for wish in _inside(outcome) if wish.payload.get("method") == method]


def _inside(outcome: Outcome) -> Iterator[Wish]:
    """2026-07-28 asks in a result; 2025-11-25 may ask for a visit in an error."""
    match outcome:
        case Answer():
            asked = (request for request in outcome.input_requests.values() if isinstance(request, dict))
            yield from (Wish(request, outcome.message.record) for request in asked)
        case Refusal(code=codes.URL_ELICITATION_REQUIRED, data=dict()):
            for params in outcome.data.get("elicitations") or ():
                yield Wish({"method": "elicitation/create", "params": params}, outcome.records[-1])


@asynccontextmanager
async def client(lab: McpLab, capabilities: Capabilities) -> AsyncIterator[Session]:
    """The session of a client with these capabilities, which hears what belongs to no call as well."""
    async with lab.session(capabilities=capabilities, replies=REPLIES) as session:
        if lab.over_http and lab.version < MODERN:
            session.open_stream()
        yield session


async def wanted(lab: McpLab, role: Role, capabilities: Capabilities) -> tuple[list[Wish], Outcome]:
    """Play a role for a client with these capabilities: what the server wanted, and how the call ended."""
    async with client(lab, capabilities) as session:
        outcome = await session.perform(await lab.effects.plan(role))
        found = wishes(session, outcome, ASKING[role][1])
        if not found and lab.version < MODERN:
            await lab.quiet()
        return found or wishes(session, outcome, ASKING[role][1]), outcome


async def must_ask(lab: McpLab, role: Role, capabilities: Capabilities = EVERYTHING) -> list[Wish]:
    """The control: what the stimulus wants of a client that has it. Raises Inconclusive where that is nothing."""
    found, outcome = await wanted(lab, role, capabilities)
    if not found:
        text = f"the stimulus {role.value} asks for nothing, even of a client that offers it"
        lab.inconclusive(Reason.STIMULUS_FAILED, text, outcome)
    return found


# A client that declares nothing


def respects(role: Role, requirements: Sequence[str], mutants: Sequence[str]) -> Check:
    capability, method = ASKING[role]

    @check(
        requirements[0],
        f"The server does not send {method} to a client without the capability {capability}",
        requirements=requirements,
        mutants=mutants,
        isolation=Isolation.SESSION,
    )
    async def body(lab: McpLab) -> None:
        """All safe stimuli are played for a client that declares nothing. What one that is there to ask does not do
        then, it must do for a client that declares everything."""
        async with client(lab, {}) as session:
            for safe in SAFE:
                if lab.effects.has(safe):
                    await session.perform(await lab.effects.plan(safe))
            await lab.quiet()
            asked = [Wish(m.payload, m.record) for m in session.heard(method)]
            text = f"no {method} to a client without {capability}"
            lab.require(expect.silent(asked, text), requirements[0])
        if not lab.effects.has(role):
            lab.inconclusive(Reason.NO_STIMULUS, f"no stimulus is configured for the role {role.value}")
        await must_ask(lab, role)

    return body


RESPECTED = (
    respects(
        Role.SAMPLING,
        ("mcp.cap.respect-client-caps-sampling", "mcp.cap.respect-client-caps-sampling.early"),
        ("client.sampled-anyway",),
    ),
    respects(Role.ELICIT, ("mcp.cap.respect-client-caps-elicitation",), ("client.elicited-anyway",)),
    respects(
        Role.ROOTS,
        ("mcp.cap.respect-client-caps-roots", "mcp.cap.respect-client-caps-roots.early"),
        ("client.roots-anyway",),
    ),
)


# A client that declares a part

MODES: Sequence[tuple[Role, str, Capabilities]] = (
    (Role.ELICIT, "form", {"url": {}}),
    (Role.ELICIT_URL, "url", {"form": {}}),
    (Role.ELICIT_URL, "url", {}),
)
"""A stimulus, the mode in which it asks, and what a client without that mode declares."""


@check(
    "mcp.cap.elicitation-mode",
    "The server asks for input only in a mode that the client declared",
    needs={Role.ELICIT},
    mutants=("client.form-for-url-clients", "client.url-for-form-clients"),
    isolation=Isolation.SESSION,
)
async def modes_are_respected(lab: McpLab) -> None:
    """Forms for a client that takes URLs only; where there is a stimulus for them, URLs for one that takes forms
    only, and for one that declares no mode, which means forms. In 2025-11-25 error -32042 asks as well."""
    for role, mode, modes in MODES:
        if not lab.effects.has(role):
            lab.waive("URLs for a client that takes forms: no stimulus is configured for the role elicit-url")
            continue
        await must_ask(lab, role, {"elicitation": {mode: {}}})
        found, _ = await wanted(lab, role, {"elicitation": modes})
        wrong = [wish for wish in found if wish.mode == mode]
        lab.expect(expect.silent(wrong, f"no request in mode {mode} of a client that declares {dict(modes)}"))


@check(
    "mcp.cap.sampling-tools-flag",
    "The server offers tools in a sampling request only to a client that declared sampling.tools",
    needs={Role.SAMPLING},
    mutants=("client.tools-for-plain-samplers",),
    isolation=Isolation.SESSION,
)
async def tools_are_offered_to_those_who_take_them(lab: McpLab) -> None:
    """Sampling for a client that declares sampling without tools."""
    found = await must_ask(lab, Role.SAMPLING, {"sampling": {}})
    offering = [wish for wish in found if {"tools", "toolChoice"} & wish.params.keys()]
    lab.expect(expect.silent(offering, "no tools and no toolChoice for a client without sampling.tools"))


# 2026-07-28: what is missing is named, and nothing is remembered


@check(
    "mcp.cap.missing-client-capability",
    "A request that needs an undeclared client capability is refused with the capability named",
    needs={Role.ELICIT},
    faults=("capability_lie",),
    mutants=("client.missing-as-tool-failure", "client.missing-draft-code", "client.missing-unnamed"),
    isolation=Isolation.SESSION,
)
async def missing_capability_is_named(lab: McpLab) -> None:
    """What asks for input, for sampling or for roots, called by a client that declares nothing."""
    for role, (capability, _) in ASKING.items():
        if lab.effects.has(role):
            await must_ask(lab, role)
            _, outcome = await wanted(lab, role, {})
            lab.expect(expect.refused(outcome, {codes.MISSING_CAPABILITY}, statuses={400}))
            if isinstance(outcome, Refusal) and outcome.code == codes.MISSING_CAPABILITY:
                named = outcome.data.get("requiredCapabilities") if isinstance(outcome.data, dict) else None
                text = f"data.requiredCapabilities, an object that names {capability}"
                lab.expect(expect.that(isinstance(named, dict) and capability in named, text, outcome.data, outcome))


@check(
    "mcp.cap.per-request-caps-not-remembered",
    "Client capabilities hold for one request only",
    needs={Role.ELICIT},
    mutants=("client.capabilities-remembered",),
    isolation=Isolation.SESSION,
)
async def capabilities_are_not_remembered(lab: McpLab) -> None:
    """A call that declares everything and is asked for input; then the same call, on the same connection or
    process, without capabilities."""
    async with lab.session() as session:
        play = await lab.effects.plan(Role.ELICIT)
        capable = {**play.params, "_meta": {CLIENT_CAPABILITIES: dict(EVERYTHING)}}
        first = await session.request(play.method, capable)
        if not wishes(session, first, "elicitation/create"):
            lab.inconclusive(Reason.STIMULUS_FAILED, "the stimulus elicit asks a capable client for nothing", first)
        second = await session.request(play.method, play.params)
        asked = wishes(session, second, "elicitation/create")
        lab.expect(expect.silent(asked, "nothing is asked of a request without capabilities"))


@check(
    "mcp.cap.no-cache-on-input-required",
    "A result that asks for input carries no cache fields",
    needs={Role.ELICIT},
    mutants=("cache.interim",),
    isolation=Isolation.SESSION,
)
async def questions_are_not_cached(lab: McpLab) -> None:
    """The stimulus that asks, for a client that offers everything."""
    await must_ask(lab, Role.ELICIT)
    _, outcome = await wanted(lab, Role.ELICIT, EVERYTHING)
    result = lab.need(outcome, "the stimulus elicit").members
    fields = sorted({"ttlMs", "cacheScope"} & result.keys())
    lab.expect(expect.that(not fields, "no ttlMs and no cacheScope beside input_required", fields, outcome))
