"""What the judges of cards and of their versions' shapes let pass, and what they do not."""

from __future__ import annotations

from typing import Any

import pytest
from seatrial.judge.a2a import card
from seatrial.judge.a2a.dialect import foreign

TASK_10 = {"task": {"id": "t", "contextId": "c", "status": {"state": "TASK_STATE_COMPLETED"}}}
MESSAGE_03 = {"kind": "message", "messageId": "m", "role": "agent", "parts": [{"kind": "text", "text": "hello"}]}
TASK_03 = {"kind": "task", "id": "t", "contextId": "c", "status": {"state": "completed", "message": MESSAGE_03}}


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer 0f8fad5bd9cb469f",
        "key sk-abcdefghijklmnop1234",
        "https://me:secret@example.com/agent",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl",
        "-----BEGIN RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_is_found_wherever_it_stands(text: str) -> None:
    found = list(card.secrets({"skills": [{"examples": ["harmless", text]}]}))
    assert len(found) == 1
    assert found[0].startswith("skills[0].examples[1] ")
    assert text not in found[0]


@pytest.mark.parametrize(
    "harmless",
    [
        {"securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}},
        {"description": "Wants a bearer token, which its owner gives out."},
        {"documentationUrl": "https://example.com/@agents/one?mail=me@example.com"},
        {"signatures": [{"protected": "eyJhbGciOiJFUzI1NiJ9", "signature": "eyJhbGciOiJI.eyJzdWIiOiIxMjM0In0.abc"}]},
    ],
)
def test_what_only_speaks_of_credentials_is_none(harmless: dict[str, Any]) -> None:
    assert list(card.secrets(harmless)) == []


@pytest.mark.parametrize(("version", "wrong"), [("1", True), ("v1.0", True), ("1.0", False), ("1.0.1", False)])
def test_a_version_is_two_numbers_with_or_without_a_patch(version: str, wrong: bool) -> None:
    entry = {"url": "http://one.example", "protocolBinding": "JSONRPC", "protocolVersion": version}
    assert bool(list(card.interface_fields({"supportedInterfaces": [entry]}))) is wrong
    assert bool(list(card.patched({"supportedInterfaces": [entry]}))) is (version == "1.0.1")


def test_fields_of_any_type_are_told_without_a_stumble() -> None:
    broken = {"name": 1, "capabilities": [], "supportedInterfaces": "x", "skills": [3, {"id": [], "tags": "t"}]}
    assert len(list(card.required_fields(broken, "1.0"))) == 7
    assert len(list(card.skill_fields(broken, "1.0"))) == 5
    assert list(card.interface_fields(broken)) == []


def test_each_version_is_at_home_in_its_own_shape() -> None:
    assert list(foreign(TASK_10, "1.0")) == []
    assert list(foreign(TASK_03, "0.3")) == []
    assert list(foreign(TASK_10, "0.3")) != []
    assert list(foreign(TASK_03, "1.0")) != []


def test_what_users_put_into_an_object_is_theirs() -> None:
    part = {"kind": "data", "data": {"role": "ROLE_ADMIN", "status": {"state": "TASK_STATE_X"}}}
    message = MESSAGE_03 | {"parts": [part], "metadata": {"state": "TASK_STATE_Y"}}
    assert list(foreign(message, "0.3")) == []


def test_a_status_update_of_03_says_whether_it_is_final() -> None:
    update = {"kind": "status-update", "taskId": "t", "contextId": "c", "status": {"state": "working"}}
    assert list(foreign(update | {"final": False}, "0.3")) == []
    assert list(foreign(update, "0.3")) == ["the whole is a status update without final"]
