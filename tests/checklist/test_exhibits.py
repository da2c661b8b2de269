"""What a person is shown before signing."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.checklist.exhibits import ALIKE, EXHIBITS, Subject
from seatrial.checklist.offer import Tool, declared
from seatrial.checklist.sightings import Failure, Seen

READER = Tool("look", "Looks.", annotations={"readOnlyHint": True})
WRITER = Tool("drop", "Drops.", annotations={"readOnlyHint": False, "destructiveHint": True})
SILENT = Tool("send", "Sends.", {"properties": {"outPath": {}, "pathology": {}, "to": {}}})


def shown(name: str, *tools: Tool, **seen: Any) -> list[str]:
    return list(EXHIBITS[name](Subject("mcp", "http://x/", ("2025-11-25 over stdio",), {}, Seen(tools, **seen))))


def test_readers_and_writers_side_by_side() -> None:
    assert shown("sides", WRITER, SILENT, READER) == ["only read: look", "have effects: drop", "do not say: send"]


def test_everything_that_may_have_effects() -> None:
    assert shown("effecting", READER, SILENT, WRITER) == ["drop (destructive): Drops.", "send: Sends."]
    assert shown("effecting", READER) == ["every tool says that it only reads"]
    assert shown("effecting") == []


def test_parameters_that_are_paths() -> None:
    assert shown("paths", READER, SILENT) == ["send takes outPath"]
    assert shown("paths", READER) == ["no tool has a parameter whose name is that of a path"]
    assert shown("paths") == []


def test_of_failures_of_one_kind_the_first_few() -> None:
    failures = tuple(Failure("isError", f"no {n}", n) for n in range(ALIKE + 2))
    told = shown("errors", failures=(*failures, Failure("error 5", "Busy", 9), Failure("error 6", "", 9)))
    assert told == [*(f"isError: no {n}" for n in range(ALIKE)), "error 5: Busy", "isError: 2 more"]


def test_what_tools_returned_and_what_was_spoken() -> None:
    assert shown("results", results=(("b", "2"), ("a", "1"))) == ["a returned: 1", "b returned: 2"]
    assert shown("versions") == ["2025-11-25 over stdio"]


def test_addresses_of_every_card_once() -> None:
    card = {"url": "http://x/", "interfaces": [{"url": "http://y/"}, {"url": "no address"}]}
    subject = Subject("a2a", "http://x/", (), {"1.0,a": {"card": card}, "1.0,b": {"card": card}}, Seen())
    assert list(EXHIBITS["addresses"](subject)) == ["interfaces.url: http://y/", "url: http://x/"]


@pytest.mark.parametrize(
    ("server", "names"),
    [
        ({"card": {"skills": [{"name": "a", "examples": ["x", 5]}, 7]}}, ["a"]),
        ({"capabilities": {"tools": {"items": [{"name": "b", "parameters": {}}]}}}, ["b"]),
        ({"card": 5, "capabilities": {"tools": True}}, []),
        ({"card": {"skills": {"name": "a"}}}, []),
    ],
)
def test_what_is_declared_as_an_offer(server: dict[str, Any], names: list[str]) -> None:
    assert [tool.name for tool in declared(server)] == names
