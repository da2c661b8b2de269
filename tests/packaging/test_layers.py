"""The layer rule: nothing imports upward, and what is outside the engine knows the engine by its exports alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAYERS = (
    {"model", "spelling", "grading"},
    {
        "events",
        "wire",
        "transcript",
        "redaction",
        "normalisation",
        "chance",
        "tempo",
        "requirements",
        "clauses",
        "document",
        "keyword",
        "pace",
    },
    {"faults", "roles", "stimuli", "conduct", "config", "claims", "planning"},
    {"transport", "relay", "receiver", "model_server"},
    {"protocols"},
    {"judge", "witness", "expect", "target", "gateway"},
    {"berth", "care", "effects", "lab", "labs", "listing"},
    {
        "registry",
        "trial",
        "logbook",
        "engine",
        "matrix",
        "kept",
        "glossary",
        "baseline",
        "comparison",
        "checklist",
        "evidence",
        "curl",
        "repetition",
        "merging",
        "options",
        "reach",
        "voyage",
        "exploration",
    },
    {"discovery", "cli", "pytest_plugin", "__main__"},
)
"""Lowest first. A part of the engine may import its own layer and those before it."""
CONFINED = {
    "httpx": "harness/transport/",
    "httpcore": "harness/transport/",
    "click": "harness/cli/",
    "rich": "reports/",
}
OUTSIDE = ("suites", "fixtures", "reports")
PUBLIC = ("faults", "judge")
"""Parts of the engine that are namespaces of their own: fault values, and pure judges."""


def sources(*folders: str) -> list[Path]:
    """Our modules, without the scripts of real servers, which run in environments of their own."""
    found = (path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path for path in found if "targets" not in path.parts)


def imports(path: Path) -> Iterator[tuple[int, str, list[str]]]:
    """(dots, module, names) of each import statement; TYPE_CHECKING blocks count too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((0, alias.name, []) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.level, node.module or "", [alias.name for alias in node.names]


def part(path: Path) -> str:
    return path.relative_to(ROOT / "harness").parts[0].removesuffix(".py")


def engine_parts(path: Path) -> set[str]:
    """The top-level parts of the engine that one of its modules imports."""
    found: set[str] = set()
    for dots, module, names in imports(path):
        if not dots:
            continue
        folder = path.relative_to(ROOT / "harness").parent.parts
        whole = [*folder[: len(folder) - dots + 1], *filter(None, module.split("."))]
        found |= {whole[0]} if whole else set(names)
    return found


def layer(name: str) -> int:
    """The number of a part's layer; a part without one is the business of the first test."""
    return next((number for number, names in enumerate(LAYERS) if name in names), 0)


def test_every_part_of_the_engine_has_a_layer() -> None:
    known = set().union(*LAYERS)
    assert {part(path) for path in sources("harness")} - {"__init__"} <= known


def test_nothing_imports_upward() -> None:
    upward = [
        f"{path.relative_to(ROOT)} imports {other}"
        for path in sources("harness")
        if part(path) != "__init__"
        for other in engine_parts(path)
        if layer(other) > layer(part(path))
    ]
    assert upward == []


def test_the_engine_imports_its_own_parts_relatively_and_nothing_outside_it() -> None:
    absolute = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources("harness")
        for dots, module, _ in imports(path)
        if not dots and module.split(".")[0] in ("seatrial", *OUTSIDE)
    ]
    assert absolute == []


@pytest.mark.parametrize("library", CONFINED)
def test_a_confined_library_is_imported_in_its_place_only(library: str) -> None:
    elsewhere = [
        str(path.relative_to(ROOT))
        for path in sources("harness", *OUTSIDE)
        for dots, module, _ in imports(path)
        if not dots and module.split(".")[0] == library
        if not str(path.relative_to(ROOT)).startswith(CONFINED[library])
    ]
    assert elsewhere == []


@pytest.mark.parametrize("folder", OUTSIDE)
def test_outside_the_engine_only_its_exports_are_imported(folder: str) -> None:
    deep = [
        f"{path.relative_to(ROOT)}: {module}"
        for path in sources(folder)
        for dots, module, _ in imports(path)
        if not dots and module.startswith("seatrial.") and module.split(".")[1] not in (*OUTSIDE, *PUBLIC)
    ]
    assert deep == []


@pytest.mark.parametrize("folder", OUTSIDE)
def test_relative_imports_stay_in_their_folder(folder: str) -> None:
    escaping = [
        f"{path.relative_to(ROOT)}: {'.' * dots}{module}"
        for path in sources(folder)
        for dots, module, _ in imports(path)
        if dots > len(path.relative_to(ROOT).parent.parts)
    ]
    assert escaping == []
