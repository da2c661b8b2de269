"""HTTP/1.1 over any Network: httpx above, our byte streams below. The only module that knows httpx and httpcore."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpcore
import httpx
from anyio.abc import ByteStream

from ..pace import Pace
from .coding import CodingError, unpacked
from .network import Network, Waiting, reset
from .proxies import Proxy
from .tls import secured, trust

KEEP_ALIVE = 1.0
"""Seconds that an idle connection may be used again: fewer than any server keeps it, so that no request is lost
to an end that crosses it on the way."""

Route = tuple[str, int]
Dial = Callable[[], Awaitable[ByteStream]]


@dataclass(slots=True)
class Holder:
    """Learns which connection a request went out on, so that it can be reset, half-closed or used no more.

    `admitted` is called when the request's turn has come, `sent` is set once all of it was handed to the network.
    """

    stream: ByteStream | None = None
    admitted: Callable[[], None] = lambda: None
    sent: anyio.Event = field(default_factory=anyio.Event)
    retire: Callable[[], None] = lambda: None
    _tunnels: bool = False

    async def trace(self, event: str, info: Any) -> None:
        """What httpcore tells about the request's progress."""
        if event == "http11.send_request_headers.started":
            self._tunnels = info["request"].method == b"CONNECT"
        if event == "http11.send_request_body.complete" and not self._tunnels:
            self.sent.set()

    async def reset(self) -> None:
        if self.stream is not None:
            await reset(self.stream)

    async def half_close(self) -> None:
        if self.stream is not None:
            await self.stream.send_eof()


_holder: ContextVar[Holder | None] = ContextVar("_holder", default=None)


def _within(seconds: float | None) -> AbstractContextManager[Any]:
    """A deadline where there is one: a scope for each read and write of a run that has none costs a tenth of it."""
    return nullcontext() if seconds is None else anyio.fail_after(seconds)


class _Stream(httpcore.AsyncNetworkStream):
    def __init__(self, stream: ByteStream, *, secured: bool = False) -> None:
        self._stream, self._secured = stream, secured
        self._retired = False
        self._read = anyio.current_time()

    def retire(self) -> None:
        """Let this connection not be used again once it is idle."""
        self._retired = True

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        try:
            with _within(timeout):
                data = await self._stream.receive(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(str(error)) from error
        except anyio.EndOfStream:
            return b""
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise httpcore.ReadError("connection reset") from error
        self._read = anyio.current_time()
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:
        holder = _holder.get()
        if holder is not None:
            holder.stream, holder.retire = self._stream, self.retire
        if not buffer:
            return
        try:
            with _within(timeout):
                await self._stream.send(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError) as error:
            raise httpcore.WriteError("connection reset while sending") from error

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await self._stream.aclose()

    async def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.AsyncNetworkStream:
        if self._secured:
            return self
        try:
            with _within(timeout):
                wrapped = await secured(self._stream, ssl_context, server_hostname)
        except ssl.SSLCertVerificationError as error:
            advice = "name a private authority with ca in seatrial.toml, or with SSL_CERT_FILE"
            raise httpcore.ConnectError(f"its certificate is not trusted ({error.verify_message}); {advice}") from error
        except (ssl.SSLError, TimeoutError, anyio.EndOfStream, anyio.BrokenResourceError, OSError) as error:
            raise httpcore.ConnectError(f"TLS failed: {error or type(error).__name__}") from error
        return _Stream(wrapped)

    def get_extra_info(self, info: str) -> Any:
        """The pool asks whether an idle connection is readable: then its peer has ended it meanwhile.

        One that is to be used no more counts as ended, and so does one that has been idle for long by the clock of the
        run: the pool itself would ask the real one, also where time is virtual.
        """
        return self._over or self._stream.extra(Waiting.readable, False) if info == "is_readable" else None

    @property
    def _over(self) -> bool:
        return self._retired or anyio.current_time() > self._read + KEEP_ALIVE


@dataclass(slots=True)
class Backend(httpcore.AsyncNetworkBackend):
    """Dials through `network`; `routes` lets a relay stand in for an origin that keeps its name.

    `secured`: a route speaks TLS with its origin itself, and plain HTTP with us.
    """

    network: Network
    routes: dict[Route, Dial] = field(default_factory=dict)
    secured: bool = False

    async def dial(self, host: str, port: int) -> ByteStream:
        """Raises OSError."""
        return await self.routes.get((host, port), lambda: self.network.connect(host, port))()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        try:
            with _within(timeout):
                return _Stream(await self.dial(host, port), secured=self.secured and (host, port) in self.routes)
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(f"no connection to {host}:{port} in time") from error
        except OSError as error:
            raise httpcore.ConnectError(str(error)) from error

    async def sleep(self, seconds: float) -> None:
        await anyio.sleep(seconds)


class _Body(httpx.AsyncByteStream):
    def __init__(self, body: Any) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._body:
            yield chunk

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await self._body.aclose()


class _Pool(httpcore.AsyncConnectionPool):
    """Closes no connection that was promised to a request.

    To httpcore (1.0) a connection is idle until its request has begun, and one that is idle may be closed, as surplus
    or because it is to be used no more, by whatever else goes on at that moment: the request would seem to be reset.
    Nothing public tells of the promise, so the range of httpcore ends before 1.1.
    """

    def _assign_requests_to_connections(self) -> list[httpcore.AsyncConnectionInterface]:
        closing = super()._assign_requests_to_connections()
        promised = [request.connection for request in self._requests]
        self._connections += [connection for connection in closing if connection in promised]
        return [connection for connection in closing if connection not in promised]


class _ProxyPool(_Pool, httpcore.AsyncHTTPProxy):
    """The same, through a proxy."""


class Transport(httpx.AsyncBaseTransport):
    """An httpx transport on our network backend. Connections are kept alive and never shared with others.

    Through a proxy, https goes in a tunnel.
    """

    def __init__(self, backend: Backend, verify: ssl.SSLContext | None = None, proxy: Proxy | None = None) -> None:
        settings: dict[str, Any] = {
            "ssl_context": verify,
            "max_connections": None,
            "max_keepalive_connections": 8,
            "network_backend": backend,
        }
        self._pool = _proxied(proxy, settings) if proxy else _Pool(**settings)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        asked = httpcore.Request(
            method=request.method,
            url=httpcore.URL(
                scheme=request.url.raw_scheme,
                host=request.url.raw_host,
                port=request.url.port,
                target=request.url.raw_path,
            ),
            headers=request.headers.raw,
            content=request.stream,
            extensions=request.extensions,
        )
        answer = await self._pool.handle_async_request(asked)
        return httpx.Response(
            answer.status, headers=answer.headers, stream=_Body(answer.stream), extensions=answer.extensions
        )

    async def aclose(self) -> None:
        await self._pool.aclose()


def _proxied(proxy: Proxy, settings: dict[str, Any]) -> _Pool:
    url = httpcore.URL(scheme=proxy.scheme, host=proxy.host, port=proxy.port, target="/")
    return _ProxyPool(url, proxy.auth if any(proxy.auth) else None, **settings)


class HttpFailure(Exception):
    """An exchange that broke. `reset` tells an abortive end from an orderly one; `connected` is false when
    there never was a connection."""

    def __init__(self, text: str, *, reset: bool = False, connected: bool = True) -> None:
        super().__init__(text)
        self.reset = reset
        self.connected = connected


@dataclass(slots=True)
class HttpResponse:
    """A response whose head has arrived. `chunks` yields the body without its content coding."""

    status: int
    headers: tuple[tuple[str, str], ...]
    chunks: AsyncIterator[bytes]


class HttpClient:
    """One client of one origin: no cookies, no redirects, every header as given.

    It asks for no content coding, which allows any (RFC 9110, 12.5.3); gzip and deflate are undone and verified.
    """

    def __init__(
        self,
        network: Network,
        *,
        ca: str | None = None,
        secure: bool = False,
        pace: Pace | None = None,
        proxy: Proxy | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.backend = Backend(network)
        self.pace = pace or Pace()
        self.proxy = proxy
        self.trusted = trust(ca) if secure else None
        inner = transport or Transport(self.backend, self.trusted, proxy)
        self._client = httpx.AsyncClient(transport=inner, timeout=None, trust_env=False, follow_redirects=False)

    @asynccontextmanager
    async def stream(
        self, verb: str, url: str, headers: Iterable[tuple[str, str]], body: bytes | None, holder: Holder
    ) -> AsyncIterator[HttpResponse]:
        """Send one request when its turn has come.

        Raises HttpFailure when the exchange breaks before, in or after the head, Withheld when no request is left.

        A server that failed may end the connection without a word: the next request goes out on another.
        """
        if self._client.is_closed:
            raise HttpFailure("the client has been closed")
        await self.pace.admit()
        holder.admitted()
        token = _holder.set(holder)
        raw = [(name.encode("ascii"), _octets(value)) for name, value in headers]
        request = httpx.Request(verb, url, headers=raw, content=body, extensions={"trace": holder.trace})
        try:
            response = await self._client.send(request, stream=True)
            if response.status_code >= 500:
                holder.retire()
            if response.status_code == 407 and self.proxy:
                raise HttpFailure("the proxy wants credentials; write them into its URL")
            try:
                coding = response.headers.get("content-encoding", "").strip().lower()
                yield HttpResponse(response.status_code, _pairs(response), unpacked(response.aiter_raw(), coding))
            finally:
                await response.aclose()
        except CodingError as error:
            raise HttpFailure(str(error)) from None
        except _BROKEN as error:
            raise _failure(error, self.proxy) from error
        finally:
            _holder.reset(token)

    async def aclose(self) -> None:
        with anyio.CancelScope(shield=True):
            await self._client.aclose()


def _octets(value: str) -> bytes:
    """Latin-1, so that every byte can be said; UTF-8 for a text beyond it."""
    try:
        return value.encode("latin-1", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _pairs(response: httpx.Response) -> tuple[tuple[str, str], ...]:
    return tuple((name.decode("latin-1"), value.decode("latin-1")) for name, value in response.headers.raw)


_BROKEN = (
    httpx.HTTPError,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.TimeoutException,
    httpcore.ProxyError,
)


def _failure(error: Exception, proxy: Proxy | None) -> HttpFailure:
    text = str(error) or type(error).__name__
    if proxy and isinstance(error, httpcore.ProxyError | httpcore.ConnectError):
        text = f"no way through the proxy {proxy.host}:{proxy.port}: {text}"
    broken = isinstance(error, httpx.ReadError | httpx.WriteError | httpcore.ReadError | httpcore.WriteError)
    unconnected = isinstance(
        error, httpx.ConnectError | httpx.ConnectTimeout | httpcore.ConnectError | httpcore.ConnectTimeout
    )
    return HttpFailure(text, reset=broken, connected=not unconnected)
