"""The faults that surround a whole run: where they are read from, and how they are called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from seatrial.faults import FaultError, benign_profile, cut, drop_response, events, latency, parse_plan, to_json
from seatrial.faults.profile import LARGEST, Profile, read_profile


def test_the_profiles_with_names_of_their_own() -> None:
    assert read_profile("none") == Profile("none", ())
    assert read_profile("benign") == Profile("benign", benign_profile())


def test_a_text_is_a_plan() -> None:
    assert read_profile("latency(seconds=2); cut()") == Profile("plan", (latency(seconds=2.0), cut()))


def test_a_file_holds_either_form_and_gives_its_stem(tmp_path: Path) -> None:
    plan = (drop_response(on="tools/call"), cut(after=events(2)))
    lines, listed = tmp_path / "bad [night].txt", tmp_path / "night.json"
    lines.write_text("# lossy\n" + "\n".join(map(str, plan)))
    listed.write_text(json.dumps([to_json(fault) for fault in plan]))
    assert read_profile(str(lines)) == Profile("bad-night-", plan)
    assert read_profile(str(listed)) == Profile("night", plan)


def test_what_is_told_of_a_plan_is_that_plan_with_every_value() -> None:
    profile = read_profile("cut(after=events(2)); latency(seconds=inf)")
    assert profile.told[0] == 'cut(on="", after=events(2), times=1, direction=down, how=fin)'
    assert parse_plan("; ".join(profile.told)) == profile.plan


def test_only_benign_faults_surround_what_no_case_does() -> None:
    profile = read_profile("latency(seconds=2); cut()")
    assert (profile.benign, profile.malign) == ((latency(seconds=2.0),), (cut(),))


def test_the_allowance_covers_a_delay_in_both_directions() -> None:
    assert read_profile("none").allowance == 0
    assert read_profile("benign").allowance == 0.5
    assert read_profile("latency(seconds=2, jitter=1)").allowance == 6


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("p.txt", "latency()\ncut(speed=1)", "p.txt: line 2: cut has no 'speed'; it has on"),
        ("p.txt", "# nothing yet\n", "p.txt: it has no fault; write one on each line"),
        ("p.json", '[{"fault": "cut"}, {"fault": "cot"}]', "p.json: fault 2 of the list: unknown fault 'cot'"),
        ("benign.txt", "cut()", "benign.txt: the name benign has a meaning of its own"),
        ("p.txt", "\udcff", "p.txt: it is no UTF-8 at byte 0"),
        ("p.txt", "#" * (LARGEST + 1), "p.txt: it is longer than 1048576 bytes"),
    ],
)
def test_a_bad_file_is_named_with_the_place_in_it(tmp_path: Path, name: str, content: str, sentence: str) -> None:
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(FaultError) as refused:
        read_profile(str(tmp_path / name))
    assert sentence in str(refused.value)


@pytest.mark.parametrize("written", ["nosuch", "", "a\0b", "x" * 5000])
def test_what_is_neither_is_said_in_one_sentence(written: str) -> None:
    with pytest.raises(FaultError, match="there is no file"):
        read_profile(written)
