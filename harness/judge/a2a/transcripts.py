"""What an agent said in the transcripts of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ...protocols.a2a.versions import VERSION_HEADER
from ..operations import Histories, header, operations, untouched


def told(histories: Histories, version: str) -> Iterator[tuple[Any, int]]:
    """Every result and event for which a request of this version asked, with its record, out of whatever carries it:
    the envelope of JSON-RPC, or a bare body. Errors and cards are left out."""
    for history in untouched(histories):
        for operation in operations(history):
            if (operation.code or 200) >= 300 or header(operation.sent, VERSION_HEADER.lower()) != version:
                continue
            for record in operation.received:
                payload = record.data.get("message")
                if isinstance(payload, Mapping) and "skills" not in payload and "error" not in payload:
                    yield payload.get("result") if "jsonrpc" in payload else payload, record.number


def enveloped(histories: Histories) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Every JSON-RPC response of the agent, with its record."""
    for history in untouched(histories):
        for operation in operations(history):
            for record in operation.received:
                payload = record.data.get("message")
                if isinstance(payload, Mapping) and "jsonrpc" in payload and "method" not in payload:
                    yield payload, record.number
