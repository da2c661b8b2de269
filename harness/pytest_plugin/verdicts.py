"""From the result of a case to what pytest makes of a test."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any, NoReturn

import pytest

from ..events import CaseFinished, RunStarted
from ..matrix import Policy
from ..model import Reason, Result, Verdict
from ..spelling import printable
from . import SeatrialWarning


@dataclass(frozen=True, slots=True)
class Teller:
    """`partial`: this process sees a part of the traffic only, so that a monitor of it may have seen nothing."""

    policy: Policy
    started: RunStarted
    partial: bool = False

    def told(self, result: Result) -> str:
        """The finding, as a person reads it."""
        (point,) = entry_points(group="seatrial.reporters", name="text")
        make: Callable[[io.StringIO], Any] = point.load()
        out = io.StringIO()
        reporter = make(out)
        reporter.handle(self.started)
        reporter.handle(CaseFinished(result, 1, 1))
        return out.getvalue()

    def tell(self, item: pytest.Item, found: Result) -> None:
        """Return where the test passes; else raise what makes it fail or be skipped. A WARN becomes a warning."""
        result = self.policy.applied(found)
        item.user_properties.append(("seatrial_verdict", result.verdict.value))
        match result.verdict:
            case Verdict.PASS:
                return
            case _ if result.accepted:
                pytest.xfail(self.told(result))
            case Verdict.NOT_APPLICABLE:
                skipped(result)
            case Verdict.INCONCLUSIVE if self._accepts(result):
                skipped(result)
            case Verdict.WARN if not self.policy.strict:
                item.warn(SeatrialWarning(self.told(result)))
            case _:
                pytest.fail(self.told(result), pytrace=False)

    def _accepts(self, result: Result) -> bool:
        return self.policy.accepts(result) or (self.partial and result.reason is Reason.NOTHING_SEEN)


def skipped(result: Result) -> NoReturn:
    """The place that pytest tells is that of the item."""
    because = f"{result.verdict.value} {result.reason.value if result.reason else ''}".strip()
    raise pytest.skip.Exception(f"{because}: {printable(result.detail)}", _use_item_location=True)
