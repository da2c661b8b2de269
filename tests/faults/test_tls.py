"""Faults on the way to a target that speaks TLS: they work on what it protects, and end the TCP connection below."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import anyio
import pytest
import trustme
from anyio.abc import ByteStream, TaskGroup
from anyio.streams.tls import TLSStream
from seatrial.chance import Chance
from seatrial.discovery import load_suites
from seatrial.engine import Options, run
from seatrial.faults import RESET, UP, Fault, corrupt, cut, first, half_close, octets, slices, status
from seatrial.fixtures.reference import Reference
from seatrial.fixtures.reference.stimuli import IDENTITIES, STIMULI
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.model import Verdict
from seatrial.planning import Selection
from seatrial.relay import Dial, Link, Relay
from seatrial.target import Server as Running
from seatrial.transport.network import Handler, Network
from seatrial.transport.tcp import TcpNetwork
from seatrial.transport.tls import TlsStream, connect

from tests.faults.harbour import Client, Server, call, plain
from tests.networks import on_both_networks
from tests.sailing import voyage

WHOLE = plain()[0]


@dataclass(slots=True)
class Authority:
    """A private authority, and a server that has a certificate of it."""

    made: trustme.CA = field(default_factory=trustme.CA)
    server: ssl.SSLContext = field(default_factory=lambda: ssl.create_default_context(ssl.Purpose.CLIENT_AUTH))

    def __post_init__(self) -> None:
        self.made.issue_cert("127.0.0.1").configure_cert(self.server)

    @property
    def client(self) -> ssl.SSLContext:
        context = ssl.create_default_context()
        self.made.configure_trust(context)
        return context

    def serving(self, handler: Handler) -> Handler:
        """A handler of connections that speak TLS."""

        async def serve(stream: ByteStream) -> None:
            session = await TLSStream.wrap(stream, server_side=True, ssl_context=self.server, standard_compatible=False)
            await handler(TlsStream(session, stream))

        return serve


@asynccontextmanager
async def secured(network: Network, *faults: Fault) -> AsyncIterator[tuple[Server, Client, list[str]]]:
    """A server behind TLS, and a client that speaks plain HTTP through faults which speak TLS for it."""
    authority, server, fired = Authority(), Server(lambda _: plain()), list[str]()
    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, authority.serving(server.handle), tasks)

        async def dial() -> ByteStream:
            return await connect(network, listener.host, listener.port, authority.client)

        yield server, Client(await front(dial, faults, fired, tasks)()), fired
        tasks.cancel_scope.cancel()


def front(dial: Dial, faults: Iterable[Fault], fired: list[str], tasks: TaskGroup) -> Dial:
    def note(fault: Fault, where: str) -> None:
        fired.append(fault.name)

    on_requests = [fault for fault in faults if fault.on]
    link = Link(dial, [fault for fault in faults if not fault.on], Chance(7), note).dialer(tasks)
    return Relay([link], on_requests, Chance(7), note).dialer(tasks) if on_requests else link


@on_both_networks
async def test_a_cut_is_counted_in_bytes_of_http(network: Network) -> None:
    async with secured(network, cut(after=octets(20))) as (server, client, fired):
        await client.stream.send(call())
        assert (await client.rest(), client.ending) == (WHOLE[:20], "fin")
        await server.ended.wait()
        assert (server.endings, fired) == (["fin"], ["cut"])


@on_both_networks
async def test_a_reset_is_that_of_the_connection_below(network: Network) -> None:
    async with secured(network, cut(after=octets(20), how=RESET)) as (server, client, _):
        await client.stream.send(call())
        await client.rest()
        await server.ended.wait()
        assert (client.ending, server.endings) == ("reset", ["reset"])


@on_both_networks
async def test_a_half_close_is_heard_and_the_answer_still_comes(network: Network) -> None:
    async with secured(network, half_close(after=first('"tools/call"}'))) as (server, client, fired):
        assert (await client.ask(call())).response.body == b"{}"
        await server.ended.wait()
        assert (server.endings, fired) == (["fin"], ["half_close"])


@on_both_networks
async def test_what_is_corrupted_is_what_is_protected(network: Network) -> None:
    async with secured(network, corrupt(after=first("jsonrpc"), xor=1), slices()) as (server, client, _):
        assert (await client.ask(call())).response.body == b"{}"
        assert server.requests == [call().replace(b'jsonrpc"', b"jsonrpc#")]


@on_both_networks
async def test_faults_of_http_read_what_is_protected(network: Network) -> None:
    faults = status(on="tools/call", code=503), cut(on="ping", after=octets(30), direction=UP, how=RESET)
    async with secured(network, *faults) as (server, client, fired):
        assert (await client.ask(call())).response.status == 503
        await client.ask(call("ping"))
        await server.ended.wait()
        assert (server.requests, server.endings, fired) == ([], ["reset"], ["status", "cut"])


@on_both_networks
async def test_a_server_that_speaks_no_tls_resets_the_client(network: Network) -> None:
    server = Server(lambda _: plain())
    async with anyio.create_task_group() as tasks:
        listener = await network.listen()
        tasks.start_soon(listener.serve, server.handle, tasks)

        async def dial() -> ByteStream:
            return await connect(network, listener.host, listener.port, Authority().client)

        client = Client(await front(dial, (), [], tasks)())
        await client.rest()
        assert client.ending == "reset"
        tasks.cancel_scope.cancel()


@dataclass(slots=True, kw_only=True)
class SecureTarget(SimulatedTarget):
    """The reference behind TLS, as at a vendor's."""

    authority: Authority = field(default_factory=Authority)

    @asynccontextmanager
    async def server(self) -> AsyncIterator[Running]:
        async with SimulatedTarget.server(self) as inner, anyio.create_task_group() as tasks:
            parts, listener = urlsplit(inner.url), await self.network.listen()
            door = Link(
                lambda: self.network.connect("127.0.0.1", parts.port or 0), (), Chance(0), lambda fault, at: None
            )
            tasks.start_soon(listener.serve, self.authority.serving(door.handle), tasks)
            yield Running(f"https://127.0.0.1:{listener.port}{parts.path}", inner.process)
            tasks.cancel_scope.cancel()


CHECKS = (
    "mcp.rec.resume-complete",
    "mcp.rec.reset-during-body",
    "mcp.rec.drop-mid-call-harmless",
    "mcp.dup.client-retry-side-effects",
)


@pytest.fixture
def secure(tmp_path: Path) -> SecureTarget:
    target = SecureTarget(
        build=Reference,
        protocol="mcp",
        name="reference",
        address="the bundled reference behind TLS",
        bindings=("streamable-http",),
        stimuli=STIMULI,
        headers=IDENTITIES["first"],
        identities=IDENTITIES,
        ca=str(tmp_path / "ca.pem"),
    )
    target.authority.made.cert_pem.write_to_path(target.ca)
    return target


@pytest.mark.parametrize("profile", ["none", "benign"])
def test_checks_with_faults_judge_a_target_of_https(secure: SecureTarget, profile: str) -> None:
    results = voyage(secure, checks=CHECKS, profile=profile)
    assert {result.case.check.id for result in results} == set(CHECKS)
    assert {result.verdict for result in results} == {Verdict.PASS}, [r.detail for r in results]


def test_and_over_tcp_in_real_time(secure: SecureTarget) -> None:
    secure.network, secure.virtual = TcpNetwork(), False
    asked = Options(selection=Selection(checks=CHECKS[1:]), versions=("2025-11-25",))
    results = anyio.run(run, secure, load_suites(), asked, lambda event: None, None, backend="trio")
    assert {result.case.check.id: result.verdict for result in results} == dict.fromkeys(CHECKS[1:], Verdict.PASS)
