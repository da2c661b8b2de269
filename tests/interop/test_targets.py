"""The real servers, for real: no error, no hang, and no failure that nobody has argued."""

from __future__ import annotations

import pytest
from seatrial.fixtures.environments import default_cache
from seatrial.fixtures.interop import known
from seatrial.fixtures.interop.survey import LIMIT, Survey, survey

pytestmark = [pytest.mark.interop, pytest.mark.timeout(LIMIT + 900)]
RUNS = (
    ("mcp-everything", "http"),
    ("mcp-everything", "stdio"),
    ("mcp-py-2", "http"),
    ("mcp-py-2", "stdio"),
    ("mcp-py-1", "http"),
    ("mcp-fastmcp", "http"),
    ("mcp-ts-2", "http"),
    ("mcp-time", "stdio"),
    ("a2a-py-1", "http"),
    ("a2a-py-03", "http"),
    ("a2a-js-1", "http"),
    ("a2a-fasta2a", "http"),
    ("a2a-a2akit", "http"),
    ("agui-pydantic-ai", "http"),
    ("agui-langgraph", "http"),
    ("agui-strands", "http"),
    ("agui-agno", "http"),
    ("agui-node", "http"),
)
WITH_STIMULI = ("mcp-everything", "mcp-py-1", "mcp-py-2", "mcp-fastmcp", "mcp-ts-2")


@pytest.fixture(params=RUNS, ids="-".join, scope="module")
def found(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Survey:
    ident, transport = request.param
    return survey(ident, transport, default_cache(), tmp_path_factory.mktemp("interop"))


def test_the_run_ends_and_nothing_in_it_is_our_error(found: Survey) -> None:
    assert found.code in (0, 1, 3)
    assert [finding["case"] for finding in found.findings if finding["verdict"] == "ERROR"] == []


def test_every_failure_is_argued_and_no_argument_is_stale(found: Survey) -> None:
    compared = found.compared(known.load())
    assert [(finding["case"], finding["actual"]) for finding in compared.unargued] == []
    assert compared.stale == ()


def test_most_cases_are_judged_where_the_server_has_the_stimuli(found: Survey) -> None:
    if found.target not in WITH_STIMULI:
        pytest.skip("the server has few stimuli")
    assert found.judged_share >= 0.6


def test_an_absent_capability_is_shown_by_a_record(found: Survey) -> None:
    assert found.absences_without_record == []
