"""Run a test on the simulated network and on TCP, and read what came."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest
from anyio.abc import ByteReceiveStream
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.transport.tcp import TcpNetwork

from .clock import real, virtual

Scenario = Callable[[Network], Awaitable[None]]


def on_both_networks(scenario: Scenario) -> Callable[[str], None]:
    """The simulated network runs in virtual time, TCP in real time."""

    def run(network_kind: str) -> None:
        if network_kind == "simulated":
            virtual(scenario)(SimNetwork())
        else:
            real(scenario)(TcpNetwork())

    run.__name__, run.__doc__ = scenario.__name__, scenario.__doc__
    return pytest.mark.parametrize("network_kind", ["simulated", "tcp"])(run)


async def everything(stream: ByteReceiveStream) -> bytes:
    """All bytes until the end of a stream."""
    return b"".join([chunk async for chunk in stream])
