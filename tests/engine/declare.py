"""Small suites for tests of the engine: one check, one row, any level."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from seatrial import expect
from seatrial.labs import McpLab
from seatrial.model import Level, Requirement, Result, Suite
from seatrial.registry import check, suite

from ..sailing import sail

D, E = "2025-11-25", "2026-07-28"
HTTP, STDIO = "streamable-http", "stdio"


def row(ident: str = "t.one", level: Level = Level.MUST, versions: Iterable[str] = (D, E)) -> Requirement:
    return Requirement(ident, "t", "mcp", level, tuple(versions), (HTTP, STDIO), "basic/lifecycle#x", "It holds.")


def suite_of(body: Callable[..., Any], *rows: Requirement, **declared: Any) -> Suite:
    """A suite with one check `t.one` over `rows` (default: one MUST)."""
    table = rows or (row(),)
    made = check("t.one", "It holds", requirements=[r.id for r in table], **declared)(body)
    return suite("t", [made], table)


def verdict_of(
    body: Callable[..., Any],
    *rows: Requirement,
    version: str = D,
    binding: str = HTTP,
    build: Callable[..., Any] | None = None,
    **declared: Any,
) -> Result:
    """The result of one check in one column of the reference."""
    (result,) = sail(build, [suite_of(body, *rows, **declared)], versions=(version,), bindings=(binding,))
    return result


async def lists_tools(lab: McpLab) -> None:
    """A body that any decent server passes."""
    async with lab.session() as session:
        lab.expect(expect.answered(await session.request("tools/list")))
