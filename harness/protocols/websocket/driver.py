"""WebSocket, as the engine knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...claims import Claims, Spoken
from ...stimuli import Filled
from ..carrier import Carrier
from ..driver import HttpOnly, Inquiry, Manner, Opener
from ..outcome import Answer, Lost, Outcome
from .carrier import BINDING, VERSION, WebSocketCarrier
from .session import Session


class WebSocket(HttpOnly):
    """The driver of WebSocket, for targets whose URL begins with ws:."""

    name = "websocket"
    title = "WebSocket"
    versions = (VERSION,)

    def bindings(self, listens: bool) -> tuple[str, ...]:
        return (BINDING,)

    def session(self, carrier: Carrier, version: str, binding: str, manner: Manner) -> Session:
        assert isinstance(carrier, WebSocketCarrier)
        return Session(carrier, version)

    def name_of(self, outcome: Outcome) -> str:
        return ""

    def request(self, filled: Filled) -> tuple[str, dict[str, Any]]:
        raise KeyError(filled.verb)

    def asks(self, message: Any) -> Iterator[str]:
        return iter(())

    async def discover(self, asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
        """One handshake."""
        if VERSION not in asked.versions or BINDING not in asked.bindings:
            return Claims(), []
        async with opener(VERSION, BINDING) as session:
            outcome = await session.open()
        if isinstance(outcome, Answer):
            return Claims((Spoken(VERSION, BINDING, {}, outcome.message.record),)), []
        return Claims(), [outcome]

    def reason(self, failures: Sequence[Outcome]) -> str:
        if not failures:
            return "was not asked: a WebSocket has version 13 and the binding websocket only"
        first = failures[0]
        why = first.why if isinstance(first, Lost) else f"it answers {first.reply.status}"
        return f"takes no WebSocket handshake: {why}"
