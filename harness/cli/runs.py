"""Where runs are kept: `.seatrial/runs`, and which of them is the newest."""

from __future__ import annotations

import time
from pathlib import Path

from ..evidence import FILE as EVIDENCE
from ..kept import Kept, ReportError, load
from .refusal import Refused

HOME = Path(".seatrial")
LAST = HOME / "last"


def fresh_folder(seed: int) -> Path:
    """The folder of a run that begins now; it does not exist."""
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{seed}"
    taken = {path.name for path in (HOME / "runs").glob(f"{name}*")}
    return HOME / "runs" / next(n for n in (name, *(f"{name}-{i}" for i in range(2, 1000))) if n not in taken)


def remember(folder: Path) -> None:
    """`.seatrial/last` names the newest run."""
    if unversioned(folder):
        (folder.parent.parent / LAST.name).write_text(f"{folder}\n", encoding="utf-8")


def unversioned(folder: Path) -> bool:
    """Where a run stands below `.seatrial`, that keeps itself out of version control; whether it stands there."""
    home = folder.parent.parent
    if kept_there := home.name == HOME.name:
        (home / ".gitignore").write_text("*\n", encoding="utf-8")
    return kept_there


def newest() -> Path:
    """The folder of the newest run. Raises Refused when there is none."""
    try:
        return Path(LAST.read_text(encoding="utf-8").strip())
    except OSError:
        raise Refused(f"there is no earlier run here ({LAST} is missing); name the folder of one") from None


def kept(place: Path | None) -> Kept:
    """An earlier run, the newest where none is named. Raises Refused."""
    try:
        return load(place or newest())
    except ReportError as error:
        raise Refused(str(error)) from None


def evidence_of(run: Kept) -> str:
    """The file of its evidence: beside the report, wherever both were brought, or where the report says it is."""
    beside = run.file.parent / EVIDENCE
    return str(beside) if beside.exists() else run.started.evidence
