"""Two tool calls with the official Python client, in an environment of its own: `sdk_client.py URL | -- COMMAND...`

Prints one JSON line: how the call ended, what was said then, and how a second call ended. Ends are result, error,
waiting, and lost: the whole session broke.
"""

# mypy: ignore-errors

import json
import sys
from contextlib import AbstractAsyncContextManager
from typing import Any

import anyio
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

PATIENCE = 5.0


def way(words: list[str]) -> AbstractAsyncContextManager[Any]:
    if words[0] == "--":
        return stdio_client(StdioServerParameters(command=words[1], args=words[2:]))
    return streamable_http_client(words[0])


async def called(session: ClientSession) -> tuple[str, str]:
    with anyio.move_on_after(PATIENCE):
        try:
            result = await session.call_tool("echo", {"text": "ahoy"})
        except Exception as error:
            return "error", f"{type(error).__name__}: {error}"
        return "error" if getattr(result, "isError", False) else "result", result.content[0].text
    return "waiting", ""


async def main() -> None:
    async with way(sys.argv[1:]) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        outcome, said = await called(session)
        again, _ = await called(session)
        tell(outcome, said, again)


def tell(outcome: str, said: str, again: str) -> None:
    sys.stdout.write(json.dumps({"outcome": outcome, "said": said, "again": again}) + "\n")


def leaf(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


try:
    anyio.run(main)
except BaseException as error:
    tell("lost", type(leaf(error)).__name__, "lost")
