"""Where it matters in which way a server is reached: directly, or through what stands before it."""

from __future__ import annotations

from collections.abc import Iterator

from seatrial import Place, differing, unshared

from .reporter import Run, headings

TITLE = "Differs by the way to the server"


def differences(run: Run) -> Iterator[tuple[str, str]]:
    """Each check whose verdict is another in another way, and each column that one way lacks: its name, what differs.

    `options.ways` of the run: the target that is another way -> the target that is reached directly.
    """
    ways = run.started.options.get("ways", {})
    columns: dict[tuple[str, str], list[str]] = {}
    for found in differing(run.results, ways):
        near, far = found.verdicts
        told = f"{near} in {found.direct.target}, {far} in {found.other.target}"
        columns.setdefault((found.check, told), []).append(_named(found.direct))
    for (check, told), where in columns.items():
        yield check, f"{told}: {', '.join(where)}"
    for place in unshared(run.results, ways):
        yield _named(place), f"only in {place.target}"


def _named(place: Place) -> str:
    return " ".join(headings((place,))[0])
