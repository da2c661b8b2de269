"""A real browser, and axe-core from a cache folder: what the browser tests of the HTML report stand on."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
AXE = "4.10.3"
"""The version of axe-core whose rules the report has to keep."""


def browser() -> str:
    """The path of a Chromium of this machine, "" where there is none."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), "")


def axe() -> tuple[str, str]:
    """The source of axe-core, or why there is none. It is fetched once, by npm as this machine has it set up."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "seatrial" / f"axe-core-{AXE}"
    file = home / "node_modules/axe-core/axe.min.js"
    if not file.exists():
        if not (npm := shutil.which("npm")):
            return "", "npm is not installed, so there is no axe-core"
        home.mkdir(parents=True, exist_ok=True)
        words = [npm, "install", "--prefix", str(home), "--no-audit", "--no-fund", "--no-save", f"axe-core@{AXE}"]
        done = subprocess.run(words, capture_output=True, text=True, timeout=60)
        if done.returncode:
            return "", f"npm cannot install axe-core: {done.stderr.strip()[-200:]}"
    return file.read_text("utf-8"), ""
