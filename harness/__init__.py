"""Seatrial: takes an agent-protocol server out to sea before its launch."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_EXPORTS: dict[str, str] = {}
"""Public name -> module that defines it. Imported on first use (PEP 562), so that `--help` stays fast."""


def __getattr__(name: str) -> Any:
    if name not in _EXPORTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_EXPORTS[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted(_EXPORTS)
