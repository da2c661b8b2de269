"""What an error may say: nothing of the server's insides."""

from __future__ import annotations

import pytest
from seatrial.judge import errors

from .streams import refusal

TRACES = [
    'Traceback (most recent call last):\n  File "app.py", line 3, in <module>\nKeyError: 1',
    "Error: boom\n    at handle (index.js:10:5)\n    at process.next (node:internal:1:2)",
    "panic: x\n\ngoroutine 17 [running]:\nmain.main()",
    "thread 'main' panicked at src/main.rs:4:5",
]
PATHS = ["cannot open /usr/lib/app/secret.db", "ENOENT: '/opt/service/data.json'", r"cannot open C:\Users\app\data.db"]
SECRETS = [
    "password=hunter2",
    "api_key: abc123",
    "-----BEGIN RSA PRIVATE KEY-----",
    "token sk-abcdefghijklmnopqrstuvwx",
]
HARMLESS = [
    "Unknown tool: nope",
    "Resource not found: note://missing",
    "Invalid params: /arguments/text is required",
    "See https://example.com/usr/guide/errors",
    "Method not found at line 3",
    "The password is required",
    "Expected a secret to be given",
    "",
]


@pytest.mark.parametrize(
    ("text", "names"),
    [(text, [name]) for name, texts in zip(errors.LEAKS, (TRACES, PATHS, SECRETS), strict=True) for text in texts],
)
def test_a_leak_is_named(text: str, names: list[str]) -> None:
    assert set(names) <= set(errors.leaks(text))


@pytest.mark.parametrize("text", HARMLESS)
def test_a_plain_sentence_is_no_leak(text: str) -> None:
    assert errors.leaks(text) == []


def test_a_leak_is_found_at_any_depth() -> None:
    deep = {**refusal(), "error": {"code": 1, "message": "no", "data": {"causes": [{"stack": TRACES[0]}]}}}
    finding = errors.no_leak(deep, 5)
    assert finding is not None and finding.records == (5,) and "a stack trace" in finding.actual
    assert errors.no_leak(refusal(), 5) is None
