"""docs/relay.md: its plans have a place, and its log is what its plan gives."""

from __future__ import annotations

import re
from pathlib import Path

import anyio
import pytest
from seatrial.faults import parse, parse_plan
from seatrial.faults.profile import Profile, read_profile
from seatrial.gateway import BINDING, PIPES, mounted
from seatrial.relay.message import Request
from seatrial.transport.sim import SimNetwork

from tests.clock import virtual
from tests.faults.harbour import call, plain
from tests.gateway.passage import passage

from .pages import ROOT, blocks, commands, rows

PAGE = ROOT / "docs/relay.md"
(PLAN,) = map(parse_plan, blocks(PAGE, "python"))
(LOG,) = blocks(PAGE, "text")
MEASURED = re.compile(r"\d+ bytes|[\d.]+ s\b")
"""What depends on the server."""


@pytest.mark.parametrize("fault", [row[0] for row in rows(PAGE, "try")])
def test_what_is_to_be_tried_has_a_place_in_http(fault: str) -> None:
    assert mounted(Profile("mine", (parse(fault),)), BINDING)


def test_every_plan_of_a_command_has_a_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rough.txt").write_text("\n".join(blocks(PAGE, "python")))
    planned = [words for words in commands(PAGE) if "--faults" in words]
    assert len(planned) == 3
    for words in planned:
        profile = read_profile(words[words.index("--faults") + 1])
        assert mounted(profile, PIPES if "--" in words else BINDING)


@virtual
async def test_the_log_is_what_the_plan_gives() -> None:
    def answers(message: Request) -> list[bytes]:
        return plain(b'{"jsonrpc":"2.0","id":1,"result":{}}')

    async with passage(SimNetwork(), *PLAN, scripts=[answers]) as sea:
        for method in ("initialize", "tools/call", "tools/call"):
            await (await sea.client()).ask(call(method))
            await anyio.sleep(1)
        shown = [MEASURED.sub("N", str(event)) for event in sea.told]
        assert shown == [MEASURED.sub("N", line) for line in LOG.splitlines()]
