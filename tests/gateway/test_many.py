"""Very many streams at once."""

from __future__ import annotations

import anyio
from seatrial.faults import drop_event, events
from seatrial.gateway import Exchanged
from seatrial.relay.message import Request
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.faults.harbour import GET, Client, event, stream_of
from tests.gateway.passage import passage

STREAMS = 1000
BACKLOG = 20
"""So many of them begin at the same moment."""
FIVE = [event(n) for n in range(5)]


def endless(message: Request) -> list[bytes]:
    return stream_of(*FIVE, end=False)


@virtual
async def test_a_thousand_streams_are_open_at_once_and_each_has_its_events() -> None:
    """Two of them lose an event, and no other does."""
    lossy = drop_event(after=events(2), times=2)
    async with passage(SimNetwork(), lossy, scripts=[endless]) as sea:
        received: list[int] = []
        async with anyio.create_task_group() as tasks:
            for number in range(STREAMS):
                tasks.start_soon(_read, await sea.client(), received)
                if not number % BACKLOG:
                    await anyio.sleep(0.001)
        assert sea.gateway.door.entered == STREAMS
        assert sorted(received) == [4] * 2 + [5] * (STREAMS - 2)
        assert not any(isinstance(event, Exchanged) for event in sea.told)


async def _read(client: Client, received: list[int]) -> None:
    await client.ask(GET, "GET", patience=5)
    received.append(bytes(client.received).count(b"data:"))
