"""What is installed: every package and its data, the command, and how little `--help` loads."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = {
    "seatrial": "harness",
    "seatrial.suites": "suites",
    "seatrial.fixtures": "fixtures",
    "seatrial.reports": "reports",
}
SETUP = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]
HEAVY = ("httpx", "httpcore", "jsonschema", "rich", "trio", "anyio")


def packages() -> set[str]:
    """The packages that the folders hold, by the names under which they are imported."""
    found = set()
    for name, folder in FOLDERS.items():
        for init in (ROOT / folder).rglob("__init__.py"):
            parts = init.parent.relative_to(ROOT / folder).parts
            found.add(".".join([name, *parts]))
    return found


def test_the_list_of_packages_is_complete() -> None:
    assert set(SETUP["packages"]) == packages()


def test_every_folder_of_modules_is_a_package() -> None:
    folders = {path.parent for folder in FOLDERS.values() for path in (ROOT / folder).rglob("*.py")}
    scripts = ROOT / "fixtures" / "interop" / "targets"
    bare = [path for path in folders if not (path / "__init__.py").exists() and scripts not in path.parents]
    assert bare == []


def test_every_resource_matches_a_pattern_of_the_package_data() -> None:
    data: dict[str, list[str]] = SETUP["package-data"]
    tracked = subprocess.run(
        ["git", "ls-files", "--", *FOLDERS.values()], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    resources = [Path(name) for name in tracked if not name.endswith(".py")]
    left_out = [name for name in resources if not any(_packed(name, patterns) for patterns in data.values())]
    assert left_out == []


def _packed(name: Path, patterns: list[str]) -> bool:
    return any(name.match(pattern) for pattern in patterns)


def test_help_loads_no_heavy_library() -> None:
    program = (
        "import sys, contextlib, io\n"
        "from seatrial.cli import main\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    main(['--help'])\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


def test_the_module_and_the_command_are_the_same_program() -> None:
    command = Path(sys.executable).with_name("seatrial")
    outputs = [
        subprocess.run([*words, "--help"], capture_output=True, text=True, check=True).stdout
        for words in ([str(command)], [sys.executable, "-m", "seatrial"])
    ]
    assert outputs[0] == outputs[1]
    assert "run" in outputs[0]
