"""The shapes agree with the official JSON Schemas: no false alarm, and every single mutation is caught.

The schemas are not part of this project. SEATRIAL_OFFICIAL_SCHEMAS names a folder that holds them as VERSION.json.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from seatrial.judge.shape import MODERN, mcp_shapes, shape_faults

from .official import Official, mutations

FOLDER = os.environ.get("SEATRIAL_OFFICIAL_SCHEMAS", "")

pytestmark = pytest.mark.skipif(
    not FOLDER, reason="SEATRIAL_OFFICIAL_SCHEMAS names no folder with the official schemas"
)

MUTATED = 6
"""Examples of one definition that are mutated in every place."""

RESULTS = {
    "initialize": "InitializeResult",
    "server/discover": "DiscoverResult",
    "tools/list": "ListToolsResult",
    "tools/call": "CallToolResult",
    "resources/list": "ListResourcesResult",
    "resources/templates/list": "ListResourceTemplatesResult",
    "resources/read": "ReadResourceResult",
    "prompts/list": "ListPromptsResult",
    "prompts/get": "GetPromptResult",
    "completion/complete": "CompleteResult",
    "logging/setLevel": "EmptyResult",
    "tasks/get": "GetTaskResult",
    "tasks/cancel": "CancelTaskResult",
    "tasks/list": "ListTasksResult",
    "subscriptions/listen": "SubscriptionsListenResult",
}
NOTIFICATIONS = {
    "CancelledNotification",
    "ProgressNotification",
    "LoggingMessageNotification",
    "ToolListChangedNotification",
    "PromptListChangedNotification",
    "ResourceListChangedNotification",
    "ResourceUpdatedNotification",
    "ElicitationCompleteNotification",
    "TaskStatusNotification",
    "SubscriptionsAcknowledgedNotification",
}
REQUESTS = {"PingRequest", "ListRootsRequest", "CreateMessageRequest", "ElicitRequest"}
ERRORS = {"URLElicitationRequiredError", "UnsupportedProtocolVersionError", "MissingRequiredClientCapabilityError"}

LENIENT = {
    ("ListToolsResult", "tools/0/inputSchema/properties/extra"): "a subschema may be a boolean in JSON Schema",
    ("URLElicitationRequiredError", "code"): "another code is another error",
    ("UnsupportedProtocolVersionError", "code"): "another code is another error",
}
"""Definition and place where we accept more than the schema does, and why."""


def versions() -> list[str]:
    return sorted(mcp_shapes().letters)


def official(version: str) -> Official:
    return Official.read(Path(FOLDER) / f"{version}.json")


def cases(version: str) -> Iterator[tuple[str | None, str, list[dict[str, Any]]]]:
    """Method (None for what is no response), definition and valid messages of everything that a server sends."""
    schema = official(version)
    for method, name in RESULTS.items():
        if name in schema.definitions:
            yield method, name, [response(version, example) for example in schema.examples(name)]
    if version == MODERN:
        inputs = [{**example, "resultType": "input_required"} for example in schema.examples("InputRequiredResult")]
        yield "prompts/get", "InputRequiredResult", [response(version, example) for example in inputs]
    for name in sorted(
        (ERRORS | NOTIFICATIONS | (REQUESTS if version < MODERN else set())) & schema.definitions.keys()
    ):
        own = {"id": 1} if name.endswith("Request") else {}
        yield None, name, [{"jsonrpc": "2.0", **own, **example} for example in schema.examples(name)]


def response(version: str, result: Any) -> dict[str, Any]:
    """A result type of its own, which the generator makes up, would make it the result of an extension."""
    own = (
        result if version < MODERN or result["resultType"] == "input_required" else {**result, "resultType": "complete"}
    )
    return {"jsonrpc": "2.0", "id": 1, "result": own}


def contents(message: dict[str, Any]) -> str:
    return next((name for name in ("result", "error", "params") if name in message), "")


@pytest.mark.parametrize("version", versions())
def test_what_the_schema_accepts_has_no_fault(version: str) -> None:
    looked_at = 0
    for method, name, messages in cases(version):
        for message in messages:
            looked_at += 1
            assert shape_faults(version, message, method) == [], (name, message)
    assert looked_at > 150


@pytest.mark.parametrize("version", versions())
def test_every_mutation_gets_the_verdict_of_the_schema(version: str) -> None:
    disagreements = [text for case in cases(version) for text in disagreements_over(version, *case)]
    assert disagreements == []


def disagreements_over(version: str, method: str | None, name: str, messages: list[dict[str, Any]]) -> Iterator[str]:
    validator = official(version).validator(name)
    for message in messages[:: max(1, len(messages) // MUTATED)]:
        part = contents(message)
        for path, changed in mutations(message[part]) if part else ():
            whole = {**message, part: changed}
            accepted = validator.is_valid(changed if method else whole)
            faults = shape_faults(version, whole, method)
            if accepted == bool(faults) and (name, path) not in LENIENT:
                yield f"{name} {path}: the schema {'accepts' if accepted else 'rejects'} {changed!r}, we say {faults}"
