"""Sizes of functions and modules, and what must never stand in a tracked file."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CODE = ("harness", "suites", "fixtures", "reports", "benchmarks", "docs", "tests")
FUNCTION_LINES = 60
MODULE_LINES = 400
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}
MACHINE_PATH = re.compile(r"(?<![\w.])/(?:home|root|Users|work|tmp)/\w")
REGISTRY = re.compile("|".join(("py" + r"pi\.org", "python" + r"hosted\.org", r"registry\.npm" + r"js\.org")))


def modules() -> list[Path]:
    return sorted(path for folder in CODE for path in (ROOT / folder).rglob("*.py"))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def tracked() -> list[Path]:
    """The text files under version control; in an exported tree there is nothing to look at."""
    if not shutil.which("git") or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listing.split("\0") if name and (ROOT / name).is_file()]


def lines_with(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tracked()
        for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_function_is_long() -> None:
    long = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {length(node)} lines"
        for path in modules()
        for node in functions(path)
        if length(node) > FUNCTION_LINES
    ]
    assert long == []


def test_no_module_is_long() -> None:
    sizes = {str(path.relative_to(ROOT)): len(path.read_text("utf-8").splitlines()) for path in modules()}
    assert {name: size for name, size in sizes.items() if size > MODULE_LINES} == {}


def test_no_module_has_a_name_that_says_nothing() -> None:
    assert [path for path in modules() if EMPTY_NAMES & {path.stem, path.parent.name}] == []


def test_no_tracked_file_names_a_path_of_one_machine() -> None:
    assert lines_with(MACHINE_PATH) == []


def test_no_tracked_file_names_the_host_of_a_package_registry() -> None:
    assert lines_with(REGISTRY) == []
