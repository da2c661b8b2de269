"""`seatrial run --dry-run`: what a run would send, found out with the bundled server instead of the target."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import anyio
import click

from ..care import foreign
from ..conduct import Conduct, Leave, Terms
from ..config import TargetConfig
from ..engine import Options, run
from ..events import Event, RunFinished
from ..model import Result, Verdict
from ..protocols import driver_of, protocol_of
from ..protocols.driver import PIPES
from ..redaction import redactor
from ..stimuli import Stimulus
from ..target import Target
from ..transcript import Kind, Record, decode
from ..transport.tcp import TcpNetwork
from .catalogue import Catalogue
from .demo import bundled
from .execution import clock, prepare
from .options import Wanted

EVERYTHING = 10**9
ASSUMED = "mcp"
"""The protocol of a target of which nothing is known."""

_IDENT = re.compile(r"[0-9a-f]{8}[0-9a-f-]{4,}", re.IGNORECASE)


def rehearse(configs: Sequence[TargetConfig], wanted: Wanted) -> None:
    """Print for each target what would be sent to it, and send it nothing. Raises Refused for what does not exist."""
    for config in configs:
        strange = anyio.run(_strange, config, backend="trio")
        terms = wanted.conduct.towards(strange)
        for line in _told(config, _rehearsed(config, replace(wanted, conduct=_whole(terms))), terms, wanted.verbose):
            click.echo(line)


async def _strange(config: TargetConfig) -> bool:
    """Is it somebody else's? Names are looked up for that."""
    urls = () if config.spawned else (config.url, *config.replicas)
    return any([await foreign(TcpNetwork(), url) for url in urls])


def _whole(terms: Terms) -> Conduct:
    """The same terms, the budget aside: how much would be sent?"""
    careful = terms.concurrency is not None
    return Conduct(safe=careful, allow_effects=not terms.gentle, rate=terms.rate, budget=EVERYTHING)


@dataclass(slots=True)
class Rehearsal:
    """A run with a server of our own. `requests` and `checks` count what was sent, by what it was and by check."""

    protocol: str
    names: Mapping[str, str]
    requests: Counter[str] = field(default_factory=Counter)
    checks: Counter[str] = field(default_factory=Counter)
    results: tuple[Result, ...] = ()
    seconds: float = 0.0

    def keep(self, line: str) -> None:
        """Count one line of evidence."""
        case, record = decode(line)
        if record.kind is Kind.SENT:
            self.requests[_label(record, self.names)] += 1
            self.checks[case.partition("[")[0].partition("/")[2]] += 1

    def take(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            self.results, self.seconds = event.results, event.seconds


def _rehearsed(config: TargetConfig, wanted: Wanted) -> Rehearsal:
    own = bundled(config.protocol or protocol_of(config.url) or ASSUMED, config.versions)
    given = [(role, stimulus) for role, stimulus in config.stimuli.items() if role in own.stimuli]
    theirs = {role: replace(own.stimuli[role], safe=s.safe or s.verb == "tool") for role, s in given}
    found = Rehearsal(own.protocol, _names(config.stimuli, theirs))

    def make(catalogue: Catalogue, options: Options) -> list[Target]:
        return [_like(own, config, theirs)]

    job = prepare(wanted, make, ("run", config.name))
    arguments = (job.targets, job.catalogue.suites, job.options, found.take, found.keep)
    anyio.run(run, *arguments, backend="trio", backend_options=clock(job.targets))
    return found


def _like(own: Target, config: TargetConfig, stimuli: Mapping[str, Stimulus]) -> Target:
    """The bundled server as far as possible in the place of the target."""
    offered = driver_of(own.protocol).bindings(bool(config.url))
    own.name, own.spawnable, own.stimuli = config.name, config.spawned, stimuli
    own.versions = config.versions
    own.bindings = config.bindings or tuple(name for name in offered if config.spawned or name != PIPES)
    own.identities = own.identities if config.identities else {}
    return own


def _names(theirs: Mapping[str, Stimulus], own: Mapping[str, Stimulus]) -> dict[str, str]:
    """What the target calls that which the bundled server calls otherwise."""
    called: dict[str, list[str]] = {}
    for role, stimulus in own.items():
        called.setdefault(stimulus.name, []).append(theirs[role].name)
    return {name: " or ".join(dict.fromkeys(names)) for name, names in called.items()}


def _label(record: Record, names: Mapping[str, str]) -> str:
    """What a request is about: the method and its object, or the verb and the path."""
    message = record.data.get("message")
    asked = message if isinstance(message, dict) else {}
    if isinstance(method := asked.get("method"), str):
        params = asked.get("params")
        named = params.get("name", params.get("uri")) if isinstance(params, dict) else None
        return f"{method} {names.get(named, named)}" if isinstance(named, str) else method
    if "url" not in record.data:
        verb = record.data["verb"]
        return "an answer, or what is no request" if verb == "line" else f"a frame: {verb}"
    return f"{record.data['verb']} {_IDENT.sub('ID', urlsplit(record.data['url']).path)}"


def _told(config: TargetConfig, found: Rehearsal, terms: Terms, verbose: bool) -> Iterator[str]:
    total = sum(found.requests.values())
    yield f"dry run: nothing is sent to {redactor([config]).text(config.address)}"
    yield f"Counted with the bundled {driver_of(found.protocol).title} server in its place{_spoken(config)}."
    yield str(terms) or "no limits: it runs on this machine"
    yield from ("", f"{total:>7}  requests at most, in about {_lasting(found.seconds)}")
    yield from (f"{number:>7}  {what}" for what, number in found.requests.most_common())
    yield from ("", *_played(config.stimuli, terms))
    yield from ("", *_judged(found.results))
    if verbose:
        yield from ("", *(f"{number:>7}  {check}" for check, number in found.checks.most_common()))
    if terms.budget is not None and total > terms.budget:
        yield from (
            "",
            f"The budget of {terms.budget} ends it early: what remains is not judged; --budget {total} is enough.",
        )


def _spoken(config: TargetConfig) -> str:
    """What is taken for granted, since the target is not asked."""
    unsaid = [name for name in ("protocol", "versions", "bindings") if not getattr(config, name)]
    return f", as though it spoke everything (of {', '.join(unsaid)} the configuration says nothing)" if unsaid else ""


def _lasting(seconds: float) -> str:
    return f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"


def _played(stimuli: Mapping[str, Stimulus], terms: Terms) -> Iterator[str]:
    """The stimuli, and which of them are played."""
    leave = Leave(stimuli)
    yield "Stimuli:" if stimuli else "No stimuli are configured."
    for role, stimulus in stimuli.items():
        maybe = "played if the target declares it read-only" if stimulus.verb == "tool" else "not played"
        told = (
            "played" if not terms.gentle or leave.plays(stimulus) else f"{maybe}; safe = true says that it is harmless"
        )
        yield f"  {role:<16} {stimulus.verb} {stimulus.name}: {told}"


def _judged(results: Sequence[Result]) -> Iterator[str]:
    """How many cases there are, and why some are not judged."""
    judged = sum(result.verdict is Verdict.PASS for result in results)
    yield f"{len(results)} cases, {judged} of them judged; the others:"
    reasons = Counter(str(result.reason) for result in results if result.verdict is not Verdict.PASS)
    yield from (f"{number:>7}  {reason}" for reason, number in reasons.most_common())
