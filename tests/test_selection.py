"""Which versions a run is narrowed to changes no verdict: a server of two eras has the duties of both."""

from __future__ import annotations

from functools import cache

import pytest
from seatrial.model import Result, Verdict
from seatrial.protocols import driver_of

from .sailing import sail

pytestmark = [pytest.mark.selfcheck, pytest.mark.timeout(300)]

PROTOCOLS = ("mcp", "a2a", "agui")
NARROWED = [(protocol, version) for protocol in PROTOCOLS for version in driver_of(protocol).versions]


@cache
def whole(protocol: str) -> dict[str, Result]:
    return {result.case.id: result for result in sail(protocol=protocol)}


@pytest.mark.parametrize(
    "protocol, version", [pytest.param(*one, marks=pytest.mark.xdist_group(one[0])) for one in NARROWED]
)
def test_a_version_alone_is_judged_as_among_the_others(protocol: str, version: str) -> None:
    alone = sail(protocol=protocol, versions=(version,))
    assert {result.case.id: result.verdict for result in alone} == {
        ident: result.verdict for ident, result in whole(protocol).items() if result.case.column.version == version
    }
    assert any(result.verdict is Verdict.PASS for result in alone)
