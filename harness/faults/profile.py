"""The faults that surround a whole run: none, those that must change nothing, or a plan of the user's."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from .catalogue import benign_profile
from .fault import Fault, FaultError
from .notation import expanded
from .plan import parse_plan

NONE, BENIGN, TYPED = "none", "benign", "plan"
"""The names of no faults, of the benign ones, and of a plan that was typed."""

LARGEST = 1024 * 1024
"""Bytes of the file of a plan."""

_STRANGE = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Profile:
    """A plan under the name that the columns of a run call it by, and the file that it is from."""

    name: str = NONE
    plan: tuple[Fault, ...] = ()
    file: Path | None = field(default=None, compare=False)

    @property
    def benign(self) -> tuple[Fault, ...]:
        """What surrounds everything that is sent."""
        return tuple(fault for fault in self.plan if fault.benign)

    @property
    def malign(self) -> tuple[Fault, ...]:
        """What surrounds the sessions of cases, and nothing by which the target's health is judged."""
        return tuple(fault for fault in self.plan if not fault.benign)

    @property
    def allowance(self) -> float:
        """The seconds by which an exchange may take longer, without the target's doing."""
        return max(0.5, 2 * sum(fault.delay for fault in self.benign)) if self.plan else 0.0

    @property
    def told(self) -> list[str]:
        """Each fault with every value, as a plan can be written."""
        return list(map(expanded, self.plan))


def read_profile(written: str) -> Profile:
    """`none`, `benign`, the file of a plan, or its text: what has brackets and is no file. Raises FaultError."""
    if written == NONE:
        return Profile()
    if written == BENIGN:
        return Profile(BENIGN, benign_profile())
    with suppress(OSError):  # a text may be too long for a name
        if Path(written).is_file():
            return read_file(Path(written))
    if re.search(r"[(\[]", written):
        return Profile(TYPED, _some(parse_plan(written)))
    raise FaultError(f"there is no file {written!r:.200}; give none, benign, a file, or a fault such as cut(how=reset)")


def read_file(file: Path) -> Profile:
    """The plan of a file, under the stem of its name. Raises FaultError, which names the file."""
    name = _STRANGE.sub("-", file.stem)
    try:
        if name in (NONE, BENIGN):
            raise FaultError(f"the name {name} has a meaning of its own; call the file otherwise")
        return Profile(name, _some(parse_plan(_text(file))), file)
    except FaultError as error:
        raise FaultError(f"{file}: {error}") from None


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            read = opened.read(LARGEST + 1)
    except OSError as error:
        raise FaultError(f"it cannot be read: {error.strerror}") from None
    if len(read) > LARGEST:
        raise FaultError(f"it is longer than {LARGEST} bytes")
    try:
        return read.decode()
    except UnicodeDecodeError as error:
        raise FaultError(f"it is no UTF-8 at byte {error.start}") from None


def _some(plan: tuple[Fault, ...]) -> tuple[Fault, ...]:
    if not plan:
        raise FaultError("it has no fault; write one on each line, such as cut(how=reset)")
    return plan
