"""The benign profile changes nothing that a correct peer may notice."""

from __future__ import annotations

from collections.abc import Iterable

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.faults import Fault, benign_profile, latency, pipe_merge, slices, throttle
from seatrial.relay.message import Request
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.transport.tcp import TcpNetwork
from seatrial.wire import sse
from seatrial.wire.http1 import Ending

from tests.clock import real, virtual
from tests.faults.harbour import GET, call, content, harbour, plain, stream_of

EVENTS = st.builds(sse.SseEvent, id=st.none() | st.text("ab/0", max_size=4), data=st.text("aé😀\\\n", max_size=40))


async def nothing_changes(network: Network, events: list[sse.SseEvent], seed: int) -> None:
    def script(message: Request) -> Iterable[bytes]:
        return stream_of(*map(sse.encode, events)) if message.http.verb == "GET" else plain("{} é".encode())

    async with harbour(network, *benign_profile(), scripts=[script], seed=seed) as sea:
        for _ in range(2):
            answer = (await (await sea.client()).ask(call(), patience=15.0)).response
            stream = (await (await sea.client()).ask(GET, "GET", patience=15.0)).response
            assert (answer.status, content(answer)) == (200, "{} é".encode())
            assert [one for one in sse.SseDecoder().feed(content(stream)) if one.dispatched] == events
            assert stream.ending is Ending.CLOSED
        assert sea.server.requests == [call(), GET] * 2
        assert "latency" in {name for name, _ in sea.fired}


@settings(max_examples=30, deadline=None)
@given(st.lists(EVENTS, max_size=6), st.integers(0, 99))
def test_in_virtual_time(events: list[sse.SseEvent], seed: int) -> None:
    virtual(nothing_changes)(SimNetwork(), events, seed)


def test_over_tcp() -> None:
    events = [sse.SseEvent(id=str(n), data=f"{n} 😀" * 20) for n in range(3)]
    real(nothing_changes)(TcpNetwork(), events, 7)


@pytest.mark.parametrize(
    "fault",
    [latency(seconds=2.0), slices(most=3, gap=0.5, largest=1), throttle(rate=100.0, burst=500), *benign_profile()],
)
@virtual
async def test_a_fault_adds_no_more_than_its_delay(fault: Fault) -> None:
    if isinstance(fault, type(pipe_merge())):
        assert fault.delay == fault.wait
        return
    async with harbour(SimNetwork(), fault, scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        started = anyio.current_time()
        assert content((await client.ask(call(), patience=60.0)).response) == b"{}"
        assert anyio.current_time() - started <= 2 * fault.delay + 1e-9
