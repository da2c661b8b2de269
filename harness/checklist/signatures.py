"""What people answered: who, when, until when, and for which facts. The file is the team's, and is committed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from ..document import Entry, read

FILE = Path("seatrial.checklist.toml")
TABLE = "signature"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """An answer to one line. `waived`: the line is open, and the launch goes on in spite of it.

    `until` is its last day; `shown` is the digest of what its signer was shown; `version` is that of the target for
    which alone it holds, "" for any. `place` is its file, line and key.
    """

    target: str
    line: str
    by: str
    on: date
    until: date
    note: str
    shown: str
    waived: bool = False
    version: str = ""
    place: str = ""

    def stale(self, today: date, shown: str, version: str) -> str:
        """Why it does not count any more; "" while it does."""
        if self.until < today:
            return f"{self.by}'s signature ended on {self.until}"
        if self.version and self.version != version:
            return f"{self.by} signed for version {self.version} of the target, which is {version or 'unknown'} now"
        if self.shown != shown:
            return f"what {self.by} was shown on {self.on} has changed since"
        return ""


def load(file: Path) -> tuple[Signature, ...]:
    """The signatures of a file; none where there is no file. Raises ConfigError."""
    if not file.exists():
        return ()
    root = read(file).root().table((TABLE,), "table")
    return tuple(map(_signature, root[TABLE].tables())) if TABLE in root else ()


_TEXTS = ("target", "line", "by", "note", "shown")
_DAYS = ("on", "until")


def _signature(entry: Entry) -> Signature:
    table = entry.table((*_TEXTS, *_DAYS, "waived", "version"))
    missing = [key for key in (*_TEXTS, *_DAYS) if key not in table]
    if missing:
        raise entry.error(f"needs {', '.join(missing)}; sign the line again with seatrial checklist sign")
    values: dict[str, Any] = {key: table[key].text() for key in _TEXTS}
    values |= {key: table[key].day() for key in _DAYS}
    values |= {"waived": table["waived"].flag()} if "waived" in table else {}
    values |= {"version": table["version"].text()} if "version" in table else {}
    return Signature(**values, place=entry.place)


def write(file: Path, signature: Signature) -> None:
    """Put a signature into a file in place of an older one of its line; all else stays, comments too.

    Raises OSError, and ConfigError when the file is not one of signatures.
    """
    import tomlkit

    stands = [(s.target, s.line) for s in load(file)]
    document = tomlkit.parse(file.read_text(encoding="utf-8") if file.exists() else _HEAD)
    entries = document.get(TABLE) or tomlkit.aot()
    for number in reversed(range(len(stands))):
        if stands[number] == (signature.target, signature.line):
            del entries[number]
    entries.append(tomlkit.item(_written(signature)))
    document[TABLE] = entries
    file.write_text(tomlkit.dumps(document), encoding="utf-8")


_HEAD = "# What people answered to the pre-launch checklist. seatrial checklist sign adds to it.\n\n"


def _written(signature: Signature) -> dict[str, Any]:
    """The keys as they stand in the file."""
    keys = ("target", "line", "by", "on", "until", "waived", "version", "note", "shown")
    found = {key: getattr(signature, key) for key in keys}
    return {key: value for key, value in found.items() if value or key in _TEXTS}


def of_target(signatures: Iterable[Signature], target: str) -> dict[str, Signature]:
    """The signatures of a target by line, of several the last."""
    return {signature.line: signature for signature in signatures if signature.target == target}
