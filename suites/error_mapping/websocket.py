"""WebSocket (RFC 6455): what a server makes of frames that are broken, in pieces, or many."""

from __future__ import annotations

from seatrial import Answer, Harm, Isolation, Violation, WebSocketLab, WebSocketSession, check, expect, websocket
from seatrial.faults import Fault, close_code, fragment, ping_flood, rsv, unmasked

PROTOCOL_ERROR = 1002
INVALID_PAYLOAD = 1007
DATA = b"data of its own"


async def failed(session: WebSocketSession, code: int) -> Violation | None:
    """The target ended the connection. A Close frame before that is a SHOULD (7.1.7), its code says why (7.4.1)."""
    close, connection = await session.closed(), session.carrier.connection
    expected = f"the connection is failed, with {code} where a Close frame says why"
    if connection.ended is None:
        return expect.that(False, expected, "it is still open", await session.fence())
    told = int.from_bytes(close.frame.payload[:2], "big") if close else code
    shown = close.record if close else connection.end
    return expect.that(told == code, expected, f"a Close frame with {told}", shown, connection.end)


async def breach(lab: WebSocketLab, fault: Fault) -> None:
    """A message through a fault that makes it a breach of the protocol."""
    async with lab.session(fault) as session:
        await session.frame(websocket.Opcode.TEXT, b"{}")
        lab.expect(await failed(session, PROTOCOL_ERROR))


@check(
    "websocket.err.unmasked",
    "A frame of the client without a mask ends the connection",
    faults=("unmasked",),
    mutants=("frames.unmasked-taken",),
    isolation=Isolation.SESSION,
)
async def unmasked_frames_end_the_connection(lab: WebSocketLab) -> None:
    """A text message whose frame loses its mask on the way."""
    await breach(lab, unmasked())


@check(
    "websocket.err.reserved-bit",
    "A reserved bit that nothing was agreed about fails the connection",
    faults=("rsv",),
    mutants=("frames.reserved-ignored",),
    isolation=Isolation.SESSION,
)
async def reserved_bits_fail_the_connection(lab: WebSocketLab) -> None:
    """A text message whose frame has RSV3 set. No extension was offered."""
    await breach(lab, rsv(bit=3))


@check(
    "websocket.err.invalid-utf8",
    "Text that is no UTF-8 fails the connection",
    faults=("corrupt",),
    mutants=("frames.any-text",),
    isolation=Isolation.SESSION,
    harm=Harm.MALFORMED,
)
async def text_that_is_no_utf8_fails_the_connection(lab: WebSocketLab) -> None:
    """A text message, in one frame, with a byte that no UTF-8 has."""
    async with lab.session(ambient=False) as session:
        await session.frame(websocket.Opcode.TEXT, b'{"a": "\xff"}')
        lab.expect(await failed(session, INVALID_PAYLOAD))


@check(
    "websocket.err.fragments",
    "A message in many frames is the same message",
    faults=("fragment",),
    mutants=("frames.each-a-message",),
)
async def fragments_add_up_to_a_message(lab: WebSocketLab) -> None:
    """A JSON-RPC ping in one frame, and then in frames of few bytes."""
    async with lab.session(ambient=False) as session:
        whole = await session.request("ping")
    if not isinstance(whole, Answer):
        lab.not_applicable("the target answers no JSON-RPC ping, by which messages could be told", whole)
    async with lab.session(fragment(smallest=1, largest=4), ambient=False) as session:
        lab.expect(expect.answered(await session.request("ping"), "the fragmented ping is answered"))


@check(
    "websocket.err.pong",
    "A ping is answered by a Pong with its data, and so is the last of many",
    faults=("ping_flood",),
    mutants=("pongs.empty", "pongs.flood-hung-up"),
    isolation=Isolation.SESSION,
)
async def pings_are_answered(lab: WebSocketLab) -> None:
    """A ping with data of its own, behind a hundred others. Of those that wait, the last may be answered alone."""
    async with lab.session(ping_flood(count=100, rate=1000.0)) as session:
        await session.frame(websocket.Opcode.PING, DATA)
        found, after = await session.pong(DATA), await session.fence()
        actual = session.carrier.connection.why or "no Pong with its data came"
        lab.expect(expect.that(found is not None, "a Pong with the same data", actual, after))


@check(
    "websocket.err.close-answered",
    "A Close frame is answered by one, and the target ends the connection",
    faults=("close_code",),
    mutants=("close.unanswered",),
    isolation=Isolation.SESSION,
)
async def a_close_is_answered(lab: WebSocketLab) -> None:
    """A Close frame with 1001 comes in the client's name."""
    async with lab.session(close_code(code=1001)) as session:
        close, connection = await session.closed(), session.carrier.connection
        actual = "no Close frame came" if close is None else connection.why or "the connection is still open"
        held = close is not None and connection.ended is not None
        shown = close.record if close else connection.end
        lab.expect(expect.that(held, "a Close frame, and then the end", actual, shown, connection.end))
