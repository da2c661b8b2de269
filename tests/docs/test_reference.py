"""The reference pages are those that the code makes, and the glossary knows every word."""

from __future__ import annotations

import importlib.util
from dataclasses import fields
from types import ModuleType

import pytest
from seatrial.config import TargetConfig
from seatrial.glossary import EXITS, REASONS, ROLES, STIMULUS_KEYS, TARGET_KEYS, VERDICTS, meanings
from seatrial.matrix import Exit
from seatrial.model import Reason, Role, Verdict
from seatrial.stimuli import KEYS as OF_A_STIMULUS

from .pages import ROOT


def _generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()
PAGES: dict[str, str] = GENERATOR.pages()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_what_the_code_makes_now(name: str) -> None:
    written = (GENERATOR.REFERENCE / name).read_text("utf-8")
    assert written == PAGES[name], "write it again: python docs/generate.py"


def test_there_is_no_page_that_nothing_makes() -> None:
    assert {path.name for path in GENERATOR.REFERENCE.iterdir()} == PAGES.keys()


def test_the_glossary_knows_every_word() -> None:
    assert set(EXITS) == set(Exit)
    assert set(VERDICTS) == set(Verdict)
    assert set(REASONS) == set(Reason)
    assert set(ROLES) == set(Role)
    assert set(TARGET_KEYS) == {item.name for item in fields(TargetConfig)} - {"name", "secrets"}
    assert set(STIMULUS_KEYS) == set(OF_A_STIMULUS)


def test_a_word_of_two_kinds_has_both_meanings() -> None:
    assert list(meanings("fail")) == [("role", ROLES[Role.FAIL])]
    assert [kind for kind, _ in meanings("crash")] == ["reason", "role"]
    assert list(meanings("nosuch")) == []
