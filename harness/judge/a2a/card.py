"""What an agent card must hold (1.0: 4.4, 5.7; 0.3: 5.5, 5.6). Each judge tells what is wrong, one text for each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from ...model import Violation
from ...protocols.a2a.card import Interface, interfaces
from ...protocols.a2a.versions import V03

Card = Mapping[str, Any]

_TEXTS = {
    "1.0": ("name", "description", "version"),
    "0.3": ("name", "description", "version", "url", "protocolVersion"),
}
_MODES = ("defaultInputModes", "defaultOutputModes")
_LISTS = {"1.0": ("supportedInterfaces", *_MODES, "skills"), "0.3": (*_MODES, "skills")}

MAJOR_MINOR = re.compile(r"\d+\.\d+", re.ASCII)
PATCHED = re.compile(r"\d+\.\d+(\.[\w+-]+)+", re.ASCII)

_SECRETS = (
    ("a bearer token", re.compile(r"(?i)\bbearer\s+[\w.~+/-]{12,}=*")),
    ("a JSON Web Token", re.compile(r"\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]*")),
    ("a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")),
    (
        "an API key",
        re.compile(r"\b(sk-[\w-]{16,}|AKIA[0-9A-Z]{16}|gh[pousr]_\w{20,}|xox[abprs]-[\w-]{10,}|AIza[\w-]{30,})"),
    ),
    ("user information in a URL", re.compile(r"\w+://[^/\s@]+@")),
)


def violations(found: Iterable[str], expected: str, *records: int, soft: bool = False) -> list[Violation]:
    """What a judge of this module found, as violations."""
    return [Violation(expected, actual, records, soft=soft) for actual in found]


def shaped(card: Card, version: str) -> bool:
    """Has the card the shape of this version at all? It may have those of both (A.2)."""
    return "url" in card or "preferredTransport" in card if version == V03 else "supportedInterfaces" in card


def required_fields(card: Card, version: str) -> Iterator[str]:
    """Fields that the version requires. In 1.0 a required list is not empty (5.7)."""
    yield from (f"{name} is {_told(card, name)}" for name in _TEXTS[version] if not _is_text(card.get(name)))
    if not isinstance(card.get("capabilities"), Mapping):
        yield f"capabilities is {_told(card, 'capabilities')}"
    for name in _LISTS[version]:
        found = card.get(name)
        if not isinstance(found, list) or (not found and version != V03):
            yield f"{name} is {_told(card, name)}"


def skill_fields(card: Card, version: str) -> Iterator[str]:
    """Each skill's id, name, description and tags; no id stands twice. In 1.0 there is at least one tag (5.7)."""
    seen: set[str] = set()
    for place, skill in enumerate(card.get("skills") or ()):
        where = f"skills[{place}]"
        if not isinstance(skill, Mapping):
            yield f"{where} is no object"
            continue
        yield from (
            f"{where}.{name} is {_told(skill, name)}"
            for name in ("id", "name", "description")
            if not _is_text(skill.get(name))
        )
        if not _is_texts(skill.get("tags"), least=version != V03):
            yield f"{where}.tags is {_told(skill, 'tags')}"
        ident = str(skill.get("id"))
        if ident in seen:
            yield f"{where}.id repeats {ident!r}"
        seen.add(ident)


def interface_fields(card: Card) -> Iterator[str]:
    """URL, binding and version of every supported interface (4.4.6). A patch number is `patched`'s to tell."""
    for where, entry in _supported(card):
        yield from (
            f"{where}.{name} is {_told(entry, name)}"
            for name in ("url", "protocolBinding", "protocolVersion")
            if not _is_text(entry.get(name))
        )
        version = entry.get("protocolVersion")
        if isinstance(version, str) and not MAJOR_MINOR.fullmatch(version) and not PATCHED.fullmatch(version):
            yield f"{where}.protocolVersion is {version!r}, no version"


def patched(card: Card) -> Iterator[str]:
    """Supported interfaces whose version has a patch number (3.6)."""
    for where, entry in _supported(card):
        version = entry.get("protocolVersion")
        if isinstance(version, str) and PATCHED.fullmatch(version):
            yield f"{where}.protocolVersion is {version!r}"


def conflicting(card: Card) -> Iterator[str]:
    """URLs for which the 0.3 part of a card names several transports (0.3: 5.6.4)."""
    for url in dict.fromkeys(url for url, _ in early_pairs(card)):
        transports = sorted({transport for place, transport in early_pairs(card) if place == url})
        if len(transports) > 1:
            yield f"{url} is said to speak {' and '.join(transports)}"


def early_pairs(card: Card) -> set[tuple[str, str]]:
    """URL and transport of every interface of the 0.3 part."""
    return {(i.url, i.binding) for i in interfaces({**card, "supportedInterfaces": None}) if i.version.startswith("0.")}


def insecure(card: Card) -> Iterator[str]:
    """URLs of interfaces without TLS (7.1)."""
    yield from (f"{i.binding} at {i.url}" for i in interfaces(card) if not i.url.lower().startswith("https:"))


def secrets(card: Card) -> Iterator[str]:
    """Texts that look like credentials (14.3). The secret itself is not repeated."""
    for where, text in _texts(card, ""):
        yield from (f"{where or 'the card'} holds {what}" for what, pattern in _SECRETS if pattern.search(text))


def disagreements(older: Card, newer: Card) -> Iterator[str]:
    """What the 0.3 part of a card and its 1.0 part say differently: endpoints, and the flag that moved (A.2.2)."""
    early = early_pairs(older)
    late = {(i.url, i.binding) for i in _of_03(newer)}
    yield from (f"only the 1.0 part has 0.3 over {binding} at {url}" for url, binding in sorted(late - early))
    if late:
        yield from (f"only the 0.3 part has {binding} at {url}" for url, binding in sorted(early - late))
    flags = (
        older.get("supportsAuthenticatedExtendedCard"),
        _object(newer.get("capabilities")).get("extendedAgentCard"),
    )
    if bool(flags[0]) != bool(flags[1]):
        yield f"supportsAuthenticatedExtendedCard is {flags[0]}, capabilities.extendedAgentCard is {flags[1]}"


def _of_03(card: Card) -> Sequence[Interface]:
    only_newer = {"supportedInterfaces": card.get("supportedInterfaces")}
    return [i for i in interfaces(only_newer) if i.version == V03]


def _supported(card: Card) -> Iterator[tuple[str, Mapping[str, Any]]]:
    found = card.get("supportedInterfaces")
    for place, entry in enumerate(found if isinstance(found, list) else ()):
        yield f"supportedInterfaces[{place}]", _object(entry)


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """Every string of a card with its place. Signatures are no secrets."""
    if isinstance(value, str):
        yield where, value
    elif isinstance(value, Mapping):
        parts = (_texts(inner, f"{where}.{name}".lstrip(".")) for name, inner in value.items() if name != "signatures")
        yield from chain.from_iterable(parts)
    elif isinstance(value, list):
        yield from chain.from_iterable(_texts(inner, f"{where}[{place}]") for place, inner in enumerate(value))


def _told(holder: Mapping[str, Any], name: str) -> str:
    return "missing" if name not in holder else f"{holder[name]!r:.60}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _is_texts(value: Any, *, least: bool) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value) and (bool(value) or not least)


def _object(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
