"""The standard streams of this process, which another program reads and writes."""

from __future__ import annotations

import os
from dataclasses import dataclass

import anyio
from anyio import to_thread
from anyio.abc import ByteReceiveStream, ByteSendStream


@dataclass(frozen=True, slots=True)
class StandardInput(ByteReceiveStream):
    """Read in a thread, which a cancelled reader leaves behind: what is open on both sides cannot be made to return."""

    descriptor: int = 0

    async def receive(self, max_bytes: int = 65536) -> bytes:
        data = await to_thread.run_sync(os.read, self.descriptor, max_bytes, abandon_on_cancel=True)
        if not data:
            raise anyio.EndOfStream
        return data

    async def aclose(self) -> None:
        """It stays open: it is not ours."""


@dataclass(frozen=True, slots=True)
class StandardOutput(ByteSendStream):
    """Written in a thread, whole."""

    descriptor: int = 1

    async def send(self, item: bytes) -> None:
        """Raises BrokenResourceError when nobody reads any more."""
        rest = memoryview(item)
        try:
            while rest:
                rest = rest[await to_thread.run_sync(os.write, self.descriptor, rest, abandon_on_cancel=True) :]
        except OSError as error:
            raise anyio.BrokenResourceError from error

    async def aclose(self) -> None:
        """It stays open: it is not ours."""
