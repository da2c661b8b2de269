"""What of a target is secret, in every form in which it may come back."""

from __future__ import annotations

import html
import json
import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol
from urllib.parse import parse_qsl, quote, quote_plus, unquote, urlsplit

from .transcript import SECRET_HEADERS, Redactor

SHORTEST = 4
"""Characters. What is shorter stands in too many other words to be taken out of them."""

_NAME = re.compile(r"(?:token|secret|passw(?:or)?d|key|credentials?|sig|signature|auth|authorization|jwt)$", re.I)
_ESCAPE = re.compile(r"%[0-9A-F]{2}")


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
    """Takes the secrets of some targets out of what is recorded."""
    found = {form for target in targets for secret in _secrets(target) for form in forms(secret)}
    return Redactor(tuple(sorted(found, key=len, reverse=True)))


def _secrets(target: Confiding) -> Iterator[str]:
    given = [*target.secrets]
    for url in (target.address, target.capabilities_url, *target.replicas):
        given += of_url(url)
    for headers in (target.headers, *target.identities.values()):
        given += of_headers(headers)
    return (secret for secret in given if len(secret) >= SHORTEST)


def is_secret(name: str) -> bool:
    """Whether the value of a variable or of a parameter with this name is a secret."""
    return _NAME.search(name) is not None


def of_headers(headers: Mapping[str, str]) -> Iterator[str]:
    """The values that a user gave, and of a credential the token without its scheme."""
    yield from headers.values()
    tokens = (value.rpartition(" ")[2] for name, value in headers.items() if name.lower() in SECRET_HEADERS)
    yield from (token for token in tokens if len(token) >= 2 * SHORTEST)


def of_url(url: str) -> Iterator[str]:
    """What stands before the host, as basic authentication sends it and the password alone, and secret parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return
    userinfo = parts.netloc.rpartition("@")[0]
    if userinfo:
        yield from (userinfo, unquote(userinfo), unquote(parts.password or userinfo))
    yield from (value for name, value in parse_qsl(parts.query) if is_secret(name))


def forms(secret: str) -> frozenset[str]:
    """The text, and it as URLs, JSON, HTML, base64 and hexadecimal digits spell it."""
    octets = secret.encode("utf-8", "surrogateescape")
    quoted = {quote(octets, safe=""), quote(octets), quote_plus(octets)}
    quoted |= {_ESCAPE.sub(lambda escape: escape[0].lower(), text) for text in quoted}
    escaped = {json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1], repr(secret)[1:-1]}
    escaped |= {text.replace("/", "\\/") for text in escaped}
    marked = {html.escape(secret), html.escape(secret, quote=False)}
    return frozenset({secret, octets.hex(), octets.hex().upper(), *quoted, *escaped, *marked, *_in_base64(octets)})


def _in_base64(octets: bytes) -> Iterator[str]:
    """What is always the same of the base64 of a text that has the octets in it, wherever they begin."""
    for shift, begin in enumerate((0, 2, 3)):
        end = (shift + len(octets)) * 8 // 6
        for encode in (b64encode, urlsafe_b64encode):
            yield encode(bytes(shift) + octets).decode()[begin:end]
