"""Which versions count as spoken."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from seatrial.fixtures.mutants import build_of
from seatrial.fixtures.reference import Lifecycle, Methods
from seatrial.model import Isolation, Verdict

from .declare import HTTP, STDIO, E, lists_tools, verdict_of


class WithoutDiscover(Methods):
    """A modern server that serves everything but server/discover."""

    def modern(self) -> dict[str, Any]:
        return {name: handler for name, handler in super().modern().items() if name != "server/discover"}


class Unlisted(Lifecycle):
    """A modern server that serves a version that it does not list."""

    def listed_versions(self) -> Sequence[str]:
        return ("2099-12-31",)


def test_a_modern_server_without_server_discover_is_still_judged() -> None:
    for binding in (HTTP, STDIO):
        build = build_of(WithoutDiscover)
        result = verdict_of(lists_tools, version=E, binding=binding, build=build, isolation=Isolation.SESSION)
        assert result.verdict is Verdict.PASS


def test_a_modern_server_that_does_not_list_its_version_is_still_judged() -> None:
    assert verdict_of(lists_tools, version=E, build=build_of(Unlisted)).verdict is Verdict.PASS
