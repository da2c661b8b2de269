"""The agent as a target, as a process, and as what mutants are made of."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from seatrial.fixtures.agent import Agent, Executor
from seatrial.fixtures.agent.stimuli import IDENTITIES, STIMULI
from seatrial.fixtures.agent.target import simulated
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference.__main__ import broken, intact

from .client import Talker, meeting, virtual


class Leaky(Executor):
    def failure_text(self, error: Exception) -> str:
        return str(error)


@virtual
async def test_a_simulated_agent_wants_a_token_and_shares_its_ledger_with_its_replicas() -> None:
    target = simulated()
    async with target.open(), target.server() as one, target.server() as other:
        first, second = [
            Talker(target.network, urlsplit(server.url).port or 0, dict(IDENTITIES["first"])) for server in (one, other)
        ]
        await first.say(STIMULI["ticks"].fill(count=1, key="shared").name)
        assert await second.witness("shared") == ["execute", "tick 1", "done"]
        second.session = {}
        assert "error" in await second.call("ListTasks")


@virtual
@pytest.mark.parametrize("role", sorted(STIMULI.keys() - {"witness", "store-down", "invalid-response"}))
async def test_every_role_is_played(role: str) -> None:
    async with meeting() as m:
        said = await m.talker.start_task(STIMULI[role].fill(seconds=0.2).name)
        assert ("parts" in said) == (role == "message")


@virtual
async def test_a_part_can_be_replaced() -> None:
    async with meeting(build_of(Leaky)) as m:
        assert "7f3a" in str(await m.talker.say("raise"))


def test_the_command_knows_every_bundled_server_and_whose_a_mutant_is() -> None:
    assert intact("a2a") is Agent
    with pytest.raises(SystemExit, match="is a mutant of the mcp server, not of the a2a one"):
        broken("cancel.ignored", "a2a")
    with pytest.raises(SystemExit, match="there is no mutant"):
        broken("cancel.ignord", "mcp")
