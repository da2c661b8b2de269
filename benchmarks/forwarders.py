"""What a forwarder without faults costs, beside a direct connection and a plain forwarder, socat.

    python -m benchmarks.forwarders [--write FILE]

Every way leads to one server on loopback. Latency: requests on one connection each, the ways in turn; throughput: the
best of some large bodies; streams: that many at once through the relay, each with ten events in ten seconds.
"""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import anyio
from seatrial import free_port
from seatrial.fixtures.environments import SetupError
from seatrial.fixtures.pages import insert
from seatrial.fixtures.processes import await_port, running
from seatrial.transport.tcp import TcpNetwork

from .forwarding import EVENTS, GAP, LARGE

ROUNDS, REQUESTS, BODIES, STREAMS = 20, 100, 5, 1000
DIRECT = "directly"


@contextmanager
def ways(place: Path) -> Iterator[dict[str, tuple[int, int]]]:
    """The port of each way to the server, and the process behind it."""
    if not shutil.which("socat"):
        raise SetupError("socat is not installed; Debian has it in the package of that name")
    found: dict[str, tuple[int, int]] = {}
    with ExitStack() as stack:
        for name in (DIRECT, "through socat", "through an empty Link", "through an empty Relay"):
            port, log = free_port(), place / f"{len(found)}.log"
            argv = _argv(name, port, found[DIRECT][0] if found else 0)
            process = stack.enter_context(running(argv, log=log))
            await_port(process, port, log)
            found[name] = (port, process.pid)
        yield found


def _argv(name: str, port: int, to: int) -> list[str]:
    if name == "through socat":
        listen = f"TCP-LISTEN:{port},bind=127.0.0.1,reuseaddr,fork,nodelay"
        return ["socat", listen, f"TCP:127.0.0.1:{to},nodelay"]
    what = "origin" if name == DIRECT else name.split()[-1].lower()
    return [sys.executable, "-m", "benchmarks.forwarding", what, str(port), str(to)]


def latencies(ports: Mapping[str, int]) -> dict[str, float]:
    """Milliseconds of a small request, the median, by way."""
    took: dict[str, list[float]] = {name: [] for name in ports}
    with ExitStack() as stack:
        clients = {name: stack.enter_context(_connected(port)) for name, port in ports.items()}
        for _ in range(ROUNDS):
            for name, client in clients.items():
                took[name] += [_asked(client, b"/small", 100) for _ in range(REQUESTS)]
    return {name: 1000 * statistics.median(times[REQUESTS:]) for name, times in took.items()}


def throughputs(ports: Mapping[str, int]) -> dict[str, float]:
    """MiB a second of a large body, the best, by way."""
    best: dict[str, float] = {}
    for name, port in ports.items():
        with _connected(port) as client:
            best[name] = LARGE / 2**20 / min(_asked(client, b"/large", LARGE) for _ in range(BODIES))
    return best


@contextmanager
def _connected(port: int) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", port)) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield client


def _asked(client: socket.socket, path: bytes, size: int) -> float:
    """Seconds until the whole answer is there. `size`: bytes of its body."""
    begun, head = time.perf_counter(), b""
    client.sendall(b"GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n" % path)
    while b"\r\n\r\n" not in head:
        head += client.recv(65536)
    rest = size - len(head.partition(b"\r\n\r\n")[2])
    while rest:
        rest -= len(client.recv(min(rest, 1024 * 1024)))
    return time.perf_counter() - begun


async def streamed(port: int) -> float:
    """Seconds until all of the streams have ended, which begin together."""
    network, begun = TcpNetwork(), time.perf_counter()
    async with anyio.create_task_group() as tasks:
        for _ in range(STREAMS):
            tasks.start_soon(_followed, network, port)
    return time.perf_counter() - begun


async def _followed(network: TcpNetwork, port: int) -> None:
    async with await network.connect("127.0.0.1", port) as client:
        await client.send(b"GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        events = 0
        while events < EVENTS:
            events += (await client.receive()).count(b"data: ")


def peak(pid: int) -> float:
    """The largest resident set of a process so far, in MiB."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def figures(place: Path) -> list[str]:
    """A Markdown table."""
    load = os.getloadavg()[0]
    with ways(place) as found:
        ports = {name: port for name, (port, _) in found.items()}
        delays, rates = latencies(ports), throughputs(ports)
        port, pid = found["through an empty Relay"]
        before = peak(pid)
        bare, relayed = (anyio.run(streamed, each, backend="trio") for each in (ports[DIRECT], port))
        grown = peak(pid) - before
    rows = [
        f"| {name} | {delays[name]:.2f} ms | {delays[name] - delays[DIRECT]:.2f} ms | {rates[name]:.0f} MiB/s |"
        for name in ports
    ]
    streams = f"{STREAMS} streams of {EVENTS * GAP:.0f} s at once: {bare:.1f} s directly, {relayed:.1f} s through one"
    return [
        "| way | small request, median | added | body of 64 MiB |",
        *("|---|---|---|---|", *rows, ""),
        f"{streams} Relay, whose peak memory grew by {grown:.0f} MiB ({1024 * grown / STREAMS:.0f} KiB a stream).",
        f"Load of the machine before: {load:.1f} on {os.cpu_count()} cores.",
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.forwarders", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--write", type=Path, metavar="FILE", help="a Markdown page to put the table into")
    options = parser.parse_args()
    try:
        with TemporaryDirectory(prefix="seatrial-bench-") as place:
            text = "\n".join(figures(Path(place)))
        sys.stdout.write(text + "\n")
        if options.write:
            insert(options.write, text, "figures of forwarding")
    except (SetupError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
