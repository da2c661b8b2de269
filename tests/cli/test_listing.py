"""`seatrial list` and `seatrial explain`."""

from __future__ import annotations

import json

import pytest

from .conftest import Invoke


def test_the_json_list_has_one_entry_per_check(invoke: Invoke) -> None:
    result = invoke("list", "--format", "json")
    assert json.loads(result.stdout) == [
        {
            "id": "mcp.can.stops-work",
            "title": "A cancelled call stops working",
            "suite": "cancellation",
            "protocol": "mcp",
            "requirements": [
                {
                    "id": "mcp.can.stops-work",
                    "level": "SHOULD",
                    "versions": ["2025-06-18", "2026-07-28"],
                    "bindings": ["stdio", "streamable-http"],
                }
            ],
            "level": "SHOULD",
            "versions": ["2025-06-18", "2026-07-28"],
            "bindings": ["stdio", "streamable-http"],
            "needs": ["slow"],
            "faults": [],
            "isolation": "shared",
            "mutants": ["cancel.swallowed"],
        }
    ]


def test_the_text_list_is_for_reading(invoke: Invoke) -> None:
    assert invoke("list").stdout == (
        "cancellation (1)\n  mcp.can.stops-work  SHOULD  A cancelled call stops working\n1 checks\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--suite", "cancelation"], 'unknown suite "cancelation"; did you mean cancellation?'),
        (["--level", "must"], "no check is selected"),
    ],
)
def test_a_selection_of_nothing_is_told(invoke: Invoke, words: list[str], said: str) -> None:
    result = invoke("list", *words)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_check_is_explained_with_its_clause(invoke: Invoke) -> None:
    said = invoke("explain", "mcp.can.stops-work").stdout.splitlines()
    assert said[0] == "mcp.can.stops-work: A cancelled call stops working"
    assert "  needs      slow" in said
    assert "  mutants    cancel.swallowed" in said
    assert "  method     Cancel a slow call and read the witness." in said
    assert "mcp.can.stops-work (SHOULD): Work stops when a request is cancelled." in said
    assert "  probe      cancel a slow call" in said
    assert [line.split("/")[4] for line in said if line.startswith("  clause")] == ["2025-06-18", "2026-07-28"]


def test_a_mutant_is_explained_with_what_finds_it(invoke: Invoke) -> None:
    said = invoke("explain", "cancel.swallowed").stdout
    assert "a server that accepts the cancellation and works on" in said
    assert "found by   mcp.can.stops-work" in said
    assert "seatrial demo --break cancel.swallowed" in said


def test_a_fault_and_a_reason_are_explained(invoke: Invoke) -> None:
    assert "settings   code=503" in invoke("explain", "status").stdout
    assert invoke("explain", "no-witness").stdout.startswith("no-witness (reason): nothing shows")


def test_an_unknown_id_is_told_with_the_nearest(invoke: Invoke) -> None:
    result = invoke("explain", "cancel.swalowed")
    assert result.exit_code == 2
    assert result.stderr.startswith('Error: unknown id or word "cancel.swalowed"; did you mean cancel.swallowed')
    assert result.stderr.count("\n") == 1
