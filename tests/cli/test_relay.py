"""`seatrial relay` as a program: its lines, its signals, its exit codes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from seatrial.fixtures.processes import end

from .conftest import Invoke

RELAY = (sys.executable, "-m", "seatrial", "relay")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
ASKED = b"GET /mcp HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n"
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)\nsys.exit(5)"


@pytest.fixture
def url() -> Iterator[str]:
    """A server that begins an event stream on each connection, and never ends one."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        held: list[socket.socket] = []

        def serve() -> None:
            while True:
                try:
                    held.append(listening.accept()[0])
                except OSError:
                    return
                held[-1].recv(65536)
                held[-1].sendall(HEAD + b"c\r\ndata: ahoy\n\n\r\n")

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        listening.shutdown(socket.SHUT_RDWR)
    for each in held:
        each.close()


@contextmanager
def relaying(*words: str, folder: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The program and the port where it listens."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [*RELAY, *words], stdout=subprocess.PIPE, text=True, cwd=folder, env=environment, start_new_session=True
    )
    try:
        assert process.stdout
        first = process.stdout.readline()
        yield process, int(first.split("/mcp ")[0].rpartition(":")[2])
    finally:
        end(process)  # type: ignore[arg-type]


def streaming(port: int) -> socket.socket:
    """A client in the middle of a stream."""
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(ASKED)
    received = b""
    while b"ahoy" not in received:
        received += client.recv(65536)
    return client


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_a_signal_ends_open_streams_and_leaves_the_transcript(
    url: str, place: Path, number: signal.Signals, code: int
) -> None:
    with relaying(url, "--transcript", "kept.jsonl", folder=place) as (process, port), streaming(port) as client:
        process.send_signal(number)
        while client.recv(65536):
            pass
        assert process.wait(20) == code
        kinds = [json.loads(line)["kind"] for line in (place / "kept.jsonl").read_text().splitlines()]
        assert kinds == ["note", "sent", "status", "event", "end"]


def test_a_plan_is_read_again_at_sighup_and_when_its_file_changes(url: str, place: Path) -> None:
    (place / "plan.txt").write_text("latency()")
    with relaying(url, "--faults", "plan.txt", "--quiet", folder=place) as (process, _):
        assert process.stdout
        process.send_signal(signal.SIGHUP)
        assert process.stdout.readline() == "the plan was read again: latency()\n"
        (place / "plan.txt").write_text("cot()")
        assert "the old plan stays: plan.txt: line 1: unknown fault 'cot'" in process.stdout.readline()
        (place / "plan.txt").write_text("cut()")
        assert process.stdout.readline() == "the plan was read again: cut()\n"


def test_exchanges_and_firings_are_shown(url: str, place: Path) -> None:
    with (
        relaying(url, "--faults", 'status(on="GET", code=503)', folder=place) as (process, port),
        socket.create_connection(("127.0.0.1", port), timeout=20) as client,
    ):
        client.sendall(ASKED)
        assert client.recv(65536).startswith(b"HTTP/1.1 503 ")
        assert process.stdout
        assert process.stdout.readline().endswith('  fired status(on="GET")\n')
        assert process.stdout.readline().startswith("get:1  GET /mcp  503")


def test_a_log_that_nobody_reads_stops_nothing(url: str, place: Path) -> None:
    with relaying(url, folder=place) as (process, port):
        assert process.stdout
        process.stdout.close()
        for _ in range(3):
            streaming(port).close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_over_pipes_a_process_is_heard_and_its_code_is_ours(place: Path) -> None:
    words = [*RELAY, "--faults", "pipe_split(times=0)", "--", sys.executable, "-c", ECHO]
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n"
    ended = subprocess.run(words, input=line * 3, capture_output=True, text=True, timeout=60, check=False, cwd=place)
    assert (ended.stdout, ended.returncode) == (line * 3, 5)
    assert "client  ping 1" in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the URL of a server, or its command after --, and not both"),
        (["http://127.0.0.1:9/", "--", "true"], "and not both"),
        (["--"], "there is no command after --"),
        (["127.0.0.1:9"], "the URL must be an address such as http://"),
        (["http://me:secret@127.0.0.1:9/"], "the URL holds a password"),
        (["http://127.0.0.1:9/", "--listen", "9000"], "write it as HOST:PORT"),
        (["http://127.0.0.1:9/", "--listen", "127.0.0.1:99999"], "write it as HOST:PORT"),
        (["http://127.0.0.1:9/", "--listen", "192.0.2.1:9000"], "nobody can listen there"),
        (["http://127.0.0.1:9/", "--faults", "cot()"], "--faults: line 1: unknown fault 'cot'"),
        (["http://127.0.0.1:9/", "--faults", "sigkill()"], "--faults: sigkill() has no place in HTTP"),
        (["--faults", 'drop_response(on="x")', "--", "true"], "has no place on pipes"),
        (["--", "./nosuch"], "the command './nosuch' cannot be started"),
        (["http://127.0.0.1:9/", "--transcript", "/dev/null/t"], "the transcript cannot be written to"),
    ],
)
def test_bad_input_is_one_sentence_and_code_2(invoke: Invoke, words: list[str], said: str) -> None:
    refused = invoke("relay", *words)
    assert (refused.exit_code, refused.output.count("\n")) == (2, 1)
    assert said in refused.output
