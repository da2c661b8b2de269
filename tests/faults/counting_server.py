"""counting_server.py PORT FOLDER: the counting server as a program of the standard library alone."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

SAVED = Path(sys.argv[2]) / sys.argv[1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    count = int(SAVED.read_text()) if SAVED.exists() else 0

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        Handler.count += 1
        now = time.time() + float(os.environ["SEATRIAL_CLOCK_SKEW"])
        told = {"jsonrpc": "2.0", "id": asked["id"], "pid": os.getpid(), "count": Handler.count, "now": now}
        if asked["method"] == "stream":
            self.stream(told)
        else:
            self.answer(json.dumps(told).encode())

    def answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, told: dict[str, Any]) -> None:
        """Five events, a twentieth of a second apart."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for number in range(5):
            self.wfile.write(f"data: {json.dumps({**told, 'number': number})}\n\n".encode())
            time.sleep(0.05)

    def log_message(self, format: str, *args: object) -> None: ...


def save(number: int, frame: object) -> None:
    SAVED.write_text(str(Handler.count))
    os._exit(0)


signal.signal(signal.SIGTERM, save)
SAVED.unlink(missing_ok=True)
ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
