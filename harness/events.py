"""What happens in a run, as a stream of frozen values that reporters consume."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from .model import Case, Requirement, Result


@dataclass(frozen=True, slots=True)
class RunStarted:
    """Everything a report says about the run before its first case. `options` is JSON-able."""

    target: str
    address: str
    seed: int
    cases: tuple[Case, ...]
    requirements: dict[str, Requirement]
    server: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    evidence: str = ""

    @property
    def partial(self) -> bool:
        """Is this less than a whole run, since some cases were not asked for or are another shard's?"""
        return bool(self.options.get("partial") or self.options.get("shard"))


@dataclass(frozen=True, slots=True)
class CaseStarted:
    case: Case


@dataclass(frozen=True, slots=True)
class CaseFinished:
    """`remaining` is the estimate of seconds until the run ends, None while there is none."""

    result: Result
    done: int
    total: int
    remaining: float | None = None


@dataclass(frozen=True, slots=True)
class BaselineProblem:
    """An entry of the baseline that fails the run: where it stands (file, line, key), and why and what to do."""

    kind: Literal["stale", "expired"]
    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place} {self.text}"


@dataclass(frozen=True, slots=True)
class RunFinished:
    """`complete` is false when the run was interrupted, or ended before its time: then `stopped` says why in one
    clause. `failure` is the one finding of a target that cannot be reached or does not speak the protocol."""

    results: tuple[Result, ...]
    seconds: float
    complete: bool = True
    failure: str = ""
    stopped: str = ""
    baseline: tuple[BaselineProblem, ...] = ()


Event = RunStarted | CaseStarted | CaseFinished | RunFinished
