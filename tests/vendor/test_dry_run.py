"""`run --dry-run` tells what would be sent, and sends nothing; the options of care reach the engine."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from seatrial.cli import main
from seatrial.cli.care import conduct, repeated
from seatrial.conduct import Conduct
from seatrial.fixtures.reference.stimuli import STIMULI

from ..abroad import visit
from ..gate import Gate

Dry = Callable[..., str]
CONFIG = """
[target.shop]
protocol = "mcp"
url = "{url}"
versions = ["2025-11-25"]

[target.shop.stimuli]
echo = {{ tool = "search", arguments = {{ q = "{{text}}" }} }}
slow = {{ tool = "rebuild", arguments = {{ seconds = "{{seconds}}", key = "{{key}}" }}, safe = true }}
prompt = {{ prompt_name = "greeting" }}
"""
ELSEWHERE = "http://203.0.113.7:8080/mcp"


@pytest.fixture
def dry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dry:
    monkeypatch.chdir(tmp_path)

    def run(*words: str, url: str = ELSEWHERE) -> str:
        Path("seatrial.toml").write_text(CONFIG.format(url=url), "utf-8")
        result: Result = CliRunner().invoke(main, ["run", "--dry-run", *words])
        assert result.exit_code == 0, result.output
        assert not Path(".seatrial").exists()
        return result.output

    return run


@pytest.fixture
def listening() -> Iterator[socket.socket]:
    """A port of this machine on which somebody waits to be called."""
    with socket.create_server(("127.0.0.1", 0)) as waiting:
        waiting.settimeout(0)
        yield waiting


def test_it_calls_nobody(dry: Dry, listening: socket.socket) -> None:
    said = dry("--check", "mcp.cap.*", url=f"http://127.0.0.1:{listening.getsockname()[1]}/mcp")
    assert "nothing is sent to" in said and "no limits" in said
    with pytest.raises(BlockingIOError):
        listening.accept()


def test_it_tells_rate_budget_stimuli_and_every_request_by_the_names_of_the_target(dry: Dry) -> None:
    said = dry("--check", "mcp.cap.*", "--check", "mcp.can.no-response")
    assert "safe mode, at most 5 requests per second, a budget of 3000 requests" in said
    assert re.search(r"^ +\d+  tools/call rebuild$", said, re.M) and "tools/call slow" not in said
    assert re.search(r"echo +tool search: played if the target declares it read-only", said)
    assert re.search(r"slow +tool rebuild: played$", said, re.M)
    assert re.search(r"prompt +prompt_name greeting: played$", said, re.M)
    counts = [int(number) for number in re.findall(r"^ +(\d+)  (?!requests)(?=.*/|ping|initialize)", said, re.M)]
    assert sum(counts) == int(re.search(r"(\d+)  requests at most", said)[1])  # type: ignore[index]


def test_it_counts_what_a_run_then_sends(dry: Dry) -> None:
    """The bundled server in the place of the target behaves as itself."""
    gate, checks = Gate(), ("mcp.cap.*",)
    given = {role: STIMULI[role] for role in ("echo", "slow", "prompt")}
    visit("mcp", given, gate, checks=checks, versions=("2025-11-25",))
    told = int(re.search(r"(\d+)  requests at most", dry("--check", checks[0]))[1])  # type: ignore[index]
    assert abs(told - len(gate.requests)) <= 0.1 * told


def test_it_says_that_a_budget_is_too_small_and_what_would_do(dry: Dry) -> None:
    said = dry("--check", "mcp.cap.*", "--budget", "30")
    enough = re.search(r"The budget of 30 ends it early: .*; --budget (\d+) is enough", said)
    assert enough and "ends it early" not in dry("--check", "mcp.cap.*", "--budget", enough[1])


def test_it_counts_by_check_where_more_is_asked_for(dry: Dry) -> None:
    assert re.search(r"^ +\d+  mcp\.cap\.init-result-shape$", dry("--check", "mcp.cap.*", "-v", "--rate", "50"), re.M)


def test_what_is_asked_of_care_is_asked_in_a_rerun_too() -> None:
    asked = Conduct(safe=True, allow_effects=True, rate=2.5, budget=7, contact="mailto:qa@example.org")
    words = list(repeated(asked))
    assert words == ["--safe", "--allow-effects", "--rate", "2.5", "--budget", "7", "--contact", asked.contact]
    typed = {"safe": True, "allow_effects": True, "rate": 2.5, "budget": 7, "contact": asked.contact, "seed": 1}
    assert conduct(typed) == asked and typed == {"seed": 1}
    assert list(repeated(Conduct())) == []


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--rate", "0"), "--rate"),
        (("--budget", "0"), "--budget"),
        (("--contact", "two words"), "must be an address without blanks"),
    ],
)
def test_a_value_that_makes_no_sense_is_refused(words: tuple[str, ...], told: str) -> None:
    result = CliRunner().invoke(main, ["run", *words, ELSEWHERE])
    assert result.exit_code == 2 and told in result.output
