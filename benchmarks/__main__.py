"""Measure Seatrial beside the official conformance suite and kit, its start-up, and its memory.

    python -m benchmarks [--cache DIR] [--a2a-kit DIR] [--write FILE]

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

from .contenders import Run, kit, official, seatrial, served
from .measure import typical

BESIDE, LARGE, AGENT = "mcp-py-2", "mcp-everything", "a2a-py-1"
HELP_RUNS = 11


def figures(cache: Path, place: Path, checkout: Path | None) -> list[str]:
    """Rows of a Markdown table: what, the official suite or kit, Seatrial, ratio."""
    with served(BESIDE, cache, place) as (installed, url):
        theirs = official(url, cache, place)
        ours = seatrial(installed, url, place)
    with served(LARGE, cache, place) as (installed, url):
        large = seatrial(installed, url, place)
    agent = _agent(cache, place, checkout) if checkout else []
    help_seconds = typical([*SEATRIAL, "--help"], place / "help.log", HELP_RUNS)
    return [
        *_beside(BESIDE, theirs, ours),
        *agent,
        f"| `seatrial --help`, median of {HELP_RUNS} | | {help_seconds:.2f} s | |",
        f"| peak memory, run over {LARGE} | | {large.measured.peak:.0f} MiB | |",
        f"| wall time, run over {LARGE} | | {large.measured.seconds:.1f} s | |",
    ]


def _agent(cache: Path, place: Path, checkout: Path) -> list[str]:
    """The official A2A kit and ours, both over JSON-RPC in 1.0, on one agent."""
    with served(AGENT, cache, place) as (installed, url):
        theirs = kit(url, checkout, place)
        ours = seatrial(installed, url, place, versions=("1.0",), bindings=("JSONRPC",))
    return _beside(AGENT, theirs, ours)


def _beside(target: str, theirs: Run, ours: Run) -> list[str]:
    whole = ours.measured.seconds / theirs.measured.seconds
    return [
        f"| whole run over {target}, wall time | {theirs.measured.seconds:.1f} s | {ours.measured.seconds:.1f} s |"
        f" {whole:.3f} |",
        f"| checks with a verdict over {target} | {theirs.checks} | {ours.checks} | |",
        f"| time per check over {target} | {theirs.per_check:.0f} ms | {ours.per_check:.0f} ms |"
        f" {ours.per_check / theirs.per_check:.3f} |",
        f"| peak memory of that run | {theirs.measured.peak:.0f} MiB | {ours.measured.peak:.0f} MiB | |",
    ]


def table(rows: list[str]) -> str:
    machine = f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    head = ["| | official suite or kit | Seatrial | Seatrial / official |", "|---|---|---|---|"]
    return "\n".join([*head, *rows, "", f"Measured on {machine}."])


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--cache", type=Path, default=default_cache(), help="where installed packages live")
    parser.add_argument("--a2a-kit", type=Path, metavar="DIR", help="a checkout of the official A2A kit, with a .venv")
    parser.add_argument("--write", type=Path, metavar="FILE", help="a Markdown page to put the table into")
    options = parser.parse_args()
    try:
        with TemporaryDirectory(prefix="seatrial-bench-") as place:
            text = table(figures(options.cache, Path(place), options.a2a_kit))
        sys.stdout.write(text + "\n")
        if options.write:
            insert(options.write, text)
    except (SetupError, OSError) as error:
        sys.stderr.write(f"Error: {error}\n")
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
