"""What a server declares of its capabilities: all is optional, nothing is of any type."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.judge.agui import declaration

WHOLE: dict[str, Any] = {
    "identity": {"name": "front", "version": "2", "metadata": {"any": ["thing"]}},
    "transport": {"streaming": True, "resumable": False},
    "tools": {"supported": True, "items": [{"name": "add", "description": "Adds.", "parameters": {"type": "object"}}]},
    "output": {"supportedMimeTypes": ["text/plain"]},
    "state": {"snapshots": True, "deltas": False},
    "multiAgent": {"supported": True, "subagents": [{"name": "scout"}]},
    "multimodal": {"input": {"image": True}, "output": {"audio": False}},
    "execution": {"maxIterations": 5},
    "custom": {"com.example": {"anything": 1}},
}


@pytest.mark.parametrize("value", [{}, {"state": {}}, WHOLE])
def test_a_declaration_may_tell_as_much_as_it_likes(value: dict[str, Any]) -> None:
    assert declaration(value, 7) == []


@pytest.mark.parametrize(
    ("value", "place"),
    [
        ([], ""),
        ({"transport": {"streaming": "yes"}}, "/transport/streaming"),
        ({"tools": {"items": ["add"]}}, "/tools/items/0"),
        ({"tools": {"items": [{"name": "add"}]}}, "/tools/items/0/description"),
        ({"multiAgent": {"subagents": [{"description": "nameless"}]}}, "/multiAgent/subagents/0/name"),
        ({"execution": {"maxIterations": 2.5}}, "/execution/maxIterations"),
    ],
)
def test_what_it_tells_has_a_type(value: Any, place: str) -> None:
    (violation,) = declaration(value, 7)
    assert violation.actual.startswith(f"{place}:")
    assert (violation.records, violation.soft) == ((7,), False)


def test_a_member_that_nobody_knows_is_a_soft_violation() -> None:
    (violation,) = declaration({"multiAgent": {"subAgents": []}}, 7)
    assert violation.soft
