"""A secret that a user gave can be read in nothing that a run leaves, however the target spells it."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections.abc import Iterator, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from urllib.parse import quote

import pytest
import seatrial.engine
from click.testing import CliRunner
from seatrial.cli import main
from seatrial.transcript import Redactor

from . import parrot

SECRET = 'p4ss/W0rd+"<x>&=\\y'
TOKEN = "s3cr3t.token-of_the~shop"
SCOPELESS, FOREIGN, EXPIRED = "no-sc0pe-eyJhbGciOi", "oth3r-audience-eyJh", "3xpired-eyJhbGciOiJ"
QUICK = ("--check", "mcp.err.c*", "--check", "mcp.err.auth*", "--check", "mcp.cap.init*", "--tempo", "0.1")
PARROT = [sys.executable, parrot.__file__, "SHOP_TOKEN"]


@pytest.fixture(scope="module")
def place() -> Iterator[str]:
    with parrot.listening() as found:
        yield found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    return tmp_path


def left(*words: str) -> dict[str, str]:
    """Everything that a run leaves in the working directory, with a report of every kind, and what it prints."""
    kinds = entry_points(group="seatrial.reporters").names
    wanted = [f"--report={kind}=reports/{kind}" for kind in sorted(kinds)]
    told = CliRunner().invoke(main, ["run", *wanted, *QUICK, *words], prog_name="seatrial")
    assert told.exit_code in (1, 3), told.output
    own = (path for path in Path.cwd().rglob("*") if path.is_file() and path.name != "seatrial.toml")
    files = {str(path.relative_to(Path.cwd())): path.read_text("utf-8") for path in own}
    assert {f"reports/{kind}" for kind in kinds} <= files.keys()
    assert any(name.endswith("evidence.jsonl") and "[redacted]" in text for name, text in files.items())
    return {**files, "standard output": told.stdout, "standard error": told.stderr}


def showing(artifacts: Mapping[str, str], *secrets: str) -> list[str]:
    """The names of the artifacts in which one of the secrets, or one half of it, can be read."""
    halves = [half for secret in secrets for half in (secret[: len(secret) // 2], secret[len(secret) // 2 :])]
    return [name for name, text in artifacts.items() if parrot.readable(text, halves)]


def test_a_header(place: str) -> None:
    words = ("--header", f"Authorization: Bearer {SECRET}", "--header", f"X-Api-Key: {TOKEN}")
    assert showing(left(*words, f"http://{place}/mcp"), SECRET, TOKEN) == []


def test_a_header_that_is_basic_authentication(place: str) -> None:
    coded = b64encode(f"shop:{SECRET}".encode()).decode()
    found = left(
        "--header", f"Authorization: Basic {coded}", "--header", f"Cookie: a=1; id={TOKEN}", f"http://{place}/mcp"
    )
    assert showing(found, SECRET, TOKEN) == []


def test_an_address(place: str) -> None:
    address = f"http://shop:{quote(SECRET, safe='')}@{place}/mcp?api_key={quote(TOKEN)}&page=1"
    assert showing(left(address), SECRET, TOKEN) == []


@pytest.mark.parametrize(
    "described",
    [
        'url = "http://{place}/mcp"\nheaders = {{ Authorization = "Bearer ${{SHOP_TOKEN}}" }}',
        'url = "http://{place}/${{SHOP_TOKEN}}"',
    ],
    ids=["header", "address"],
)
def test_a_variable_in_the_configuration(
    place: str, folder: Path, described: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SHOP_TOKEN", TOKEN)
    (folder / "seatrial.toml").write_text(f"[target.shop]\n{described.format(place=place)}\n")
    assert showing(left(), TOKEN) == []


def test_the_tokens_of_principals(place: str, folder: Path) -> None:
    tokens = {"no-scope": SCOPELESS, "other-audience": FOREIGN, "expired": EXPIRED}
    identities = "".join(f'{name} = {{ Authorization = "Bearer {token}" }}\n' for name, token in tokens.items())
    described = f'[target.shop]\nurl = "http://{place}/mcp"\n[target.shop.identities]\n{identities}'
    (folder / "seatrial.toml").write_text(described)
    assert showing(left(), *tokens.values()) == []


def test_the_environment_of_a_command() -> None:
    assert showing(left("--", *PARROT), SECRET) == []


def test_the_words_of_a_command(folder: Path) -> None:
    (folder / "seatrial.toml").write_text("")
    found = left("--", *PARROT, f"--api-key={TOKEN}")
    assert showing(found, TOKEN) == []
    assert f"{parrot.__file__} SHOP_TOKEN '--api-key=[redacted]'" in found["reports/json"]


def test_the_environment_that_a_configuration_gives_to_a_command(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SHOP_TOKEN")
    described = f"[target.shop]\ncommand = {PARROT}\nenv = {{ SHOP_TOKEN = '{TOKEN}' }}\n"
    (folder / "seatrial.toml").write_text(described)
    assert showing(left(), TOKEN) == []


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("http://shop:{token}@127.0.0.1:1/mcp?key={token}",), 4),
        (("http://shop:{token}@127.0.0.1:many/mcp",), 2),
        (("http:/shop?api_key={token}://",), 2),
        (("--header", "Authorization Bearer {token}", "http://127.0.0.1:1/"), 2),
        (("--dry-run", "--header", "Authorization: Bearer {token}", "http://127.0.0.1:1/mcp?sig={token}"), 0),
    ],
)
def test_what_is_said_where_nothing_is_run(words: tuple[str, ...], code: int) -> None:
    told = CliRunner().invoke(main, ["run", *QUICK, *(word.format(token=TOKEN) for word in words)])
    assert told.exit_code == code, told.output
    files = {str(path): path.read_text("utf-8") for path in Path.cwd().rglob("*") if path.is_file()}
    assert showing({**files, "the terminal": told.output}, TOKEN) == []


def test_the_search_finds_what_is_not_taken_out(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seatrial.engine, "redactor", lambda targets: Redactor(("x-never",)))
    monkeypatch.setattr(Redactor, "headers", lambda self, headers: [["X-None", "[redacted]"]])
    found = showing(left("--header", f"Authorization: Bearer {SECRET}", f"http://{place}/mcp"), SECRET)
    assert {"reports/json", "reports/jsonl", "reports/html"} <= set(found)


@pytest.mark.parametrize("spelling", parrot.spellings(SECRET))
def test_the_search_reads_every_spelling(spelling: str) -> None:
    assert showing({"a report": f"so said ({spelling}) it"}, SECRET) == ["a report"]
    assert showing({"a report": f"so said ({spelling[: len(spelling) * 2 // 3]}"}, SECRET) == ["a report"]
    assert showing({"a report": "so said (p4ss) it"}, SECRET) == []
