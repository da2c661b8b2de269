"""The pages as their readers see them: blocks of code, commands, and rows of tables."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.M | re.S)
_INLINE = re.compile(r"`((?:\.venv/bin/)?(?:seatrial|make|tox|pip|python) [^`]+)`")


def blocks(page: Path, language: str) -> list[str]:
    """The blocks of a language, "" for those without one."""
    return [text for found, text in _BLOCK.findall(page.read_text("utf-8")) if found == language]


def commands(page: Path) -> Iterator[list[str]]:
    """Every command of a page as words, without where its output goes.

    They are the lines of its plain blocks, and those that stand in its sentences.
    """
    lines = [line for block in blocks(page, "") for line in block.splitlines()]
    for line in (*lines, *_INLINE.findall(_BLOCK.sub("", page.read_text("utf-8")))):
        words = shlex.split(line.partition(" > ")[0], comments=True)
        while "&&" in words:
            yield words[: words.index("&&")]
            words = words[words.index("&&") + 1 :]
        if words:
            yield words


def rows(page: Path, heading: str) -> list[list[str]]:
    """The cells of the tables whose first column has this heading, without backticks."""
    lines = page.read_text("utf-8").splitlines()
    starts = [number + 2 for number, line in enumerate(lines) if line.startswith(f"| {heading} |")]
    return [_cells(line) for start in starts for line in takewhile(lambda line: line.startswith("|"), lines[start:])]


def _cells(line: str) -> list[str]:
    return [cell.strip().strip("`") for cell in line.strip("|").split(" | ")]
