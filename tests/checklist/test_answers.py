"""How a line stands, by verdicts, lints and signatures."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from seatrial.checklist.answers import Standing
from seatrial.checklist.lines import Who
from seatrial.checklist.making import NoChecklist
from seatrial.model import Column, Reason, Verdict

from .checklist_samples import SERVER, TODAY, evidence, failed, line, listed, result, run, signature

BROKEN = result("mcp.can.stops-work", Verdict.FAIL, actual="it went on")
STOPS = "mcp.can.stops-work"
IDENTITY = "mcp.err.auth-audience"


@pytest.mark.parametrize(
    ("verdict", "reason", "state"),
    [
        (Verdict.PASS, None, Standing.MET),
        (Verdict.FAIL, None, Standing.UNMET),
        (Verdict.WARN, None, Standing.UNMET),
        (Verdict.ERROR, Reason.CRASH, Standing.UNDECIDED),
        (Verdict.INCONCLUSIVE, Reason.NO_WITNESS, Standing.UNDECIDED),
        (Verdict.INCONCLUSIVE, Reason.NOTHING_SEEN, Standing.ABSENT),
        (Verdict.NOT_APPLICABLE, Reason.CAPABILITY_ABSENT, Standing.ABSENT),
    ],
)
def test_a_line_of_checks_stands_as_its_check_does(
    verdict: Verdict, reason: Reason | None, state: Standing, tmp_path: Path
) -> None:
    found = line(run(tmp_path, result(STOPS, verdict, reason)), "long.cancel")
    assert (found.state, found.asked) == (state, Who.AUTO)
    assert found.blocks == (state in (Standing.UNMET, Standing.UNDECIDED))


def test_a_note_of_a_clause_that_binds_nobody_leaves_a_line_unmet(tmp_path: Path) -> None:
    assert line(run(tmp_path, result(STOPS, noted=True)), "long.cancel").state is Standing.UNMET


def test_the_worst_column_counts_and_is_the_one_that_is_shown(tmp_path: Path) -> None:
    other = Column("2026-07-28", "streamable-http")
    kept = run(tmp_path, result(STOPS), result(STOPS, Verdict.FAIL, actual="no", column=other))
    (decided,) = line(kept, "long.cancel").facts.checks
    assert decided.result is not None and decided.result.case.column == other
    assert decided.state is Standing.UNMET


def test_a_pattern_of_checks_is_every_check_that_it_matches(tmp_path: Path) -> None:
    names = ["mcp.cap.respect-client-caps-roots", "mcp.cap.respect-client-caps-sampling"]
    found = line(run(tmp_path, *map(result, names)), "degrade.fallback")
    assert [decided.check for decided in found.facts.checks] == names


def test_what_checks_do_not_reach_in_these_versions_is_a_question_to_a_person(tmp_path: Path) -> None:
    absent = result("mcp.can.close-is-cancel", Verdict.NOT_APPLICABLE, Reason.VERSION_NOT_CLAIMED)
    found = line(run(tmp_path, result(STOPS), absent), "long.timeouts")
    assert (found.asked, found.state, found.facts.checks) == (Who.HUMAN, Standing.UNSIGNED, ())


@pytest.mark.parametrize("choice", [{"selected": True}, {"shard": "1/2"}, {"versions": ["x"]}])
def test_what_a_run_left_out_by_choice_is_not_decided(choice: dict[str, Any], tmp_path: Path) -> None:
    found = line(run(tmp_path, result(STOPS), **choice), "long.timeouts")
    assert (found.asked, found.state) == (Who.AUTO, Standing.UNDECIDED)
    assert {decided.result for decided in found.facts.checks} == {None}
    assert found.facts.partial


def test_what_an_early_end_left_out_is_not_decided(tmp_path: Path) -> None:
    cut = run(tmp_path, result(STOPS, Verdict.INCONCLUSIVE, Reason.INTERRUPTED), result(IDENTITY), complete=False)
    found = line(cut, "long.cancel")
    assert (found.state, found.facts.partial) == (Standing.UNDECIDED, True)
    assert not line(cut, "peer.identity").facts.partial
    assert line(cut, "long.timeouts").asked is Who.HUMAN


def test_a_lint_that_finds_something_leaves_a_line_unmet(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS), messages=[failed("cannot open /srv/shop/db")])
    found = line(kept, "errors.leak")
    assert (found.state, found.blocks) == (Standing.UNMET, True)
    assert [remark.quote for remark in found.facts.remarks] == ["/srv/shop/db"]


def test_without_evidence_nothing_is_said_of_errors_and_tools(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS))
    (tmp_path / "evidence.jsonl").unlink()
    for ident in ("errors.leak", "tools.count"):
        found = line(kept, ident)
        assert (found.state, "make" in found.facts.missing) == (Standing.UNDECIDED, True)


def test_a_server_that_declares_no_tools_is_not_asked_about_them(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS), server={**SERVER, "capabilities": {"resources": {}}})
    evidence(tmp_path)
    assert {line(kept, ident).state for ident in ("tools.count", "tools.purpose")} == {Standing.ABSENT}


def test_a_line_for_both_wants_a_signature_whatever_was_found(tmp_path: Path) -> None:
    for found in (result(IDENTITY), result(IDENTITY, Verdict.NOT_APPLICABLE), result(IDENTITY, Verdict.INCONCLUSIVE)):
        kept = run(tmp_path, found)
        open_ = line(kept, "peer.identity")
        assert open_.state is Standing.UNSIGNED
        assert line(kept, "peer.identity", signature(open_)).state is Standing.SIGNED


def test_a_person_overrules_a_lint_and_no_check(tmp_path: Path) -> None:
    advised = line(run(tmp_path, result(STOPS)), "tools.when-not")
    assert advised.facts.remarks
    assert line(run(tmp_path, result(STOPS)), "tools.when-not", signature(advised)).state is Standing.SIGNED
    kept = run(tmp_path, result(IDENTITY, Verdict.FAIL, actual="served"))
    broken = line(kept, "peer.identity")
    assert line(kept, "peer.identity", signature(broken)).state is Standing.UNMET
    assert line(kept, "peer.identity", signature(broken, waived=True)).state is Standing.WAIVED


def test_a_signature_does_not_make_an_auto_line_hold(tmp_path: Path) -> None:
    kept = run(tmp_path, BROKEN)
    found = line(kept, "long.cancel")
    assert line(kept, "long.cancel", signature(found)).state is Standing.UNMET
    assert line(kept, "long.cancel", signature(found, waived=True)).state is Standing.WAIVED


def test_what_holds_needs_no_waiver(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS))
    assert line(kept, "long.cancel", signature(line(kept, "long.cancel"), waived=True)).state is Standing.MET


def test_a_signature_ends_after_its_last_day(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS))
    signed = signature(line(kept, "bounds.supply"), until=date(2026, 12, 31))
    assert line(kept, "bounds.supply", signed, today=date(2026, 12, 31)).state is Standing.SIGNED
    late = line(kept, "bounds.supply", signed, today=date(2027, 1, 1))
    assert (late.state, late.stale) == (Standing.UNSIGNED, "the owner's signature ended on 2026-12-31")


def test_a_signature_ends_with_the_facts_that_it_confirmed(tmp_path: Path) -> None:
    signed = signature(line(run(tmp_path, result(IDENTITY)), "peer.identity"))
    now = line(run(tmp_path, result(IDENTITY, Verdict.INCONCLUSIVE)), "peer.identity", signed)
    assert (now.state, "has changed" in now.stale) == (Standing.UNSIGNED, True)


def test_a_signature_for_a_version_ends_with_it(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS))
    signed = signature(line(kept, "bounds.supply"), version="1.4")
    assert line(kept, "bounds.supply", signed).state is Standing.SIGNED
    newer = run(tmp_path, result(STOPS), server={**SERVER, "serverInfo": {"version": "1.5"}})
    stale = line(newer, "bounds.supply", signed).stale
    assert stale == "the owner signed for version 1.4 of the target, which is 1.5 now"


def test_a_signature_outlives_what_differs_from_run_to_run(tmp_path: Path) -> None:
    first = run(tmp_path, result(STOPS), address="http://127.0.0.1:8080/mcp")
    signed = [signature(line(first, ident)) for ident in ("errors.retryable", "bounds.provenance")]
    again = run(tmp_path, result(STOPS), messages=[failed("Oops")], address="http://127.0.0.1:9090/mcp")
    assert all(not line(again, each.line, each).stale for each in signed)


def test_the_signature_of_another_target_is_none(tmp_path: Path) -> None:
    kept = run(tmp_path, result(STOPS))
    other = replace(signature(line(kept, "bounds.supply")), target="store")
    assert line(kept, "bounds.supply", other).state is Standing.UNSIGNED


def test_a_target_without_a_name_of_its_own_is_signed_for_by_its_address(tmp_path: Path) -> None:
    named = listed(run(tmp_path, result(STOPS)))
    nameless = listed(run(tmp_path, result(STOPS), command=["seatrial", "run", "http://127.0.0.1:8080/mcp"]))
    assert (named.target, nameless.target) == ("shop", "http://127.0.0.1:8080/mcp")


def test_a_list_has_the_lines_of_its_protocol_alone(tmp_path: Path) -> None:
    mcp, a2a = listed(run(tmp_path, result(STOPS))), listed(run(tmp_path, result("a2a.cancel.working")))
    assert (mcp.protocol, a2a.protocol) == ("mcp", "a2a")
    assert "tools.count" in mcp.all and "tools.count" not in a2a.all
    assert "push.verify" in a2a.all and "push.verify" not in mcp.all


def test_of_several_targets_one_is_named_and_only_its_own_is_told(tmp_path: Path) -> None:
    kept = run(tmp_path, BROKEN, result(STOPS, target="store"), target="shop, store", address="http://a/, http://b/")
    with pytest.raises(NoChecklist, match="of several targets; name one of them: shop, store"):
        listed(kept)
    found = listed(kept, name="store")
    assert (found.target, found.address, found.version) == ("store", "http://b/", "")
    assert found.all["long.cancel"].state is Standing.MET


def test_a_target_in_two_ways_is_one(tmp_path: Path) -> None:
    kept = run(tmp_path, BROKEN, result(STOPS, target="shop@gateway"), target="shop, shop@gateway")
    found = listed(kept)
    assert (found.target, found.version, found.all["long.cancel"].state) == ("shop", "1.4", Standing.UNMET)


@pytest.mark.parametrize(("results", "name"), [((), ""), ((result(STOPS),), "other"), ((result("none.x"),), "")])
def test_a_run_that_gives_no_list_says_why(results: tuple[Any, ...], name: str, tmp_path: Path) -> None:
    with pytest.raises(NoChecklist, match=r"make another run|not of other|no check of the run"):
        listed(run(tmp_path, *results), name=name)


def test_today_is_told(tmp_path: Path) -> None:
    assert listed(run(tmp_path, result(STOPS))).day == TODAY
