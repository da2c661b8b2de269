"""MCP: networks that refuse a client's connections, tear its requests anywhere, or end them late (Streamable HTTP)."""

from __future__ import annotations

from seatrial import Isolation, Lost, McpLab, Reason, check, expect
from seatrial.faults import UP, blackhole, limit, refuse, slow_close

from .mcp_connections import PADDING, served

CUTS = (0, 1, 10, 60, 120, 4_000, 20_000)
"""Bytes after which a long request ends: before it, inside its first line and its head, inside its body."""
CROWD = 40
"""Connections whose ends come late."""


@check(
    "mcp.rec.cut-anywhere",
    "A request that ends after any of its bytes does no harm",
    faults=("limit",),
    mutants=("head.torn-kills",),
    isolation=Isolation.PROCESS,
    patience=2.0,
)
async def request_may_end_anywhere(lab: McpLab) -> None:
    """A long request is cut off at several places, each time on a connection of its own; after each others ask."""
    async with lab.session() as bystander:
        for size in CUTS:
            async with lab.session(limit(size, direction=UP), opened=False) as session:
                exchange = await session.begin("tools/list", PADDING)
                await exchange.finished()
            if not await served(lab, bystander):
                return


@check(
    "mcp.rec.refused-connection",
    "A session goes on after a while in which no connection could be had",
    faults=("refuse", "blackhole"),
    mutants=("session.ends-with-connections",),
    isolation=Isolation.SESSION,
    patience=3.0,
)
async def session_outlasts_an_outage(lab: McpLab) -> None:
    """For two seconds connections are refused, then for two they are accepted and not served; then the client asks."""
    outage = lab.tempo.scaled(2.0)
    async with lab.session() as session:
        lab.need(await session.fence())
    for fault in (refuse(seconds=outage), blackhole()):
        async with lab.session(fault, resuming=session) as again:
            if not isinstance(lost := await again.fence(within=outage), Lost):
                lab.inconclusive(Reason.FAULT_NEVER_FIRED, "a request got through that could not", lost)
            await lab.quiet(outage)
            lab.expect(expect.answered(await again.fence(), "the session is served after the outage"))


@check(
    "mcp.rec.slow-close",
    "Connections whose ends come late do not keep others out",
    faults=("slow_close",),
    mutants=("connections.few",),
    isolation=Isolation.PROCESS,
    patience=3.0,
)
async def late_ends_keep_nobody_out(lab: McpLab) -> None:
    """Clients ask once and leave, but the ends of their connections are held back; meanwhile others ask."""
    late = slow_close(direction=UP, seconds=lab.tempo.answer * 2)
    async with lab.session() as bystander:
        for _ in range(CROWD):
            async with lab.session(late, opened=False) as session:
                lab.require(expect.responded(await session.fence(), "each client of a crowd gets a response"))
        await lab.quiet(0.2)
        await served(lab, bystander)
