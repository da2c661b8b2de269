"""Targets that cannot be judged at all: one finding, one sentence, exit code 4, and nothing hangs."""

from __future__ import annotations

import http.server
import json
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from seatrial.target import free_port
from seatrial.transport.tcp import TcpNetwork

from .conftest import Invoke

QUICK = ("--tempo", "0.1")


@contextmanager
def served(status: int, media_type: str, body: bytes, stream: bytes = b"") -> Iterator[str]:
    """An HTTP server on loopback that gives one answer to everything; to GET an event stream where there is one."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            self.answer(status, media_type, body)

        def do_GET(self) -> None:
            self.answer(200, "text/event-stream", stream) if stream else self.do_POST()

        do_DELETE = do_POST

        def answer(self, status: int, media_type: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", media_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None: ...

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def failure(invoke: Invoke, place: Path, *words: str) -> str:
    """The one finding of a run, which is told in one line and in the report, and nowhere a traceback."""
    result = invoke("run", *QUICK, "--output", "out", *words)
    assert result.exit_code == 4, result.output
    assert "Traceback" not in result.output
    report = json.loads((place / "out/report.json").read_text())
    said: str = report["summary"]["failure"]
    assert said
    assert "\n" not in said
    assert report["findings"] == []
    return said


def test_a_host_where_nobody_listens(invoke: Invoke, place: Path) -> None:
    port = free_port()
    said = failure(invoke, place, f"http://127.0.0.1:{port}/mcp")
    assert said == f"http://127.0.0.1:{port}/mcp gives no answer: nobody listens on 127.0.0.1:{port}"


def test_a_name_that_does_not_resolve(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(self: TcpNetwork, host: str, port: int) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(TcpNetwork, "connect", connect)
    assert "Name or service not known" in failure(invoke, place, "http://shop.invalid/mcp")


def test_a_server_that_does_not_speak_tls(invoke: Invoke, place: Path) -> None:
    with served(200, "text/plain", b"") as url:
        said = failure(invoke, place, url.replace("http://", "https://"))
    assert "TLS" in said or "SSL" in said


def test_a_page_of_html(invoke: Invoke, place: Path) -> None:
    with served(200, "text/html", b"<html><body>Welcome</body></html>") as url:
        assert "serves HTML (status 200), not MCP" in failure(invoke, place, url)


def test_a_server_that_wants_credentials(invoke: Invoke, place: Path) -> None:
    with served(401, "application/json", b"{}") as url:
        assert "answers 401: it wants credentials" in failure(invoke, place, url)


@pytest.mark.parametrize(("event", "known"), [(b"endpoint", True), (b"message", False)])
def test_the_transport_that_was_deprecated(invoke: Invoke, place: Path, event: bytes, known: bool) -> None:
    with served(404, "text/plain", b"", stream=b"event: " + event + b"\ndata: /messages?id=1\n\n") as url:
        said = failure(invoke, place, url)
    assert said.startswith(f"{url} speaks HTTP+SSE") is known
    assert ("Streamable HTTP endpoint" in said) is known


def test_a_command_that_does_not_exist(invoke: Invoke, place: Path) -> None:
    assert "cannot be started: No such file" in failure(invoke, place, "--", "no-such-command-anywhere")


@pytest.mark.parametrize(
    "program",
    [
        "raise SystemExit(3)",
        "print('Welcome!', flush=True); import sys; sys.stdin.read()",
        "import sys; sys.stdin.read()",
        "import sys, os; sys.stdout.buffer.write(os.urandom(4096)); sys.stdout.flush(); sys.stdin.read()",
    ],
    ids=["exits at once", "prints garbage", "never answers", "prints random bytes"],
)
def test_a_command_that_is_no_server(invoke: Invoke, place: Path, program: str) -> None:
    assert "gives no MCP answer" in failure(invoke, place, "--", sys.executable, "-c", program)


def test_a_command_that_should_listen_and_ends(invoke: Invoke, place: Path) -> None:
    command = json.dumps([sys.executable, "-c", "raise SystemExit(3)"])
    (place / "seatrial.toml").write_text(f'[target.a]\nurl = "http://127.0.0.1:{{port}}/mcp"\ncommand = {command}\n')
    assert "ended at once with code 3" in failure(invoke, place, "a")
