"""Cases as tests: what is collected, what each verdict becomes, and what works that works with any test."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import tomli_w
from seatrial.kept import Kept, load
from seatrial.model import Verdict

from .conftest import Project, Serve

MUTANT = "err.unknown-method-as-params"
FOUND = "shop/mcp.err.unknown-method[2025-11-25,streamable-http,none]"
FEW = ("-k", "unknown-method or mcp.err.parse or jsonrpc-2")
"""Three cases, the last of them a monitor."""

HOUSE = Path(__file__).with_name("every_verdict.py")


def collected(project: Project, *arguments: str) -> list[str]:
    told = project.cases("--collect-only", "-q", *arguments)
    return [line for line in told.outlines if "::" in line]


def test_every_case_is_a_test_whose_node_id_ends_in_the_case_id(project: Project, serve: Serve) -> None:
    project.describe(serve())
    found = collected(project)
    assert f"seatrial.toml::{FOUND}" in found
    assert all(name.endswith("[2025-11-25,streamable-http,none]") for name in found)
    assert len(found) == len(set(found)) > 100
    assert collected(project) == found
    assert not (project.path / ".seatrial").exists()


def test_a_failure_is_told_as_the_finding(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    told = project.cases(*FEW)
    told.assert_outcomes(passed=2, failed=1, deselected=len(collected(project)) - 3)
    told.stdout.fnmatch_lines(
        [
            "FAIL: An unknown method is refused with -32601",
            FOUND.replace("[", "[[]"),
            "clause   MUST: *",
            "expected error -32601",
            "actual   error -32602 *",
            "records  *",
            "rerun    seatrial run --config seatrial.toml shop --check mcp.err.unknown-method *",
        ]
    )
    assert "Traceback" not in told.stdout.str()
    assert "passage.py" not in told.stdout.str()


def test_every_verdict_becomes_what_the_policy_makes_of_it(project: Project, serve: Serve) -> None:
    project.describe(serve())
    house = (f"--seatrial-suites={HOUSE}", "-k", "house", "-rs")
    told = project.cases(*house)
    told.assert_outcomes(passed=3, failed=2, errors=1, skipped=1, warnings=1, deselected=None)
    told.stdout.fnmatch_lines(["*ERROR at setup of The check itself is wrong*", "*ZeroDivisionError: our own mistake*"])
    told.stdout.fnmatch_lines(["*SeatrialWarning: WARN: A SHOULD that does not hold"])
    told.stdout.fnmatch_lines(["SKIPPED *NOT_APPLICABLE feature-absent: the target does not claim it"])
    told = project.cases(*house, "--seatrial-strict", "--seatrial-strict-info")
    told.assert_outcomes(passed=1, failed=4, errors=1, skipped=1, deselected=None)
    told = project.cases(*house, "--seatrial-allow-inconclusive", "stimulus-failed")
    told.assert_outcomes(passed=3, failed=1, errors=1, skipped=2, warnings=1, deselected=None)
    told.stdout.fnmatch_lines(["SKIPPED *INCONCLUSIVE stimulus-failed: the stimulus failed with \\x1b[[]31mred"])
    told.stdout.fnmatch_lines(["actual   nothing \\x1b[[]31mdoes \\u202e"])
    assert not {"\x1b", "\u202e"} & set(told.stdout.str())


def test_junit_xml_has_the_case_its_verdict_and_the_finding(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    project.cases(*FEW, "--junitxml", "out.xml")
    cases = {case.get("name"): case for case in ElementTree.parse(project.path / "out.xml").iter("testcase")}
    assert len(cases) == 3
    (failure,) = cases[FOUND].iter("failure")
    assert "expected error -32601" in (failure.text or "")
    (verdict,) = cases[FOUND].iter("property")
    assert (verdict.get("name"), verdict.get("value")) == ("seatrial_verdict", "FAIL")
    assert sum(len(case.findall("failure")) for case in cases.values()) == 1


def test_the_first_failure_ends_the_session_when_that_is_wanted(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    told = project.cases("-x", *FEW)
    told.assert_outcomes(failed=1, deselected=None)
    told.stdout.fnmatch_lines(["*stopping after 1 failures*"])
    assert not report(project).finished.complete


def test_what_failed_last_is_run_again_and_nothing_else(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    project.cases(*FEW).assert_outcomes(passed=2, failed=1, deselected=None)
    project.describe(serve())
    told = project.cases("--lf", "-v")
    told.assert_outcomes(passed=1, deselected=None)
    told.stdout.fnmatch_lines([f"seatrial.toml::{FOUND} PASSED*".replace("[", "[[]")])


def test_every_target_and_every_way_to_it_has_cases_and_a_rerun_names_its_target(
    project: Project, serve: Serve
) -> None:
    broken = serve("mcp", MUTANT)
    target = {"protocol": "mcp", "url": broken, "versions": ["2025-11-25"]}
    described = {"target": {"shop": {**target, "ways": {"gateway": broken}}, "bank": target}}
    project.write("seatrial.toml", tomli_w.dumps(described))
    one = FOUND.removeprefix("shop")
    found = collected(project, "-k", "unknown-method")
    assert found == [f"seatrial.toml::{name}{one}" for name in ("shop", "shop@gateway", "bank")]
    assert collected(project, "-k", "unknown-method", "--seatrial-target", "bank") == found[-1:]
    told = project.cases("-k", "unknown-method and bank")
    told.stdout.fnmatch_lines(["rerun    seatrial run --config seatrial.toml bank --check *"])


def test_one_case_is_run_by_its_node_id(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    project.cases(f"seatrial.toml::{FOUND}").assert_outcomes(failed=1)


def test_a_monitor_that_is_selected_alone_sees_the_traffic_that_it_wants(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.cases("-k", "jsonrpc-2").assert_outcomes(passed=1, deselected=None)


def test_a_run_leaves_its_evidence_and_its_reports(project: Project, serve: Serve) -> None:
    project.describe(serve("mcp", MUTANT))
    told = project.cases(*FEW)
    kept = report(project)
    told.stdout.fnmatch_lines([f"seatrial: evidence and reports are in {kept.file.parent}"])
    assert Path((project.path / ".seatrial" / "last").read_text(encoding="utf-8").strip()) == kept.file.parent
    assert {result.verdict for result in kept.finished.results} == {Verdict.FAIL, Verdict.PASS}
    assert kept.finished.complete
    assert (kept.file.parent / "evidence.jsonl").stat().st_size > 1000


def test_the_tests_of_the_project_are_run_beside_the_cases(project: Project, serve: Serve) -> None:
    project.describe(serve())
    project.write("test_mine.py", "def test_mine():\n    pass\n")
    project.cases("-k", "mcp.err.parse or mine").assert_outcomes(passed=2, deselected=None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--seatrial", "none.toml"), "*there is no none.toml; write one with seatrial init*"),
        (("--seatrial", "seatrial.toml", "--seatrial-target", "shp"), "*shp*did you mean shop?*"),
        (("--seatrial", "wrong.toml"), "*wrong.toml:2: target.shop.urk is not understood*"),
        (
            ("--seatrial", "seatrial.toml", "--seatrial-allow-inconclusive", "deadlin"),
            "*--seatrial-allow-inconclusive: *did you mean deadline?*",
        ),
        (("--seatrial", "seatrial.toml", "--seatrial-suites", "no.py"), "*no.py: there is no such suite*"),
        (("--seatrial", "seatrial.toml", "--seatrial-baseline", "no.toml"), "*no.toml cannot be read*"),
    ],
)
def test_a_mistake_is_told_in_a_sentence(project: Project, arguments: tuple[str, ...], sentence: str) -> None:
    project.describe("http://127.0.0.1:9/mcp")
    project.write("wrong.toml", '[target.shop]\nurk = "http://127.0.0.1:9/mcp"\n')
    told = project.pytest(*arguments)
    assert told.ret == pytest.ExitCode.USAGE_ERROR
    told.stderr.fnmatch_lines([sentence])
    assert "Traceback" not in told.stderr.str()


def test_a_target_that_is_not_there_is_one_error(project: Project) -> None:
    project.describe("http://127.0.0.1:9/mcp")
    told = project.cases()
    told.assert_outcomes(errors=1)
    told.stdout.fnmatch_lines(["*seatrial: http://127.0.0.1:9/mcp gives no MCP answer*"])
    assert "Traceback" not in told.stdout.str()


def test_a_target_that_is_not_there_stops_no_other(project: Project, serve: Serve) -> None:
    here, gone = (
        {"protocol": "mcp", "url": url, "versions": ["2025-11-25"]} for url in (serve(), "http://127.0.0.1:9/")
    )
    project.write("seatrial.toml", tomli_w.dumps({"target": {"gone": gone, "shop": here}}))
    told = project.cases("-k", "gone or mcp.err.parse")
    told.assert_outcomes(passed=1, failed=1, deselected=None)
    told.stdout.fnmatch_lines(["seatrial: gone: http://127.0.0.1:9/ gives no MCP answer*"])
    assert report(project).finished.failure.startswith("gone: ")


def test_what_is_not_asked_for_costs_nothing(project: Project) -> None:
    project.write(
        "test_light.py",
        "import sys\n\ndef test_light():\n"
        "    heavy = {'seatrial.engine', 'seatrial.cli', 'trio', 'httpx', 'jsonschema', 'rich'}\n"
        "    assert not heavy & set(sys.modules)\n",
    )
    project.apart("-W", "error").assert_outcomes(passed=1)


def test_an_installed_plugin_needs_no_naming(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
    told = project.pytester.runpytest_subprocess("--help")
    told.stdout.fnmatch_lines(["*--seatrial=FILE*"])


def report(project: Project) -> Kept:
    """The report of the only run."""
    (folder,) = (project.path / ".seatrial" / "runs").iterdir()
    return load(folder)
