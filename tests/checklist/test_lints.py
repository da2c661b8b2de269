"""Each lint finds what it is about on a bad tool, quotes it, and leaves a good one alone."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.checklist.exhibits import LINTS, Subject
from seatrial.checklist.leaks import leaks
from seatrial.checklist.lints import MANY, words
from seatrial.checklist.offer import Tool
from seatrial.checklist.sightings import Failure, Seen

READS = {"readOnlyHint": True}
GOOD = Tool(
    "cancel_order",
    "Ends an order before it is shipped. Not for orders on their way: use return_order for these.",
    {
        "type": "object",
        "properties": {"order": {"type": "string", "description": "The number on the receipt", "examples": ["A-1"]}},
        "additionalProperties": False,
    },
    {"readOnlyHint": False, "destructiveHint": True},
)


def tool(name: str = "t", description: str = "", **schema: Any) -> Tool:
    return Tool(name, description, {"type": "object", **schema})


def remarks(lint: str, *tools: Tool) -> list[tuple[str, str]]:
    """(subject, quote) of what a lint finds."""
    found = LINTS[lint](Subject("mcp", "http://127.0.0.1/mcp", (), {}, Seen(tools)))
    return [(remark.subject, remark.quote) for remark in found]


OF_TOOLS = ("purpose", "limits", "example", "count", "names", "hints", "schema", "parameters", "closed")


@pytest.mark.parametrize("lint", OF_TOOLS)
def test_a_good_tool_passes(lint: str) -> None:
    assert remarks(lint, GOOD) == []


@pytest.mark.parametrize("description", ["", "   ", "Cancels the order.", "This tool cancels an order by its order id"])
def test_a_description_that_says_no_more_than_the_names(description: str) -> None:
    found = remarks("purpose", tool("cancel_order", description, properties={"orderId": {}}))
    assert found == [("cancel_order", description.strip() and description)]


@pytest.mark.parametrize(
    "description", ["Ends an order before it is shipped.", "Storniert eine Bestellung vor dem Versand."]
)
def test_a_description_that_says_more(description: str) -> None:
    assert remarks("purpose", tool("cancel_order", description)) == []


def test_a_description_without_a_limit() -> None:
    text = "Finds the shortest way between two places."
    assert remarks("limits", tool("route", text)) == [("route", text)]


@pytest.mark.parametrize(
    "limit",
    ["Only for roads.", "Do not use it for ferries.", "Needs GPS; prefer locate otherwise.", "At most 5 stops."],
)
def test_a_description_with_a_limit(limit: str) -> None:
    assert remarks("limits", tool("route", f"Finds a way. {limit}")) == []


def test_words_that_cannot_be_read_are_not_judged() -> None:
    foreign = tool("route", "二つの場所の間の最短経路を見つけます")
    assert remarks("limits", foreign) == []
    assert remarks("purpose", foreign) == []


def test_no_example_anywhere() -> None:
    assert remarks("example", tool("route", "Finds a way.", properties={"to": {"type": "string"}})) == [("route", "")]


@pytest.mark.parametrize(
    "shown",
    [
        tool(properties={"to": {"enum": ["north", "south"]}}),
        tool(properties={"to": {"description": "a town, for instance Oslo"}}),
        tool(properties={"to": {}}, examples=[{"to": "Oslo"}]),
        tool(description='Call it with {"to": "Oslo"}.', properties={"to": {}}),
        tool(properties={}),
        Tool("skill", examples=("How far is it to Oslo?",)),
    ],
)
def test_an_example_or_nothing_to_give_one_of(shown: Tool) -> None:
    assert remarks("example", shown) == []


def test_a_skill_without_examples() -> None:
    assert remarks("example", Tool("skill", "Finds a way.")) == [("skill", "")]


def test_more_tools_than_a_model_can_choose_among() -> None:
    tools = [tool(f"t{n}") for n in range(MANY + 1)]
    assert remarks("count", *tools[:MANY]) == []
    assert len(remarks("count", *tools)) == 1


def test_names_and_descriptions_that_tell_nothing_apart() -> None:
    assert remarks("names", tool("get_item"), tool("getItem"), tool("get_items")) == [("get_item", "getItem")]
    assert remarks("names", tool("a", "Finds it."), tool("b", "Finds  it."), tool("c")) == [("a", "b")]


def test_annotations_that_are_missing_or_contradict() -> None:
    assert remarks("hints", tool("look")) == [("look", "")]
    assert remarks("hints", Tool("delete_all", annotations=READS)) == [("delete_all", "delete")]
    assert remarks("hints", Tool("look", annotations={**READS, "destructiveHint": True})) == [("look", "")]
    assert remarks("hints", Tool("look", annotations=READS)) == []


def test_readers_and_writers_in_one_list() -> None:
    assert remarks("hints", Tool("look", annotations=READS), GOOD) == [("the list", "")]


def test_a_schema_that_is_none() -> None:
    assert remarks("schema", Tool("t", schema="object")) == [("t", "")]
    ((name, quote),) = remarks("schema", tool(properties={"a": {"type": "text"}}))
    assert (name, quote.startswith("$.properties.a.type: ")) == ("t", True)


@pytest.mark.parametrize(("dialect", "remarked"), [(7, 1), (None, 1), ("http://[", 1), ("urn:none", 0)])
def test_a_dialect_that_is_none_does_no_harm(dialect: Any, remarked: int) -> None:
    assert len(remarks("schema", tool(**{"$schema": dialect}))) == remarked


def test_a_schema_is_judged_by_its_own_dialect() -> None:
    old: dict[str, Any] = {"properties": {"n": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}}
    draft = {"$schema": "http://json-schema.org/draft-04/schema#"}
    assert remarks("schema", Tool("t", schema=draft | old)) == []
    assert len(remarks("schema", Tool("t", schema=old))) == 1


def test_parameters_without_a_type_or_a_description() -> None:
    bare = tool(
        properties={"a": {"description": "it"}, "b": {"type": "string"}, "c": {"$ref": "#/$defs/c", "description": "c"}}
    )
    assert remarks("parameters", bare) == [("t", "a"), ("t", "b")]


def test_a_tool_with_effects_that_takes_any_parameter() -> None:
    loose: dict[str, Any] = {"properties": {"a": {}}}
    assert remarks("closed", tool(**loose)) == [("t", "")]
    assert remarks("closed", tool(**loose, unevaluatedProperties=False)) == []
    assert remarks("closed", Tool("t", schema=loose, annotations=READS)) == []


def of_failures(lint: str, *failures: Failure) -> list[tuple[str, str]]:
    found = LINTS[lint](Subject("mcp", "http://127.0.0.1/mcp", (), {}, Seen(failures=failures)))
    return [(remark.subject, remark.quote) for remark in found]


def test_a_failure_that_does_not_tell_whether_to_try_again() -> None:
    assert of_failures("retry", Failure("isError", "Oops", 1)) == [("isError", "Oops")]
    assert of_failures("retry", Failure("HTTP 503", "", 1, mute=True)) == [("HTTP 503", "")]


@pytest.mark.parametrize(
    "failure",
    [
        Failure("isError", "The order does not exist", 1),
        Failure("isError", "The shop is busy, try again in a minute", 1),
        Failure("error -32602", "Oops", 1),
        Failure("HTTP 503", "", 1),
    ],
)
def test_a_failure_that_tells_it_by_its_words_or_by_its_code(failure: Failure) -> None:
    assert of_failures("retry", failure) == []


def test_a_failure_that_shows_the_insides() -> None:
    text = "Cannot open /srv/shop/db.sqlite"
    assert of_failures("leak", Failure("isError", text, 3, leaks(text))) == [("isError", "/srv/shop/db.sqlite")]
    assert of_failures("leak", Failure("isError", "Cannot open the book", 3)) == []


@pytest.mark.parametrize(("tags", "remarked"), [(["travel"], []), ([], ["route"]), (None, ["route"])])
def test_a_skill_that_nobody_can_find(tags: Any, remarked: list[str]) -> None:
    server = {"1.0,a": {"card": {"skills": [{"name": "route", "tags": tags}]}}, "1.0,b": {"card": {"skills": 5}}}
    found = LINTS["tags"](Subject("a2a", "http://x/", (), server, Seen()))
    assert [remark.subject for remark in found] == remarked


def card(*urls: str) -> Subject:
    server = {"1.0,json-rpc": {"card": {"interfaces": [{"url": url} for url in urls]}}}
    return Subject("a2a", "https://shop.test/a2a", ("1.0 over json-rpc",), server, Seen())


def test_addresses_of_a_card_that_lead_away_or_are_not_encrypted() -> None:
    found = [(r.subject, r.text, r.quote) for r in LINTS["egress"](card("https://shop.test/a2a", "http://other.test/"))]
    assert found == [
        ("interfaces.url", "leads to another host", "http://other.test/"),
        ("interfaces.url", "is not encrypted", "http://other.test/"),
    ]
    assert not list(LINTS["egress"](card("https://shop.test/other")))


@pytest.mark.parametrize(
    ("name", "parts"),
    [("listOpen_items", ["list", "open", "items"]), ("HTTPServer2", ["http", "server", "2"]), ("", [])],
)
def test_the_words_of_a_name(name: str, parts: list[str]) -> None:
    assert words(name) == parts
