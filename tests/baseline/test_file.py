"""The file of a baseline: what it says, and what is told of one that cannot be used."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from seatrial.baseline import Baseline, load, parse
from seatrial.document import ConfigError, Document
from seatrial.model import Verdict

TODAY = date(2026, 12, 1)
WHOLE = """
[[accepted]]
target = "shop"
check = "a.first"
reason = "a repair is under way"
owner = "the shop team"
expires = 2027-01-31

[[accepted]]
target = "shop"
check = "a.second"
requirement = "a.should"
versions = ["2026-07-28"]
bindings = ["stdio"]
verdict = "WARN"
reason = "r"
owner = "o"
expires = 2027-01-31
chance = true
"""


def test_an_entry_has_defaults_for_what_it_does_not_say() -> None:
    first, second = parse(Document("b.toml", WHOLE), TODAY).entries
    assert (first.requirement, first.versions, first.bindings, first.chance) == ("", (), (), False)
    assert (first.verdict, first.place) == (Verdict.FAIL, "b.toml:2: accepted.1")
    assert (second.requirement, second.versions, second.bindings) == ("a.should", ("2026-07-28",), ("stdio",))
    assert (second.verdict, second.chance, second.place) == (Verdict.WARN, True, "b.toml:9: accepted.2")


def test_a_file_without_entries_accepts_nothing() -> None:
    assert parse(Document("b.toml", "# none yet\n"), TODAY) == Baseline((), TODAY)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('reason = "r"\n', "", "b.toml:9: accepted.2 has no reason; say why the failure is accepted"),
        ('owner = "o"\n', "", "accepted.2 has no owner; say who answers for it"),
        ('check = "a.second"\n', "", "accepted.2 has no check; name the check"),
        ('reason = "r"', 'reason = "  "', "b.toml:16: accepted.2.reason must not be empty"),
        ('verdict = "WARN"', 'verdict = "ERROR"', "accepted.2.verdict must be FAIL or WARN, not 'ERROR'"),
        ('verdict = "WARN"', "verdict = []", "accepted.2.verdict must be FAIL or WARN"),
        ("chance = true", 'expiry = "x"', "accepted.2.expiry is not understood: "),
        ("chance = true", "chance = 1", "accepted.2.chance must be true or false"),
        ('versions = ["2026-07-28"]', 'versions = "2026-07-28"', "accepted.2.versions must be a list of texts"),
        ("expires = 2027-01-31\nchance", 'expires = "2027-01-31"\nchance', "accepted.2.expires must be a day without"),
        ("expires = 2027-01-31\nchance", "expires = 2027-01-31T00:00:00Z\nchance", "accepted.2.expires must be a day"),
        (WHOLE, "accepted = 3", "b.toml:1: accepted must be tables that begin with [[accepted]]"),
        (WHOLE, "[[acepted]]\n", 'acepted is not understood: unknown table "acepted"; did you mean accepted?'),
        (WHOLE, "[[accepted]", "b.toml is not valid TOML"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named_with_what_to_do(old: str, new: str, told: str) -> None:
    assert old in WHOLE
    with pytest.raises(ConfigError) as caught:
        parse(Document("b.toml", WHOLE.replace(old, new)), TODAY)
    assert told in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"none\.toml cannot be read"):
        load(tmp_path / "none.toml", TODAY)
