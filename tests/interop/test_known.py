"""Known failures: what covers a failure, and that an entry which fails no longer is reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from seatrial.fixtures.environments import SetupError
from seatrial.fixtures.interop.known import Known, compare, load
from seatrial.fixtures.runs import Finding

ENTRY = Known(
    target="shop",
    check="mcp.err.parse",
    requirement="mcp.err.parse",
    versions=("2025-06-18", "2025-11-25"),
    bindings=("streamable-http",),
    clause="Bytes that are no JSON are answered with -32700.",
    record="500 Internal Server Error",
    issue="none known",
    reason="The server gives 500.",
)


def finding(version: str, changed: Mapping[str, object] = MappingProxyType({})) -> Finding:
    return {
        "target": "shop",
        "check": "mcp.err.parse",
        "requirements": ["mcp.err.parse"],
        "version": version,
        "binding": "streamable-http",
        "verdict": "FAIL",
    } | dict(changed)


BOTH = [finding("2025-06-18"), finding("2025-11-25")]


def test_failures_that_are_all_argued_leave_nothing_to_say() -> None:
    compared = compare([ENTRY], BOTH, "shop", ("streamable-http",))
    assert (compared.unargued, compared.stale) == ((), ())


@pytest.mark.parametrize(
    "changed",
    [
        {"version": "2026-07-28"},
        {"check": "mcp.err.other"},
        {"requirements": ["mcp.err.other"]},
        {"binding": "stdio"},
    ],
)
def test_a_failure_that_no_entry_covers_is_unargued(changed: dict[str, object]) -> None:
    other = finding("2025-06-18", changed)
    assert compare([ENTRY], [*BOTH, other], "shop", ("streamable-http",)).unargued == (other,)


def test_an_entry_is_stale_in_each_cell_that_fails_no_longer() -> None:
    passed = [finding("2025-06-18"), finding("2025-11-25", {"verdict": "PASS"})]
    compared = compare([ENTRY], passed, "shop", ("streamable-http",))
    assert compared.stale == ("shop/mcp.err.parse[2025-11-25,streamable-http]",)


def test_an_entry_of_another_target_or_binding_is_not_stale() -> None:
    entries = [replace(ENTRY, target="other"), replace(ENTRY, bindings=("stdio",))]
    assert compare(entries, [], "shop", ("streamable-http",)).stale == ()


def test_a_server_of_two_bindings_has_a_cell_in_each() -> None:
    entry = replace(ENTRY, versions=("1.0",), bindings=("JSONRPC", "HTTP+JSON"))
    failed = finding("1.0", {"binding": "HTTP+JSON"})
    assert compare([entry], [failed], "shop", ("JSONRPC", "HTTP+JSON")).stale == ("shop/mcp.err.parse[1.0,JSONRPC]",)


def test_warnings_need_no_argument() -> None:
    assert compare([], [finding("2025-06-18", {"verdict": "WARN"})], "shop", ("streamable-http",)).unargued == ()


def test_the_entries_that_we_ship_are_complete() -> None:
    for entry in load():
        assert entry.versions and entry.bindings


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[[known]]\ntarget = "shop"\n', "entry 1: wrong or missing keys"),
        (
            '[[known]]\ntarget = ""\ncheck = "c"\nrequirement = "r"\nversions = ["v"]\nbindings = ["b"]\n'
            'clause = "c"\nrecord = "r"\nissue = "i"\nreason = "r"\n',
            "entry 1: empty: target",
        ),
    ],
)
def test_a_wrong_entry_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "known.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(SetupError, match=said):
        load(path)


def test_a_failure_of_chance_is_covered_and_never_stale() -> None:
    racy = replace(ENTRY, chance=True)
    assert compare([racy], BOTH, "shop", ("streamable-http",)).unargued == ()
    assert compare([racy], [], "shop", ("streamable-http",)).stale == ()
    assert compare([ENTRY], [], "shop", ("streamable-http",)).stale != ()
