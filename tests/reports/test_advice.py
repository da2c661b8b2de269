"""What is said to be added to seatrial.toml is understood there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from seatrial.config import load
from seatrial.model import Reason, Role
from seatrial.reports.advice import advice
from seatrial.stimuli import ROLES

GIVEN = (Reason.NO_WITNESS, Reason.NO_IDENTITIES, Reason.NO_PROCESS, Reason.NO_REPLICAS)


def document(told: str) -> str:
    """The advice as a configuration: a table, and keys two blanks apart."""
    table, *keys = re.split(r"  (?=[\w-]+ = )", told)
    rest = "" if table == "[target.shop]" else f"{table}\n"
    return "\n".join(
        ["[target.shop]", 'url = "http://127.0.0.1:{port}/mcp"' if "command" in told else URL, rest, *keys]
    )


URL = 'url = "http://127.0.0.1:8080/mcp"'


@pytest.mark.parametrize(("protocol", "role"), [(protocol, role) for protocol in ROLES for role in ROLES[protocol]])
def test_every_role_has_a_line_that_the_configuration_understands(protocol: str, role: Role, tmp_path: Path) -> None:
    told = advice(Reason.NO_STIMULUS, f"no stimulus is configured for the role {role.value}", "shop", f"{protocol}.x")
    stated = document(told).replace("[target.shop]", f'[target.shop]\nprotocol = "{protocol}"', 1)
    (tmp_path / "seatrial.toml").write_text(stated)
    assert set(load(tmp_path / "seatrial.toml")["shop"].stimuli) == {role.value}


@pytest.mark.parametrize("reason", GIVEN)
def test_what_the_owner_has_to_give_is_understood(reason: Reason, tmp_path: Path) -> None:
    told = document(advice(reason, "", "shop", "mcp.x")).replace("{port}", "8080")
    (tmp_path / "seatrial.toml").write_text(told)
    assert load(tmp_path / "seatrial.toml", {"FIRST": "a", "SECOND": "b"})


@pytest.mark.parametrize(
    ("detail", "roles"),
    [
        ("no stimulus is configured for any of the roles elicit, sampling", ["elicit", "sampling"]),
        ("nothing makes the server ask (elicit or roots)", ["elicit", "roots"]),
    ],
)
def test_several_roles_are_all_told(detail: str, roles: list[str]) -> None:
    told = advice(Reason.NO_STIMULUS, detail, "shop", "mcp.x")
    assert re.findall(r"([\w-]+) = { tool", told) == roles


def test_where_no_role_is_named_the_check_is() -> None:
    assert "seatrial explain mcp.x" in advice(Reason.NO_STIMULUS, "no tool has a parameter handle", "shop", "mcp.x")


@pytest.mark.parametrize("reason", [Reason.DEADLINE, Reason.TARGET_UNHEALTHY, Reason.INTERRUPTED])
def test_what_no_configuration_helps_against_gets_no_advice(reason: Reason) -> None:
    assert advice(reason, "", "shop", "mcp.x") == ""
