"""The file of signatures: what is written is read again, and what people added stays."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from seatrial.checklist.signatures import Signature, load, of_target, write
from seatrial.document import ConfigError

SIGNED = Signature(
    target="shop",
    line="bounds.supply",
    by="the owner",
    on=date(2026, 12, 1),
    until=date(2027, 6, 1),
    note='locked: "see" the\nminutes \U0001f512',
    shown="0123456789abcdef",
)


def told(file: Path) -> list[Signature]:
    """The signatures of a file, without where they stand."""
    return [replace(each, place="") for each in load(file)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "seatrial.checklist.toml"


@pytest.mark.parametrize("signature", [SIGNED, replace(SIGNED, waived=True, version="1.4", note="x")])
def test_what_is_written_is_read_again(signature: Signature, file: Path) -> None:
    write(file, signature)
    assert told(file) == [signature]


def test_no_file_has_no_signatures(file: Path) -> None:
    assert load(file) == ()


def test_a_signature_takes_the_place_of_its_line_and_target_alone(file: Path) -> None:
    others = [replace(SIGNED, line="peer.least"), replace(SIGNED, target="store")]
    for each in (*others, SIGNED, replace(SIGNED, by="another")):
        write(file, each)
    assert told(file) == [*others, replace(SIGNED, by="another")]


def test_comments_and_order_stay(file: Path) -> None:
    write(file, SIGNED)
    file.write_text(file.read_text("utf-8").replace("by =", "# the one who knows\nby ="), "utf-8")
    write(file, replace(SIGNED, line="peer.least"))
    assert "# the one who knows\nby =" in file.read_text("utf-8")
    assert [each.line for each in load(file)] == ["bounds.supply", "peer.least"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[[signature]]\n", r"checklist.toml:1: signature.1 needs target, line, by, note, shown, on, until"),
        ("signature = 5\n", r"must be tables that begin with \[\[signature\]\]"),
        ("[[signatures]]\n", "did you mean signature"),
        ('[[signature]]\nby = "x"\nnoet = "y"\n', "did you mean note"),
        ("[[signature]\n", "is not valid TOML"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, problem: str, file: Path) -> None:
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=problem):
        load(file)
    with pytest.raises(ConfigError):
        write(file, SIGNED)
    assert file.read_text("utf-8") == text


@pytest.mark.parametrize(("key", "value"), [("until", '"2027-01-31"'), ("on", "5"), ("waived", '"yes"'), ("by", "1")])
def test_a_value_of_another_type_is_told(key: str, value: str, file: Path) -> None:
    write(file, replace(SIGNED, waived=True, note="x"))
    text = re.sub(rf"^{key} = .*$", f"{key} = {value}", file.read_text("utf-8"), flags=re.M)
    file.write_text(text, "utf-8")
    with pytest.raises(ConfigError, match=rf"signature\.1\.{key} must be"):
        load(file)


def test_the_last_signature_of_a_line_counts() -> None:
    later = replace(SIGNED, by="another")
    assert of_target([SIGNED, replace(SIGNED, target="store"), later], "shop") == {"bounds.supply": later}
