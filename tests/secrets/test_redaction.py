"""Which texts are secrets, and that every spelling of them is found, nothing else, and soon."""

from __future__ import annotations

import html
import json
import time
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.redaction import inherited, of_command, of_header, of_url, redactor

from . import parrot

TOKENS = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=8, max_size=40)


@dataclass
class Confided:
    """What a user confided of a target."""

    address: str = "http://127.0.0.1:8080/mcp"
    headers: dict[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()
    capabilities_url: str = ""
    replicas: tuple[str, ...] = ()
    identities: dict[str, dict[str, str]] = field(default_factory=dict)


def cleaned(text: str, *secrets: str) -> str:
    return redactor([Confided(secrets=secrets)]).text(text)


@given(TOKENS)
def test_every_spelling_of_every_text_is_found_in_every_format(secret: str) -> None:
    escaped = (quote(quote(secret)), html.escape(html.escape(secret)), json.dumps(secret).replace("/", "\\/"))
    for spelling in (*parrot.spellings(secret), *escaped):
        for text in (spelling, json.dumps(spelling), html.escape(spelling)):
            assert not parrot.readable(cleaned(f"<{text}>", secret), [secret])


@given(st.text(), TOKENS)
def test_a_text_without_it_stays(text: str, secret: str) -> None:
    if secret[0] not in text and not set(text) & set("0123456789abcdefABCDEF"):
        assert cleaned(text, secret) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("token abcdefgh-1234, and", "token [redacted], and"),
        ("token 'abcdefgh-12", "token '[redacted]"),
        ("token 'abcdefgh' is", "token '[redacted]' is"),
        ("token 'abcdefg", "token 'abcdefg"),
    ],
)
def test_where_a_text_was_cut_the_beginning_is_found(text: str, left: str) -> None:
    assert cleaned(text, "abcdefgh-1234") == left


def test_secrets_that_begin_alike_are_taken_out_whole() -> None:
    short, long = "eyJhbGciOi.short", "eyJhbGciOi.longer-than-the-other"
    assert cleaned(f"{short} {long} {short}", short, long) == "[redacted] [redacted] [redacted]"


def test_a_header_that_is_no_secret_is_taken_out_only_as_a_whole() -> None:
    clean = redactor([Confided(headers={"X-Tenant": "application/shop"})])
    assert clean.text("application/json of application/shop") == "application/json of [redacted]"


def test_what_is_short_stays() -> None:
    assert cleaned("a key is a key", "key") == "a key is a key"


@pytest.mark.parametrize(
    ("name", "value", "found"),
    [
        ("Authorization", "Bearer abc", ["abc"]),
        ("authorization", f"Basic {b64encode(b'me:pass').decode()}", ["bWU6cGFzcw==", "me:pass", "pass"]),
        ("Authorization", "Basic nobase64!", ["nobase64!"]),
        ("Cookie", "a=1; session=xyz", ["1", "xyz"]),
        ("X-Shop-Token", "abc", ["abc"]),
        ("X-Tenant", "abc", []),
    ],
)
def test_what_of_a_header_is_secret(name: str, value: str, found: list[str]) -> None:
    assert list(of_header(name, value)) == found


@pytest.mark.parametrize(
    ("url", "found"),
    [
        ("http://me:p%40ss@h/", ["me:p@ss", "p@ss"]),
        ("http://token@h/", ["token", "token"]),
        ("http://h/?api_key=a%2Fb&page=2&sig=c", ["a/b", "c"]),
        ("http://h/mcp", []),
        ("http://[h/", []),
    ],
)
def test_what_of_an_address_is_secret(url: str, found: list[str]) -> None:
    assert list(of_url(url)) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["server", "--api-key=abc-abc-abc", "--port", "1"], ["abc-abc-abc"]),
        (["server", "--token", "abc-abc-abc", "--verbose"], ["abc-abc-abc"]),
        (["env", "SHOP_SECRET=abc-abc-abc", "server"], ["abc-abc-abc"]),
        (["server", "--no-auth", "--auth", "none", "--sig=none"], []),
        (["server", "--db", "postgres://me:pass@h/db"], ["me:pass", "pass"]),
        (["server", "--key"], []),
    ],
)
def test_what_of_a_command_is_secret(words: list[str], found: list[str]) -> None:
    assert list(of_command(words)) == found


def test_what_of_an_environment_is_secret() -> None:
    environment = {
        "SHOP_TOKEN": "abcdefgh",
        "USE_AUTH": "true",
        "PATH": "/usr/bin:/bin",
        "DB_PASSWORD": "hunter2hunter2",
    }
    assert list(inherited(environment)) == ["abcdefgh", "hunter2hunter2"]


@pytest.mark.parametrize("secret", ["//\\\\\\abcdefgh", '"' * 12, "    a   b", "&&&&%%%%%%"])
@pytest.mark.parametrize("text", ["\\", "%25", "&amp;", '"', "//", " ", '\\"', "&#34;", "%"])
def test_no_target_can_make_the_search_long(secret: str, text: str) -> None:
    begun = time.process_time()
    cleaned(text * (200_000 // len(text)), secret)
    assert time.process_time() - begun < 2
