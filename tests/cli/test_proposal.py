"""What `init` takes a target's tools for, before any is tried."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.cli.init.proposal import Effects, Proposal, candidates
from seatrial.model import Role

STRING, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}


def tool(
    name: str, /, about: str = "", hints: dict[str, bool] | None = None, **schema: dict[str, Any]
) -> dict[str, Any]:
    """A tool whose parameters are required unless their schema says `optional`."""
    required = [key for key, value in schema.items() if not value.get("optional")]
    declared = {key: {k: v for k, v in value.items() if k != "optional"} for key, value in schema.items()}
    return {
        "name": name,
        "description": about,
        "inputSchema": {"type": "object", "properties": declared, "required": required},
        "annotations": hints or {},
    }


def proposed(role: Role, *tools: dict[str, Any]) -> list[Proposal]:
    found = candidates("mcp", {"tools": {item["name"]: item for item in tools}, "prompts": {}, "resources": {}})
    return found.get(role, [])


def first(role: Role, *tools: dict[str, Any]) -> tuple[str, Any]:
    """Name and arguments of what is tried first."""
    stimulus = proposed(role, *tools)[0].stimulus
    return stimulus.name, dict(stimulus.arguments)


def test_tools_are_recognised_by_name_description_and_parameters() -> None:
    tools = (
        tool("say", "Echoes a message.", message=STRING),
        tool("long-job", "Takes a while.", duration=NUMBER, tag=STRING, mode={"enum": ["a", "b"]}),
        tool("always_fails"),
    )
    assert first(Role.ECHO, *tools) == ("say", {"message": "{text}"})
    assert first(Role.SLOW, *tools) == ("long-job", {"duration": "{seconds}", "tag": "{key}", "mode": "a"})
    assert first(Role.FAILING, *tools) == ("always_fails", {})


def test_a_witness_is_known_by_its_name_and_not_by_what_is_told_of_one() -> None:
    rebuild = tool("rebuild", "Slow work; `probe(key)` tells how far it came.", seconds=NUMBER, key=STRING)
    assert first(Role.WITNESS, rebuild, tool("probe", "Tells of a key.", key=STRING)) == ("probe", {"key": "{key}"})
    assert not proposed(Role.WITNESS, rebuild)


def test_a_delay_beside_a_count_is_the_gap_between_the_reports() -> None:
    found = first(Role.PROGRESS, tool("progress", "Reports.", count=INTEGER, delay=NUMBER))
    assert found == ("progress", {"count": "{count}", "delay": "{gap}"})


def test_a_delay_alone_is_how_long_it_takes() -> None:
    assert first(Role.SLOW, tool("wait", "", delay=NUMBER)) == ("wait", {"delay": "{seconds}"})


def test_work_in_steps_gets_many_of_them_so_that_it_can_be_interrupted_soon() -> None:
    found = first(Role.SLOW, tool("long_operation", "", duration=NUMBER, steps=NUMBER))
    assert found == ("long_operation", {"duration": "{seconds}", "steps": 50})


def test_milliseconds_are_a_constant_whose_length_is_stated() -> None:
    (found,) = proposed(Role.SLOW, tool("wait", "", duration_ms=INTEGER))
    assert (dict(found.stimulus.arguments), found.stimulus.lasts) == ({"duration_ms": 3000}, 3.0)


@pytest.mark.parametrize("name", ["runtime", "times", "timezone", "timeout"])
def test_what_only_sounds_like_a_duration_is_none(name: str) -> None:
    assert not proposed(Role.SLOW, tool("slow_thing", **{name: NUMBER}))


def test_a_parameter_with_certain_values_takes_one_of_them() -> None:
    found = proposed(Role.ECHO, tool("echo", text={"type": "string", "enum": ["red", "blue"]}))
    assert not found


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "default": "x"}, "x"),
        ({"const": 7}, 7),
        ({"type": "string", "examples": ["Oslo"]}, "Oslo"),
        ({"type": "string", "description": "A city, e.g. 'Paris'"}, "Paris"),
        ({"type": "string", "format": "uri"}, "https://example.com/"),
        ({"type": ["null", "integer"], "minimum": 3}, 3),
        ({"anyOf": [{"type": "null"}, {"type": "boolean"}]}, False),
        ({"type": "number", "default": float("inf"), "minimum": float("inf")}, 1),
        ({"type": "string", "default": "x" * 10**6}, "example"),
    ],
)
def test_a_required_parameter_gets_what_its_schema_allows(schema: dict[str, Any], value: Any) -> None:
    assert first(Role.WITNESS, tool("probe", key=STRING, other=schema)) == ("probe", {"key": "{key}", "other": value})


def test_optional_parameters_are_left_alone() -> None:
    assert first(Role.ECHO, tool("echo", text=STRING, shout={"type": "boolean", "optional": True}))[1] == {
        "text": "{text}"
    }


@pytest.mark.parametrize(
    ("hints", "effects"),
    [
        ({"readOnlyHint": True}, Effects.NONE),
        ({}, Effects.POSSIBLE),
        ({"readOnlyHint": False, "destructiveHint": False}, Effects.POSSIBLE),
        ({"destructiveHint": True}, Effects.DESTRUCTIVE),
    ],
)
def test_a_proposal_says_what_a_call_may_do(hints: dict[str, bool], effects: Effects) -> None:
    assert proposed(Role.ECHO, tool("echo", hints=hints, text=STRING))[0].effects is effects


def test_an_invented_argument_makes_a_proposal_unsure() -> None:
    (found,) = proposed(Role.ECHO, tool("echo", text=STRING, whatever=STRING))
    assert not found.sure


def test_any_tool_that_only_reads_may_succeed_or_fail_for_want_of_what_it_looks_up() -> None:
    lookup = tool("lookup", "Looks it up.", {"readOnlyHint": True}, name=STRING)
    assert [found.sure for found in proposed(Role.FAILING, lookup)] == [False]
    assert not proposed(Role.FAILING, tool("lookup", "Looks it up.", name=STRING))


def test_no_more_than_four_are_tried_for_a_role() -> None:
    tools = [tool(f"echo{number}", "An echo.", text=STRING) for number in range(9)]
    assert len(proposed(Role.ECHO, *tools)) == 4


@pytest.mark.parametrize(("header", "mirrored"), [("Region", True), ("Re\r\ngion: x", False), ("", False), (7, False)])
def test_a_parameter_is_mirrored_in_what_can_be_a_header(header: Any, mirrored: bool) -> None:
    found = proposed(Role.X_MCP_HEADER, tool("route", region={"type": "string", "x-mcp-header": header}))
    assert [dict(item.stimulus.arguments) for item in found] == ([{"region": "{text}"}] if mirrored else [])
