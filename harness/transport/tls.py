"""TLS over any connection, whose ends stay those of the connection below."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import anyio
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from .network import Network

HANDSHAKE = 10.0
"""Seconds that a handshake may take."""


def trust(ca: str | None = None) -> ssl.SSLContext:
    """The TLS context of a target: one private file, or the machine's authorities, which SSL_CERT_FILE and
    SSL_CERT_DIR replace. Raises OSError for a file that holds no certificates."""
    context = ssl.create_default_context(cafile=ca)
    context.set_alpn_protocols(["http/1.1"])
    return context


@dataclass(slots=True)
class TlsStream(ByteStream):
    """A session of TLS. The end of sending and a reset are those of TCP: no alert goes before them."""

    session: TLSStream
    below: ByteStream

    async def send(self, item: bytes) -> None:
        try:
            await self.session.send(item)
        except (ssl.SSLError, anyio.EndOfStream) as error:  # the latter once the peer has ended without an alert
            raise anyio.BrokenResourceError from error

    async def receive(self, max_bytes: int = 65536) -> bytes:
        try:
            return await self.session.receive(max_bytes)
        except ssl.SSLError as error:
            raise anyio.BrokenResourceError from error

    async def send_eof(self) -> None:
        await self.below.send_eof()

    async def aclose(self) -> None:
        await self.below.aclose()

    @property
    def extra_attributes(self) -> Mapping[Any, Callable[[], Any]]:
        return self.session.extra_attributes


async def secured(stream: ByteStream, context: ssl.SSLContext, host: str | None) -> TlsStream:
    """The client's side of a handshake. Raises SSLError, EndOfStream, BrokenResourceError."""
    session = await TLSStream.wrap(stream, hostname=host, ssl_context=context, standard_compatible=False)
    return TlsStream(session, stream)


async def connect(network: Network, host: str, port: int, context: ssl.SSLContext) -> ByteStream:
    """A connection that speaks TLS already. Raises OSError."""
    stream = await network.connect(host, port)
    try:
        with anyio.fail_after(HANDSHAKE):
            return await secured(stream, context, host)
    except BaseException as error:
        with anyio.CancelScope(shield=True):
            await stream.aclose()
        if isinstance(error, anyio.EndOfStream | anyio.BrokenResourceError):
            raise ConnectionResetError(f"{host}:{port} ended the connection in the TLS handshake") from error
        raise
