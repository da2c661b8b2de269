"""Faults of servers and clocks, seen by a client behind a relay: simulated servers in virtual time, real processes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest
from seatrial.config import TargetConfig
from seatrial.faults import (
    Fault,
    FaultError,
    State,
    events,
    failover,
    harness_jump,
    pause,
    request,
    restart,
    round_robin,
    skew,
    stale_replica,
    stall,
)
from seatrial.relay.message import Request
from seatrial.target import RealTarget, StartFailure
from seatrial.transport.clock import jump
from seatrial.transport.network import Network
from seatrial.transport.sim import SimNetwork
from seatrial.transport.skew import CLOCK_SKEW, skewing
from seatrial.wire.json import loads

from tests.clock import real, virtual
from tests.faults.counting import Port, on_both_servers, play
from tests.faults.harbour import Client, call, event, harbour, plain, stream_of
from tests.networks import on_both_networks


@on_both_servers
async def test_a_paused_server_answers_when_it_goes_on(port: Port) -> None:
    async with port.through(pause(after=request(2), seconds=0.4)) as connected:
        client, other = await connected(), await connected()
        assert (await port.ask(client))["count"] == 1
        assert port.fired == []
        begun = anyio.current_time()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_answered, port, client, begun)
            await _fires(port)
            assert port.fired == ["pause"]
            await _answered(port, other, begun)
        assert (await port.ask(client))["count"] == 4


async def _fires(port: Port) -> None:
    while not port.fired:
        await anyio.sleep(0.01)


async def _answered(port: Port, client: Client, begun: float) -> None:
    answer = await port.ask(client)
    assert answer["count"] in (2, 3)
    assert anyio.current_time() - begun >= 0.4


@on_both_servers
async def test_a_pause_ends_with_its_mount(port: Port) -> None:
    async with port.through(pause(seconds=3600.0)) as connected:
        client = await connected()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(port.ask, client)
            await _fires(port)
            assert port.fired == ["pause"]
            tasks.cancel_scope.cancel()
    async with anyio.create_task_group() as tasks:
        direct = Client(await port.dials[0]())
        assert (await port.ask(direct))["count"] in (1, 2)


@pytest.mark.parametrize(("state", "counted"), [(State.LOST, 1), (State.KEPT, 3)])
@pytest.mark.parametrize("kind", ["simulated", "real"])
def test_a_server_starts_again_on_its_port(state: State, counted: int, kind: str) -> None:
    async def scenario(port: Port) -> None:
        async with port.through(restart(after=request(3), state=state)) as connected:
            client, other = await connected(), await connected()
            before = await port.ask(client)
            assert (await port.ask(other))["pid"] == before["pid"]
            assert port.fired == []
            after = await port.ask(client)
            assert after["pid"] != before["pid"]
            assert (before["count"], after["count"]) == (1, counted)
            assert (await port.ask(await connected()))["count"] == counted + 1
            assert port.fired == ["restart"]

    play(kind, scenario)


@on_both_servers
async def test_a_restart_within_a_stream_tears_it(port: Port) -> None:
    async with port.through(restart(after=events(2))) as connected:
        client = await connected()
        assert len(await port.stream(client)) == 2
        assert await client.rest() and client.ending
        assert port.fired == ["restart"]
        assert (await port.ask(await connected()))["count"] == 1


@on_both_servers
async def test_another_replica_serves_when_the_first_is_killed(port: Port) -> None:
    async with port.through(failover(on="stream", after=events(2)), replicas=3) as connected:
        pids = {(await port.ask(await connected()))["pid"] for _ in range(3)}
        assert len(pids) == 1, "one serves alone"
        assert len(await port.stream(await connected())) == 2
        assert port.fired == ["failover"]
        others = [(await port.ask(await connected()))["pid"] for _ in range(4)]
        assert len({*others}) == 2 and not pids & {*others}
        assert port.servers[0].exited is not None


@on_both_servers
async def test_the_replica_that_is_named_serves_and_is_killed(port: Port) -> None:
    async with port.through(failover(after=request(2), replica=1), round_robin(), replicas=2) as connected:
        client = await connected()
        first = await port.ask(client)
        second = await port.ask(client)
        assert first["pid"] != second["pid"]
        assert [server.exited is None for server in port.servers] == [True, False]
        assert port.fired.count("failover") == 1


@on_both_networks
async def test_a_stale_replica_answers_from_the_past(network: Network) -> None:
    answers = iter(range(1, 9))

    def counting(message: Request) -> list[bytes]:
        return plain(b'{"jsonrpc":"2.0","id":%d,"result":%d}' % (loads(message.http.body)["id"], next(answers)))

    async with harbour(network, stale_replica(on="tasks/get", lag=2, times=2), scripts=[counting]) as sea:
        client = await sea.client()
        read = [await asked(client, "tasks/get", number) for number in range(1, 6)]
        assert read == [(1, 1), (2, 2), (3, 1), (4, 1), (5, 3)]
        assert await asked(client, "tasks/cancel", 6) == (6, 4)
        assert len(sea.server.requests) == 4
        assert [name for name, _ in sea.fired] == ["stale_replica"] * 2


async def asked(client: Client, method: str, number: int) -> tuple[int, int]:
    answer = loads((await client.ask(call(method, number))).response.body)
    return answer["id"], answer["result"]


@on_both_networks
async def test_a_stale_event_stream_is_answered_under_the_new_id(network: Network) -> None:
    def streaming(message: Request) -> list[bytes]:
        told = b'data: {"jsonrpc":"2.0","id":%d,"result":{}}\n\n' % loads(message.http.body)["id"]
        return stream_of(b": hello\n\n", told)

    async with harbour(network, stale_replica(), scripts=[streaming]) as sea:
        client = await sea.client()
        first = await client.ask(call("tools/list", 1))
        second = await client.ask(call("tools/list", 2))
        assert second.response.body.replace(b" ", b"") == first.response.body.replace(b'"id":1', b'"id":2').replace(
            b" ", b""
        )
        assert dict(second.response.headers)["content-type"] == "text/event-stream"


@on_both_networks
async def test_nobody_reads_what_another_has_read(network: Network) -> None:
    async with harbour(network, stale_replica(), scripts=[lambda message: plain()]) as sea:
        for name in ("one", "two"):
            raw = call("tools/list").replace(b"Host: target", b"Host: target\r\nAuthorization: " + name.encode())
            await (await sea.client()).ask(raw)
        assert len(sea.server.requests) == 2
        assert sea.fired == []


@pytest.mark.parametrize("seconds", [86400.0, -86400.0])
@pytest.mark.parametrize("kind", ["simulated", "real"])
def test_the_clock_of_a_target_is_shifted(seconds: float, kind: str) -> None:
    async def scenario(port: Port) -> None:
        port.target = port.target.skewed(seconds)
        async with port.through(skew(seconds=seconds)) as connected:
            answer = await port.ask(await connected())
            assert answer["now"] - time.time() == pytest.approx(seconds, abs=60.0)
            assert port.fired == ["skew"]

    play(kind, scenario)


def test_the_clock_of_a_program_that_knows_no_variable_needs_a_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = RealTarget(TargetConfig(name="any", command=("true",)))
    monkeypatch.setattr("seatrial.transport.skew.LIBRARIES", (f"{tmp_path}/*/libfaketime.so.1",))
    with pytest.raises(StartFailure, match="install libfaketime, or name SEATRIAL_CLOCK_SKEW in env"):
        program.skewed(60.0)
    library = tmp_path / "faketime" / "libfaketime.so.1"
    library.parent.mkdir()
    library.touch()
    assert program.skewed(-1.5).config.env == {"LD_PRELOAD": str(library), "FAKETIME": "-1.5"}
    assert skewing(60.0, {CLOCK_SKEW: "0"}) == {CLOCK_SKEW: "+60.0"}, (
        "a program that knows the variable is not deceived"
    )


@virtual
async def test_our_own_waits_survive_a_jump_of_the_clock() -> None:
    """What waits beyond the jump is late, what waits for less is over; the connection goes on."""
    slow = stall(on="tools/call", after=events(1), seconds=100.0)
    script = lambda message: stream_of(*(event(n) for n in range(3)))  # noqa: E731
    async with harbour(SimNetwork(), slow, harness_jump(on="tools/call", seconds=50.0), scripts=[script]) as sea:
        client = await sea.client()
        begun = anyio.current_time()
        reader = await client.ask(call(), patience=200.0)
        assert reader.done and reader.response.body.count(b"tick") == 3
        assert anyio.current_time() - begun == pytest.approx(150.0)
        assert [name for name, _ in sea.fired] == ["harness_jump", "stall"]


@virtual
async def test_a_jump_beyond_a_deadline_is_its_end() -> None:
    async with harbour(SimNetwork(), harness_jump(on="tools/call", seconds=50.0), scripts=[lambda _: plain()]) as sea:
        client = await sea.client()
        reader = await client.ask(call(), patience=10.0)
        assert not reader.done
        assert not client.ending, "it was given up, not broken"
        assert (await (await sea.client()).ask(call("ping"))).response.body == b"{}"


@real
async def test_real_time_does_not_jump() -> None:
    with pytest.raises(RuntimeError, match="virtual"):
        jump(1.0)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: stale_replica(lag=0),
        lambda: skew(seconds=0.0),
        lambda: skew(after=events(1)),
        lambda: harness_jump(seconds=float("inf")),
        lambda: pause(seconds=-1.0),
        lambda: failover(replica=-1),
    ],
)
def test_what_cannot_be_is_refused(wrong: Callable[[], Fault]) -> None:
    with pytest.raises(FaultError):
        wrong()
