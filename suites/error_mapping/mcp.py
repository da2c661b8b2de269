"""MCP: conditions and the errors that they map to. One row for each condition of a readable request."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from seatrial import (
    LISTS,
    LOG_LEVEL,
    MODERN,
    Check,
    Feature,
    McpLab,
    Outcome,
    Refusal,
    Session,
    Violation,
    check,
    codes,
    entries,
    expect,
)

from .listing import callable_tools, served

CLEAN = frozenset({200, *range(400, 500)})
"""HTTP statuses that an error of JSON-RPC may have where no clause names one: never one that says the server broke."""

Request = tuple[str, dict[str, Any]]
Requests = Callable[[McpLab, Session], Awaitable[Sequence[Request]]]
Judge = Callable[[McpLab, Outcome], Violation | None]


def error(code: int, *, modern_status: int | None = None, modern_http: Sequence[int] = ()) -> Judge:
    """The condition maps to one code.

    `modern_status` is its HTTP status and `modern_http` are further codes that are right, both over HTTP in 2026-07-28.
    """

    def judge(lab: McpLab, outcome: Outcome) -> Violation | None:
        modern = lab.over_http and lab.version == MODERN
        fixed = modern_status if modern else None
        statuses = {fixed} if fixed else CLEAN
        what = f"error {code}" + (f" with HTTP status {fixed}" if fixed else "")
        return expect.refused(outcome, {code, *(modern_http if modern else ())}, statuses=statuses, what=what)

    return judge


def refused(lab: McpLab, outcome: Outcome) -> Violation | None:
    """Any error will do."""
    return expect.refused(outcome, statuses=CLEAN, what="an error and no content")


def no_empty_contents(lab: McpLab, outcome: Outcome) -> Violation | None:
    result = getattr(outcome, "result", None)
    empty = isinstance(result, dict) and result.get("contents") == []
    return expect.that(not empty, "no empty list of contents", outcome, outcome)


def always(*requests: Request) -> Requests:
    """Requests that are the same for every server."""

    async def found(lab: McpLab, session: Session) -> Sequence[Request]:
        return requests

    return found


async def calls_with_odd_arguments(lab: McpLab, session: Session) -> Sequence[Request]:
    tools, page = await callable_tools(lab, session)
    if not tools:
        tools, page = await entries(lab, session, "tools/list")
    if not tools:
        lab.not_applicable("the server lists no tool", page)
    return [("tools/call", {"name": tools[0].get("name"), "arguments": odd}) for odd in ([1], "text", 7)]


async def prompts_without_an_argument(lab: McpLab, session: Session) -> Sequence[Request]:
    prompts, page = await entries(lab, session, "prompts/list")
    needy = [prompt for prompt in prompts if any(_required(argument) for argument in prompt.get("arguments") or ())]
    if not needy:
        lab.not_applicable("no listed prompt has a required argument", page)
    name = needy[0].get("name")
    return [("prompts/get", {"name": name}), ("prompts/get", {"name": name, "arguments": {}})]


def _required(argument: Any) -> bool:
    return isinstance(argument, dict) and argument.get("required") is True


async def lists_with_odd_cursors(lab: McpLab, session: Session) -> Sequence[Request]:
    capabilities = (Feature.TOOLS, Feature.PROMPTS, Feature.RESOURCES)
    declared = [feature.value for feature in capabilities if lab.declares(feature)]
    methods = [method for method in LISTS if method.split("/")[0] in declared and await served(session, method)]
    if not methods:
        lab.not_applicable("the server has no lists", lab.claim_record)
    return [(method, {"cursor": cursor}) for method in methods for cursor in ("!!bogus!!", "Ym9ndXM=")]


async def strange_uris(lab: McpLab, session: Session) -> Sequence[Request]:
    resources, _ = await entries(lab, session, "resources/list")
    files = any(str(resource.get("uri")).startswith("file:") for resource in resources)
    climbing = ("file:///../../etc/passwd", "file:///%2e%2e/%2e%2e/etc/passwd") if files else ()
    return [("resources/read", {"uri": uri}) for uri in ("", "::", *climbing)]


@dataclass(frozen=True, slots=True)
class Row:
    """One condition: the requests that bring it about, and what each of its requirements says of their ends."""

    id: str
    title: str
    requests: Requests
    judges: dict[str, Judge]
    mutants: tuple[str, ...]
    probe: str
    needs: frozenset[Feature] = field(default_factory=frozenset)


def row(
    id: str,
    title: str,
    requests: Requests,
    judge: Judge,
    *mutants: str,
    probe: str,
    needs: Feature | None = None,
    also: dict[str, Judge] | None = None,
) -> Row:
    return Row(id, title, requests, {id: judge, **(also or {})}, mutants, probe, frozenset({needs} if needs else ()))


def mapped(row: Row) -> Check:
    """The check of a row."""

    async def body(lab: McpLab) -> None:
        async with lab.session() as session:
            for method, params in await row.requests(lab, session):
                outcome = await session.request(method, params)
                for requirement, judge in row.judges.items():
                    lab.expect(judge(lab, outcome), requirement)
                _record_status(lab, outcome)

    body.__doc__ = row.probe
    declare = check(row.id, row.title, requirements=row.judges, needs=row.needs, mutants=row.mutants)
    return declare(body)


def _record_status(lab: McpLab, outcome: Outcome) -> None:
    if isinstance(outcome, Refusal) and outcome.reply.status not in (None, 200):
        lab.note(f"the error came with HTTP status {outcome.reply.status}", outcome)


MISSING = always(
    ("resources/read", {"uri": "x-none://missing"}), ("resources/read", {"uri": "x-none://missing/deeper?q=1"})
)

ROWS = (
    row(
        "mcp.err.unknown-method",
        "An unknown method is refused with -32601",
        always(("no/such", {}), ("tools/no_such", {"name": "x"}), ("nosuch", {})),
        error(codes.METHOD_NOT_FOUND, modern_status=404),
        "err.unknown-method-as-params",
        "err.unknown-method-status-200",
        "err.code-as-text",
        probe="Three methods that no version has, with and without parameters.",
    ),
    row(
        "mcp.err.unknown-tool",
        "A call of an unknown tool is refused with -32602",
        always(("tools/call", {"name": "no_such_tool", "arguments": {}}), ("tools/call", {"name": "no_such_tool"})),
        error(codes.INVALID_PARAMS),
        "err.unknown-tool-internal",
        probe="A tool that does not exist, with and without arguments.",
        needs=Feature.TOOLS,
    ),
    row(
        "mcp.err.call-missing-name",
        "A tool call without a name is refused with -32602",
        always(("tools/call", {}), ("tools/call", {"arguments": {"a": 1}})),
        error(codes.INVALID_PARAMS, modern_http=(codes.HEADER_MISMATCH,)),
        "err.missing-name-internal",
        probe="tools/call without name; over HTTP in 2026-07-28 the header that is missing too may be refused first.",
        needs=Feature.TOOLS,
    ),
    row(
        "mcp.err.call-arguments-not-object",
        "A tool call whose arguments are not an object is refused with -32602",
        calls_with_odd_arguments,
        error(codes.INVALID_PARAMS),
        "err.odd-arguments-dropped",
        probe="An existing tool, called with an array, a text and a number for arguments.",
        needs=Feature.TOOLS,
    ),
    row(
        "mcp.err.resource-missing-legacy",
        "Reading an unknown resource is refused with -32002",
        MISSING,
        error(codes.RESOURCE_NOT_FOUND),
        "err.missing-resource-internal",
        probe="Two URIs of a scheme that nobody has.",
        needs=Feature.RESOURCES,
    ),
    row(
        "mcp.err.resource-missing-modern",
        "Reading an unknown resource is refused with -32602 and never gives empty contents",
        MISSING,
        error(codes.INVALID_PARAMS),
        "err.missing-resource-legacy-code",
        "err.missing-resource-empty",
        probe="Two URIs of a scheme that nobody has.",
        needs=Feature.RESOURCES,
        also={"mcp.err.resource-missing-not-empty": no_empty_contents},
    ),
    row(
        "mcp.err.resource-bad-uri",
        "A URI that is none, or that leaves what is served, is refused",
        strange_uris,
        refused,
        "err.any-uri-served",
        "err.missing-resource-empty",
        probe="An empty URI, one without a scheme, and where file: is listed two that climb out of it.",
        needs=Feature.RESOURCES,
    ),
    row(
        "mcp.err.prompt-unknown",
        "An unknown prompt is refused with -32602",
        always(
            ("prompts/get", {"name": "no_such_prompt"}), ("prompts/get", {"name": "no_such_prompt", "arguments": {}})
        ),
        error(codes.INVALID_PARAMS),
        "err.unknown-prompt-zero",
        probe="A prompt that does not exist, with and without arguments.",
        needs=Feature.PROMPTS,
    ),
    row(
        "mcp.err.prompt-missing-arg",
        "A prompt without its required argument is refused with -32602",
        prompts_without_an_argument,
        error(codes.INVALID_PARAMS),
        "err.prompt-argument-not-needed",
        probe="The first listed prompt with a required argument, with no arguments and with empty ones.",
        needs=Feature.PROMPTS,
    ),
    row(
        "mcp.err.completion-bad-ref",
        "An unknown completion reference is refused with -32602",
        always(
            *(
                ("completion/complete", {"ref": ref, "argument": {"name": "a", "value": ""}})
                for ref in ({"type": "ref/prompt", "name": "no_such_prompt"}, {"type": "ref/no_such", "name": "x"})
            )
        ),
        error(codes.INVALID_PARAMS),
        "err.completion-of-nothing",
        probe="A prompt that does not exist, and a reference of an unknown type.",
        needs=Feature.COMPLETIONS,
    ),
    row(
        "mcp.err.loglevel-invalid",
        "An invalid log level is refused with -32602",
        always(("logging/setLevel", {"level": "banana"}), ("logging/setLevel", {"level": ""})),
        error(codes.INVALID_PARAMS),
        "err.any-log-level",
        probe="Two levels that do not exist.",
        needs=Feature.LOGGING,
    ),
    row(
        "mcp.err.loglevel-invalid-meta",
        "An invalid log level in _meta is refused with -32602",
        always(("server/discover", {"_meta": {LOG_LEVEL: "banana"}}), ("server/discover", {"_meta": {LOG_LEVEL: ""}})),
        error(codes.INVALID_PARAMS),
        "err.any-log-level",
        probe="A request whose _meta asks for a level that does not exist.",
        needs=Feature.LOGGING,
    ),
    row(
        "mcp.err.cursor-invalid",
        "An invalid cursor is refused with -32602",
        lists_with_odd_cursors,
        error(codes.INVALID_PARAMS),
        "err.cursor-ignored",
        probe="Two made-up cursors on each list that the server has.",
    ),
)

MAPPED = tuple(mapped(each) for each in ROWS)
