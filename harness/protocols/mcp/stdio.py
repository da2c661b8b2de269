"""stdio: one JSON-RPC message per line on a process's pipes, sorted to the exchanges they belong to."""

from __future__ import annotations

import math
import signal
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import anyio
from anyio.abc import TaskGroup

from ...pace import Pace
from ...transcript import Kind, Recorder
from ...transport.network import Process
from ...wire.json import JsonError, loads
from ...wire.lines import LineDecoder, LineTooLong
from ..carrier import Guard, Listener, end, unguarded
from ..exchange import FLOOD, NO_ID, Exchange, is_response, same_id
from ..outcome import Ending, Message
from .versions import STDIO, SUBSCRIPTION_ID

GRACE = 2.0
"""Seconds that a process gets to exit by itself before it is killed."""

MAX_OUTPUT = 64 * 1024 * 1024
"""Bytes that a process may print in one case before it is not heard any more."""

STDERR_BYTES = 16 * 1024
"""Bytes of standard error that are kept, the last ones."""

SLOWEST_READER = 256 * 1024
"""Bytes per second that a process must at least read of a long line."""


class _Flood(Exception):
    """The process prints without end."""


class StdioCarrier:
    """One process. `inbox` gets what belongs to no request; `foreign` keeps lines that are no JSON."""

    binding = STDIO

    def __init__(self, process: Process, tasks: TaskGroup, recorder: Recorder, *, patience: float = 5.0) -> None:
        self.process, self.recorder, self.patience = process, recorder, patience
        self.listener: Listener | None = None
        self.pace = Pace()
        self.guard: Guard = unguarded
        self._lane = recorder.lane()
        self.inbox = Exchange(f"stdio:0{self._lane}", NO_ID, 0, patience)
        self.foreign: list[tuple[int, str]] = []
        self.ours = False
        """True once we asked the process to end; before that its exit is the target's own doing."""
        self._count = 0
        self._lines = self._bytes = 0
        self._stderr = b""
        self._running: list[Exchange] = []
        self._writing = anyio.Lock()
        self._scope = anyio.CancelScope()
        recorder.note(Kind.PROCESS, self.inbox.operation, event="spawned", pid=process.pid)
        tasks.start_soon(self._read)

    @property
    def stderr(self) -> list[str]:
        """The last lines of standard error."""
        return self._stderr.decode("utf-8", "replace").splitlines()

    @property
    def exited(self) -> int | None:
        """The exit code, None while the process runs."""
        return self.process.returncode

    async def send(
        self, body: bytes, shown: Any, headers: Mapping[str, str | None], request_id: Any, token: Any = None
    ) -> Exchange:
        self.guard(body, shown)
        if not isinstance(shown, dict) or "method" in shown:  # what answers the target is no request of ours
            await self.pace.admit()
        exchange = self._begin(shown, request_id, token)
        await self.write(body + b"\n", exchange)
        exchange.dispatched.set()
        return exchange

    def _begin(self, shown: Any, request_id: Any, token: Any) -> Exchange:
        self._count += 1
        operation = f"stdio:{self._count}{self._lane}"
        sent = self.recorder.note(Kind.SENT, operation, verb="line", message=shown)
        exchange = Exchange(operation, request_id, sent, self.patience, begun=anyio.current_time(), token=token)
        if request_id is not NO_ID:
            self._running.append(exchange)
        return exchange

    @property
    def idle(self) -> bool:
        """Alive and heard, with every request answered: fit to be lent to another case."""
        heard = self.exited is None and self.inbox.ending is Ending.OPEN
        return heard and all(e.responses or e.ending is not Ending.OPEN for e in self._running)

    @property
    def starved(self) -> bool:
        return not self.idle

    @property
    def death(self) -> Mapping[str, Any] | None:
        if self.exited is None or self.ours:
            return None
        return {"operation": self.inbox.operation, "code": self.exited, "stderr": "\n".join(self.stderr[-20:])}

    def lend(self, recorder: Recorder) -> None:
        """Begin a new case on this process: what came before belongs to the case before."""
        self.recorder, self._lane = recorder, recorder.lane()
        self._count = self._lines = self._bytes = 0
        self._running.clear()
        self.inbox = Exchange(f"stdio:0{self._lane}", NO_ID, 0, self.patience)
        self.foreign.clear()

    async def write(self, data: bytes, exchange: Exchange | None = None) -> None:
        """Write raw bytes; a pipe that breaks, or stays full beyond the patience, ends the exchange."""
        try:
            with anyio.fail_after(self.patience + len(data) / SLOWEST_READER):
                async with self._writing:
                    await self.process.stdin.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, TimeoutError, OSError) as error:
            if exchange is not None:
                end(
                    self.recorder,
                    exchange,
                    Ending.TORN,
                    f"standard input is closed or blocked ({type(error).__name__})",
                )

    async def _read(self) -> None:
        with self._scope:
            async with anyio.create_task_group() as readers:
                readers.start_soon(self._read_stdout)
                readers.start_soon(self._read_stderr)
        self._closed(Ending.LEFT, "left by us")

    async def _read_stdout(self) -> None:
        decoder = LineDecoder()
        ending, why = Ending.CLOSED, "standard output ended"
        try:
            async for chunk in self.process.stdout:
                for line in decoder.feed(chunk):
                    self._count_line(line)
                    await self._line(line)
        except (LineTooLong, _Flood) as error:
            ending, why = Ending.TORN, str(error)
            decoder.close()
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            ending, why = Ending.TORN, "standard output broke"
        if tail := decoder.close():
            await self._line(tail)
        self._closed(ending, why)

    def _count_line(self, line: bytes) -> None:
        self._lines, self._bytes = self._lines + 1, self._bytes + len(line)
        if self._lines > FLOOD or self._bytes > MAX_OUTPUT:
            raise _Flood(f"more than {FLOOD} lines or {MAX_OUTPUT} bytes were printed in one case")

    def _closed(self, ending: Ending, why: str) -> None:
        for exchange in (*self._running, self.inbox):
            end(self.recorder, exchange, ending, why)
        self._running.clear()

    async def _read_stderr(self) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            async for chunk in self.process.stderr:
                self._stderr = (self._stderr + chunk)[-STDERR_BYTES:]

    async def _line(self, line: bytes) -> None:
        try:
            payload = loads(line)
        except JsonError:
            text = line.decode("utf-8", "replace")
            self.foreign.append((self.recorder.note(Kind.RECEIVED, self.inbox.operation, raw=text), text))
            return
        if not isinstance(payload, list):
            await self._message(payload)
            return
        record = self.recorder.note(Kind.RECEIVED, self.inbox.operation, message=payload)
        for part in payload:
            await self._message(part, record)

    async def _message(self, payload: Any, record: int = 0) -> None:
        """Hand a message to its exchange. `record`: that of the batch that it came in."""
        owner = self._owner(payload)
        record = record or self.recorder.note(Kind.RECEIVED, owner.operation, message=payload)
        message = Message(payload, record, None, anyio.current_time())
        owner.arrived(message)
        if self.listener is not None:
            await self.listener(owner, message)

    def _owner(self, payload: Any) -> Exchange:
        """The exchange that a message belongs to: by response id, progress token or subscription id."""
        owners = [exchange for exchange in self._running if _belongs(payload, exchange)]
        waiting = next((exchange for exchange in owners if not exchange.responses), None)
        return waiting or (owners[-1] if owners else self.inbox)

    async def close_stdin(self) -> int:
        """End the process's input; the record that shows it."""
        self.ours = True
        record = self.recorder.note(Kind.PROCESS, self.inbox.operation, event="stdin closed", pid=self.process.pid)
        await self.process.stdin.aclose()
        return record

    def signal(self, number: signal.Signals) -> int:
        """Send a signal; the record that shows it."""
        self.ours = True
        record = self.recorder.note(
            Kind.PROCESS, self.inbox.operation, event="signal", signal=number.name, pid=self.process.pid
        )
        self.process.send_signal(number)
        return record

    async def wait_exit(self, within: float) -> int | None:
        """The exit code, or None when the process still runs after `within` seconds."""
        with anyio.move_on_after(within):
            code = await self.process.wait()
            self.recorder.note(Kind.PROCESS, self.inbox.operation, event="exited", code=code, pid=self.process.pid)
            return code
        return None

    async def aclose(self) -> None:
        """End the process: close its input, then SIGTERM, then SIGKILL. Leaves nothing of it behind, nor its pipes."""
        with anyio.CancelScope(shield=True):
            if self.exited is None:
                await self.close_stdin()
                if await self.wait_exit(GRACE) is None:
                    self.signal(signal.SIGTERM)
                    if await self.wait_exit(GRACE / 2) is None:
                        self.signal(signal.SIGKILL)
                        await self.wait_exit(math.inf)
            self._scope.cancel()
            await self.process.aclose()


def _belongs(payload: Any, exchange: Exchange) -> bool:
    if not isinstance(payload, dict):
        return False
    if is_response(Message(payload, 0)):
        return same_id(payload.get("id"), exchange.request_id)
    params = payload.get("params")
    params = params if isinstance(params, dict) else {}
    if payload.get("method") == "notifications/progress":
        return exchange.token is not None and same_id(params.get("progressToken"), exchange.token)
    meta = params.get("_meta")
    return isinstance(meta, dict) and same_id(meta.get(SUBSCRIPTION_ID), exchange.request_id)
