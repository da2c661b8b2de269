"""`seatrial init`: a configuration that can be read again, whatever the target calls its things."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from seatrial.cli.init.choice import choices
from seatrial.cli.init.coverage import coverage
from seatrial.cli.init.draft import document
from seatrial.cli.init.notation import toml
from seatrial.cli.init.survey import Survey, survey
from seatrial.config import TargetConfig, load, parse
from seatrial.document import Document
from seatrial.engine import Unreachable
from seatrial.fixtures.agent import target as agent
from seatrial.fixtures.front import target as front
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import SimulatedTarget
from trio.testing import MockClock

from .conftest import Invoke

URL = "http://127.0.0.1:9/mcp"


hostile = st.text() | st.just('"]\n[x]\r\x00\x1b\x7f')


@given(name=hostile, about=hostile, parameter=hostile, default=hostile | st.integers() | st.none())
def test_whatever_a_target_says_the_file_can_be_read(name: str, about: str, parameter: str, default: Any) -> None:
    found = Survey("mcp", [("2025-06-18", "stdio")])
    schema = {"properties": {parameter: {"default": default}}, "required": [parameter]}
    item = {"name": name, "description": about, "inputSchema": schema, "outputSchema": {}}
    found.items["tools"][name] = item
    found.items["prompts"][name] = {"name": name, "arguments": [{"name": parameter, "required": True}]}
    found.items["resources"][name] = {"uri": name}
    target = TargetConfig(name="t", url=URL)
    text = "\n".join(document(target, found, choices(found), coverage((), found.claims, target, {})))
    stimuli = parse(Document("s.toml", text))["t"].stimuli
    assert stimuli["prompt"].name == name
    assert stimuli["resource"].name == name


@pytest.mark.parametrize(("host", "told"), [("vendor.example", True), ("127.0.0.1:9", False), ("localhost", False)])
def test_what_is_not_played_on_a_server_elsewhere_is_told(host: str, told: bool) -> None:
    target, found = TargetConfig(name="t", url=f"http://{host}/mcp"), Survey("mcp", [("2025-06-18", "streamable-http")])
    text = "\n".join(document(target, found, {}, coverage((), found.claims, target, {})))
    assert ("safe = true" in text) == told


values = st.recursive(
    st.text() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_a_json_value_survives_toml(value: Any) -> None:
    assert tomllib.loads(f"x = {toml(value)}")["x"] == value


def surveyed(target: SimulatedTarget) -> Survey:
    """In virtual time."""
    clock = MockClock(autojump_threshold=0)
    return anyio.run(survey, target, backend="trio", backend_options={"clock": clock})


def test_the_bundled_server_is_surveyed() -> None:
    found = surveyed(simulated())
    assert ("2026-07-28", "streamable-http") in found.columns
    assert ("2024-11-05", "stdio") in found.columns
    roles = {role.value: choice.stimulus.name for role, choice in choices(found).items()}
    assert roles["echo"] == "echo"
    assert roles["slow"] == "slow"
    assert roles["witness"] == "probe"
    assert roles["structured"] == "structured"


def test_init_writes_a_file_that_run_can_use(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seatrial.cli.init.introduction.attach", lambda config: simulated())
    result = invoke("init", URL, "--name", "my shop", "--header", "Authorization: Bearer t0ken")
    assert result.exit_code == 0
    text = (place / "seatrial.toml").read_text()
    assert "t0ken" not in text
    shop = load(place / "seatrial.toml", {"MY_SHOP_TOKEN": "t0ken"})["my-shop"]
    assert (shop.url, shop.headers) == (URL, {"Authorization": "Bearer t0ken"})
    assert shop.stimuli["echo"].name == "echo"


@pytest.mark.parametrize(
    ("bundled", "protocol", "role", "said"),
    [(agent.simulated, "a2a", "echo", "hello {text}"), (front.simulated, "agui", "chat", "hello")],
)
def test_init_recognises_an_agent_by_itself(
    invoke: Invoke,
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
    bundled: Callable[[], SimulatedTarget],
    protocol: str,
    role: str,
    said: str,
) -> None:
    unknown = bundled()
    unknown.protocol, unknown.versions, unknown.bindings = "", (), ()
    monkeypatch.setattr("seatrial.cli.init.introduction.attach", lambda config: unknown)
    assert invoke("init", URL).exit_code == 0
    (found,) = load(place / "seatrial.toml", {}).values()
    assert found.protocol == protocol
    assert found.stimuli[role].name == said


def test_init_overwrites_only_when_told(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "seatrial.toml").write_text("# mine\n")
    result = invoke("init", URL)
    assert result.exit_code == 2
    assert result.stderr == "Error: seatrial.toml is there already; --force overwrites it\n"
    assert (place / "seatrial.toml").read_text() == "# mine\n"
    monkeypatch.setattr("seatrial.cli.init.introduction.attach", lambda config: simulated())
    assert invoke("init", "--force", URL).exit_code == 0


@pytest.mark.parametrize("output", ["nowhere/seatrial.toml", "."])
def test_init_says_at_once_that_it_cannot_write(invoke: Invoke, output: str) -> None:
    result = invoke("init", "--output", output, URL)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {output} cannot be written")
    assert result.stdout == ""


def test_init_of_a_silent_target_is_one_sentence_and_code_4(
    invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(target: Any, bold: bool) -> Survey:
        raise Unreachable(f"{URL} gives no MCP answer")

    monkeypatch.setattr("seatrial.cli.init.introduction.survey", silent)
    result = invoke("init", URL)
    assert result.exit_code == 4
    assert result.stderr == f"Error: {URL} gives no MCP answer\n"
    assert not (place / "seatrial.toml").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "give the URL"),
        (["shop"], "give the URL"),
        (["python", "server.py"], "give the URL of the target, or the command that starts it after --"),
        (["--"], "no command"),
    ],
)
def test_init_needs_a_target(invoke: Invoke, words: list[str], said: str) -> None:
    result = invoke("init", *words)
    assert result.exit_code == 2
    assert said in result.stderr
