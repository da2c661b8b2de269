"""What the streams of a task tell of it: its artifacts as a reader joins them, and the order of what is numbered."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, zip_longest
from typing import Any

from ...expect import shown
from ...model import Violation
from ...protocols.a2a.updates import Update

_NUMBER = re.compile(r"\d+")


def content(artifact: Mapping[str, Any]) -> str:
    """All parts of an artifact joined: texts as they are, anything else as JSON."""
    parts = artifact.get("parts")
    return "".join(_part(part) for part in parts) if isinstance(parts, list) else ""


def _part(part: Any) -> str:
    text = part.get("text") if isinstance(part, Mapping) else None
    return text if isinstance(text, str) else json.dumps(part, sort_keys=True)


def stored(task: Update) -> dict[str, str]:
    """Artifact id -> its content, as a Task has it."""
    return {str(artifact.get("artifactId")): content(artifact) for artifact in task.artifacts}


def joined(updates: Iterable[Update]) -> dict[str, str]:
    """Artifact id -> its content, as a reader of these updates knows it.

    A Task replaces everything, a chunk that appends is added, any other replaces its artifact (4.2.2).
    """
    known: dict[str, str] = {}
    for update in updates:
        if update.kind == "task":
            known = stored(update)
        for artifact in update.artifacts if update.kind == "artifact" else ():
            ident = str(artifact.get("artifactId"))
            known[ident] = (known.get(ident, "") if update.appends else "") + content(artifact)
    return known


def whole(updates: Sequence[Update], task: Update, what: str = "the events") -> Violation | None:
    """These updates, joined, are the artifacts of the task: nothing is missing, nothing is there twice."""
    seen, kept = joined(updates), stored(task)
    if seen == kept:
        return None
    expected, actual = _difference(kept, seen)
    evidence = (*(u.record for u in updates[-3:] if u.record), task.record)
    return Violation(f"{what} add up to the stored artifacts: {expected}", actual, evidence)


def ends(updates: Sequence[Update], task: Update, what: str) -> Violation | None:
    """The chunks among these updates, joined, are the end of the task's artifacts: nothing of it is missing."""
    seen, kept = joined(update for update in updates if update.kind == "artifact"), stored(task)
    if seen and all(kept.get(ident, "").endswith(text) for ident, text in seen.items()):
        return None
    evidence = (*(u.record for u in updates[-3:] if u.record), task.record)
    return Violation(f"{what} are the end of the stored artifacts: {shown(kept)}", shown(seen), evidence)


def _difference(kept: Mapping[str, str], seen: Mapping[str, str]) -> tuple[str, str]:
    """Where two sets of artifacts differ first, as each of them has it."""
    ident = next(ident for ident in (*kept, *seen) if kept.get(ident) != seen.get(ident))
    one, two = kept.get(ident), seen.get(ident)
    pairs = enumerate(zip_longest(one or "", two or ""))
    start = max(0, next((place for place, (left, right) in pairs if left != right), 0) - 20)
    return _excerpt(ident, one, start), _excerpt(ident, two, start)


def _excerpt(ident: str, text: str | None, start: int) -> str:
    return f"no artifact {ident}" if text is None else f"{ident} from character {start}: {text[start : start + 60]!r}"


def numbers(text: str) -> list[int]:
    return [int(found) for found in _NUMBER.findall(text)]


def steps(updates: Iterable[Update]) -> list[int]:
    """The number of each chunk, by the first in its text; chunks without one are left out."""
    found = (numbers(content(a)) for u in updates if u.kind == "artifact" for a in u.artifacts)
    return [found[0] for found in found if found]


def consecutive(found: Sequence[int], what: str, records: Iterable[int] = (), count: int = 0) -> Violation | None:
    """Numbered steps come one after the other, each once; `count` of them where it is given."""
    ordered = all(two == one + 1 for one, two in pairwise(found))
    if ordered and (not count or len(found) == count):
        return None
    expected = f"{what}, each once and in order" + (f", {count} of them" if count else "")
    return Violation(expected, shown(f"the numbers {found}"), tuple(records))


def identity(update: Update) -> tuple[str, str]:
    """What makes an update the same for all its readers: its kind and its content without framing and whitespace."""
    return update.kind, json.dumps(_told(update.body), sort_keys=True)


def _told(value: Any) -> Any:
    """Without what says nothing: members that are null, false or empty may as well be absent."""
    if isinstance(value, Mapping):
        return {name: _told(item) for name, item in value.items() if item not in (None, False, "", [], {})}
    return [_told(item) for item in value] if isinstance(value, list) else value


def same_tail(one: Sequence[Update], other: Sequence[Update]) -> Violation | None:
    """Two readers of a task got the same events after the point at which the later one joined."""
    left, right = list(_events(one)), list(_events(other))
    short = min(len(left), len(right))
    if short and [identity(u) for u in left[-short:]] == [identity(u) for u in right[-short:]]:
        return None
    told = f"{len(left)} and {len(right)} events, the last {short} of which differ" if short else "no events in common"
    return Violation("both readers get the same events in the same order", told, _records(one, other))


def _events(updates: Sequence[Update]) -> Iterator[Update]:
    return (update for update in updates if update.kind in ("status", "artifact"))


def _records(*readers: Sequence[Update]) -> tuple[int, ...]:
    return tuple(update.record for updates in readers for update in updates[-3:])


def numbered(task: Update) -> list[int]:
    """All numbers in the artifacts of a task."""
    return [number for text in stored(task).values() for number in numbers(text)]


def complete(task: Update, control: Update) -> Violation | None:
    """A task has every chunk once that its control has. Nothing is said where the control is not numbered."""
    wanted, found = numbered(control), numbered(task)
    if len(wanted) < 2 or consecutive(wanted, "") or found == wanted:
        return None
    return Violation(f"the chunks {shown(wanted)}, each once", shown(found), (control.record, task.record))


def once(updates: Sequence[Update], task: Update) -> Violation | None:
    """A snapshot and what follows it tell each chunk once and in order. Only of a task whose chunks are numbered."""
    wanted = numbered(task)
    found = [number for update in updates[:1] if update.kind == "task" for number in numbered(update)] + steps(updates)
    if len(wanted) < 2 or consecutive(wanted, "") or found == wanted:
        return None
    return Violation(f"the chunks {shown(wanted)}, each once", shown(found), (*_records(updates), task.record))


def covers(task: Update, updates: Sequence[Update]) -> Violation | None:
    """A task holds everything that these updates told before it."""
    kept, seen = stored(task), joined(updates)
    if all(kept.get(ident, "").startswith(text) for ident, text in seen.items()):
        return None
    return Violation(f"a Task with {shown(seen)} at least", shown(kept), (*_records(updates), task.record))
