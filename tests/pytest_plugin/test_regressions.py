"""What `seatrial explore` left beside the configuration is run by pytest too."""

from __future__ import annotations

import sys

import tomli_w

from .conftest import Project, Serve

PROGRESS = {"tool": "progress", "arguments": {"count": "{count}", "gap": "{gap}"}, "progress": True}
REGRESSION = {
    "name": "three",
    "target": "shop",
    "protocol": "mcp",
    "stimulus": "progress",
    "version": "2025-11-25",
    "binding": "streamable-http",
    "plan": 'cut(on="tools/call", after=events(4), how=reset)',
}


def keep(project: Project, **keys: str) -> None:
    project.write("seatrial.regressions.toml", tomli_w.dumps({"regression": [{**REGRESSION, **keys}]}))


def test_a_regression_is_a_case_that_fails_where_it_did(project: Project, serve: Serve) -> None:
    keep(project)
    for server, outcome in ((serve("mcp", "replay.page-boundary"), "failed"), (serve(), "passed")):
        project.describe(server, stimuli={"progress": PROGRESS})
        assert project.cases("-k", "regression.three").parseoutcomes()[outcome] == 1


def test_a_process_that_outlives_the_reports_ends_in_peace(project: Project) -> None:
    keep(project, binding="stdio", plan="stall(after=messages(2), seconds=0.1)")
    command = [sys.executable, "-m", "seatrial.fixtures.reference", "mcp", "--stdio"]
    target = {"protocol": "mcp", "command": command, "versions": ["2025-11-25"], "stimuli": {"progress": PROGRESS}}
    project.write("seatrial.toml", tomli_w.dumps({"target": {"shop": target}}))
    project.cases("-k", "regression.three").assert_outcomes(passed=1, deselected=None)


def test_a_wrong_file_of_regressions_is_told_in_a_sentence(project: Project, serve: Serve) -> None:
    project.describe(serve())
    keep(project, plan="cot()")
    project.cases().stderr.fnmatch_lines(["*seatrial.regressions.toml:*unknown fault 'cot'*"])
