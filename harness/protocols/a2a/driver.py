"""A2A, as the engine knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...claims import Claims
from ...stimuli import Filled
from ..carrier import Carrier
from ..driver import HttpOnly, Inquiry, Manner, Opener
from ..outcome import Outcome
from . import messages
from .discover import discover, form, reason
from .session import Session
from .updates import update_in
from .versions import BINDINGS, VERSIONS


class A2a(HttpOnly):
    """The driver of A2A."""

    name = "a2a"
    title = "A2A"
    versions = VERSIONS

    def bindings(self, listens: bool) -> tuple[str, ...]:
        return BINDINGS

    def session(self, carrier: Carrier, version: str, binding: str, manner: Manner) -> Session:
        return Session(carrier, version, manner.idents(), form(version, manner.known))

    def name_of(self, outcome: Outcome) -> str:
        return update_in(outcome).task_id

    def request(self, filled: Filled) -> tuple[str, dict[str, Any]]:
        if filled.verb not in ("text", "message_id"):
            raise KeyError(filled.verb)
        text = filled.name if filled.verb == "text" else "hello"
        prefix = filled.arguments.get("message_id", "") if filled.verb == "text" else filled.name
        return "SendMessage", {"text": text, "message_id": prefix}

    def asks(self, message: Any) -> Iterator[str]:
        return messages.said(message)

    async def discover(self, asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
        return await discover(asked, opener)

    def reason(self, failures: Sequence[Outcome]) -> str:
        return reason(failures)
