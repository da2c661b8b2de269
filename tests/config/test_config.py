"""seatrial.toml: what is read, and what is said when it cannot be."""

from __future__ import annotations

from pathlib import Path

import pytest
from seatrial.config import TargetConfig, load, parse, select
from seatrial.document import ConfigError, Document


def targets(text: str, **environ: str) -> dict[str, TargetConfig]:
    return parse(Document("seatrial.toml", text), environ)


def refused(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        targets(text)
    return str(caught.value)


SHOP = """
[target.shop]
protocol = "mcp"
url = "http://127.0.0.1:{port}/mcp"
command = ["python", "server.py", "--port", "{port}"]
env = { MODE = "${MODE}" }
versions = ["2025-11-25"]
bindings = ["http"]
headers = { Authorization = "Bearer ${SHOP_TOKEN}" }
replicas = ["http://127.0.0.1:9001/mcp"]
release = "1.0.0"
milestone = "0.1.15"
webhook_host = "host.internal"
capabilities_url = "/capabilities"

[target.shop.identities]
first = { Authorization = "Bearer a" }
second = { Authorization = "Bearer b" }

[target.shop.stimuli]
slow = { tool = "rebuild", arguments = { seconds = "{seconds}" } }
"""


def test_every_key_of_a_target_is_read() -> None:
    shop = targets(SHOP, SHOP_TOKEN="t0ken", MODE="fast")["shop"]
    assert shop.url == "http://127.0.0.1:{port}/mcp"
    assert shop.command == ("python", "server.py", "--port", "{port}")
    assert shop.env == {"MODE": "fast"}
    assert shop.versions == ("2025-11-25",)
    assert shop.bindings == ("streamable-http",)
    assert shop.headers == {"Authorization": "Bearer t0ken"}
    assert shop.identities["second"] == {"Authorization": "Bearer b"}
    assert shop.replicas == ("http://127.0.0.1:9001/mcp",)
    assert shop.stimuli["slow"].name == "rebuild"
    assert (shop.protocol, shop.release, shop.milestone) == ("mcp", "1.0.0", "0.1.15")
    assert (shop.webhook_host, shop.capabilities_url) == ("host.internal", "/capabilities")


def test_what_is_not_stated_is_found_out() -> None:
    shop = targets('[target.shop]\nurl = "http://127.0.0.1:1/"')["shop"]
    assert (shop.protocol, shop.release, shop.milestone, shop.versions, shop.bindings) == ("", "", "", (), ())
    assert shop.webhook_host == "127.0.0.1"


@pytest.mark.parametrize(
    ("stated", "understood"),
    [("http", "streamable-http"), ("http+sse", "http+sse"), ("sse", "sse"), ("HTTP+JSON", "HTTP+JSON")],
)
def test_only_http_is_short_for_a_binding(stated: str, understood: str) -> None:
    shop = targets(f'[target.shop]\nurl = "http://127.0.0.1:1/"\nbindings = ["{stated}"]')["shop"]
    assert shop.bindings == (understood,)


def test_values_from_the_environment_are_known_as_secrets() -> None:
    assert targets(SHOP, SHOP_TOKEN="t0ken", MODE="")["shop"].secrets == ("t0ken",)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[target.a]\nurl = ", "seatrial.toml is not valid TOML: Invalid value"),
        ("x = 1\n", 'seatrial.toml:1: x is not understood: unknown table "x"; known: target'),
        ("", "seatrial.toml describes no target; add a table [target.NAME]"),
        ("[target.a]\n", "seatrial.toml:1: target.a needs url"),
        ('[target.a]\nurl = "x"', "seatrial.toml:2: target.a.url must be an address such as"),
        ('[target.a]\nurl = "http://h:99999/"', "seatrial.toml:2: target.a.url must be an address such as"),
        ("[target.a]\nurl = 1", "seatrial.toml:2: target.a.url must be a text in quotes, not 1"),
        ("[target.a]\ncommand = 'python x'", "seatrial.toml:2: target.a.command must be a list of texts in quotes"),
        ("[target.a]\ncommand = []", "seatrial.toml:2: target.a.command must not be empty"),
        (
            '[target.a]\nurl = "http://h/"\n\nheadres = {}',
            'seatrial.toml:4: target.a.headres is not understood: unknown key "headres"; did you mean headers?',
        ),
        (
            '[target.a]\nurl = "http://h/"\nheaders = { X = "${NONE}" }',
            "seatrial.toml:3: target.a.headers.X uses ${NONE}, but the environment has no variable NONE",
        ),
        ('[target.a]\nurl = "http://h/"\nprotocol = "mpc"', 'unknown protocol "mpc"; did you mean mcp?'),
        ('[target.a]\nurl = "http://h/"\nrelease = "2"', "target.a.release must be one of 1.0.0, 1.0.1, not '2'"),
        ('[target.a]\nurl = "http://h/"\nmilestone = "1.0"', "target.a.milestone must be one of 0.1.4,"),
        ('[target.a]\nurl = "http://h/"\nwebhook_host = "http://x"', "target.a.webhook_host must be a host name"),
        ('[target.a]\nurl = "http://h/"\ncapabilities_url = "caps"', "target.a.capabilities_url must be a URL, or"),
        (
            '[target.a]\nurl = "http://h/"\nprotocol = "mcp"\n[target.a.stimuli]\necho = { text = "x" }',
            "seatrial.toml:5: target.a.stimuli.echo.text is a verb of a2a, but the target speaks mcp; use tool or",
        ),
        (
            '[target.a]\nurl = "http://h/"\nstimuli = { slow = { tool = "x", progress = "yes" } }',
            "seatrial.toml:3: target.a.stimuli.slow.progress must be true or false, not 'yes'",
        ),
        ('[target.a]\nurl = "http://h/"\nca = "no.pem"', "seatrial.toml:3: target.a.ca must name a file"),
        ('[target.a]\nurl = "http://h:{port}/"', "has {port} in its url but no command"),
        ('[target.a]\nurl = "http://h/"\ncommand = ["x"]', "has a command and a url without a port"),
        (
            '[target.a]\nurl = "http://h/"\n[target.a.stimuli]\nslwo = { tool = "x" }',
            'seatrial.toml:4: target.a.stimuli.slwo is not understood: unknown role "slwo"; did you mean slow',
        ),
        (
            '[target.a]\nurl = "http://h/"\n[target.a.stimuli]\n\nslow = { tol = "x" }',
            "seatrial.toml:5: target.a.stimuli.slow.tol is not understood",
        ),
        (
            '[target.a]\nurl = "http://h/"\n[target.a.stimuli.slow]\ntool = "x"\nlasts = "long"',
            "seatrial.toml:5: target.a.stimuli.slow.lasts must be a number, not 'long'",
        ),
    ],
)
def test_bad_input_is_told_with_file_line_and_key(text: str, said: str) -> None:
    told = refused(text)
    assert said in told
    assert "\n" not in told


def test_a_quoted_target_name_is_found_on_its_line() -> None:
    assert refused('[target."my shop"]\nurl = "http://h/"\n\n[target."my.other"]\nurl = 5').startswith(
        "seatrial.toml:5:"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read: No such file"):
        load(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="is not UTF-8"):
        load(tmp_path / "bytes.toml")


def test_the_only_target_needs_no_name() -> None:
    one = targets('[target.a]\nurl = "http://h/"')
    assert select(one, "", Path("s.toml")).name == "a"
    two = targets('[target.a]\nurl = "http://h/"\n[target.b]\nurl = "http://h/"')
    assert select(two, "b", Path("s.toml")).name == "b"
    with pytest.raises(ConfigError, match="describes 2 targets; name one of them: a, b"):
        select(two, "", Path("s.toml"))
    with pytest.raises(ConfigError, match='unknown target "c"'):
        select(two, "c", Path("s.toml"))


def test_the_examples_in_the_documentation_can_be_read() -> None:
    text = (Path(__file__).parents[2] / "docs/config.md").read_text("utf-8")
    examples = [part.split("```")[0] for part in text.split("```toml\n")[1:]]
    assert len(examples) == 4
    place = '[target.shop]\nurl = "http://127.0.0.1:1/"\n'
    for example in examples:
        whole = example if example.startswith("[target.shop]") else place + example
        assert "shop" in targets(whole, SHOP_TOKEN="t0ken")
