"""The descriptions of the real servers, and the configuration that is made from them."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from seatrial.config import parse
from seatrial.document import Document
from seatrial.fixtures.environments import SetupError
from seatrial.fixtures.interop.configure import configuration
from seatrial.fixtures.interop.manifest import Installation, ids, load
from seatrial.stimuli import ROLES

PAIRS = [(ident, transport) for ident in ids() for transport in load(ident).transports]


@pytest.mark.parametrize(("ident", "transport"), PAIRS)
def test_a_configuration_says_how_the_target_is_reached(ident: str, transport: str, tmp_path: Path) -> None:
    table = tomllib.loads(configuration(Installation(load(ident), tmp_path), transport))["target"][ident]
    over_http = transport != "stdio"
    assert table["bindings"]
    assert ("{port}" in table.get("url", "")) is over_http
    assert any("{port}" in word for word in table["command"]) is over_http


@pytest.mark.parametrize(("ident", "transport"), PAIRS)
def test_only_the_port_is_left_open(ident: str, transport: str, tmp_path: Path) -> None:
    argv = Installation(load(ident), tmp_path).argv(transport, 4100)
    assert not [word for word in argv if "{" in word]


@pytest.mark.parametrize(("ident", "transport"), PAIRS)
def test_a_configuration_is_understood(ident: str, transport: str, tmp_path: Path) -> None:
    text = configuration(Installation(load(ident), tmp_path), transport)
    config = parse(Document("seatrial.toml", text))[ident]
    assert config.protocol == ident.split("-")[0]
    assert set(config.stimuli) <= set(ROLES[config.protocol])


def test_transports_of_mcp_are_bindings_and_other_servers_offer_theirs_at_once() -> None:
    assert load("mcp-py-2").bindings_for("sse") == ("http+sse",)
    assert load("a2a-py-1").bindings_for("http") == ("JSONRPC", "HTTP+JSON")
    assert load("agui-node").bindings_for("http") == ("sse",)


@pytest.mark.parametrize("ident", ids())
def test_every_package_is_pinned(ident: str) -> None:
    assert all("==" in pin or "@" in pin[1:] for pin in load(ident).pins.text.split())


def test_a_role_of_one_transport_is_absent_on_the_others() -> None:
    manifest = load("mcp-ts-2")
    assert "mutate-tools" in manifest.stimuli_for("stdio")
    assert "mutate-tools" not in manifest.stimuli_for("http")


def test_the_first_principal_runs_the_suites_and_all_of_them_are_identities(tmp_path: Path) -> None:
    table = tomllib.loads(configuration(Installation(load("mcp-auth"), tmp_path), "http"))["target"]["mcp-auth"]
    assert table["headers"] == {"Authorization": "Bearer good"}
    assert list(table["identities"]) == ["first", "second", "no-scope", "other-audience"]


def test_an_unknown_target_gets_the_nearest_names() -> None:
    with pytest.raises(SetupError, match=r"did you mean .*mcp-py-2"):
        load("mcp-py2")


def test_an_unknown_transport_gets_those_that_there_are() -> None:
    with pytest.raises(SetupError, match="it has http, sse, stdio"):
        load("mcp-py-2").transport("pigeon")


def test_the_command_line_says_an_error_in_one_sentence() -> None:
    words = [sys.executable, "-m", "seatrial.fixtures.interop", "argv", "nobody"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "Error: unknown target 'nobody': see `list`\n"


def test_the_listing_needs_no_installation(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "seatrial.fixtures.interop", "list", "--cache", str(tmp_path)]
    listing = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    assert [line.split()[0] for line in listing.splitlines()] == ids()
    assert "installed" not in listing


def test_roles_are_written_as_json_would_write_them(tmp_path: Path) -> None:
    manifest = load("mcp-py-2")
    table = tomllib.loads(configuration(Installation(manifest, tmp_path), "http"))["target"]["mcp-py-2"]
    assert json.dumps(table["stimuli"]["slow"]["arguments"]) == '{"seconds": "{seconds}", "key": "{key}"}'


PLAYED = [
    (ident, entry.get("text") or entry["prompt"])
    for ident in ids()
    for entry in load(ident).stimuli.values()
    if {"text", "prompt"} & set(entry)
]


@pytest.mark.parametrize(("ident", "words"), PLAYED)
def test_what_is_said_is_understood_by_the_script(ident: str, words: str) -> None:
    """Whatever has no branch of its own is answered like `echo` and `chat`."""
    word, key = words.split()[:2]
    (script,) = load(ident).folder.glob("server.*")
    assert key == "{key}"
    assert word in ("echo", "chat") or f'"{word}"' in script.read_text("utf-8")


def test_the_page_lists_every_target() -> None:
    page = (Path(__file__).parents[2] / "docs/interop.md").read_text("utf-8")
    assert [ident for ident in ids() if f"| {ident} |" not in page] == []
