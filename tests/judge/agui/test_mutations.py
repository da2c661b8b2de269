"""Each single illegal change of a legal stream is found, under the name of its rule and no other."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from seatrial.judge.agui import V0, V1, Finding, Profile, Rule, judge

from .legal import MESSAGES, Writer, writers
from .mutations import CHANGES, INSERTIONS, Change, Insertion
from .wire import INPUT, JsonObject, finished, run, sequence, text

EARLY_INSERTIONS = {name: each for name, each in INSERTIONS.items() if each.early}
EARLY_CHANGES = {name: (rule, change) for name, (rule, change, early) in CHANGES.items() if early}


def mutated(writer: Writer, insertion: Insertion) -> list[JsonObject]:
    """A random run with the insertion between any two parts of it.

    Its lists of messages are left out, since they would lack what is inserted.
    """
    atoms = [atom for atom in writer.scribe.body() if atom[0]["type"] != MESSAGES]
    place = len(atoms) if insertion.last else writer.random.randint(0, len(atoms))
    before = writer.run("r-1", atoms[:place])[:-1]
    after = writer.run("r-1", atoms[place:])[1:-1]
    return [*before, *insertion.events, *after, finished()]


def framed(writer: Writer) -> list[JsonObject]:
    """A run of which every version says the same."""
    parts = [writer.scribe.atoms(text("m", "x")), writer.scribe.thoughts(), writer.scribe.steps()]
    return writer.run("r-1", writer.scribe.merged(parts))


def rules(findings: list[Finding]) -> set[str]:
    return {finding.rule.value for finding in findings}


def found(events: list[JsonObject], profile: Profile) -> set[str]:
    return rules(judge(sequence(events), profile, INPUT))


@pytest.mark.parametrize("insertion", INSERTIONS.values(), ids=INSERTIONS)
@given(data=st.data())
@settings(max_examples=12, deadline=None)
def test_an_insertion_is_found_in_1_0(insertion: Insertion, data: st.DataObject) -> None:
    findings = judge(sequence(mutated(data.draw(writers()), insertion)), V1, INPUT)
    assert rules([finding for finding in findings if not finding.soft]) == {insertion.rule.value}


@pytest.mark.parametrize("insertion", EARLY_INSERTIONS.values(), ids=EARLY_INSERTIONS)
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_an_insertion_is_found_in_0_1(insertion: Insertion, data: st.DataObject) -> None:
    assert found(mutated(data.draw(writers(V0)), insertion), V0) == {insertion.rule.value}


@pytest.mark.parametrize(("rule", "change", "early"), CHANGES.values(), ids=CHANGES)
@given(data=st.data())
@settings(max_examples=8, deadline=None)
def test_a_change_of_the_frame_is_found_in_1_0(rule: Rule, change: Change, early: bool, data: st.DataObject) -> None:
    assert found(change(framed(data.draw(writers()))), V1) == {rule.value}


@pytest.mark.parametrize(("rule", "change"), EARLY_CHANGES.values(), ids=EARLY_CHANGES)
@given(data=st.data())
@settings(max_examples=4, deadline=None)
def test_a_change_of_the_frame_is_found_in_0_1(rule: Rule, change: Change, data: st.DataObject) -> None:
    assert found(change(framed(data.draw(writers(V0)))), V0) == {rule.value}


@pytest.mark.parametrize("change", [change for _, change, early in CHANGES.values() if not early])
def test_what_only_1_0_forbids_is_at_most_something_after_the_end_in_0_1(change: Change) -> None:
    after = {Rule.RUN_ERROR_TERMINAL.value, Rule.NOTHING_AFTER_FINISH.value}
    assert found(change(run(text("m", "x"), version=None)), V0) <= after


def test_every_rule_of_a_stream_has_a_mutation() -> None:
    """What is not here takes a whole stream, or several."""
    broken = {each.rule for each in INSERTIONS.values()} | {rule for rule, _, _ in CHANGES.values()}
    assert set(Rule) - broken == {Rule.SSE_FRAMING, Rule.CLOSES_AFTER_TERMINAL}
