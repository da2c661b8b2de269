"""What is opened, continued and closed: text messages, tool calls, reasoning messages and spans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto

from .events import Event
from .rules import Rule, Sheet, shown


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of item. `key` is the member with its id; `kept` are the members that a reopening repeats.

    `chunk` is the event that stands for an opening, a content and a closing, "" where there is none.
    """

    name: str
    rule: Rule
    key: str
    start: str
    content: str
    end: str
    chunk: str
    kept: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    """Members that a first chunk has."""


TEXT = Kind(
    "text message",
    Rule.TEXT_TRIAD,
    "messageId",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_END",
    "TEXT_MESSAGE_CHUNK",
    ("role", "name"),
    ("messageId",),
)
TOOL = Kind(
    "tool call",
    Rule.TOOL_TRIAD,
    "toolCallId",
    "TOOL_CALL_START",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_END",
    "TOOL_CALL_CHUNK",
    ("toolCallName", "parentMessageId"),
    ("toolCallId", "toolCallName"),
)
REASONING = Kind(
    "reasoning message",
    Rule.REASONING_TRIAD,
    "messageId",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_MESSAGE_CHUNK",
    (),
    ("messageId",),
)
SPAN = Kind("reasoning span", Rule.REASONING_SPAN, "messageId", "REASONING_START", "", "REASONING_END", "")

KINDS = (TEXT, TOOL, REASONING, SPAN)


class Move(Enum):
    """What an event does to its item."""

    START = auto()
    CONTENT = auto()
    END = auto()


EXPLICIT: Mapping[str, tuple[Kind, Move]] = {
    name: (kind, move)
    for kind in KINDS
    for name, move in ((kind.start, Move.START), (kind.content, Move.CONTENT), (kind.end, Move.END))
    if name
}
"""Event type -> what it does to an item of which kind."""

Key = tuple[str, str]
"""The name of a kind and an id."""

DEFAULTS = {"role": "assistant"}
"""What an absent member counts as."""


def attribute(event: Event, name: str) -> str | None:
    """A member that a reopening or a later chunk repeats."""
    return event.text(name) or DEFAULTS.get(name)


@dataclass(frozen=True, slots=True)
class Opened:
    """An item since its first opening: the event and who owns the item."""

    event: Event
    owner: str | None


class Items:
    """The open items of a run, and all items of the stream that may be opened again."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.open: dict[Key, Opened] = {}
        self.known: dict[Key, Opened] = {}
        self._run: set[Key] = set()
        self._silent: set[Key] = set()
        """Items of which an error was told: their events mean nothing until they are opened again."""
        self._nameless: Counter[str] = Counter()
        """Openings by kind whose id could not be read: what follows belongs to them."""

    def see(self, event: Event) -> None:
        if event.type in EXPLICIT:
            kind, move = EXPLICIT[event.type]
            self._item(kind, move, event)
        elif event.type in ("RUN_STARTED", "RUN_FINISHED", "RUN_ERROR"):
            self._boundary(event)

    def _item(self, kind: Kind, move: Move, event: Event) -> None:
        id_ = event.text(kind.key)
        if move is Move.START:
            self.sheet.look(kind.rule)
            if id_ is None:
                self._nameless[kind.name] += 1
        if id_ is None:
            if not self.sheet.profile.modern:
                self.sheet.find(kind.rule, f"{event.type} names its {kind.name}", f"no {kind.key}", event.record)
        elif move is Move.START:
            self._start(kind, (kind.name, id_), event)
        else:
            self._continue(kind, move, (kind.name, id_), event)

    def _start(self, kind: Kind, key: Key, event: Event) -> None:
        self._silent.discard(key)
        if before := self.open.get(key):
            expected = f"a {kind.name} is not opened while it is open"
            self.sheet.find(
                kind.rule, expected, f"{event.type} {shown(key[1])} again", before.event.record, event.record
            )
            return
        opened = Opened(event, self._owner(kind, event))
        if key in self.known and not event.implied:
            self._reopen(kind, key, opened)
        elif key in self.known:
            self._reopen_chunks(kind, key, opened)
        self.open[key] = opened
        self.known.setdefault(key, opened)
        self._run.add(key)

    def _owner(self, kind: Kind, event: Event) -> str | None:
        """A tool call belongs to the owner of the message that carries it."""
        parent = self.known.get((TEXT.name, event.text("parentMessageId") or "")) if kind is TOOL else None
        if parent is None:
            return event.owner
        self.sheet.look(Rule.SUBAGENT_OWNER, bool(event.owner or parent.owner))
        if event.owner is not None and event.owner != parent.owner:
            self._foreign(event, parent)
        return parent.owner

    def _foreign(self, event: Event, opened: Opened) -> None:
        expected = f"the owner of {opened.event.type} at record {opened.event.record}, {shown(opened.owner)}"
        records = (opened.event.record, event.record)
        self.sheet.find(Rule.SUBAGENT_OWNER, expected, f"{event.type} of {shown(event.owner)}", *records)

    def _reopen(self, kind: Kind, key: Key, again: Opened) -> None:
        first = self.known[key]
        if not self.sheet.profile.modern:
            if key in self._run:
                expected, records = f"a {kind.name} is opened once", (first.event.record, again.event.record)
                self.sheet.find(kind.rule, expected, f"{again.event.type} {shown(key[1])} again", *records)
            return
        changed = [name for name in kind.kept if attribute(first.event, name) != attribute(again.event, name)]
        self._consistent(kind, changed + ["owner"] * (first.owner != again.owner), first, again)

    def _reopen_chunks(self, kind: Kind, key: Key, again: Opened) -> None:
        """A later chunk need not repeat what the first one said, but may not contradict it."""
        first = self.known[key]
        changed = [n for n in kind.kept if again.event.text(n) and attribute(first.event, n) != again.event.text(n)]
        self._consistent(kind, changed + ["owner"] * (first.owner != again.owner), first, again)

    def _consistent(self, kind: Kind, changed: list[str], first: Opened, again: Opened) -> None:
        expected, actual = f"a reopened {kind.name} keeps what it was opened with", f"another {', '.join(changed)}"
        records = (first.event.record, again.event.record)
        self.sheet.expect(Rule.REOPEN_CONSISTENT, not changed, expected, actual, *records)

    def _continue(self, kind: Kind, move: Move, key: Key, event: Event) -> None:
        opened = self.open.get(key)
        if opened is None:
            self._not_open(kind, key, event)
            return
        self.sheet.look(Rule.SUBAGENT_OWNER, bool(event.owner or opened.owner))
        if event.owner is not None and event.owner != opened.owner:
            self._foreign(event, opened)
        if move is Move.END:
            del self.open[key]

    def _not_open(self, kind: Kind, key: Key, event: Event) -> None:
        if key in self._silent:
            return
        self._silent.add(key)
        if self._nameless[kind.name]:
            self._nameless[kind.name] -= 1
        else:
            self.sheet.find(
                kind.rule, f"{event.type} of an open {kind.name}", f"{shown(key[1])} is not open", event.record
            )

    def _boundary(self, event: Event) -> None:
        if event.type == "RUN_FINISHED":
            for key, opened in self.open.items():
                kind = EXPLICIT[opened.event.type][0]
                actual, records = f"{shown(key[1])} is open", (opened.event.record, event.record)
                self.sheet.find(kind.rule, f"every {kind.name} is closed before RUN_FINISHED", actual, *records)
        self.open.clear()
        self._run.clear()
        self._silent.clear()
        self._nameless.clear()

    def ids(self, *kinds: Kind) -> Iterator[str]:
        """The ids of all items of some kinds."""
        names = {kind.name for kind in kinds}
        return (id_ for name, id_ in self.known if name in names)
