"""What Seatrial can say of a target beside the verdicts: the lints by name, and what a person is shown by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from . import lints, schemas
from .lints import Lint, Remark
from .offer import Tool, addresses, declared, distinct, objects
from .sightings import Seen

SHOWN = 40
"""So many things of one kind are shown; what is more is counted."""

ALIKE = 3
"""So many failures of one kind are shown."""

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0"})
_PATHS = re.compile(r"(?:^|_)(?:path|paths|file|files|filename|filepath|dir|directory|folder)(?:$|_)")
_TELLS = re.compile(
    r"\b(?:retr(?:y|ied|ies|yable)|try again|again|later|temporar\w*|transient|permanent\w*|timed? ?out|busy|overloaded"
    r"|rate|limit\w*|invalid|unknown|unsupported|not|no|missing|required|expected|must|cannot|can't|denied|forbidden"
    r"|unauthori[sz]ed|already|exists?|expired|cancel\w*|abort\w*|stopped|rejected|too)\b",
    re.I,
)
"""Words by which a caller learns whether a repetition can help."""

_INTERNAL = ("isError", "failed task", "RUN_ERROR", "error -32603", "HTTP 500")
"""The beginnings of the kinds of failure that may be either: the others stay, by their own definition."""


@dataclass(frozen=True, slots=True)
class Subject:
    """A target as one run shows it: what it offers, declares and did. `columns` are `VERSION over BINDING`; `whole`:
    every check ran that is about what the target speaks."""

    protocol: str
    address: str
    columns: tuple[str, ...]
    server: Mapping[str, Any]
    seen: Seen
    whole: bool = True

    @property
    def tools(self) -> tuple[Tool, ...]:
        """What its list has; where the protocol has no list, what it declares."""
        return self.seen.tools or distinct(t for known in self.server.values() for t in declared(known))

    @property
    def cards(self) -> tuple[Mapping[str, Any], ...]:
        """Its agent cards, one for each of its versions and bindings."""
        return self._declared("card")

    @property
    def toolless(self) -> bool:
        """Does it declare to have no tools, whatever it speaks?"""
        declared = self._declared("capabilities") if self.protocol == "mcp" else ()
        return bool(declared) and not any("tools" in capabilities for capabilities in declared)

    def _declared(self, member: str) -> tuple[Mapping[str, Any], ...]:
        found = (known.get(member) for known in self.server.values())
        return tuple(value for value in found if isinstance(value, Mapping))


def _of_tools(lint: Lint) -> Callable[[Subject], Iterator[Remark]]:
    return lambda subject: lint(subject.tools)


def retry(subject: Subject) -> Iterator[Remark]:
    """Failures that do not say whether to try again."""
    for failure in subject.seen.failures:
        if failure.mute:
            yield Remark(failure.kind, "does not say when to come again (Retry-After)")
        elif failure.kind.startswith(_INTERNAL) and not _TELLS.search(failure.text):
            yield Remark(failure.kind, "does not tell whether to try again", failure.text)


def leak(subject: Subject) -> Iterator[Remark]:
    """Failures that show the insides of the program."""
    for failure in subject.seen.failures:
        for found in failure.leaks:
            yield Remark(failure.kind, f"shows {found.kind} in record {failure.record}", found.quote)


def tags(subject: Subject) -> Iterator[Remark]:
    """Skills of a card by whose tags nobody can find them."""
    skills = [skill for card in subject.cards for skill in objects(card.get("skills"))]
    bare = {str(skill.get("name", "")) for skill in skills if not skill.get("tags")}
    yield from (Remark(name, "has no tags to be found by") for name in sorted(bare))


def egress(subject: Subject) -> Iterator[Remark]:
    """Addresses of a card that lead elsewhere than to the agent, or that are not encrypted."""
    home = urlsplit(subject.address).hostname
    for where, url in _addresses(subject):
        parts = urlsplit(url)
        if parts.hostname != home:
            yield Remark(where, "leads to another host", url)
        if parts.scheme in ("http", "ws") and parts.hostname not in _LOOPBACK:
            yield Remark(where, "is not encrypted", url)


def _addresses(subject: Subject) -> list[tuple[str, str]]:
    return sorted({found for card in subject.cards for found in addresses(card)})


LINTS: Mapping[str, Callable[[Subject], Iterator[Remark]]] = {
    "purpose": _of_tools(lints.purpose),
    "limits": _of_tools(lints.limits),
    "example": _of_tools(lints.example),
    "count": _of_tools(lints.count),
    "names": _of_tools(lints.names),
    "hints": _of_tools(lints.hints),
    "schema": _of_tools(schemas.schema),
    "parameters": _of_tools(schemas.parameters),
    "closed": _of_tools(schemas.closed),
    "retry": retry,
    "leak": leak,
    "tags": tags,
    "egress": egress,
}
"""By the names that the lines use."""


def blind(lint: str, subject: Subject) -> str:
    """Why a lint has nothing to look at, and what to do about it; "" where it has something."""
    if lint in OF_FAILURES:
        return "" if subject.seen.recorded else "the run has no evidence beside its report; make another run"
    if lint == "egress":
        return "" if subject.cards else "the run shows no agent card; make a run of this target alone"
    return "" if subject.tools or subject.toolless else _NO_TOOLS[subject.protocol]


OF_FAILURES = frozenset({"retry", "leak"})
"""The lints that read what the target said when something failed."""

_NO_TOOLS = {
    "mcp": "the run shows no tools; make a run without a selection of checks",
    "a2a": "the agent card names no skills; name them there, with examples",
    "agui": "no tools are declared; declare those of the agent in its capabilities (tools.items)",
}


def sides(subject: Subject) -> Iterator[str]:
    """Readers, writers, and those that say nothing, side by side."""
    said = [tool for tool in subject.tools if "readOnlyHint" in tool.annotations]
    yield from _group("only read", (t.name for t in said if t.reads_only))
    yield from _group("have effects", (t.name for t in said if not t.reads_only))
    yield from _group("do not say", (t.name for t in subject.tools if t not in said))


def _group(title: str, names: Iterable[str]) -> Iterator[str]:
    found = sorted(names)
    if found:
        yield f"{title}: {', '.join(found)}"


def effecting(subject: Subject) -> Iterator[str]:
    """Everything that may have effects: what does not say that it only reads."""
    found = [tool for tool in subject.tools if not tool.reads_only]
    if subject.tools and not found:
        yield "every tool says that it only reads"
    for tool in sorted(found, key=lambda tool: tool.name):
        yield f"{tool.name}{' (destructive)' if tool.destroys else ''}: {tool.description[:120]}"


def paths(subject: Subject) -> Iterator[str]:
    """Tools with parameters that look like paths."""
    found = [(tool.name, [name for name in tool.parameters if _names_a_path(name)]) for tool in subject.tools]
    if found and not any(names for _, names in found):
        yield "no tool has a parameter whose name is that of a path"
    yield from (f"{name} takes {', '.join(names)}" for name, names in sorted(found) if names)


def _names_a_path(parameter: str) -> bool:
    return bool(_PATHS.search("_".join(lints.words(parameter))))


def card_addresses(subject: Subject) -> Iterator[str]:
    return (f"{where}: {url}" for where, url in _addresses(subject))


def versions(subject: Subject) -> Iterator[str]:
    return iter(subject.columns)


def errors(subject: Subject) -> Iterator[str]:
    """What was said of failures, of each kind the first few."""
    seen: Counter[str] = Counter()
    for failure in (failure for failure in subject.seen.failures if failure.text):
        seen[failure.kind] += 1
        if seen[failure.kind] <= ALIKE:
            yield f"{failure.kind}: {failure.text[:160]}"
    yield from (f"{kind}: {number - ALIKE} more" for kind, number in seen.items() if number > ALIKE)


def results(subject: Subject) -> Iterator[str]:
    return (f"{name} returned: {text[:160]}" for name, text in sorted(subject.seen.results))


EXHIBITS: Mapping[str, Callable[[Subject], Iterator[str]]] = {
    "sides": sides,
    "effecting": effecting,
    "paths": paths,
    "addresses": card_addresses,
    "versions": versions,
    "errors": errors,
    "results": results,
}
"""By the names that the lines use."""

FLEETING = OF_FAILURES | {"errors", "results"}
"""What differs from run to run of an unchanged target: a signature does not depend on it."""
