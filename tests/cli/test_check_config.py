"""`seatrial check-config`: a configuration is judged without a network and without its environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Invoke

GOOD = """\
[target.shop]
url = "${SHOP_URL}"
versions = ["2025-06-18"]
headers = { Authorization = "Bearer ${SHOP_TOKEN}" }

[target.shop.stimuli]
echo = { tool = "echo", arguments = { text = "{text}" } }

[target.other]
command = ["python", "server.py", "--port", "{port}"]
url = "http://${OTHER_HOST}:{port}/mcp"
"""


@pytest.fixture(autouse=True)
def unset(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHOP_URL", "SHOP_TOKEN", "OTHER_HOST"):
        monkeypatch.delenv(name, raising=False)


def test_a_good_file_is_told_in_one_line(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "seatrial.toml").write_text(GOOD)
    monkeypatch.setenv("SHOP_TOKEN", "s3cret")
    result = invoke("check-config")
    told = "shop (1 stimulus), other (0 stimuli); a run needs OTHER_HOST, SHOP_URL in the environment"
    assert (result.exit_code, result.stdout) == (0, f"seatrial.toml: {told}\n")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("tool =", "tol =", "seatrial.toml:7: target.shop.stimuli.echo.tol is not understood"),
        ("echo =", "eccho =", "seatrial.toml:7: target.shop.stimuli.eccho is not understood"),
        ('"2025-06-18"', '"2025-06-19"', "seatrial.toml:3: target.shop.versions is not understood"),
        ("headers =", 'bindings = ["pigeon"]\nheaders =', "seatrial.toml:4: target.shop.bindings is not understood"),
        ('"${SHOP_URL}"', '"shop"', "seatrial.toml:2: target.shop.url must be an address"),
        ("[target.shop]", "[target.shop", "seatrial.toml is not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_key(
    invoke: Invoke, place: Path, before: str, after: str, said: str
) -> None:
    (place / "seatrial.toml").write_text(GOOD.replace(before, after, 1))
    result = invoke("check-config", "seatrial.toml")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {said}")
    assert result.stderr.count("\n") == 1


def test_a_variable_that_is_set_is_believed(invoke: Invoke, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (place / "seatrial.toml").write_text(GOOD)
    monkeypatch.setenv("SHOP_URL", "nonsense")
    assert "target.shop.url must be an address" in invoke("check-config").stderr


def test_a_file_that_is_not_there_is_one_sentence(invoke: Invoke) -> None:
    result = invoke("check-config", "other.toml")
    assert (result.exit_code, result.stderr) == (2, "Error: other.toml cannot be read: No such file or directory\n")
