"""AG-UI, as the engine knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...claims import Claims
from ...stimuli import Filled
from ..carrier import Carrier
from ..driver import HttpOnly, Inquiry, Manner, Opener
from ..outcome import Outcome
from .asking import prompted
from .discover import discover, reason
from .session import Session
from .versions import SSE, VERSIONS


class Agui(HttpOnly):
    """The driver of AG-UI."""

    name = "agui"
    title = "AG-UI"
    versions = VERSIONS

    def bindings(self, listens: bool) -> tuple[str, ...]:
        return (SSE,)

    def session(self, carrier: Carrier, version: str, binding: str, manner: Manner) -> Session:
        return Session(carrier, version, manner.idents())

    def name_of(self, outcome: Outcome) -> str:
        return ""

    def request(self, filled: Filled) -> tuple[str, dict[str, Any]]:
        if filled.verb != "prompt":
            raise KeyError(filled.verb)
        return "run", {"prompt": filled.name}

    def asks(self, message: Any) -> Iterator[str]:
        return prompted(message)

    async def discover(self, asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
        return await discover(asked, opener)

    def reason(self, failures: Sequence[Outcome]) -> str:
        return reason(failures)
