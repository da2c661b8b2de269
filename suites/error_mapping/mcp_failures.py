"""MCP: what fails inside a tool, and how that differs from an error of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from seatrial import Answer, Isolation, McpLab, Outcome, Reason, Refusal, Role, Violation, check, codes, expect
from seatrial.judge import errors

from .listing import callable_tools

WRONG: Mapping[str, Any] = {
    "string": {"not": "a text"},
    "number": "not a number",
    "integer": "not a number",
    "boolean": "not a truth value",
    "array": 7,
    "object": 7,
}
"""JSON Schema type -> a value of another type that no lenient reader converts."""


def failed(outcome: Outcome) -> bool:
    """A result that says that its tool failed."""
    return isinstance(outcome, Answer) and outcome.failed


@check(
    "mcp.err.tool-failure-iserror",
    "A failing tool gives a result with isError true",
    needs={Role.FAILING},
    mutants=("err.tool-failure-as-error", "err.tool-failure-as-success", "err.tool-failure-500"),
)
async def a_failing_tool_gives_a_result(lab: McpLab) -> None:
    """Call the failing tool twice: a result with isError true and content, over HTTP with status 200."""
    async with lab.session() as session:
        for _ in range(2):
            outcome = await session.perform(await lab.effects.plan(Role.FAILING))
            what = "a result with isError true and content"
            lab.expect(expect.that(failed(outcome) and _has_content(outcome), what, outcome, outcome))
            status = outcome.reply.status
            lab.expect(expect.that(status in (None, 200), "HTTP status 200", f"status {status}", outcome))


def _has_content(outcome: Outcome) -> bool:
    content = outcome.result.get("content") if isinstance(outcome, Answer) else None
    return isinstance(content, list) and bool(content)


@check(
    "mcp.err.input-validation-iserror",
    "Arguments that break a tool's schema are reported to the model",
    requirements=("mcp.err.input-validation-iserror", "mcp.err.input-validation.early"),
    mutants=("err.arguments-not-validated", "err.bad-arguments-as-error"),
)
async def bad_arguments_are_reported(lab: McpLab) -> None:
    """Call a harmless tool with one argument of a type that its schema forbids.

    From 2025-11-25 on a result with isError is wanted; before, either form is right.
    """
    async with lab.session() as session:
        tools, page = await callable_tools(lab, session)
        name, arguments = _broken_call(tools)
        if not name:
            lab.inconclusive(Reason.NO_STIMULUS, "no tool that may be called has a parameter with a type", page)
        outcome = await session.request("tools/call", {"name": name, "arguments": arguments})
        lab.note(f"an argument of the wrong type: {expect.shown(outcome)}", outcome)
        if lab.holds("mcp.err.input-validation-iserror"):
            lab.expect(
                expect.that(failed(outcome), "a result with isError true", outcome, outcome), lab.case.rows[0].id
            )
        else:
            reported = failed(outcome) or isinstance(outcome, Refusal)
            lab.expect(expect.that(reported, "isError true, or an error", outcome, outcome), lab.case.rows[0].id)


def _broken_call(tools: list[dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """The first tool with a typed parameter, and arguments in which just that one is wrong; "" when there is none."""
    for tool in tools:
        schema = tool.get("inputSchema")
        properties = schema.get("properties") if isinstance(schema, dict) else None
        for parameter, wanted in (properties if isinstance(properties, dict) else {}).items():
            kind = wanted.get("type") if isinstance(wanted, dict) else None
            if isinstance(kind, str) and kind in WRONG:
                return str(tool.get("name")), {parameter: WRONG[kind]}
    return "", {}


@check(
    "mcp.err.internal-code",
    "An internal error has code -32603 and gives nothing away",
    needs={Role.CRASH},
    mutants=("err.crash-zero", "err.crash-with-trace"),
)
async def internal_errors_give_nothing_away(lab: McpLab) -> None:
    """Provoke a crash inside a handler. A tool may report it as its own failure, with isError, just as well."""
    async with lab.session() as session:
        outcome = await session.perform(await lab.effects.plan(Role.CRASH))
        lab.expect(expect.responded(outcome, "error -32603"))
        if isinstance(outcome, Refusal):
            lab.expect(expect.refused(outcome, {codes.INTERNAL_ERROR}, statuses={200, 500}, what="error -32603"))
        elif isinstance(outcome, Answer):
            lab.expect(expect.that(failed(outcome), "error -32603, or isError true", outcome, outcome))
        message = outcome.message if isinstance(outcome, Answer | Refusal) else None
        if message is not None:
            lab.expect(errors.no_leak(message.payload, message.record))
        lab.expect(expect.answered(await session.fence(), "the next request is answered"))


@check(
    "mcp.err.url-elicitation",
    "A call that needs URL elicitation first is refused with -32042 and the elicitations",
    needs={Role.ELICIT_URL},
    mutants=("err.url-elicitation-without-data", "err.url-elicitation-without-id"),
    isolation=Isolation.SESSION,
)
async def url_elicitation_is_asked_for_by_an_error(lab: McpLab) -> None:
    """Declare both modes of elicitation and call the tool. One that asks while it runs has nothing to refuse."""
    capabilities: Mapping[str, Any] = {"elicitation": {"form": {}, "url": {}}}
    async with lab.session(capabilities=capabilities, replies={"elicitation/create": {"action": "accept"}}) as session:
        outcome = await session.perform(await lab.effects.plan(Role.ELICIT_URL))
        if asked := session.heard("elicitation/create"):
            lab.not_applicable("the tool asks while it runs", asked[0].record)
        lab.require(expect.refused(outcome, {codes.URL_ELICITATION_REQUIRED}, what="error -32042"))
        assert isinstance(outcome, Refusal)
        lab.expect(_elicitations(outcome))


def _elicitations(refusal: Refusal) -> Violation | None:
    listed = refusal.data.get("elicitations") if isinstance(refusal.data, dict) else None
    entries = listed if isinstance(listed, list) else []
    whole = [entry for entry in entries if isinstance(entry, dict) and _is_url_elicitation(entry)]
    what = "data.elicitations, each with mode url and an elicitationId"
    return expect.that(bool(entries) and len(whole) == len(entries), what, refusal.data, refusal)


def _is_url_elicitation(entry: Mapping[str, Any]) -> bool:
    return entry.get("mode") == "url" and all(isinstance(entry.get(name), str) for name in ("elicitationId", "url"))
