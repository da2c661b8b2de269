"""A team's own tests: what they get, and what becomes of what they expect."""

from __future__ import annotations

import sys

import pytest

from .conftest import Project, Serve

SYNC = """
from seatrial import Answer, expect
from seatrial.faults import RESET, cut, events

def test_tools(seatrial_lab):
    with seatrial_lab.session() as session:
        assert isinstance(session.request("tools/list"), Answer)
        exchange = session.begin("tools/list")
        assert isinstance(exchange.outcome(), Answer)
        assert exchange.finished()
        with seatrial_lab.session(resuming=session) as again:
            assert again.session_id == session.session_id
            again.session_id = None

def test_refused(seatrial_lab):
    '''Nobody may list tools.'''
    with seatrial_lab.session() as session:
        seatrial_lab.expect(expect.refused(session.request("tools/list")))

def test_broken(seatrial_lab):
    with seatrial_lab.session() as session:
        assert isinstance(session.request("no/such"), Answer)
"""

ASYNC = SYNC.replace("def test", "async def test").replace("    with ", "    async with ")
for waits in ("session.request", "session.begin", "exchange.outcome", "exchange.finished"):
    ASYNC = ASYNC.replace(waits, f"await {waits}")


@pytest.mark.parametrize("text", [SYNC, ASYNC], ids=["functions", "coroutines"])
def test_functions_and_coroutines_drive_sessions_alike(project: Project, serve: Serve, text: str) -> None:
    project.describe(serve())
    project.write("test_mine.py", text)
    told = project.pytest()
    told.assert_outcomes(passed=1, failed=2)
    told.stdout.fnmatch_lines(
        [
            "FAIL: Nobody may list tools.",
            "clause   MUST: Nobody may list tools.",
            "expected a refusal",
            "actual   a result: *",
            "records  *",
            "*Captured seatrial records call*",
            '#* sent post:* *"method": "tools/list"*',
        ]
    )
    told.stdout.fnmatch_lines(["E * isinstance(Refusal(code=-32601*", '#* received post:* *"code": -32601*'])
    told.stdout.no_fnmatch_line("*rerun*")
    for file in ("blocking.py", "thread.py", "own.py"):
        assert file not in told.stdout.str()


def test_a_fault_that_never_fired_leaves_a_test_unjudged(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.write(
        "test_mine.py",
        "from seatrial.faults import RESET, cut, events\n\n"
        "def test_cut(seatrial_lab):\n"
        "    with seatrial_lab.session(cut(on='tools/call', after=events(1), how=RESET)) as session:\n"
        "        session.request('tools/list')\n",
    )
    told = project.pytest()
    told.assert_outcomes(failed=1)
    told.stdout.fnmatch_lines(["INCONCLUSIVE, fault-never-fired: test_cut", "detail   never fired: cut(on=*"])
    told = project.pytest("--seatrial-allow-inconclusive", "fault-never-fired")
    told.assert_outcomes(skipped=1)


def test_a_fault_that_fired_is_seen_by_the_test(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.write(
        "test_mine.py",
        "from seatrial import Lost\nfrom seatrial.faults import drop_response\n\n"
        "def test_lost(seatrial_lab):\n"
        "    with seatrial_lab.session(drop_response(on='tools/list')) as session:\n"
        "        assert isinstance(session.request('tools/list'), Lost)\n",
    )
    project.pytest().assert_outcomes(passed=1)


def test_the_mark_says_which_target_and_which_version(project: Project, serve: Serve) -> None:
    project.describe("http://127.0.0.1:9/mcp")
    project.write(
        "test_mine.py",
        f"""
import pytest

pytestmark = pytest.mark.seatrial(url={serve()!r}, protocol="mcp", versions=["2025-06-18", "2025-11-25"])

def test_newest(seatrial_lab):
    assert seatrial_lab.version == "2025-11-25"

@pytest.mark.seatrial(version="2025-06-18")
def test_older(seatrial_lab):
    assert seatrial_lab.version == "2025-06-18"

@pytest.mark.seatrial(version="2024-11-05")
def test_oldest(seatrial_lab):
    assert False

@pytest.mark.seatrial(urk="x")
def test_wrong(seatrial_lab):
    assert False
""",
    )
    told = project.pytest("-rs")
    told.assert_outcomes(passed=2, skipped=1, errors=1)
    told.stdout.fnmatch_lines(["SKIPPED * the target does not speak 2024-11-05, but 2025-*"])
    told.stdout.fnmatch_lines(["seatrial: *target.target.urk is not understood: *did you mean url?"])


def test_a_command_is_a_target_too(project: Project) -> None:
    command = [sys.executable, "-m", "seatrial.fixtures.reference", "mcp", "--stdio"]
    project.write(
        "test_mine.py",
        f"""
import pytest
from seatrial import Answer

@pytest.mark.seatrial(command={command!r}, versions=["2025-11-25"], binding="stdio")
def test_mine(seatrial_lab):
    with seatrial_lab.session() as session:
        assert isinstance(session.request("tools/list"), Answer)
""",
    )
    project.pytest().assert_outcomes(passed=1)


def test_a_secret_that_the_target_repeats_is_not_told(project: Project, serve: Serve) -> None:
    project.describe(serve(), headers={"X-Shop": "open-sesame-42"})
    project.write(
        "test_mine.py",
        """
from seatrial import Violation

def test_mine(seatrial_lab):
    with seatrial_lab.session() as session:
        session.request("tools/call", {"name": "echo", "arguments": {"text": "open-sesame-42"}})
    seatrial_lab.expect(Violation("nothing", "it says " + "open-sesame-42"))
""",
    )
    told = project.pytest("--tb=short")
    told.assert_outcomes(failed=1)
    told.stdout.fnmatch_lines(["actual   it says [[]redacted]"])
    told.stdout.fnmatch_lines(["#* sent *[[]redacted]*"])
    assert "open-sesame" not in told.stdout.str()


def test_a_fixture_of_the_project_says_which_target(project: Project, serve: Serve) -> None:
    project.write(
        "test_mine.py",
        f"""
import pytest

@pytest.fixture(scope="module")
def seatrial_target():
    return {serve()!r}

def test_mine(seatrial_lab):
    with seatrial_lab.session() as session:
        assert session.fence().members
""",
    )
    project.pytest().assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        ("http://127.0.0.1:9/mcp", "seatrial: http://127.0.0.1:9/mcp gives no answer: nobody listens on 127.0.0.1:9*"),
        ("shop", "seatrial: there is no *seatrial.toml; write one with seatrial init*"),
    ],
)
def test_a_target_that_cannot_be_had_is_told_in_a_sentence(project: Project, target: str, sentence: str) -> None:
    project.write("conftest.py", f"import pytest\n\n@pytest.fixture\ndef seatrial_target():\n    return {target!r}\n")
    project.write("test_mine.py", "def test_mine(seatrial_lab):\n    pass\n")
    told = project.pytest()
    told.assert_outcomes(errors=1)
    told.stdout.fnmatch_lines([sentence])
    assert "Traceback" not in told.stdout.str()


def test_the_setting_says_where_targets_are_described(project: Project, serve: Serve) -> None:
    project.describe(serve())
    (project.path / "seatrial.toml").rename(project.path / "servers.toml")
    project.write("pytest.ini", "[pytest]\nseatrial_config = servers.toml\n")
    project.write("test_mine.py", "def test_mine(seatrial_lab):\n    assert seatrial_lab.case.target == 'shop'\n")
    project.pytest("--strict-markers").assert_outcomes(passed=1)


def test_a_receiver_keeps_what_is_delivered_and_answers_as_it_is_told(project: Project) -> None:
    project.write(
        "test_mine.py",
        """
import urllib.error, urllib.request

import anyio
import pytest
from seatrial import acts

def post(url):
    with urllib.request.urlopen(urllib.request.Request(url, data=b'{"n": 1}', method="POST")) as answer:
        return answer.status

def test_functions(seatrial_receiver):
    hook = seatrial_receiver.hook(acts.Ack(503), acts.Ack())
    with pytest.raises(urllib.error.HTTPError):
        post(hook.url)
    assert post(hook.url) == 200
    assert hook.delivered(2, within=5)
    assert [delivery.payload for delivery in hook.deliveries] == [{"n": 1}, {"n": 1}]

async def test_coroutines(seatrial_receiver):
    hook = await seatrial_receiver.hook()
    assert await anyio.to_thread.run_sync(post, hook.url) == 200
    assert await hook.delivered(1, within=5)
""",
    )
    project.pytest().assert_outcomes(passed=2)


def test_an_agent_pushes_to_a_hook_that_lost_its_first_answer(project: Project, serve: Serve) -> None:
    project.write(
        "test_mine.py",
        f"""
import pytest
from seatrial import acts

@pytest.mark.seatrial(url={serve("a2a")!r}, protocol="a2a")
async def test_push(seatrial_lab):
    hook = await seatrial_lab.hook(acts.AckLost(), acts.Ack())
    async with seatrial_lab.session() as session:
        sent = await session.send("echo hello", push=session.push_config(hook.url))
    assert await hook.delivered(2, within=10)
""",
    )
    project.pytest().assert_outcomes(passed=1)


def test_other_plugins_for_coroutines_are_not_in_the_way(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.write(
        "test_mine.py",
        "import pytest\nfrom seatrial import Answer\n\n@pytest.mark.anyio\nasync def test_mine(seatrial_lab):\n"
        "    async with seatrial_lab.session() as session:\n"
        "        assert isinstance(await session.fence(), Answer)\n\n"
        "@pytest.mark.anyio\nasync def test_other():\n    pass\n",
    )
    project.write("conftest.py", "import pytest\n\n@pytest.fixture\ndef anyio_backend():\n    return 'asyncio'\n")
    project.apart(plugins=("anyio",)).assert_outcomes(passed=2)


def test_a_coroutine_that_another_plugin_would_run_in_its_own_loop_is_run_in_ours(
    project: Project, serve: Serve
) -> None:
    project.describe(serve())
    project.write(
        "conftest.py",
        """
import asyncio
from functools import wraps

import pytest

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    test = item.obj
    item.obj = wraps(test)(lambda **fixtures: asyncio.run(test(**fixtures)))
""",
    )
    project.write(
        "test_mine.py",
        "from seatrial import Answer\n\nclass TestMine:\n    async def test_mine(self, seatrial_lab):\n"
        "        async with seatrial_lab.session() as session:\n"
        "            assert isinstance(await session.fence(), Answer)\n",
    )
    project.pytest().assert_outcomes(passed=1)
