"""The configuration that `init` writes: aligned, each line with the reason why it is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sized
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from ...config import TargetConfig
from ...model import Feature, Role
from ...roles import MEANINGS, stimulus_example
from ...stimuli import ROLES, Stimulus
from ...transcript import SECRET_HEADERS
from .choice import Choices
from .coverage import Coverage
from .notation import toml
from .survey import Survey

_WIDEST = 96
"""Characters of a line before which its comment begins."""

_OFFERED = 60
"""So many of a target's items are listed for the person who edits the file."""

GIVEN: Mapping[Feature, str] = {
    Feature.IDENTITIES: "identities: the headers of two users, as first and second",
    Feature.PROCESS: "command: how to start the target, so that it can be restarted and killed",
    Feature.REPLICAS: "command, or replicas: a second instance that shares the state of the first",
}
"""What a configuration may give beside stimuli, by what lacks without it."""


@dataclass(frozen=True, slots=True)
class Line:
    """`KEY = VALUE   # COMMENT`; a comment altogether where it is not `active`."""

    key: str
    value: str
    comment: str = ""
    active: bool = True


def document(target: TargetConfig, found: Survey, chosen: Choices, covered: Coverage) -> Iterator[str]:
    """The lines of a configuration of this target."""
    yield "# Written by seatrial init. Correct what it guessed wrong, then: seatrial run"
    yield ""
    yield f"[target.{target.name}]"
    yield from _aligned(_place(target, found))
    yield ""
    yield "# What plays the roles that checks need. Where nothing does, those checks are not judged."
    yield "# A check fills {seconds} {count} {gap} {key} {text} {level} {city}."
    if _elsewhere(target):
        yield "# A server elsewhere is made to do only what it declares to be read-only, and what has safe = true here."
    yield f"[target.{target.name}.stimuli]"
    yield from _aligned(_played(chosen, covered))
    yield from _lacking(found.protocol, covered)
    yield from _offers(found)


def _elsewhere(target: TargetConfig) -> bool:
    """Is it perhaps somebody else's? What a name leads to, a run finds out."""
    host = urlsplit(target.url).hostname or ""
    return bool(host) and host != "localhost" and not host.startswith("127.") and host != "::1"


def _place(target: TargetConfig, found: Survey) -> Iterator[Line]:
    yield Line("protocol", toml(found.protocol), "what it was found to speak")
    if target.command:
        yield Line("command", toml(list(target.command)), "started anew wherever a check wants that")
    if target.url:
        yield Line("url", toml(target.url), "where it listens")
    if target.headers:
        variables = sorted(secret_variables(target))
        why = f"set {' and '.join(variables)} in the environment" if variables else "sent with every request"
        yield Line("headers", toml({key: kept(target, key) for key in target.headers}), why)
    versions = sorted({version for version, _ in found.columns})
    yield Line("versions", toml(versions), "found; without this line they are found anew in every run", active=False)


def _played(chosen: Choices, covered: Coverage) -> Iterator[Line]:
    for role, choice in chosen.items():
        needed = covered.needed.get(role, ())
        comment = f"{counted(needed, 'check')}; {choice.remark}" if needed else choice.remark
        yield Line(role.value, toml(table(choice.stimulus)), comment, choice.active)


def counted(things: Sized, what: str) -> str:
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def _lacking(protocol: str, covered: Coverage) -> Iterator[str]:
    """What would let more be judged, the most worth first."""
    if not covered.lacking:
        return
    yield ""
    yield "# What would let more be judged:"
    order = sorted(covered.lacking.items(), key=lambda pair: -len(pair[1]))
    roles = [(role, checks) for role, checks in order if isinstance(role, Role) and role in ROLES[protocol]]
    yield from _aligned(
        Line(role.value, stimulus_example(role, protocol), f"{counted(ids, 'check')}; {MEANINGS[role]}", active=False)
        for role, ids in roles
    )
    for feature, checks in order:
        if isinstance(feature, Feature):
            yield f"# {GIVEN[feature]} ({counted(checks, 'check')})"


def _aligned(lines: Iterable[Line]) -> Iterator[str]:
    """Lines whose equals signs stand below each other, and so do their comments."""
    listed = tuple(lines)
    keys = [line.key if line.active else f"# {line.key}" for line in listed]
    wide = max(map(len, keys), default=0)
    begins = [f"{key:<{wide}} = {line.value}" for key, line in zip(keys, listed, strict=True)]
    edge = max((len(begin) for begin in begins if len(begin) <= _WIDEST), default=0)
    for begin, line in zip(begins, listed, strict=True):
        yield f"{begin:<{edge}}  # {line.comment}" if line.comment else begin


def _offers(found: Survey) -> Iterator[str]:
    items = [(kind, name, item) for kind, listed in found.items.items() for name, item in listed.items()]
    if items:
        yield ""
        yield "# What it offers:"
    yield from (_offered(*item) for item in items[:_OFFERED])
    if len(items) > _OFFERED:
        yield f"# and {len(items) - _OFFERED} more"


def _offered(kind: str, name: str, item: Mapping[str, Any]) -> str:
    """One item as a comment: on one line, without control characters, whatever the target wrote."""
    about = item.get("description")
    told = f"{kind[:-1]} {name}" + (f": {about}" if isinstance(about, str) else "")
    return f"# {re.sub(r'[^ -~]+', ' ', told)[:116]}".rstrip()


def table(stimulus: Stimulus) -> dict[str, Any]:
    """A stimulus as it stands in a configuration."""
    found: dict[str, Any] = {stimulus.verb: stimulus.name}
    if stimulus.verb == "text":
        found |= stimulus.arguments
    elif stimulus.arguments:
        found["arguments"] = dict(stimulus.arguments)
    for key in ("lasts", "count", "gap"):
        if (value := getattr(stimulus, key)) is not None:
            found[key] = value
    found |= {"progress": True} if stimulus.progress else {}
    return found | ({"only": stimulus.only} if stimulus.only else {})


def kept(target: TargetConfig, header: str) -> str:
    """A secret does not go into a file: its place is the environment."""
    value = target.headers[header]
    if header.lower() not in SECRET_HEADERS:
        return value
    scheme = value.split(" ", 1)[0] + " " if " " in value else ""
    return f"{scheme}${{{_variable(target.name, header)}}}"


def secret_variables(target: TargetConfig) -> set[str]:
    """The environment variables that the configuration takes its secrets from."""
    return {_variable(target.name, header) for header in target.headers if header.lower() in SECRET_HEADERS}


def _variable(target: str, header: str) -> str:
    what = "TOKEN" if header.lower() == "authorization" else header
    return re.sub(r"[^A-Z0-9]", "_", f"{target}_{what}".upper())


def summary(covered: Coverage) -> str:
    """What can be judged now, and what not."""
    judged, whole = len(covered.judged), len(covered.applicable)
    if judged == whole:
        return f"All {whole} checks that concern it can be judged."
    order = sorted(covered.lacking.items(), key=lambda pair: -len(pair[1]))
    most = ", ".join(f"{need.value} ({len(checks)})" for need, checks in order[:4])
    return f"{judged} of {whole} checks that concern it can be judged now. More would be with: {most}."
