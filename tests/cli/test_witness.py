"""`seatrial witness llm`, as a shell starts it."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.request import Request, urlopen

from .conftest import Invoke


@contextmanager
def witness(*words: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, str]]]:
    command = [sys.executable, "-m", "seatrial", "witness", "llm", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            process.kill()


def fetched(url: str, body: Any = None) -> bytes:
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, {"Content-Type": "application/json"}), timeout=20) as response:
        return bytes(response.read())


def test_it_serves_until_it_is_told_to_end() -> None:
    with witness("--gap", "0.01") as (process, addresses):
        body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "slow 3 0.01 k1"}]}
        streamed = fetched(f"{addresses['url']}/chat/completions", body)
        seen = json.loads(fetched(addresses["ledger"].replace("{key}", "k1")))
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
    assert streamed.endswith(b"data: [DONE]\n\n")
    assert seen == ["model start", "chunk 1", "chunk 2", "chunk 3", "model done"]


def test_a_port_in_use_is_one_sentence(invoke: Invoke) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = invoke("witness", "llm", "--port", str(port))
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: --port {port}: cannot listen there: ")
    assert result.stderr.count("\n") == 1
