"""Ways to a server that is elsewhere: proxies and private authorities, named by the usual environment variables."""

from __future__ import annotations

import ssl
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest
import trustme
from anyio.abc import ByteStream, TaskGroup
from anyio.streams.buffered import BufferedByteReceiveStream
from anyio.streams.tls import TLSStream
from seatrial.conduct import Conduct
from seatrial.fixtures.reference.stimuli import STIMULI
from seatrial.model import Result, Verdict
from seatrial.transport.http import Holder, HttpClient, HttpFailure
from seatrial.transport.network import Network
from seatrial.transport.proxies import Proxy, ProxyProblem, proxy_for
from seatrial.transport.sim import SimNetwork

from tests.abroad import HOST, Abroad, visit
from tests.clock import virtual
from tests.gate import Gate

VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*VARIABLES, "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@dataclass(slots=True)
class Way:
    """A proxy that forwards one request per connection, and makes tunnels. `lines` are the request lines it got."""

    credentials: bytes = b""
    lines: list[str] = field(default_factory=list)
    network: Network = field(default_factory=Abroad)

    async def open(self, network: SimNetwork, tasks: TaskGroup) -> None:
        """Listen at proxy.example:3128."""
        self.network = network
        listener = await network.listen("proxy.example", 3128)
        tasks.start_soon(listener.serve, self.handle, tasks)

    async def handle(self, client: ByteStream) -> None:
        buffered = BufferedByteReceiveStream(client)
        head = bytes(await buffered.receive_until(b"\r\n\r\n", 65536))
        line, _, rest = head.partition(b"\r\n")
        self.lines.append(line.decode())
        verb, target, _ = line.split(b" ")
        if self.credentials and b"Basic " + b64encode(self.credentials) not in rest:
            await client.send(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
        elif verb == b"CONNECT":
            await self._tunnel(client, target)
        else:
            await self._forward(client, verb, target.split(b"/", 3), rest + b"\r\n\r\n" + buffered.buffer)

    async def _tunnel(self, client: ByteStream, target: bytes) -> None:
        host, _, port = target.decode().rpartition(":")
        async with await self.network.connect(host, int(port)) as server:
            await client.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            await both(client, server)

    async def _forward(self, client: ByteStream, verb: bytes, url: list[bytes], rest: bytes) -> None:
        host, _, port = url[2].decode().partition(":")
        async with await self.network.connect(host, int(port or 80)) as server:
            await server.send(b"%b /%b HTTP/1.1\r\nConnection: close\r\n%b" % (verb, url[3], rest))
            await both(client, server)


async def both(one: ByteStream, other: ByteStream) -> None:
    """Pass on what either says, until one of them ends."""

    async def pour(source: ByteStream, sink: ByteStream) -> None:
        try:
            async for chunk in source:
                await sink.send(chunk)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError):
            pass
        tasks.cancel_scope.cancel()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(pour, one, other)
        tasks.start_soon(pour, other, one)


PLACE = "http://proxy.example:3128"
TOOLS = {"checks": ("mcp.cap.*",), "versions": ("2025-11-25",), "conduct": Conduct(rate=1000, budget=10**6)}


def verdicts(results: tuple[Result, ...]) -> dict[str, Verdict]:
    return {result.case.id: result.verdict for result in results}


@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_every_request_goes_through_the_proxy_and_is_judged_alike(
    variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    direct = visit("mcp", STIMULI, Gate(), **TOOLS)
    monkeypatch.setenv(variable, PLACE)
    gate, way = Gate(), Way()
    found = visit("mcp", STIMULI, gate, beside=way.open, **TOOLS)
    assert verdicts(found.results) == verdicts(direct.results) and Verdict.PASS in verdicts(found.results).values()
    assert len(way.lines) == len(gate.requests) > 50
    assert {line.split(" ")[1].partition("localhost")[0] for line in way.lines} == {"http://"}


def test_benign_faults_change_nothing_on_the_way_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "proxy.example:3128")
    way = Way()
    found = visit("mcp", STIMULI, Gate(), beside=way.open, profile="benign", **{**TOOLS, "checks": ("mcp.err.*",)})
    assert {Verdict.FAIL, Verdict.WARN, Verdict.ERROR}.isdisjoint(verdicts(found.results).values()) and way.lines


@pytest.mark.parametrize(
    ("variable", "value"), [("HTTP_PROXY", ""), ("NO_PROXY", HOST), ("NO_PROXY", "*")], ids=["none", "host", "all"]
)
def test_no_proxy_is_asked_where_none_is_named_or_the_host_is_excepted(
    variable: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", PLACE)
    monkeypatch.setenv(variable, value)
    way, gate = Way(), Gate()
    visit("mcp", STIMULI, gate, beside=way.open, **{**TOOLS, "checks": ("mcp.cap.discover-honest",)})
    assert way.lines == [] and gate.requests


def test_this_machine_is_never_sought_behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", PLACE)
    way, gate = Way(), Gate()
    visit("mcp", STIMULI, gate, network=SimNetwork(), beside=way.open, **TOOLS)
    assert way.lines == [] and gate.requests


@pytest.mark.parametrize(
    ("value", "proxy"),
    [
        ("proxy.example:3128", Proxy("http", "proxy.example", 3128)),
        ("http://proxy.example", Proxy("http", "proxy.example", 80)),
        ("https://u:p%40x@proxy.example", Proxy("https", "proxy.example", 443, ("u", "p@x"))),
    ],
)
def test_a_proxy_is_read_as_it_is_usually_written(value: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    assert proxy_for("https://vendor.example/mcp") == proxy and proxy_for("http://vendor.example/mcp") is None


@pytest.mark.parametrize("value", ["socks5://user:hunter2@proxy.example", "http://user:hunter2@proxy.example:port"])
def test_what_is_no_proxy_of_ours_is_told_without_its_secrets(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", value)
    with pytest.raises(ProxyProblem, match="HTTPS_PROXY must be an address such as") as problem:
        proxy_for("https://vendor.example/mcp")
    assert "hunter2" not in str(problem.value)


# TLS


@dataclass(frozen=True, slots=True)
class Harbour:
    """A server of https with a certificate of an authority of its own, behind a proxy."""

    network: SimNetwork
    port: int
    way: Way
    authority: Path


@asynccontextmanager
async def harbour(folder: Path, credentials: bytes = b"") -> AsyncIterator[Harbour]:
    authority, network, way = trustme.CA(), SimNetwork(), Way(credentials)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert("vendor.example").configure_cert(context)
    authority.cert_pem.write_to_path(folder / "ca.pem")

    async def serve(stream: ByteStream) -> None:
        try:
            async with await TLSStream.wrap(stream, server_side=True, ssl_context=context) as secure:
                await BufferedByteReceiveStream(secure).receive_until(b"\r\n\r\n", 65536)
                await secure.send(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nahoy")
        except (ssl.SSLError, anyio.BrokenResourceError, anyio.EndOfStream):
            return  # it does not trust us

    async with anyio.create_task_group() as tasks:
        listener = await network.listen("vendor.example")
        tasks.start_soon(listener.serve, serve, tasks)
        await way.open(network, tasks)
        yield Harbour(network, listener.port, way, folder / "ca.pem")
        tasks.cancel_scope.cancel()


async def fetched(where: Harbour, *, ca: str | None = None, proxy: Proxy | None = None) -> bytes:
    """What the server says. Raises HttpFailure."""
    client = HttpClient(where.network, ca=ca, secure=True, proxy=proxy)
    try:
        url = f"https://vendor.example:{where.port}/"
        async with client.stream("GET", url, (), None, Holder()) as response:
            return b"".join([chunk async for chunk in response.chunks])
    finally:
        await client.aclose()


@virtual
async def test_a_private_authority_is_trusted_where_it_is_named(tmp_path: Path) -> None:
    async with harbour(tmp_path) as where:
        assert await fetched(where, ca=str(where.authority)) == b"ahoy"


@virtual
async def test_nobody_else_is(tmp_path: Path) -> None:
    async with harbour(tmp_path) as where:
        with pytest.raises(HttpFailure, match=r"not trusted .* name a private authority with ca"):
            await fetched(where)


def test_the_environment_names_one_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))

    @virtual
    async def fetch() -> None:
        async with harbour(tmp_path) as where:
            assert await fetched(where) == b"ahoy"

    fetch()


@virtual
async def test_https_goes_through_a_tunnel_that_the_proxy_makes(tmp_path: Path) -> None:
    async with harbour(tmp_path, b"us:secret") as where:
        proxy = Proxy("http", "proxy.example", 3128, ("us", "secret"))
        assert await fetched(where, ca=str(where.authority), proxy=proxy) == b"ahoy"
        assert where.way.lines == [f"CONNECT vendor.example:{where.port} HTTP/1.1"]


@virtual
async def test_a_proxy_that_refuses_is_named_as_the_cause(tmp_path: Path) -> None:
    async with harbour(tmp_path, b"us:secret") as where:
        with pytest.raises(HttpFailure, match=r"no way through the proxy proxy\.example:3128: 407"):
            await fetched(where, ca=str(where.authority), proxy=Proxy("http", "proxy.example", 3128))
