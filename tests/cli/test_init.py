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
from seatrial.cli.init import document, toml
from seatrial.cli.proposal import proposals
from seatrial.cli.survey import Survey, survey
from seatrial.config import TargetConfig, load, parse
from seatrial.document import Document
from seatrial.engine import Unreachable
from seatrial.fixtures.agent import target as agent
from seatrial.fixtures.front import target as front
from seatrial.fixtures.reference.target import simulated
from seatrial.fixtures.serving import SimulatedTarget

from .conftest import Invoke

URL = "http://127.0.0.1:9/mcp"


def tool(name: str, /, about: str = "", **schema: Any) -> dict[str, Any]:
    required = [key for key, value in schema.items() if not value.pop("optional", False)]
    return {
        "name": name,
        "description": about,
        "inputSchema": {"type": "object", "properties": schema, "required": required},
    }


def proposed(*tools: dict[str, Any]) -> dict[str, Any]:
    found = proposals("mcp", {"tools": {item["name"]: item for item in tools}, "prompts": {}, "resources": {}})
    return {item.role.value: (item.name, item.arguments, item.active) for item in found}


STRING, NUMBER = {"type": "string"}, {"type": "number"}


def test_tools_are_recognised_by_name_description_and_parameters() -> None:
    found = proposed(
        tool("say", "Echoes a message.", message=dict(STRING)),
        tool("long-job", "Takes a while.", duration=dict(NUMBER), tag=dict(STRING), mode={"enum": ["a", "b"]}),
        tool("always_fails"),
    )
    assert found["echo"] == ("say", {"message": "{text}"}, True)
    assert found["slow"] == ("long-job", {"duration": "{seconds}", "tag": "{key}", "mode": "a"}, True)
    assert found["failing"] == ("always_fails", {}, True)


def test_a_witness_is_known_by_its_name_before_any_that_is_only_told_of() -> None:
    found = proposed(
        tool("rebuild", "Slow work; `probe(key)` tells how far it came.", seconds=dict(NUMBER), key=dict(STRING)),
        tool("probe", "Tells of a key.", key=dict(STRING)),
    )
    assert found["witness"] == ("probe", {"key": "{key}"}, True)


def test_a_delay_beside_a_count_is_the_gap_between_the_reports() -> None:
    found = proposed(tool("progress", "Reports.", count={"type": "integer"}, delay=dict(NUMBER)))
    assert found["progress"] == ("progress", {"count": "{count}", "delay": "{gap}"}, True)


def test_a_delay_alone_is_how_long_it_takes() -> None:
    assert proposed(tool("wait", "", delay=dict(NUMBER)))["slow"] == ("wait", {"delay": "{seconds}"}, True)


def test_a_tool_without_a_parameter_for_the_duration_is_not_slow() -> None:
    assert "slow" not in proposed(tool("slow_thing", name=dict(STRING)))


def test_a_destructive_tool_is_proposed_as_a_comment_only() -> None:
    item = tool("echo", text=dict(STRING)) | {"annotations": {"destructiveHint": True}}
    survey_ = Survey("mcp", [("2025-06-18", "stdio")])
    survey_.items["tools"]["echo"] = item
    lines = list(document(TargetConfig(name="t", url=URL), survey_))
    assert '# destructive: echo = { tool = "echo", arguments = { text = "{text}" } }' in lines


hostile = st.text() | st.just('"]\n[x]\r\x00\x1b\x7f')


@given(name=hostile, about=hostile, parameter=hostile, default=hostile | st.integers() | st.none())
def test_whatever_a_target_says_the_file_can_be_read(name: str, about: str, parameter: str, default: Any) -> None:
    found = Survey("mcp", [("2025-06-18", "stdio")])
    schema = {"properties": {parameter: {"default": default}}, "required": [parameter]}
    item = {"name": name, "description": about, "inputSchema": schema, "outputSchema": {}}
    found.items["tools"][name] = item
    found.items["prompts"][name] = {"name": name, "arguments": [{"name": parameter, "required": True}]}
    found.items["resources"][name] = {"uri": name}
    text = "\n".join(document(TargetConfig(name="t", url=URL), found))
    assert parse(Document("s.toml", text))["t"].stimuli["structured"].name == name


values = st.recursive(
    st.text() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(values)
def test_a_json_value_survives_toml(value: Any) -> None:
    assert tomllib.loads(f"x = {toml(value)}")["x"] == value


def test_the_bundled_server_is_surveyed() -> None:
    found = anyio.run(survey, simulated(), backend="trio")
    assert ("2026-07-28", "streamable-http") in found.columns
    assert ("2024-11-05", "stdio") in found.columns
    roles = {item.role.value: item.name for item in proposals(found.protocol, found.items)}
    assert roles["echo"] == "echo"
    assert roles["slow"] == "slow"
    assert roles["witness"] == "probe"
    assert roles["structured"] == "structured"


def test_init_writes_a_file_that_run_can_use(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("seatrial.cli.init.attach", lambda config: simulated())
    result = invoke("init", URL, "--name", "my shop", "--header", "Authorization: Bearer t0ken")
    assert result.exit_code == 0
    text = (place / "seatrial.toml").read_text()
    assert "t0ken" not in text
    shop = load(place / "seatrial.toml", {"AUTHORIZATION": "t0ken"})["my-shop"]
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
    monkeypatch.setattr("seatrial.cli.init.attach", lambda config: unknown)
    assert invoke("init", URL).exit_code == 0
    found = load(place / "seatrial.toml", {})["target"]
    assert found.protocol == protocol
    assert found.stimuli[role].name == said


def test_init_overwrites_only_when_told(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "seatrial.toml").write_text("# mine\n")
    result = invoke("init", URL)
    assert result.exit_code == 2
    assert result.stderr == "Error: seatrial.toml is there already; --force overwrites it\n"
    assert (place / "seatrial.toml").read_text() == "# mine\n"
    monkeypatch.setattr("seatrial.cli.init.attach", lambda config: simulated())
    assert invoke("init", "--force", URL).exit_code == 0


def test_init_of_a_silent_target_is_one_sentence_and_code_4(
    invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def silent(target: Any) -> Survey:
        raise Unreachable(f"{URL} gives no MCP answer")

    monkeypatch.setattr("seatrial.cli.init.survey", silent)
    result = invoke("init", URL)
    assert result.exit_code == 4
    assert result.stderr == f"Error: {URL} gives no MCP answer\n"
    assert not (place / "seatrial.toml").exists()


@pytest.mark.parametrize(("words", "said"), [([], "give the URL"), (["shop"], "give the URL"), (["--"], "no command")])
def test_init_needs_a_target(invoke: Invoke, words: list[str], said: str) -> None:
    result = invoke("init", *words)
    assert result.exit_code == 2
    assert said in result.stderr
