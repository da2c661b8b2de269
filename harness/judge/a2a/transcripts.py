"""What an agent said in the transcripts of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...protocols.a2a.versions import V03, VERSION_HEADER
from ...transcript import Record
from ..operations import Histories, header, operations, untouched


def told(histories: Histories, version: str) -> Iterator[tuple[Any, int]]:
    """Every result and event for which a request of this version asked, with its record, out of whatever carries it:
    the envelope of JSON-RPC, or a bare body. Errors, cards and what answers a method of the other version are left
    out."""
    for history in untouched(histories):
        for operation in operations(history):
            if (operation.code or 200) >= 300 or not _asked(operation.sent, version):
                continue
            for record in operation.received:
                payload = record.data.get("message")
                if isinstance(payload, Mapping) and "skills" not in payload and "error" not in payload:
                    yield payload.get("result") if "jsonrpc" in payload else payload, record.number


def _asked(sent: Sequence[Record], version: str) -> bool:
    """Was this asked for by a request of that version, by its header and by its method?"""
    messages = (record.data.get("message") for record in sent)
    methods = [str(message["method"]) for message in messages if isinstance(message, Mapping) and "method" in message]
    spelled = all(("/" in method) == (version == V03) for method in methods)
    return spelled and header(sent, VERSION_HEADER.lower()) == version


def enveloped(histories: Histories) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Every JSON-RPC response of the agent, with its record."""
    for history in untouched(histories):
        for operation in operations(history):
            for record in operation.received:
                payload = record.data.get("message")
                if isinstance(payload, Mapping) and "jsonrpc" in payload and "method" not in payload:
                    yield payload, record.number
