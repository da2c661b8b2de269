"""Whatever benign faults are composed, on every mount: bytes out are bytes in, and events decode to the same."""

from __future__ import annotations

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream, ByteStream
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.chance import Chance
from seatrial.faults import Fault, Mount
from seatrial.relay import Link, Relay, piped
from seatrial.relay.link import dialer
from seatrial.transport.sim import Program, SimSpawner
from seatrial.wire import sse
from seatrial.wire.http1 import Ending

from tests.clock import virtual
from tests.faults.harbour import GET, Client, Server, call, content, plain, stream_of
from tests.faults.plans import benign_plans
from tests.networks import everything

CHUNKS = st.lists(
    st.binary(min_size=1, max_size=300) | st.sampled_from([b'{"\\u00e9": 1}\r\n', "é😀\n".encode()]), max_size=6
)
LINES = st.lists(st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=60), max_size=6)
TEXTS = st.text('aé😀\\\n"', max_size=40)
EVENTS = st.lists(st.builds(sse.SseEvent, id=st.none() | st.text("ab0", max_size=4), data=TEXTS), max_size=6)
SEEDS = st.integers(0, 99)


def unnoted(fault: Fault, where: str) -> None: ...


async def echo(stream: ByteStream) -> None:
    """Sends back what comes, and its end."""
    async for data in stream:
        await stream.send(data)
    await stream.send_eof()


@settings(max_examples=60, deadline=None)
@given(benign_plans(Mount.LINK), CHUNKS, SEEDS)
@virtual
async def test_on_a_link(plan: tuple[Fault, ...], sent: list[bytes], seed: int) -> None:
    async with anyio.create_task_group() as tasks:
        link = Link(dialer(echo, tasks), plan, Chance(seed), unnoted)
        client = await link.dialer(tasks)()
        for chunk in sent:
            await client.send(chunk)
        await client.send_eof()
        assert await everything(client) == b"".join(sent)
        tasks.cancel_scope.cancel()


async def cat(stdin: ByteReceiveStream, stdout: ByteSendStream, stderr: ByteSendStream) -> int:
    async for data in stdin:
        await stdout.send(data)
    return 0


@settings(max_examples=60, deadline=None)
@given(benign_plans(Mount.PIPE), LINES, SEEDS)
@virtual
async def test_on_a_pipe(plan: tuple[Fault, ...], lines: list[str], seed: int) -> None:
    async with anyio.create_task_group() as tasks:
        process = await SimSpawner(tasks, lambda command, env: Program(cat)).spawn(["cat"])
        process = piped(process, plan, Chance(seed), unnoted, tasks)
        for line in lines:
            await process.stdin.send(f"{line}\n".encode())
        await process.stdin.aclose()
        assert await everything(process.stdout) == "".join(f"{line}\n" for line in lines).encode()
        await process.aclose()
        tasks.cancel_scope.cancel()


async def one_call_and_one_stream(relay: Relay) -> list[bytes]:
    """The bodies that a client gets, each over a connection of its own."""
    bodies = []
    async with anyio.create_task_group() as tasks:
        for raw, verb in ((call(), "POST"), (GET, "GET")):
            client = Client(await relay.dialer(tasks)())
            response = (await client.ask(raw, verb, patience=600.0)).response
            assert (response.status, response.ending) == (200, Ending.CLOSED)
            bodies.append(content(response))
        tasks.cancel_scope.cancel()
    return bodies


@settings(max_examples=100, deadline=None)
@given(benign_plans(Mount.RELAY), EVENTS, st.sampled_from([b"\n", b"\r\n", b"\r"]), SEEDS)
@virtual
async def test_on_a_relay(plan: tuple[Fault, ...], events: list[sse.SseEvent], end: bytes, seed: int) -> None:
    server = Server(lambda message: answers[message.http.verb])
    answers = {
        "POST": plain("{} é".encode()),
        "GET": stream_of(*(sse.encode(event).replace(b"\n", end) for event in events)),
    }
    async with anyio.create_task_group() as tasks:
        relay = Relay([dialer(server.handle, tasks)], plan, Chance(seed), unnoted)
        answer, stream = await one_call_and_one_stream(relay)
        tasks.cancel_scope.cancel()
    assert answer == "{} é".encode()
    assert [event for event in sse.SseDecoder().feed(stream) if event.dispatched] == events
    assert server.requests == [call(), GET]
