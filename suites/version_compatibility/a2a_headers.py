"""A2A: where the version stands, and how its header is spelled."""

from __future__ import annotations

from collections.abc import Mapping

from seatrial import (
    JSONRPC,
    NOWHERE,
    OPERATIONS,
    V03,
    V10,
    VERSION_HEADER,
    A2aLab,
    A2aSession,
    Isolation,
    Outcome,
    Reason,
    Refusal,
    check,
    expect,
)
from seatrial.judge.a2a import card as judge
from seatrial.judge.a2a import refused

from ..operations import harmless
from .negotiating import declined, served

QUERY = f"?{VERSION_HEADER}={V10}"
TASK_NOT_FOUND, METHOD_NOT_FOUND, VERSION_NOT_SUPPORTED = -32001, -32601, -32009
Headers = Mapping[str, str | None]


async def read(session: A2aSession, headers: Headers) -> Outcome:
    """A task that does not exist is asked for, with these headers."""
    return await session.call("GetTask", {"id": NOWHERE}, headers=headers)


@check(
    "a2a.ver.header-case",
    "The name of the version header is not sensitive to case",
    faults=("case",),
    mutants=("negotiation.exact-spelling",),
)
async def name_is_not_case_sensitive(lab: A2aLab) -> None:
    """The header in lower and in upper case: 1.0 is served, 99.0 is refused as it is under the usual name."""
    async with lab.session() as session:
        control = await read(session, {VERSION_HEADER: "99.0"})
        if declined(lab, control):
            lab.inconclusive(Reason.NOT_EXERCISED, "the agent refuses no version under the usual name", control)
        for name in (VERSION_HEADER.lower(), VERSION_HEADER.upper()):
            lab.expect(served(lab, await read(session, {VERSION_HEADER: None, name: V10})))
            lab.expect(declined(lab, await read(session, {VERSION_HEADER: None, name: "99.0"})))


@check(
    "a2a.ver.query-param",
    "The version may come as a request parameter",
    mutants=("negotiation.header-only",),
)
async def version_in_the_query(lab: A2aLab) -> None:
    """A task that does not exist, asked for with A2A-Version=1.0 in the query and without the header."""
    headers = {VERSION_HEADER: None}
    async with lab.session() as session:
        if lab.binding == JSONRPC:
            ident = session.next_id()
            asked = {"jsonrpc": "2.0", "id": ident, "method": "GetTask", "params": {"id": NOWHERE}}
            exchange = session.post(asked, request_id=ident, headers=headers, query=QUERY)
        else:
            exchange = session.rest("GET", f"/tasks/{NOWHERE}{QUERY}", headers=headers)
        lab.expect(served(lab, await exchange.outcome()))


@check(
    "a2a.ver.duplicate-header",
    "Two version headers are handled in one fixed way",
    isolation=Isolation.SESSION,
    faults=("duplicate_header",),
    mutants=("negotiation.newest-of-two",),
)
async def two_headers(lab: A2aLab) -> None:
    """1.0 and 0.3 in two header lines, in either order, twice: an error, always the first, or always the last."""
    pairs = ((V10, V03), (V03, V10))
    async with lab.session() as session:
        outcomes = [await _doubled(session, *pair) for pair in pairs * 2]
    read_as = [_read_as(outcome) for outcome in outcomes]
    fixed = read_as[:2] == read_as[2:] and tuple(read_as[:2]) in (("", ""), (V10, V03), (V03, V10))
    told = "; ".join(
        f"{first} and {last}: {seen or 'refused'}" for (first, last), seen in zip(pairs, read_as, strict=False)
    )
    lab.note(f"two headers: {told}", *outcomes)
    lab.expect(expect.that(fixed, "an error, always the first, or always the last", told, *outcomes))


async def _doubled(session: A2aSession, first: str, last: str) -> Outcome:
    """The names differ in case, so that both go out."""
    return await read(session, {VERSION_HEADER: first, VERSION_HEADER.lower(): last})


def _read_as(outcome: Outcome) -> str:
    """The version by which a request of 1.0 was read: "" for an error that names neither, "?" for no refusal."""
    if not isinstance(outcome, Refusal) or (outcome.reply.status or 0) >= 500:
        return "?"
    if outcome.code == TASK_NOT_FOUND:
        return V10
    return V03 if outcome.code == METHOD_NOT_FOUND or outcome.reply.status == 404 else ""


@check(
    "a2a.ver.method-vs-version-mismatch",
    "A method of the other version is refused",
    faults=("version_skew",),
    mutants=("negotiation.methods-of-both",),
)
async def methods_belong_to_versions(lab: A2aLab) -> None:
    """Requests of 0.3 under 1.0, and requests of 1.0 under 0.3."""
    async with lab.session() as late, lab.session(version=V03, opened=False) as early:
        early.take_over(late)
        for operation in ("GetTask", "CancelTask", "SendMessage"):
            for session, version in ((early, V10), (late, V03)):
                method, params = OPERATIONS[operation].method(session.version), harmless(session)[operation]
                exchange = await session.rpc(method, params, headers={VERSION_HEADER: version})
                lab.expect(refused(lab.spoken, await exchange.outcome(), "MethodNotFound", "VersionNotSupported"))


@check(
    "a2a.ver.card-patch-version",
    "The card names versions without a patch number",
    mutants=("negotiation.patch-in-the-card",),
)
async def card_names_no_patches(lab: A2aLab) -> None:
    """The versions of the supported interfaces are read."""
    found = judge.patched(lab.claimed["card"])
    lab.expect(judge.violations(found, "Major.Minor in every protocolVersion", lab.claim_record))
