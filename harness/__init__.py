"""Seatrial: takes an agent-protocol server out to sea before its launch."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .clauses import clause_links as clause_links
    from .events import CaseFinished as CaseFinished
    from .events import CaseStarted as CaseStarted
    from .events import Event as Event
    from .events import RunFinished as RunFinished
    from .events import RunStarted as RunStarted
    from .matrix import cells as cells
    from .model import Case as Case
    from .model import Check as Check
    from .model import Column as Column
    from .model import Level as Level
    from .model import Reason as Reason
    from .model import Requirement as Requirement
    from .model import Result as Result
    from .model import Verdict as Verdict
    from .model import Violation as Violation

_EXPORTS: dict[str, str] = {
    "clause_links": "clauses",
    "CaseFinished": "events",
    "CaseStarted": "events",
    "Event": "events",
    "RunFinished": "events",
    "RunStarted": "events",
    "cells": "matrix",
    "Case": "model",
    "Check": "model",
    "Column": "model",
    "Level": "model",
    "Reason": "model",
    "Requirement": "model",
    "Result": "model",
    "Verdict": "model",
    "Violation": "model",
}
"""Public name -> module that defines it. Imported on first use (PEP 562), so that `--help` stays fast."""


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_EXPORTS[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_EXPORTS)
