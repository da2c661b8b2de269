"""Measure Seatrial beside the official conformance suite, its start-up, and its memory.

    python -m benchmarks [--cache DIR] [--write FILE]

Prints a Markdown table; with --write it also goes into FILE between the two comments that mark its place.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from seatrial.fixtures.environments import SetupError, default_cache
from seatrial.fixtures.pages import insert
from seatrial.fixtures.runs import SEATRIAL

from .contenders import Run, official, seatrial, served
from .measure import typical

BESIDE, LARGE = "mcp-py-2", "mcp-everything"
HELP_RUNS = 11


def figures(cache: Path, place: Path) -> list[str]:
    """Rows of a Markdown table: what, the official suite, Seatrial, ratio."""
    with served(BESIDE, cache, place) as (installed, url):
        theirs = official(url, cache, place)
        ours = seatrial(installed, url, place)
    with served(LARGE, cache, place) as (installed, url):
        large = seatrial(installed, url, place)
    help_seconds = typical([*SEATRIAL, "--help"], place / "help.log", HELP_RUNS)
    return [
        *_beside(theirs, ours),
        f"| `seatrial --help`, median of {HELP_RUNS} | | {help_seconds:.2f} s | |",
        f"| peak memory, run over {LARGE} | | {large.measured.peak:.0f} MiB | |",
        f"| wall time, run over {LARGE} | | {large.measured.seconds:.1f} s | |",
    ]


def _beside(theirs: Run, ours: Run) -> list[str]:
    whole = ours.measured.seconds / theirs.measured.seconds
    return [
        f"| whole run over {BESIDE}, wall time | {theirs.measured.seconds:.1f} s | {ours.measured.seconds:.1f} s |"
        f" {whole:.2f} |",
        f"| checks with a verdict | {theirs.checks} | {ours.checks} | |",
        f"| time per check | {theirs.per_check:.0f} ms | {ours.per_check:.0f} ms |"
        f" {ours.per_check / theirs.per_check:.2f} |",
        f"| peak memory of that run | {theirs.measured.peak:.0f} MiB | {ours.measured.peak:.0f} MiB | |",
    ]


def table(rows: list[str]) -> str:
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    head = ["| | official suite | Seatrial | Seatrial / official |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", f"Measured on {machine}."])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where installed packages live")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a Markdown page to put the table into")
    options = parser.parse_args()
    try:
        with TemporaryDirectory(prefix="seatrial-bench-") as place:
            text = table(figures(options.cache, Path(place)))
        sys.stdout.write(text + "\n")
        if options.write:
            insert(options.write, text)
    except (SetupError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
