"""MCP 2026-07-28: parameters that a tool wants repeated in headers."""

from __future__ import annotations

from dataclasses import dataclass

from seatrial import McpLab, Role, Session, check, codes, encoded, entries, expect, header_value

from .mcp_headers import Params, refused_for


@dataclass(frozen=True, slots=True)
class Mirrored:
    """A call of a tool with `x-mcp-header`: its parameters by name, and the header of each."""

    method: str
    params: Params
    headers: dict[str, str]


async def mirrored_call(lab: McpLab, session: Session, *, integers: bool = False) -> Mirrored:
    """The call that the stimulus gives, with the headers that the tool's schema asks for.

    `integers`: the mirrored parameters that are integers are given too.
    """
    play = await lab.effects.plan(Role.X_MCP_HEADER, text="eu")
    tools, _ = await entries(lab, session, "tools/list")
    schema: Params = next((t["inputSchema"] for t in tools if t.get("name") == play.params["name"]), {})
    properties = schema.get("properties", {})
    headers = {k: f"Mcp-Param-{v['x-mcp-header']}" for k, v in properties.items() if "x-mcp-header" in v}
    arguments = dict(play.params["arguments"])
    if integers:
        arguments |= {key: 42 for key in headers if properties[key].get("type") == "integer"}
    given = {key: header for key, header in headers.items() if key in arguments}
    if not given:
        lab.not_applicable(f"{play.params['name']} has no x-mcp-header parameter", lab.claim_record)
    return Mirrored(play.method, {**play.params, "arguments": arguments}, given)


def right(call: Mirrored) -> dict[str, str | None]:
    return {header: header_value(call.params["arguments"][key]) for key, header in call.headers.items()}


@check(
    "mcp.ver.mcp-param-missing",
    "A call that omits a mirrored parameter header is refused",
    needs={Role.X_MCP_HEADER},
    mutants=("header.param-optional",),
)
async def missing_parameter_header(lab: McpLab) -> None:
    """The call without the header, though the value is in the body; the right call as control."""
    async with lab.session() as session:
        call = await mirrored_call(lab, session)
        lab.need(await session.request(call.method, call.params, headers=right(call)), "the call with its headers")
        for header in call.headers.values():
            wrong = {**right(call), header: None}
            lab.expect(refused_for(await session.request(call.method, call.params, headers=wrong)))


@check(
    "mcp.ver.mcp-param-mismatch",
    "A mirrored parameter header that differs from the body is refused",
    needs={Role.X_MCP_HEADER},
    mutants=("header.param-ignored",),
)
async def differing_parameter_header(lab: McpLab) -> None:
    """The call with another value in the header, plain and encoded."""
    async with lab.session() as session:
        call = await mirrored_call(lab, session)
        for header in call.headers.values():
            for value in ("elsewhere", encoded("elsewhere")):
                wrong = {**right(call), header: value}
                lab.expect(refused_for(await session.request(call.method, call.params, headers=wrong)))


@check(
    "mcp.ver.mcp-param-badchars",
    "A mirrored parameter header with invalid characters is refused",
    needs={Role.X_MCP_HEADER},
    mutants=("header.param-bad-characters",),
)
async def bad_characters_in_a_parameter_header(lab: McpLab) -> None:
    """A raw character beyond ASCII in header and body, which only the base64 form may carry."""
    async with lab.session() as session:
        call = await mirrored_call(lab, session)
        key, header = next(iter(call.headers.items()))
        params = {**call.params, "arguments": {**call.params["arguments"], key: "caf\u00e9"}}
        outcome = await session.request(call.method, params, headers={**right(call), header: "caf\u00e9"})
        lab.expect(expect.refused(outcome, statuses={400}))


@check(
    "mcp.ver.mcp-param-null",
    "No mirrored header is expected for a null or absent parameter",
    needs={Role.X_MCP_HEADER},
    mutants=("header.param-demanded-for-null",),
)
async def no_header_for_an_absent_parameter(lab: McpLab) -> None:
    """The call with the parameter null and without it; the arguments may be refused, the header may not."""
    async with lab.session() as session:
        call = await mirrored_call(lab, session)
        key, header = next(iter(call.headers.items()))
        rest = {name: value for name, value in call.params["arguments"].items() if name != key}
        for arguments in ({**rest, key: None}, rest):
            params = {**call.params, "arguments": arguments}
            outcome = await session.request(call.method, params, headers={**right(call), header: None})
            mismatch = getattr(outcome, "code", None) == codes.HEADER_MISMATCH
            lab.expect(expect.that(not mismatch, "no header is missed for a value that is not there", outcome, outcome))


@check(
    "mcp.ver.mcp-param-int-numeric",
    "Integers in mirrored headers are compared by value",
    needs={Role.X_MCP_HEADER},
    mutants=("header.numbers-as-text",),
)
async def numbers_are_compared_by_value(lab: McpLab) -> None:
    """An integer parameter written as a decimal fraction in its header."""
    async with lab.session() as session:
        call = await mirrored_call(lab, session, integers=True)
        numbers = {key: header for key, header in call.headers.items() if type(call.params["arguments"][key]) is int}
        if not numbers:
            lab.not_applicable("no mirrored parameter of the stimulus is an integer", lab.claim_record)
        for key, header in numbers.items():
            headers = {**right(call), header: f"{call.params['arguments'][key]}.0"}
            lab.expect(expect.answered(await session.request(call.method, call.params, headers=headers)))


@check(
    "mcp.ver.mcp-param-unknown-ignored",
    "An unknown Mcp-Param header is ignored",
    mutants=("header.unknown-param-refused",),
)
async def unknown_parameter_header(lab: McpLab) -> None:
    """A plain request with Mcp-Param-Foo."""
    async with lab.session() as session:
        outcome = await session.request("tools/list", headers={"Mcp-Param-Foo": "x"})
        lab.expect(expect.answered(outcome))
