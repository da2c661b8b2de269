"""MCP: what the entries of lists say of themselves, and whether it is true."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft7Validator, Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match
from jsonschema.validators import validator_for
from referencing import Registry
from referencing.exceptions import Unresolvable
from seatrial import Answer, Feature, McpLab, Outcome, Reason, Role, Session, Violation, check, entries, expect, walk

from .mcp_declared import completable

C, D = "2025-06-18", "2025-11-25"
TOOL_NAME = re.compile(r"[A-Za-z0-9_.-]{1,128}")
READ = 10
"""Resources that are read at most."""

Tool = Mapping[str, Any]


async def listed_tools(lab: McpLab) -> tuple[list[dict[str, Any]], Outcome]:
    async with lab.session() as session:
        tools, page = await entries(lab, session, "tools/list")
    if not tools:
        lab.not_applicable("the server lists no tool", page)
    return tools, page


# Tools


def schema_fault(schema: Any, version: str) -> str:
    """Why a value is no JSON Schema of its dialect, "" when it is one.

    Without a dialect it is 2020-12; before 2025-11-25 nothing was said, so that draft 7 will do as well.
    """
    defaults = (Draft202012Validator,) if version >= D else (Draft202012Validator, Draft7Validator)
    faults: list[str] = []
    for default in defaults:
        try:
            validator_for(schema, default).check_schema(schema)
            return ""
        except (SchemaError, RecursionError) as error:
            faults.append(getattr(error, "message", "it is nested too deeply"))
    return faults[0]


@check(
    "mcp.cap.tool-inputschema-object",
    "Every tool has an inputSchema that is a JSON Schema of type object",
    needs={Feature.TOOLS},
    mutants=("schema.without-type", "schema.broken", "schema.null"),
)
async def input_schemas_are_of_objects(lab: McpLab) -> None:
    """Every tool of tools/list; the schema is checked against its dialect."""
    tools, page = await listed_tools(lab)
    for tool in tools:
        schema, name = tool.get("inputSchema"), tool.get("name")
        is_object = isinstance(schema, dict) and schema.get("type") == "object"
        lab.expect(expect.that(is_object, f"an inputSchema of type object for {name}", schema, page))
        if isinstance(schema, dict):
            fault = schema_fault(schema, lab.version)
            lab.expect(expect.that(not fault, f"a valid JSON Schema for {name}", fault, page))


@check(
    "mcp.cap.tool-schema-no-null",
    "inputSchema is never null",
    needs={Feature.TOOLS},
    mutants=("schema.null",),
)
async def input_schemas_are_there(lab: McpLab) -> None:
    """Every tool of tools/list."""
    tools, page = await listed_tools(lab)
    bare = [tool.get("name") for tool in tools if tool.get("inputSchema") is None]
    lab.expect(expect.that(not bare, "an inputSchema for every tool", f"none for {bare}", page))


@check(
    "mcp.cap.tool-names",
    "Tool names follow the naming guidance",
    needs={Feature.TOOLS},
    mutants=("names.with-spaces", "names.twice"),
)
async def tool_names_are_plain(lab: McpLab) -> None:
    """Every tool of tools/list: 1 to 128 letters, digits, underscores, hyphens and dots, and no name twice."""
    tools, page = await listed_tools(lab)
    counts = Counter(str(tool.get("name")) for tool in tools)
    odd = [name for name in counts if not TOOL_NAME.fullmatch(name)]
    twice = [name for name, count in counts.items() if count > 1]
    lab.expect(expect.that(not odd, "names of 1 to 128 letters, digits, _, - and .", odd, page))
    lab.expect(expect.that(not twice, "names that are unique in the list", twice, page))


# Structured results


CALLABLE = (Role.STRUCTURED, Role.QUICK, Role.CALL, Role.PROGRESS)


async def structured_calls(lab: McpLab, session: Session) -> list[tuple[Any, Answer]]:
    """The output schema of each tool that may be called, and its answer. Raises NotApplicable where no tool has one,
    Inconclusive where none could be called with success."""
    tools, page = await entries(lab, session, "tools/list")
    promising = {tool.get("name"): tool for tool in tools if "outputSchema" in tool}
    if not promising:
        lab.not_applicable("no tool has an outputSchema", page)
    calls = await _calls(lab, promising)
    outcomes = [(promising[name]["outputSchema"], await session.request("tools/call", calls[name])) for name in calls]
    found = [(schema, o) for schema, o in outcomes if isinstance(o, Answer) and not o.members.get("isError")]
    if not found:
        lab.inconclusive(Reason.NO_STIMULUS, "no tool with an outputSchema could be called with success", page)
    return found


async def _calls(lab: McpLab, tools: Mapping[Any, Tool]) -> dict[Any, dict[str, Any]]:
    """The parameters of a call for each of these tools that a stimulus calls, or that only reads and wants nothing."""
    free = [name for name, tool in tools.items() if _reads_freely(tool)]
    found = {name: {"name": name, "arguments": {}} for name in free[:READ]}
    for role in CALLABLE:
        play = await lab.effects.plan(role) if lab.effects.has(role) else None
        if play and play.params.get("name") in tools:
            found[play.params["name"]] = play.params
    return found


def _reads_freely(tool: Tool) -> bool:
    hints, schema = tool.get("annotations"), tool.get("inputSchema")
    reads = isinstance(hints, dict) and hints.get("readOnlyHint") is True
    return reads and isinstance(schema, dict) and not schema.get("required")


@check(
    "mcp.cap.outputschema-honoured",
    "A tool with an outputSchema returns structuredContent that conforms to it",
    needs={Feature.TOOLS},
    mutants=("output.unstructured", "output.of-another-type", "output.as-text"),
)
async def output_schemas_are_honoured(lab: McpLab) -> None:
    """Such tools that a stimulus calls, or that only read and want nothing. Before 2026-07-28 the structured
    content is an object."""
    async with lab.session() as session:
        for schema, answer in await structured_calls(lab, session):
            there = "structuredContent" in answer.members
            lab.expect(expect.that(there, "structuredContent beside an outputSchema", answer, answer))
            if there:
                lab.expect(_conforms(lab, schema, answer))


def _conforms(lab: McpLab, schema: Any, answer: Answer) -> Violation | None:
    content = answer.members["structuredContent"]
    if lab.version in (C, D) and not isinstance(content, dict):
        return Violation("structuredContent that is an object", expect.shown(content), answer.records)
    if not isinstance(schema, dict | bool) or schema_fault(schema, lab.version):
        return Violation("an outputSchema that is a JSON Schema", expect.shown(schema), answer.records)
    try:
        validator = validator_for(schema, Draft202012Validator)(schema, registry=Registry())
        error = best_match(validator.iter_errors(content))
    except Unresolvable as unresolvable:
        lab.inconclusive(Reason.NOT_EXERCISED, f"the outputSchema cannot be resolved: {unresolvable}", answer)
    return expect.that(error is None, "structuredContent that conforms", error and error.message, answer)


@check(
    "mcp.cap.structured-has-text",
    "A structured result also carries the serialized JSON as text",
    needs={Feature.TOOLS},
    mutants=("output.without-text", "output.prose-for-text"),
)
async def structured_results_have_text(lab: McpLab) -> None:
    """The same calls: one block of text holds the same JSON."""
    async with lab.session() as session:
        for _, answer in await structured_calls(lab, session):
            if "structuredContent" not in answer.members:
                lab.inconclusive(Reason.STIMULUS_FAILED, "the result has no structuredContent", answer)
            content = answer.members.get("content")
            same = answer.members["structuredContent"] in list(_decoded_texts(content))
            lab.expect(expect.that(same, "a text block with the same JSON", content, answer))


def _decoded_texts(content: Any) -> Iterator[Any]:
    for block in content if isinstance(content, list) else ():
        text = block.get("text") if isinstance(block, dict) else None
        try:
            yield json.loads(text) if isinstance(text, str) else None
        except (ValueError, RecursionError):
            yield text


# Completions


@check(
    "mcp.cap.completion-max-100",
    "A completion returns at most 100 values with coherent totals",
    mutants=("completion.unlimited", "completion.total-too-small", "completion.nothing-more"),
)
async def completions_are_bounded(lab: McpLab) -> None:
    """An argument of a listed prompt or template is completed from nothing, and from one letter."""
    async with lab.session() as session:
        found = await completable(session)
        if found is None:
            lab.not_applicable("no prompt or template is listed with an argument", lab.claim_record)
        for value in ("", "n"):
            argument = {"name": found[1], "value": value}
            outcome = await session.request("completion/complete", {"ref": found[0], "argument": argument})
            if not lab.declares(Feature.COMPLETIONS) and not isinstance(outcome, Answer):
                lab.not_applicable("the server has no completions", outcome, lab.claim_record)
            _judge_completion(lab, lab.need(outcome, "completion/complete"))


def _judge_completion(lab: McpLab, answer: Answer) -> None:
    completion = answer.members.get("completion")
    found = completion if isinstance(completion, dict) else {}
    values, total, more = found.get("values"), found.get("total"), found.get("hasMore")
    count = len(values) if isinstance(values, list) else -1
    lab.expect(expect.that(0 <= count <= 100, "an array of at most 100 values", f"{count} values", answer))
    if isinstance(total, int):
        lab.expect(expect.that(total >= count, f"a total of {count} or more", total, answer))
        left = total > count
        coherent = more is None or more is left
        lab.expect(expect.that(coherent, f"hasMore {left} for {count} of {total}", more, answer, soft=True))


# Resources

_VARIABLE = r"(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+(?:\.(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})+)*(?::[1-9][0-9]{0,3}|\*)?"
URI_TEMPLATE = re.compile(rf"(?:[^\x00-\x20{{}}]|\{{[+#./;?&=,!@|]?{_VARIABLE}(?:,{_VARIABLE})*\}})+")
"""RFC 6570, section 2, with the characters of literals taken widely."""


@check(
    "mcp.cap.template-uris-valid",
    "Resource templates are RFC 6570 URI templates",
    needs={Feature.RESOURCES},
    mutants=("template.unbalanced", "template.of-another-language"),
)
async def templates_parse(lab: McpLab) -> None:
    """Every entry of resources/templates/list."""
    async with lab.session() as session:
        templates, page = await entries(lab, session, "resources/templates/list")
    if not templates:
        lab.not_applicable("the server lists no template", page)
    wrong = [t.get("uriTemplate") for t in templates if not URI_TEMPLATE.fullmatch(str(t.get("uriTemplate", "")))]
    lab.expect(expect.that(not wrong, "uriTemplates that parse", wrong, page))


@check(
    "mcp.cap.binary-base64",
    "Resource contents are either text or base64 data, with their URI",
    needs={Feature.RESOURCES},
    mutants=("contents.blob-not-base64", "contents.without-uri", "contents.text-and-blob"),
)
async def contents_are_text_or_blob(lab: McpLab) -> None:
    """The first listed resources of each media type are read, ten at most."""
    async with lab.session() as session:
        resources = await walk(session, "resources/list")
        if not resources.entries:
            lab.not_applicable("the server lists no resource", resources.last)
        for uri in _of_every_type(resources.entries):
            outcome = await session.request("resources/read", {"uri": uri})
            if isinstance(outcome, Answer):
                _judge_contents(lab, outcome)


def _of_every_type(resources: list[dict[str, Any]]) -> list[Any]:
    """URIs of some resources, one of each media type first."""
    firsts = {resource.get("mimeType"): resource.get("uri") for resource in reversed(resources)}
    return list(dict.fromkeys([*firsts.values(), *(resource.get("uri") for resource in resources)]))[:READ]


def _judge_contents(lab: McpLab, answer: Answer) -> None:
    contents = answer.members.get("contents")
    for content in contents if isinstance(contents, list) else ():
        found = content if isinstance(content, dict) else {}
        one = ("text" in found) != ("blob" in found)
        lab.expect(expect.that(one, "either text or blob", sorted(found), answer))
        lab.expect(expect.that(isinstance(found.get("uri"), str), "the URI of the content", sorted(found), answer))
        if "blob" in found:
            lab.expect(expect.that(_is_base64(found["blob"]), "a blob in base64", found["blob"], answer))


def _is_base64(value: Any) -> bool:
    """RFC 4648, section 4: the plain alphabet, with padding."""
    try:
        return isinstance(value, str) and base64.b64decode(value, validate=True) is not None
    except (binascii.Error, ValueError):
        return False
