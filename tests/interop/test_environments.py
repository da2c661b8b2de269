"""Environments: shared by equal pins, built once, and built again when a build did not get to its end."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from seatrial.fixtures.environments import Pins, Registry, SetupError, build, default_cache

NOTHING = Pins(Registry.PYPI, "# no packages\n")


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


def test_a_built_environment_has_a_python_of_its_own(cache: Path) -> None:
    home = build(NOTHING, cache)
    words = [str(home / "bin" / "python"), "-c", "import sys; print(sys.prefix)"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    assert Path(said).resolve() == home.resolve()
    assert NOTHING.installed(cache)


def test_it_is_used_again(cache: Path) -> None:
    mark = build(NOTHING, cache) / "mark"
    mark.touch()
    assert (build(NOTHING, cache) / "mark").exists()


def test_one_that_was_left_half_built_is_built_again(cache: Path) -> None:
    home = build(NOTHING, cache)
    (home / "installed").unlink()
    (home / "rest").touch()
    assert not (build(NOTHING, cache) / "rest").exists()


def test_equal_pins_share_a_folder_and_others_do_not(tmp_path: Path) -> None:
    pins = [Pins(Registry.PYPI, "shop==1\n"), Pins(Registry.PYPI, "shop==2\n"), Pins(Registry.NPM, "shop==1\n")]
    assert len({one.home(tmp_path) for one in [*pins, replace(pins[0])]}) == 3


def test_the_version_of_python_makes_an_environment_another_one(tmp_path: Path) -> None:
    assert Pins(Registry.PYPI, "", "3.11").fingerprint != Pins(Registry.PYPI, "", "3.12").fingerprint
    assert Pins(Registry.NPM, "", "3.11").fingerprint == Pins(Registry.NPM, "", "3.12").fingerprint


def test_a_failed_installation_is_one_sentence_and_leaves_nothing_installed(cache: Path) -> None:
    pins = Pins(Registry.PYPI, "not a requirement\n")
    with pytest.raises(SetupError, match=r"failed with code \d"):
        build(pins, cache)
    assert not pins.installed(cache)


def test_another_python_without_uv_says_what_to_do(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(SetupError, match=r"need Python 3\.999: run with it, or install uv"):
        build(Pins(Registry.PYPI, "", "3.999"), cache)


def test_npm_that_is_missing_is_named(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _name: None)
    with pytest.raises(SetupError, match=r"need Node\.js"):
        build(Pins(Registry.NPM, ""), cache)


def test_the_cache_follows_the_variable_of_the_desktop_standard(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache() == tmp_path / "seatrial"


def test_without_a_stated_python_it_is_ours() -> None:
    assert sys.version.startswith(NOTHING.python)
