"""Benign plans, drawn at random: which faults, in which order, with which settings."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from hypothesis import strategies as st
from seatrial.faults import FAULTS, Coding, Direction, Fault, Flush, Mount, connect, events
from seatrial.faults.stream import INSIDES

BENIGN = {name: kind for name, kind in FAULTS.items() if kind().benign}

SECONDS = st.floats(0, 0.3)
SETTINGS: dict[str, st.SearchStrategy[Any]] = {
    "on": st.just(""),
    "after": st.just(connect),
    "times": st.just(0),
    "direction": st.sampled_from(Direction),
    "seconds": SECONDS,
    "jitter": SECONDS,
    "gap": SECONDS,
    "wait": SECONDS,
    "rate": st.integers(100, 99999).map(float),
    "burst": st.integers(1, 9999),
    "smallest": st.integers(1, 3),
    "largest": st.integers(3, 50),
    "most": st.integers(0, 40),
    "inside": st.sampled_from(sorted(INSIDES)),
    "coding": st.sampled_from(Coding),
    "flush": st.just(Flush.EVENT),
    "truncated": st.just(False),
    "size": st.integers(1, 4096),
    "honour": st.just(True),
    "every": st.integers(1, 4),
    "code_points": st.booleans(),
    "count": st.integers(1, 5),
    "pieces": st.integers(2, 5),
    "text": st.sampled_from(["", "keep-alive", "data: no"]),
}
"""By field; a fault with a field that is not here needs a line."""
OF_FAULT: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("inject_comment", "after"): st.integers(1, 4).map(events),
    ("blank", "after"): st.integers(1, 4).map(events),
    ("stderr_noise", "rate"): st.integers(1, 9),
}


def benign(kind: type[Fault]) -> st.SearchStrategy[Fault]:
    drawn = {item.name: OF_FAULT.get((kind.name, item.name), SETTINGS[item.name]) for item in fields(kind)}
    return st.builds(kind, **drawn)


def benign_plans(mount: Mount) -> st.SearchStrategy[tuple[Fault, ...]]:
    """Up to four benign faults for one mount."""
    kinds = [kind for kind in BENIGN.values() if mount in kind.mounts]
    return st.lists(st.sampled_from(kinds).flatmap(benign), max_size=4).map(tuple)
