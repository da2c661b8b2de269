"""Failures that a baseline accepts."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
import tomli_w

from .conftest import Project, Serve
from .test_cases import FEW, MUTANT


def accept(project: Project, *, expires: date) -> None:
    entry = {
        "target": "shop",
        "check": "mcp.err.unknown-method",
        "requirement": "mcp.err.unknown-method",
        "versions": ["2025-11-25"],
        "bindings": ["streamable-http"],
        "verdict": "FAIL",
        "reason": "known since the spring",
        "owner": "gateway team",
        "expires": expires,
    }
    project.write("seatrial.baseline.toml", tomli_w.dumps({"accepted": [entry]}))


TOMORROW = date.today() + timedelta(days=1)


def test_an_accepted_failure_is_expected_to_fail(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    accept(project, expires=TOMORROW)
    told = project.cases(*FEW, "-rx")
    told.assert_outcomes(passed=2, xfailed=1, deselected=None)
    told.stdout.fnmatch_lines([f"accepted by gateway team until {TOMORROW}: known since the spring"])
    assert told.ret == pytest.ExitCode.OK
    project.cases(*FEW, "--seatrial-no-baseline").assert_outcomes(passed=2, failed=1, deselected=None)


def test_an_entry_of_a_failure_that_is_no_more_fails_the_session(project: Project, serve: Serve) -> None:
    project.describe(serve())
    accept(project, expires=TOMORROW)
    told = project.cases(*FEW)
    told.assert_outcomes(passed=3, deselected=None)
    told.stdout.fnmatch_lines(["seatrial: *seatrial.baseline.toml:*is stale*"])
    assert told.ret == pytest.ExitCode.TESTS_FAILED


def test_an_expired_entry_accepts_nothing(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    accept(project, expires=date.today() - timedelta(days=1))
    told = project.cases(*FEW)
    told.assert_outcomes(passed=2, failed=1, deselected=None)
    told.stdout.fnmatch_lines(["seatrial: *expired on*ask gateway team to renew it*"])
