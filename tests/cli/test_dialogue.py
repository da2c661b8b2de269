"""`seatrial init` at a terminal: Enter takes what was found, and a person can change, try or skip it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import ClassVar, Protocol

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main
from seatrial.config import load
from seatrial.fixtures import agent, front
from seatrial.fixtures.agent.target import simulated as simulated_agent
from seatrial.fixtures.front.target import simulated as simulated_front
from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Tools
from seatrial.fixtures.reference.calls import Call
from seatrial.fixtures.reference.part import Message
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import SimulatedTarget
from seatrial.model import Check, Role, Suite
from seatrial.protocols import driver_of
from seatrial.stimuli import Stimulus

from .conftest import ROW, _body

URL = "http://127.0.0.1:9/mcp"
ENTER = ""


class Spied(Tools):
    """Remembers which tools were called."""

    called: ClassVar[list[str]] = []

    async def call(self, call: Call) -> Message:
        self.called.append(str(call.params.get("name")))
        return await super().call(call)


def needing(protocol: str, *roles: Role) -> Suite:
    """A catalogue of one check for each of some roles: `init` asks for those, in the order of the roles."""
    known = driver_of(protocol)
    row = replace(ROW, protocol=protocol, versions=known.versions, bindings=known.bindings(True))
    checks = (Check(f"need.{role.value}", "It needs it.", (row.id,), _body, frozenset({role})) for role in roles)
    return Suite("needs", tuple(checks), (row,))


class Talk(Protocol):
    def __call__(
        self, *answers: str, roles: tuple[Role, ...] = (Role.SLOW,), target: SimulatedTarget | None = None
    ) -> Result: ...


@pytest.fixture
def talk(monkeypatch: pytest.MonkeyPatch) -> Iterator[Talk]:
    """Run `init` against a simulated target, whose answers are typed at a terminal."""

    def run(*answers: str, roles: tuple[Role, ...] = (Role.SLOW,), target: SimulatedTarget | None = None) -> Result:
        found = target or simulated(build_of(Spied))
        suite = needing(found.protocol, *roles)
        monkeypatch.setattr("seatrial.cli.init.introduction.attach", lambda config: found)
        monkeypatch.setattr("seatrial.cli.init.attended", lambda: True)
        monkeypatch.setattr("seatrial.cli.catalogue.load_suites", lambda extra: (suite,))
        return CliRunner().invoke(main, ["init", URL], input="".join(f"{answer}\n" for answer in answers))

    yield run
    Spied.called.clear()


def written(place: Path) -> dict[str, Stimulus]:
    (target,) = load(place / "seatrial.toml", {}).values()
    return dict(target.stimuli)


def test_enter_at_every_question_writes_what_yes_writes(talk: Talk, place: Path) -> None:
    roles = (Role.SLOW, Role.MUTATE_TOOLS, Role.WITNESS)
    assert talk(*[ENTER] * 5, roles=roles).exit_code == 0
    asked = (place / "seatrial.toml").read_text()
    result = CliRunner().invoke(main, ["init", "--yes", "--force", URL])
    assert (result.exit_code, (place / "seatrial.toml").read_text()) == (0, asked)
    assert written(place)["slow"].name == "slow"


def test_what_may_have_effects_is_not_called_unasked(talk: Talk, place: Path) -> None:
    assert talk(*[ENTER] * 3, roles=(Role.MUTATE_TOOLS,)).exit_code == 0
    assert "echo" in Spied.called
    assert "mutate_tools" not in Spied.called
    assert "mutate-tools" not in written(place)
    assert re.search(r'^# mutate-tools += { tool = "mutate_tools" }', (place / "seatrial.toml").read_text(), re.M)


def test_what_may_have_effects_is_called_when_a_person_says_so(talk: Talk, place: Path) -> None:
    result = talk("y", ENTER, ENTER, roles=(Role.MUTATE_TOOLS,))
    assert "mutate_tools" in Spied.called
    assert "mutate_tools()   may have effects, tried" in result.output
    assert written(place)["mutate-tools"].name == "mutate_tools"


def test_one_thing_with_effects_is_tried_after_a_question(talk: Talk, place: Path) -> None:
    result = talk(ENTER, ENTER, "t", "n", ENTER, roles=(Role.MUTATE_RESOURCE,))
    assert "It may have effects. Call it once now?" in result.output
    assert "mutate_note" not in Spied.called
    result = talk("y", ENTER, ENTER, "t", "y", "k", roles=(Role.MUTATE_RESOURCE,))  # the first y overwrites
    assert Spied.called.count("mutate_note") == 1
    assert "That fits." in result.output


def test_a_trial_shows_what_came_back_and_how_long_it_took(talk: Talk) -> None:
    result = talk(ENTER, ENTER, "t", ENTER)
    assert "After 2.0 s: " in result.output
    assert result.exit_code == 0


def test_a_role_can_be_skipped(talk: Talk, place: Path) -> None:
    assert talk(ENTER, ENTER, ENTER, "s", roles=(Role.ECHO, Role.SLOW)).exit_code == 0
    assert "slow" not in written(place)
    assert "echo" in written(place)


def test_a_proposal_can_be_changed_and_a_mistake_is_told(talk: Talk, place: Path) -> None:
    good = 'tool nightly {"key": "{key}"}'
    result = talk(ENTER, ENTER, "c", "nightly", 'tool nightly {"key"', good, ENTER)
    assert "slow must begin with one of tool, prompt_name, resource" in result.output
    assert "slow has arguments that are not JSON" in result.output
    assert (written(place)["slow"].name, written(place)["slow"].arguments) == ("nightly", {"key": "{key}"})


def test_all_asks_no_more(talk: Talk, place: Path) -> None:
    assert talk(ENTER, ENTER, "a", roles=(Role.SLOW, Role.ECHO, Role.PROGRESS)).exit_code == 0
    assert written(place).keys() >= {"slow", "echo", "progress"}


def test_the_name_is_the_one_that_is_typed(talk: Talk, place: Path) -> None:
    assert talk(ENTER, "my shop", ENTER).exit_code == 0
    assert list(load(place / "seatrial.toml", {})) == ["my-shop"]


@pytest.mark.parametrize("answers", [(), (ENTER, ENTER)])
def test_who_leaves_in_the_middle_writes_nothing(talk: Talk, place: Path, answers: tuple[str, ...]) -> None:
    result = talk(*answers)
    assert result.exit_code == 130
    assert result.stderr.endswith("Stopped; nothing was written.\n")
    assert not (place / "seatrial.toml").exists()


@pytest.mark.parametrize(("answer", "code", "kept"), [("n", 2, True), ("y", 0, False)])
def test_a_file_is_overwritten_only_after_a_question(
    talk: Talk, place: Path, answer: str, code: int, kept: bool
) -> None:
    (place / "seatrial.toml").write_text("# mine\n")
    assert talk(answer, ENTER, ENTER, ENTER).exit_code == code
    assert ((place / "seatrial.toml").read_text() == "# mine\n") == kept


def test_the_words_for_an_agent_are_typed_as_they_are(talk: Talk, place: Path) -> None:
    roles = (Role.HOLD, Role.ASK, Role.WITNESS)
    words = ("hold {key} {seconds}", ENTER, ENTER, "get /witness/{key}", ENTER)
    result = talk(ENTER, *words, roles=roles, target=simulated_agent(agent.Agent))
    assert result.exit_code == 0, result.output
    found = written(place)
    assert (found["hold"].verb, found["hold"].name) == ("text", "hold {key} {seconds}")
    assert (found["witness"].verb, found["witness"].name) == ("get", "/witness/{key}")
    assert "ask" not in found


def test_a_prompt_for_an_endpoint_of_agui_is_tried(talk: Talk, place: Path) -> None:
    answers = (ENTER, ENTER, "slow {seconds} {key}", "t", "y", ENTER)
    result = talk(*answers, roles=(Role.CHAT, Role.SLOW), target=simulated_front(front.Front))
    assert "After 2.0 s" in result.output, result.output
    assert written(place)["slow"].name == "slow {seconds} {key}"
