"""MCP, as the engine knows it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from anyio.abc import TaskGroup

from ...claims import Claims
from ...stimuli import Filled
from ...transcript import Recorder
from ...transport.network import Process
from ..carrier import Carrier
from ..driver import PIPES, Inquiry, Manner, Opener
from ..outcome import Outcome
from .discover import discover, reason
from .session import Session, request_for
from .stdio import StdioCarrier
from .tools import called, offered
from .versions import HTTP, VERSIONS


class Mcp:
    """The driver of MCP."""

    name = "mcp"
    title = "MCP"
    versions = VERSIONS

    def bindings(self, listens: bool) -> tuple[str, ...]:
        return (HTTP,) if listens else (PIPES,)

    def session(self, carrier: Carrier, version: str, binding: str, manner: Manner) -> Session:
        return Session(carrier, version, manner.capabilities, manner.replies)

    def piped(self, process: Process, tasks: TaskGroup, recorder: Recorder, patience: float) -> Carrier:
        return StdioCarrier(process, tasks, recorder, patience=patience)

    def name_of(self, outcome: Outcome) -> str:
        return ""

    def request(self, filled: Filled) -> tuple[str, dict[str, Any]]:
        return request_for(filled)

    def asks(self, message: Any) -> Iterator[str]:
        return called(message)

    async def offer(self, session: Any) -> tuple[frozenset[str] | None, frozenset[str]]:
        return await offered(session)

    async def discover(self, asked: Inquiry, opener: Opener) -> tuple[Claims, list[Outcome]]:
        return await discover(asked, opener)

    def reason(self, failures: Sequence[Outcome]) -> str:
        return reason(failures)
