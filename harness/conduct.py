"""How a target is treated: carefully where it is somebody else's."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from .model import Role
from .stimuli import Stimulus

RATE, BUDGET, CONCURRENCY = 5.0, 3000, 2
"""What a foreign target is asked at most, where nothing else is said: requests per second, requests (those of ten
minutes), cases at once."""

LARGEST = 64 * 1024
"""Bytes of one request that a foreign target is sent at most."""

READING = frozenset({"prompt_name", "resource", "file", "command"})
"""Verbs that read by their nature, or that run on this machine. A witness that is a `get` reads too."""


_CONTACT = re.compile(r"[\x21-\x27\x2a-\x7e]{1,200}")


def contact_problem(text: str) -> str:
    """Why a text cannot stand in a User-Agent as an address, as the rest of a sentence; "" where it can."""
    return "" if _CONTACT.fullmatch(text) else "must be an address without blanks, such as mailto:qa@example.org"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conduct:
    """What the user says of it. `rate` is in requests per second; None is what is due to the target.

    `safe`: carefully, whatever the target. `allow_effects`: it may be made to do anything, and be disturbed.
    `among`: so many processes share what is due.
    """

    safe: bool = False
    allow_effects: bool = False
    rate: float | None = None
    budget: int | None = None
    contact: str = ""
    among: int = 1

    def towards(self, foreign: bool) -> Terms:
        careful = foreign or self.safe
        return Terms(
            gentle=careful and not self.allow_effects,
            rate=self.rate if self.rate is not None else RATE / self.among if careful else 0.0,
            budget=self.budget if self.budget is not None else BUDGET // self.among if careful else None,
            concurrency=CONCURRENCY if careful else None,
        )


@dataclass(frozen=True, slots=True)
class Terms:
    """How one target is treated. `gentle`: nothing is done there but reading, and nothing that may disturb it.

    `rate` 0 and `budget` None are no limits; `concurrency` None is that of the run.
    """

    gentle: bool = False
    rate: float = 0.0
    budget: int | None = None
    concurrency: int | None = None

    def __str__(self) -> str:
        parts = ["safe mode"] if self.gentle else []
        parts += [f"at most {self.rate:g} requests per second"] if self.rate else []
        parts += [f"a budget of {self.budget} requests"] if self.budget is not None else []
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Leave:
    """What a target may be made to do. `offered`: what there is to ask for by name, None where anything said acts.

    `readers` are the names that it declares to have no effects.
    """

    stimuli: Mapping[str, Stimulus] = field(default_factory=dict)
    offered: frozenset[str] | None = None
    readers: frozenset[str] = frozenset()

    def plays(self, stimulus: Stimulus) -> bool:
        """Is it read-only, or said to be safe by the target's owner?"""
        reads = stimulus.verb in READING or (stimulus.verb == "get" and stimulus.role == Role.WITNESS)
        return stimulus.safe or reads or (stimulus.verb == "tool" and stimulus.name in self.readers)

    @property
    def played(self) -> dict[str, Stimulus]:
        return {role: stimulus for role, stimulus in self.stimuli.items() if self.plays(stimulus)}

    @property
    def barred(self) -> dict[str, Stimulus]:
        return {role: stimulus for role, stimulus in self.stimuli.items() if not self.plays(stimulus)}

    def refusal(self, asked: str) -> str:
        """Why this may not be asked for, a tool by its name, an agent by what the user says; "" where it may."""
        unknown = self.offered is not None and asked not in self.offered
        if unknown or asked in self.readers or any(_said_by(each, asked) for each in self.played.values()):
            return ""
        if self.offered is None:
            return f"safe mode does not say {asked!r:.60} to an agent: no stimulus that is safe says so"
        return f"safe mode does not call {asked!r:.60}, which is neither declared read-only nor said to be safe"


def _said_by(stimulus: Stimulus, asked: str) -> bool:
    """Is that what a stimulus does or says, with its placeholders filled?"""
    if stimulus.verb in READING:
        return False
    parts = re.split(r"\{\w+\}", stimulus.name)
    return re.fullmatch(".*".join(map(re.escape, parts)), asked, re.DOTALL) is not None


def loopback(addresses: Iterable[str]) -> bool:
    """Are these all addresses of this machine itself? Not so where there is none."""
    found = [ipaddress.ip_address(address.partition("%")[0]) for address in addresses]
    plain = [getattr(address, "ipv4_mapped", None) or address for address in found]
    return bool(plain) and all(address.is_loopback for address in plain)
