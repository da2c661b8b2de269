"""Real processes, each the leader of its own process group."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import anyio
from anyio.abc import ByteReceiveStream, ByteSendStream
from anyio.abc import Process as AnyioProcess

from .network import Process


@dataclass(slots=True)
class OsProcess:
    """A child on three pipes; signals go to its whole group, since launchers (npx, uvx) leave grandchildren."""

    stdin: ByteSendStream
    stdout: ByteReceiveStream
    stderr: ByteReceiveStream
    pid: int
    _process: AnyioProcess

    @property
    def returncode(self) -> int | None:
        return self._process.returncode

    def send_signal(self, number: int) -> None:
        """Does nothing when no process of the group is left."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, number)

    async def wait(self) -> int:
        return await self._process.wait()

    async def aclose(self) -> None:
        self.send_signal(signal.SIGKILL)
        with anyio.CancelScope(shield=True):
            await self._process.wait()
            for stream in (self.stdin, self.stdout, self.stderr):
                await stream.aclose()


@dataclass(frozen=True, slots=True)
class OsSpawner:
    """Starts programs of this machine."""

    async def spawn(self, command: Sequence[str], env: Mapping[str, str] | None = None) -> Process:
        """`env` is laid over the environment of this process. Raises OSError when the command cannot be started."""
        process = await anyio.open_process(list(command), env={**os.environ, **(env or {})}, start_new_session=True)
        assert process.stdin and process.stdout and process.stderr
        return OsProcess(process.stdin, process.stdout, process.stderr, process.pid, process)
