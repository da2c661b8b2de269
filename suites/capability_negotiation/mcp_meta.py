"""MCP 2026-07-28: what every request carries in _meta, and every result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from seatrial import (
    CLIENT_CAPABILITIES,
    CLIENT_INFO,
    MODERN,
    PROTOCOL_VERSION,
    SERVER_INFO,
    Answer,
    Check,
    Feature,
    Histories,
    Isolation,
    Judgement,
    McpLab,
    Outcome,
    Role,
    Session,
    Spoken,
    check,
    codes,
    expect,
)
from seatrial.judge import shape

Params = dict[str, Any]
Change = Callable[[Params], Params | None]
"""From the right _meta to a broken one; None leaves it out."""


async def requests_of(lab: McpLab) -> Sequence[tuple[str, Params]]:
    """Requests that this server serves."""
    found: list[tuple[str, Params]] = [("server/discover", {})]
    if lab.declares(Feature.TOOLS):
        found.append(("tools/list", {}))
    if lab.effects.has(Role.QUICK):
        play = await lab.effects.plan(Role.QUICK)
        found.append((play.method, play.params))
    return found


async def changed(session: Session, method: str, params: Params, change: Change) -> Outcome:
    """A request whose _meta is changed; over HTTP its headers stay right."""
    message = session.message(method, params, id=(ident := session.next_id()))
    meta = change(dict(message["params"].pop("_meta")))
    message["params"] |= {} if meta is None else {"_meta": meta}
    return await (await session.send(message, request_id=ident)).outcome()


def without(key: str) -> Change:
    return lambda meta: {name: value for name, value in meta.items() if name != key}


def holding(key: str, value: Any) -> Change:
    return lambda meta: {**meta, key: value}


@dataclass(frozen=True, slots=True)
class Malformed:
    """One way to break _meta. `also`: codes that are as right; `ambiguous`: those that can be held right.

    `older`: over stdio a server of both eras may take such a request for one of the older era.
    """

    id: str
    title: str
    changes: Sequence[Change]
    mutants: Sequence[str]
    also: Sequence[int] = ()
    ambiguous: Sequence[int] = ()
    older: bool = False


MALFORMED = (
    Malformed(
        "mcp.cap.meta-missing",
        "A request without params._meta is refused with -32602",
        (lambda meta: None,),
        ("meta.optional", "meta.missing-internal"),
        ambiguous=(codes.HEADER_MISMATCH,),
        older=True,
    ),
    Malformed(
        "mcp.cap.meta-missing-version",
        "A request without the protocol version in _meta is refused with -32602",
        (without(PROTOCOL_VERSION),),
        ("meta.version-from-header", "meta.refused-200"),
        ambiguous=(codes.HEADER_MISMATCH,),
        older=True,
    ),
    Malformed(
        "mcp.cap.meta-missing-client-caps",
        "A request without the client capabilities in _meta is refused with -32602",
        (without(CLIENT_CAPABILITIES),),
        ("meta.capabilities-optional",),
    ),
    Malformed(
        "mcp.cap.meta-wrong-types",
        "A _meta value of the wrong type is refused with -32602",
        (
            *(holding(CLIENT_CAPABILITIES, value) for value in ("x", 5, ["roots"])),
            *(holding(PROTOCOL_VERSION, value) for value in (5, [MODERN], {"version": MODERN})),
        ),
        ("meta.any-capabilities", "meta.wrong-type-crashes"),
        also=(codes.HEADER_MISMATCH,),
        ambiguous=(codes.UNSUPPORTED_VERSION,),
    ),
)


def malformed(row: Malformed) -> Check:
    @check(row.id, row.title, mutants=row.mutants, isolation=Isolation.SESSION)
    async def body(lab: McpLab) -> None:
        """server/discover, tools/list and a call, with that _meta; over HTTP the status is 400 too. Over stdio a
        server of both eras may take what names no version for a request of the older one."""
        undecided = row.older and not lab.over_http and _has_older(lab)
        wanted = () if undecided else {codes.INVALID_PARAMS, *row.also}
        async with lab.session() as session:
            for method, params in await requests_of(lab):
                for change in row.changes:
                    outcome = await changed(session, method, params, change)
                    lab.expect(
                        expect.refused(outcome, wanted, statuses={400}, soft_codes=row.ambiguous, soft=undecided)
                    )

    return body


def _has_older(lab: McpLab) -> bool:
    return any(version < MODERN for version in lab.berth.claims.versions(lab.binding))


MALFORMED_CHECKS = tuple(malformed(row) for row in MALFORMED)


def served(id: str, title: str, change: Change, mutant: str) -> Check:
    @check(id, title, mutants=(mutant,))
    async def body(lab: McpLab) -> None:
        """server/discover, tools/list and a call, with that _meta: all are served."""
        async with lab.session() as session:
            for method, params in await requests_of(lab):
                lab.expect(expect.answered(await changed(session, method, params, change), f"{method} is served"))

    return body


UNKNOWN = {
    "com.example/x": {"a": 1},
    "traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "tracestate": "vendor=1",
    "baggage": "key=value",
}

SERVED = (
    served(
        "mcp.cap.meta-clientinfo-optional",
        "A request without clientInfo is served",
        without(CLIENT_INFO),
        "meta.client-info-required",
    ),
    served(
        "mcp.cap.meta-unknown-keys-ok",
        "Unknown _meta keys are ignored",
        lambda meta: {**meta, **UNKNOWN},
        "meta.closed",
    ),
)


# Results

RESULT_TYPE, SERVER_INFO_ROW = "mcp.cap.resulttype-present", "mcp.cap.serverinfo-in-result-meta"


async def all_requests(lab: McpLab) -> Sequence[tuple[str, Params]]:
    """One request of each method that has a result, as far as this server has it."""
    lists = {"prompts/list": Feature.PROMPTS, "resources/list": Feature.RESOURCES}
    found = [*await requests_of(lab), *((method, {}) for method, need in lists.items() if lab.declares(need))]
    for role in (Role.PROMPT, Role.RESOURCE, Role.FAILING):
        if lab.effects.has(role):
            play = await lab.effects.plan(role)
            found.append((play.method, play.params))
    return found


@check(
    SERVER_INFO_ROW,
    "Every result tells its type, and names the server in _meta",
    requirements=(SERVER_INFO_ROW, RESULT_TYPE),
    mutants=("result.anonymous", "result.without-type", "result.unknown-type"),
    isolation=Isolation.SESSION,
)
async def results_say_what_they_are(lab: McpLab) -> None:
    """server/discover, lists, a prompt, a resource and calls; what is refused is looked at no further."""
    async with lab.session() as session:
        for method, params in await all_requests(lab):
            answer = await session.request(method, params)
            if isinstance(answer, Answer):
                what = f"{SERVER_INFO} with name and version in the _meta of {method}"
                named = _is_implementation(_server_info(answer))
                lab.expect(expect.that(named, what, _server_info(answer), answer), SERVER_INFO_ROW)
        lab.expect(shape.resulttype_present(lab.histories, lab.spoken).violations, RESULT_TYPE)


def _server_info(answer: Answer) -> Any:
    meta = answer.members.get("_meta")
    return meta.get(SERVER_INFO) if isinstance(meta, dict) else None


def _is_implementation(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(value.get(name), str) for name in ("name", "version"))


@check(
    "mcp.cap.resulttype-present",
    "Every result carries a resultType that the client knows or that an advertised extension defines",
    mutants=("result.without-type", "result.unknown-type"),
    monitor=True,
)
def results_tell_their_type(histories: Histories, spoken: Spoken) -> Judgement:
    """Every result of the run."""
    return shape.resulttype_present(histories, spoken)
