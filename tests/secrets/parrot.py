"""A server that repeats everything that it was told, and a reader who knows a text in every spelling."""

from __future__ import annotations

import base64
import html
import json
import os
import re
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, quote, quote_plus, unquote, unquote_plus, urlsplit

CONFIDED = ("Authorization", "X-Api-Key", "Cookie")
"""The headers that it repeats."""

_RUN = re.compile(r"[A-Za-z0-9+/_-]{8,}")
_HEX = re.compile(r"(?:[0-9A-Fa-f]{2}){4,}")
_ESCAPE = re.compile(r"\\(?:u00([0-9a-f]{2})|.)", re.S)
_URL_SAFE = str.maketrans("-_", "+/")


def spellings(text: str) -> list[str]:
    """The text as servers are known to quote it."""
    octets = text.encode()
    percent = quote(text, safe="")
    plain = [text, json.dumps(text), json.dumps(json.dumps(text)), repr(text), html.escape(text)]
    digits = [octets.hex(), octets.hex().upper()]
    coded = [base64.b64encode(begin + octets + b"!").decode() for begin in (b"", b"a", b"ab")]
    return [*plain, percent, re.sub("%..", lambda m: m[0].lower(), percent), quote_plus(text), *digits, *coded]


def readable(text: str, wanted: Sequence[str]) -> bool:
    """Can one of the texts be read in the text?"""
    return any(each in told for told in readings(text) for each in wanted)


def readings(text: str) -> Iterator[str]:
    """The text as somebody reads it who undoes the spellings, and the escapes of the formats around them."""
    for run in _RUN.findall(text):
        for begin in range(4):
            yield _decoded(run[begin:])
    yield " ".join(bytes.fromhex(digits).decode("latin-1") for digits in _HEX.findall(text))
    for _ in range(4):
        yield from (text, unquote(text), unquote_plus(text), html.unescape(html.unescape(text)))
        text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)) if escape[1] else escape[0][1:], text)


def _decoded(coded: str) -> str:
    whole = coded[:-1] if len(coded) % 4 == 1 else coded
    return base64.b64decode(whole.translate(_URL_SAFE) + "=" * (-len(whole) % 4)).decode("latin-1")


def heard(headers: Any, path: str) -> list[str]:
    """What a request confided to a server: its path, parameters and headers, and what basic authentication hides."""
    values = [value for name, value in headers.items() if name in CONFIDED]
    tokens = [value.rpartition(" ")[2] for value in values]
    basic = [value.removeprefix("Basic ") for value in values if value.startswith("Basic ")]
    known = [base64.b64decode(coded).decode() for coded in basic]
    parameters = [value for _, value in parse_qsl(urlsplit(path).query)]
    return [path, *parameters, *values, *tokens, *known, *(text.partition(":")[2] for text in known)]


def answer(message: Any, said: str) -> dict[str, Any]:
    """What a server of MCP with one tool says to a request, with the words where a text may stand."""
    results = {
        "initialize": {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": said, "version": "1"},
            "instructions": said,
        },
        "tools/list": {"tools": [{"name": "echo", "description": said, "inputSchema": {"type": "object"}}]},
        "tools/call": {"content": [{"type": "text", "text": said}], "structuredContent": {said: [said]}},
        "ping": {said: said},
    }
    method = message.get("method")
    if method in results:
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[method]}
    error = {"code": -32601, "message": f"{method}: {said}", "data": {said: said}}
    return {"jsonrpc": "2.0", "id": message.get("id"), "error": error}


class _Parrot(BaseHTTPRequestHandler):
    """A notification is taken; what is no message is refused in plain text."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        try:
            message = json.loads(body)
            told = json.dumps(answer(message, self._said())) if "id" in message else ""
        except (ValueError, TypeError, AttributeError, RecursionError):
            self._send(400, "text/plain", self._said())
        else:
            self._send(200 if told else 202, "application/json", told)

    def do_GET(self) -> None:
        self._send(405, "text/html", self._said())

    do_DELETE = do_PUT = do_GET

    def _said(self) -> str:
        return " | ".join(spelling for text in heard(self.headers, self.path) for spelling in spellings(text))

    def _send(self, status: int, kind: str, body: str) -> None:
        told = body.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(told)))
        self.send_header("X-Heard", self._said().replace("\n", " ")[:8000])
        self.end_headers()
        self.wfile.write(told)

    def log_message(self, *words: Any) -> None:
        """It says nothing on standard error."""


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that leaves in the middle of a request is no event."""


@contextmanager
def listening() -> Iterator[str]:
    """Host and port of a parrot that speaks MCP."""
    server = _Server(("127.0.0.1", 0), _Parrot)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def confided(words: list[str]) -> list[str]:
    """What a command was told: the values of the variables and of the options that it names."""
    return [os.environ.get(word, word.partition("=")[2]) for word in words]


def main() -> None:
    """Speak over standard input and output, and repeat what the environment says."""
    said = " | ".join(spelling for text in confided(sys.argv[1:]) for spelling in spellings(text))
    for line in sys.stdin:
        try:
            message = json.loads(line)
            told = json.dumps(answer(message, said)) if "id" in message else said
        except (ValueError, TypeError, AttributeError, RecursionError):
            told = said
        for stream, text in ((sys.stdout, told), (sys.stderr, said)):
            stream.write(f"{text}\n")
            stream.flush()


if __name__ == "__main__":
    main()
