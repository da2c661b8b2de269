"""What `init` believes after it has tried something once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from seatrial.cli.init.adviser import called
from seatrial.cli.init.choice import choices
from seatrial.cli.init.coverage import coverage
from seatrial.cli.init.draft import document
from seatrial.cli.init.proposal import Effects, Proposal
from seatrial.cli.init.rehearsal import Sight, fits
from seatrial.cli.init.survey import Survey, survey
from seatrial.config import TargetConfig, parse
from seatrial.document import Document
from seatrial.fixtures.agent import Agent
from seatrial.fixtures.agent.cards import Cards
from seatrial.fixtures.agent.target import simulated as simulated_agent
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Reference, Tools
from seatrial.fixtures.reference.calls import Call
from seatrial.fixtures.reference.part import Message
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.reference.tools import Arguments, Tool
from seatrial.fixtures.serving import ReferenceServer, SimulatedTarget
from seatrial.model import Role
from seatrial.protocols.mcp.versions import MODERN
from seatrial.stimuli import Stimulus
from seatrial.target import RealTarget
from trio.testing import MockClock

from tests.abroad import HOST, Abroad


def surveyed(target: SimulatedTarget, bold: bool = True) -> Survey:
    """In virtual time."""
    clock = MockClock(autojump_threshold=0)
    return anyio.run(survey, target, bold, backend="trio", backend_options={"clock": clock})


def played(target: SimulatedTarget, bold: bool = True) -> dict[str, str]:
    """What is believed after a trial, by role."""
    return {
        role.value: choice.stimulus.name for role, choice in choices(surveyed(target, bold)).items() if choice.sight
    }


def test_each_role_is_seen_to_be_played() -> None:
    found = played(simulated())
    assert found.items() >= {
        ("echo", "echo"),
        ("slow", "slow"),
        ("progress", "progress"),
        ("logs", "logs"),
        ("failing", "fail"),
        ("crash", "crash"),
        ("elicit", "ask"),
        ("elicit-url", "ask_url"),
        ("sampling", "summarize"),
        ("roots", "whereabouts"),
        ("mutate-tools", "mutate_tools"),
        ("x-mcp-header", "region"),
        ("prompt", "greet"),
        ("witness", "probe"),
    }


class Idle(Tools):
    """Says that it works, fails, logs and asks, and only says so."""

    async def outcome(self, call: Call, tool: Tool, arguments: Arguments) -> Message:
        return self.succeeded(call, tool, "done")


def test_what_only_looks_so_is_not_believed() -> None:
    found = choices(surveyed(simulated(build_of(Idle))))
    roles = {role.value for role, choice in found.items() if choice.active}
    seen = {"echo", "slow", "progress", "logs", "failing", "crash", "elicit", "elicit-url", "sampling", "roots"}
    assert not roles & {*seen, "mutate-tools"}


SCHEMAS: tuple[Any, ...] = (
    7,
    {"properties": [1], "required": {"text": 1}},
    {"properties": {"text": 7, "seconds": {"type": ["number", 3], "default": 1e308}}, "required": ["seconds", 3, None]},
    {"properties": {"text": {"type": "string", "default": "x" * 10**6}, "n": {"minimum": "x"}}, "required": ["text"]},
    {"properties": {"\r\n": {"enum": [], "examples": 7, "description": []}}, "required": ["\r\n"]},
)


class Hostile(Tools):
    """Its tools have names and schemas that nothing was made for."""

    async def list(self, call: Call) -> Message:
        names = ("echo\x1b[31m", "slow" * 1000, "fail", "ask", "\ud800")
        common = {"annotations": {"readOnlyHint": True}, "outputSchema": 7, "execution": 3, "description": ["x"]}
        tools = [
            common | {"name": f"{name} {number}", "inputSchema": schema}
            for name in names
            for number, schema in enumerate(SCHEMAS)
        ]
        return {"tools": [None, 7, "x", {"name": 7}, *tools, {"name": "bare", "annotations": 7}]}


def test_a_hostile_offer_is_written_down_and_no_more(place: Path) -> None:
    target, found = TargetConfig(name="t", url="http://127.0.0.1/"), surveyed(simulated(build_of(Hostile)))
    assert len(found.items["tools"]) == 26
    covered = coverage((), found.claims, target, {})
    text = "\n".join(document(target, found, choices(found), covered))
    assert len(text) < 50_000
    assert text.isprintable() or set(filter(lambda c: not c.isprintable(), text)) == {"\n"}
    assert parse(Document("s.toml", text))["t"].stimuli
    assert all(called(choice.stimulus).isprintable() for choice in choices(found).values())


class Older(Tools):
    """Asks its client in the older way only."""

    async def outcome(self, call: Call, tool: Tool, arguments: Arguments) -> Message:
        if call.version >= MODERN and tool.name == "ask":
            return self.failed("this client cannot be asked")
        return await super().outcome(call, tool, arguments)


def test_what_works_in_the_older_era_alone_is_seen_there() -> None:
    assert surveyed(simulated(build_of(Older))).newest[0] >= MODERN
    assert played(simulated(build_of(Older)))["elicit"] == "ask"


class Told(Cards):
    """Its card says what a user may say."""

    def skills(self) -> list[dict[str, Any]]:
        return [skill | {"examples": ["ask 1", "fail 1", 7, " "]} for skill in super().skills()]


def test_an_example_of_a_card_plays_the_role_of_its_end() -> None:
    found = played(simulated_agent(build_of(Told)))
    assert found == {"echo": "hello {text}", "ask": "ask 1", "fail": "fail 1"}


def test_an_example_of_a_card_is_not_tried_unasked() -> None:
    assert played(simulated_agent(build_of(Told)), bold=False) == {"echo": "hello {text}"}
    assert surveyed(simulated_agent(Agent), bold=False).name == "Reference agent"


@pytest.mark.parametrize(
    ("seconds", "fitting"), [(0.1, False), (1.3, False), (1.5, True), (2.0, True), (6.9, True), (7.5, False)]
)
def test_slow_is_what_takes_about_as_long_as_it_is_asked_to(seconds: float, fitting: bool) -> None:
    proposal = Proposal(Stimulus(role=Role.SLOW, verb="tool", name="slow", arguments={"s": "{seconds}"}), Effects.NONE)
    assert fits(proposal, Sight(seconds, True, False, "done")) == fitting
    assert not fits(proposal, Sight(seconds, True, True, "failed"))


def abroad(server: type[ReferenceServer], bold: bool) -> dict[str, str]:
    """What is believed of a server that is somebody else's; it must have been seen to be played."""
    network = Abroad()

    async def visit() -> Survey:
        async with anyio.create_task_group() as tasks:
            moored = server(tasks)
            moored.host, moored.network = HOST, network
            listener = await network.listen(HOST)
            moored.url = f"http://{HOST}:{listener.port}{moored.path}"
            tasks.start_soon(listener.serve, moored.serve_connection, tasks)
            found = await survey(RealTarget(TargetConfig(name="vendor", url=moored.url), network), bold)
            tasks.cancel_scope.cancel()
        return found

    found = anyio.run(visit, backend="trio", backend_options={"clock": MockClock(autojump_threshold=0)})
    return {role.value: choice.stimulus.name for role, choice in choices(found).items() if choice.sight}


@pytest.mark.parametrize("bold", [False, True])
def test_on_a_server_elsewhere_only_what_reads_is_tried_unless_somebody_says_so(bold: bool) -> None:
    tools = abroad(Reference, bold)
    assert {"echo", "slow", "failing"} <= tools.keys()
    assert ("mutate-tools" in tools) == bold
    assert abroad(Agent, bold) == ({"echo": "hello {text}"} if bold else {})
