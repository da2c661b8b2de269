"""What of a target is secret, and how to find it again however a target spells it."""

from __future__ import annotations

import html
import re
import shlex
from base64 import b64decode, b64encode
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from .transcript import SECRET_HEADERS, Redactor

SHORTEST = 4
"""Characters. What is shorter stands in too many other words to be taken out of them."""

HEAD = 8
"""So many characters at the beginning of a secret betray it where a text was cut; and what is shorter and only has the
name of one may be a setting, such as `--auth none`."""

_NAME = re.compile(r"(?:token|secret|passw(?:or)?d|key|credentials?|sig|signature|auth|authorization|jwt)$", re.I)
_URL = re.compile(r"[\w+.-]+://")
_URL_SAFE = {"+": "(?:{}|-)", "/": "(?:{}|_)"}
"""Letters of base64 for which its other alphabet has another."""


class Confiding(Protocol):
    """The parts of a target, or of its configuration, that may hold secrets."""

    @property
    def address(self) -> str: ...

    @property
    def capabilities_url(self) -> str: ...

    @property
    def replicas(self) -> tuple[str, ...]: ...

    @property
    def headers(self) -> Mapping[str, str]: ...

    @property
    def identities(self) -> Mapping[str, Mapping[str, str]]: ...

    @property
    def secrets(self) -> tuple[str, ...]: ...


def redactor(targets: Iterable[Confiding]) -> Redactor:
    """Takes the secrets of some targets out of what is recorded, and every other header that a user gave.

    Whole ones go first: several tokens may begin alike.
    """
    known = tuple(targets)
    secrets = {secret for target in known for secret in _secrets(target)}
    given = {value for target in known for headers in _headers(target) for value in headers.values()}
    whole = (each for secret in _ordered(secrets | given) for each in patterns(secret))
    cut = (each for secret in _ordered(secrets) if len(secret) > HEAD for each in patterns(secret, HEAD))
    return Redactor(patterns=(*whole, *cut))


def _ordered(secrets: Iterable[str]) -> list[str]:
    """The longest first: it may contain others."""
    return sorted((secret for secret in secrets if len(secret) >= SHORTEST), key=lambda s: (-len(s), s))


def _headers(target: Confiding) -> Iterator[Mapping[str, str]]:
    yield target.headers
    yield from target.identities.values()


def _secrets(target: Confiding) -> Iterator[str]:
    yield from target.secrets
    if not _URL.match(target.address):
        yield from of_command(shlex.split(target.address))
    for url in (target.address, target.capabilities_url, *target.replicas):
        yield from of_url(url)
    for headers in _headers(target):
        yield from (secret for name, value in headers.items() for secret in of_header(name, value))


def is_secret(name: str) -> bool:
    """Whether the value of a variable, a parameter or a header with this name is a secret."""
    return name.lower() in SECRET_HEADERS or _NAME.search(name) is not None


def inherited(environment: Mapping[str, str]) -> Iterator[str]:
    """The secrets that a process finds in its environment."""
    yield from (value for name, value in environment.items() if is_secret(name) and len(value) >= HEAD)


def of_command(words: Sequence[str]) -> Iterator[str]:
    """What follows such a name, as in `--token=VALUE`, `TOKEN=VALUE` and `--token VALUE`, and the secrets of URLs."""
    for word, after in zip(words, (*words[1:], "-"), strict=True):
        name, separator, value = word.partition("=")
        told = value if separator else after if word.startswith("-") and not after.startswith("-") else ""
        if is_secret(name) and len(told) >= HEAD:
            yield told
        yield from of_url(word)


def of_header(name: str, value: str) -> Iterator[str]:
    """Of a credential the token without its scheme, of a basic one the password too, and the values of cookies."""
    if not is_secret(name):
        return
    if name.lower() == "cookie":
        yield from (cookie.partition("=")[2].strip() for cookie in value.split(";"))
        return
    scheme, _, token = value.rpartition(" ")
    yield token
    if scheme.lower() == "basic":
        yield from _of_basic(token)


def _of_basic(token: str) -> Iterator[str]:
    try:
        userinfo = b64decode(token, validate=True).decode()
    except ValueError:
        return
    yield from (userinfo, userinfo.partition(":")[2])


def of_url(url: str) -> Iterator[str]:
    """What stands before the host, as basic authentication sends it and the password alone, and secret parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    userinfo = parts.netloc.rpartition("@")[0]
    if userinfo:
        yield from (unquote(userinfo), unquote(parts.password or userinfo))
    yield from (value for name, value in parse_qsl(parts.query) if is_secret(name))


def patterns(secret: str, least: int = 0) -> Iterator[re.Pattern[str]]:
    """The text as it is and as JSON, URLs, HTML, hexadecimal digits and base64 spell it.

    With `least` so many of its characters are enough, as where a text ends in the middle of it.
    """
    octets = secret.encode("utf-8", "surrogateescape")
    yield _pattern([_spelled(character) for character in secret], least)
    for digits in (octets.hex(), octets.hex().upper()):
        yield _pattern(digits, 2 * least)
    for letters in _in_base64(octets):
        yield _pattern([_URL_SAFE.get(letter, "{}").format(_spelled(letter)) for letter in letters], 3 * least // 2)


def _pattern(units: Sequence[str], least: int) -> re.Pattern[str]:
    """All units; with `least` the first of them, and of the others as many as follow."""
    least = least or len(units)
    return re.compile("".join(units[:least]) + "".join(f"(?:{unit})?" for unit in units[least:]))


def _spelled(character: str) -> str:
    """A character, as it is or escaped, up to four times over: no target can make the search long."""
    if character.isascii() and character.isalnum():
        return character
    number, wide = ord(character), character.encode("utf-16-be", "surrogatepass")
    name = re.escape(html.escape(character).removeprefix("&"))
    escapes = (
        "".join(
            rf"(?:%(?:25){{0,3}}|\\{{0,15}}x){octet:02x}" for octet in character.encode("utf-8", "surrogateescape")
        ),
        r"\\{1,15}".join(f"u{wide[place : place + 2].hex()}" for place in range(0, len(wide), 2)),
        rf"&(?:amp;){{0,3}}(?:#0*{number};|#x0*{number:x};|{name})",
    )
    plain = re.escape(character) + (r"|\+" if character == " " else "")
    return rf"\\{{0,15}}(?:{plain}|(?i:{'|'.join(escapes)}))"


def _in_base64(octets: bytes) -> Iterator[str]:
    """What is always the same of the base64 of a text that has the octets in it, wherever they begin."""
    for shift, begin in enumerate((0, 2, 3)):
        yield b64encode(bytes(shift) + octets).decode()[begin : (shift + len(octets)) * 8 // 6]
