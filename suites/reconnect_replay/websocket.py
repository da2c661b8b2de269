"""WebSocket (RFC 6455): connections that are lost."""

from __future__ import annotations

from seatrial import Isolation, WebSocketLab, check, expect
from seatrial.faults import FIN, RESET, no_close_handshake


@check(
    "websocket.rec.lost-without-close",
    "A connection that is lost without a Close frame costs no other",
    faults=("no_close_handshake",),
    mutants=("close.lost-seat",),
    isolation=Isolation.PROCESS,
)
async def lost_connections_cost_no_other(lab: WebSocketLab) -> None:
    """Connections end by FIN and by RST right behind their handshakes. After each a new one is
    made and pinged."""
    for how in (FIN, RESET):
        async with lab.session(no_close_handshake(how=how)) as session:
            await session.carrier.connection.finished()
        async with lab.session(opened=False) as session:
            lab.require(expect.answered(await session.open(), "another connection is made"))
            lab.require(expect.answered(await session.fence(), "it is served"))
