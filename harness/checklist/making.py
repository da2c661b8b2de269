"""The checklist of a target from a run that is over."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from ..kept import Kept
from ..model import Result
from .answers import Checklist, answered
from .exhibits import Subject
from .lines import PROTOCOLS
from .sightings import Seen, look
from .signatures import Signature, of_target

EVIDENCE = "evidence.jsonl"
_INFO = "io.modelcontextprotocol/serverInfo"


class NoChecklist(Exception):
    """A run has no one target whose list could be made. The text is one sentence that says what to do."""


def make(kept: Kept, name: str, signatures: Iterable[Signature], today: date) -> Checklist:
    """The list of the target of that name, or of the only one when `name` is empty. Raises NoChecklist."""
    target = _chosen(kept, name)
    all_of_it = tuple(result for result in kept.finished.results if result.case.target == target)
    protocol = _protocol(all_of_it)
    results = tuple(result for result in all_of_it if any(row.protocol == protocol for row in result.case.rows))
    server, address = _server(kept, target, results), _address(kept, target)
    version = _version(server)
    own = _subject(kept, target)
    subject = Subject(protocol, address, _columns(results), server, _seen(kept, target), _whole(kept))
    answers = answered(subject, results, of_target(signatures, own), today, version)
    return Checklist(own, address, protocol, version, today, kept.started, answers)


def _chosen(kept: Kept, name: str) -> str:
    """The name of the target. One that is reached in several ways is one target."""
    known = tuple(dict.fromkeys(result.case.target for result in kept.finished.results))
    if not known:
        why = kept.finished.failure or "it judged nothing"
        raise NoChecklist(f"{kept.file} has no target to make a list for: {why}; make another run")
    if len({_server_of(each) for each in known}) > 1 and not name:
        raise NoChecklist(f"{kept.file} is of several targets; name one of them: {', '.join(known)}")
    if name and name not in known:
        raise NoChecklist(f"{kept.file} is not of {name}, but of {', '.join(known)}")
    return name or known[0]


def _server_of(target: str) -> str:
    """A target without the way in which it is reached (`shop@gateway`)."""
    return target.partition("@")[0]


def _protocol(results: Iterable[Result]) -> str:
    """The protocol of most of the requirements."""
    found = Counter(row.protocol for result in results for row in result.case.rows if row.protocol in PROTOCOLS)
    if not found:
        raise NoChecklist("no check of the run applies to its target, so there is nothing to make a list from")
    return found.most_common(1)[0][0]


def _subject(kept: Kept, target: str) -> str:
    """How signatures name the target: as its owner does; without a name by its address."""
    words = kept.started.options.get("command", ())
    nameless = "--" in words or any("://" in word for word in words[-1:])
    return kept.started.address if nameless else target


def _whole(kept: Kept) -> bool:
    """Was nothing left out by choice? What an early end left out has a result that says so."""
    return not any(kept.started.options.get(name) for name in _CHOICES)


_CHOICES = ("selected", "shard", "versions", "bindings")
"""Options of a run that leave cases out."""


def _columns(results: Iterable[Result]) -> tuple[str, ...]:
    """What was spoken."""
    return tuple(sorted({f"{result.case.column.version} over {result.case.column.binding}" for result in results}))


def _server(kept: Kept, target: str, results: Iterable[Result]) -> Mapping[str, Any]:
    """What the target declares of itself, by version and binding. Where a run has another target in a column too, the
    report does not tell of whom its declaration is."""
    everybody = kept.finished.results
    others = (result for result in everybody if _server_of(result.case.target) != _server_of(target))
    own = {_spoken(result) for result in results} - {_spoken(result) for result in others}
    return {spoken: known for spoken, known in kept.started.server.items() if spoken in own}


def _spoken(result: Result) -> str:
    """Version and binding, as the report of a run names what is declared there."""
    return f"{result.case.column.version},{result.case.column.binding}"


def _address(kept: Kept, target: str) -> str:
    """Where the target is. A run of several tells their names and addresses in one order."""
    names, addresses = kept.started.target.split(", "), kept.started.address.split(", ")
    if len(names) > 1 and len(names) == len(addresses) and target in names:
        return addresses[names.index(target)]
    return kept.started.address


def _version(server: Mapping[str, Any]) -> str:
    """What the target calls its own version, "" where it does not."""
    return next((found for known in server.values() if (found := _told(known))), "")


def _told(known: Mapping[str, Any]) -> str:
    meta, capabilities = known.get("_meta"), known.get("capabilities")
    holders = (
        known.get("serverInfo"),
        meta.get(_INFO) if isinstance(meta, Mapping) else None,
        known.get("card"),
        capabilities.get("identity") if isinstance(capabilities, Mapping) else None,
    )
    versions = (holder.get("version") for holder in holders if isinstance(holder, Mapping))
    return next((version for version in versions if isinstance(version, str)), "")


def _seen(kept: Kept, target: str) -> Seen:
    """What the evidence shows, which lies beside the report or where the run wrote it."""
    for place in (kept.file.with_name(EVIDENCE), Path(kept.started.evidence)):
        try:
            with place.open(encoding="utf-8", errors="replace") as lines:
                return look(lines, target)
        except OSError:
            continue
    return Seen(recorded=False)
