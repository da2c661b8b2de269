"""Who decides what `init` cannot know: a person at the terminal, or nobody."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from ...model import Role
from ...spelling import printable
from ...stimuli import Stimulus
from ..refusal import Refused
from .choice import Choice
from .proposal import Proposal
from .rehearsal import Finding

Attempt = Callable[[Proposal], Finding | None]
"""Plays a proposal once; None where it cannot be played. Raises Refused when the target is gone."""


class Adviser(Protocol):
    def overwrite(self, output: Path) -> None:
        """The file exists. Raises Refused unless it may be overwritten."""
        ...

    def credentials(self, problem: str) -> str:
        """The value of an Authorization header for a target that wants one; "" where there is none."""
        ...

    def name(self, proposed: str) -> str: ...

    def bold(self, names: Sequence[str]) -> bool:
        """May things be called once to see what they do, although nothing says that they have no effects?"""
        ...

    def decide(self, role: Role, choice: Choice | None, checks: int) -> Choice | None:
        """What is to play a role that so many checks need; None for nothing. `choice` is what was found."""
        ...


class Nobody:
    """Takes everything that was found, and nothing that asks for a decision."""

    def overwrite(self, output: Path) -> None:
        raise Refused(f"{output} is there already; --force overwrites it")

    def credentials(self, problem: str) -> str:
        return ""

    def name(self, proposed: str) -> str:
        return proposed

    def bold(self, names: Sequence[str]) -> bool:
        return False

    def decide(self, role: Role, choice: Choice | None, checks: int) -> Choice | None:
        return choice


def called(stimulus: Stimulus) -> str:
    """What is asked, as a person would write it."""
    name = f"{stimulus.name:.100}"
    if stimulus.verb == "tool":
        given = ", ".join(f"{key:.30}={value!r:.60}" for key, value in stimulus.arguments.items())
        return printable(f"{name}({given:.200})".replace("'", ""))
    if stimulus.verb in ("text", "prompt"):
        return printable(f'say "{name}"')
    return printable(f"{stimulus.verb.replace('_name', '')} {name}")
