"""A2A: the interfaces that the card declares, tried one by one."""

from __future__ import annotations

from seatrial import (
    HTTP_JSON,
    JSONRPC,
    NOWHERE,
    V03,
    V10,
    VERSION_HEADER,
    A2aLab,
    A2aSession,
    Isolation,
    Lost,
    Outcome,
    Refusal,
    Violation,
    check,
    dumps,
    expect,
    followed,
    interfaces,
)

from .speaking import card_of, reachable, speaks

VERSION_NOT_SUPPORTED = -32009
TASK_NOT_FOUND = -32001
HEADERS = {"Accept": "application/json", VERSION_HEADER: V10}
PREFIXES = ("", "/rest", "/v1", "/a2a")
"""Where, below the URL of one binding, another one is usually found."""


@check(
    "a2a.cap.interface-reachable",
    "Every declared interface speaks its binding at its URL",
    isolation=Isolation.SESSION,
    mutants=("card.rest-below-nothing", "card.rest-is-a-page"),
)
async def interfaces_speak_their_binding(lab: A2aLab) -> None:
    """On each interface of this version and binding: a task that does not exist; over HTTP+JSON an empty message."""
    async with lab.session() as session:
        for interface in reachable(lab, session):
            session.interface = interface
            lab.expect(await speaks(lab, session))
        told_others(lab, session)


def told_others(lab: A2aLab, session: A2aSession) -> None:
    """Interfaces on other hosts are not followed: the card could send us anywhere."""
    far = [i.url for i in interfaces(card_of(lab)) if not followed(i.url, session.http.url)]
    if far:
        lab.note(f"not tried, since they are on other hosts: {', '.join(dict.fromkeys(far))}", lab.claim_record)


@check(
    "a2a.cap.interface-version-honest",
    "Every declared version is served on its interface",
    isolation=Isolation.SESSION,
    mutants=("version.explicit-03-refused",),
)
async def declared_versions_are_served(lab: A2aLab) -> None:
    """On each interface of this binding, whatever its version: a task that does not exist, in that version."""
    for version in (V10, V03):
        async with lab.session(version=version, opened=False) as session:
            for interface in reachable(lab, session, version):
                session.interface = interface
                outcome = await session.call("GetTask", {"id": NOWHERE}, headers={VERSION_HEADER: version})
                lab.expect(_served(outcome, f"version {version} at {interface.url}"))


def _served(outcome: Outcome, what: str) -> Violation | None:
    declined = isinstance(outcome, Lost) or (isinstance(outcome, Refusal) and outcome.code == VERSION_NOT_SUPPORTED)
    return expect.that(not declined, f"{what} is served, as the card declares", outcome, outcome)


@check(
    "a2a.cap.binding-undeclared",
    "Bindings that are served are declared",
    mutants=("card.hides-rest",),
)
async def served_bindings_are_declared(lab: A2aLab) -> None:
    """A binding that the card does not name is tried at the URL of the other one."""
    other = HTTP_JSON if lab.binding == JSONRPC else JSONRPC
    declared = {interface.binding for interface in interfaces(card_of(lab))}
    async with lab.session() as session:
        found = [] if other in declared else await _agents_in(session, other)
    lab.expect(expect.that(not found, f"{other} is declared, or not served", found[0] if found else "", *found))


async def _agents_in(session: A2aSession, binding: str) -> list[Outcome]:
    """A task that does not exist is asked for in a binding, at usual places: the outcomes that an agent gives."""
    if binding == JSONRPC:
        return [outcome for place in PREFIXES if (outcome := await _by_json_rpc(session, place))]
    places = (f"{session.url.rstrip('/')}{prefix}/tasks/{NOWHERE}" for prefix in PREFIXES)
    outcomes = [await session.raw("GET", place, HEADERS).outcome() for place in places]
    return [outcome for outcome in outcomes if isinstance(outcome, Refusal) and outcome.code == TASK_NOT_FOUND]


async def _by_json_rpc(session: A2aSession, prefix: str) -> Outcome | None:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": NOWHERE}}
    headers = {**HEADERS, "Content-Type": "application/json"}
    exchange = session.raw("POST", f"{session.url.rstrip('/')}{prefix}", headers, dumps(asked))
    outcome = await exchange.outcome()
    enveloped = any(isinstance(m.payload, dict) and "jsonrpc" in m.payload for m in exchange.messages)
    return outcome if enveloped else None
