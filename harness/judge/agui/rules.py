"""The rules that one stream and its input decide, the profiles that they hold in, and the sheet of findings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class Rule(StrEnum):
    """A requirement of AG-UI; the value is its id without the part that tells versions apart."""

    DECLARES_OWN = "agui.ver.declares-own"
    VERSION_STABLE = "agui.ver.version-stable-in-stream"
    NO_RETIRED_EVENTS = "agui.ver.no-retired-events"
    NO_UNKNOWN_EVENTS = "agui.ver.no-unknown-events"
    NO_UNKNOWN_FIELDS = "agui.ver.no-unknown-fields"
    NO_NULL = "agui.ver.no-null-for-absent"
    RESULT_CONTENT = "agui.ver.result-list-or-string"
    RUN_ERROR_TERMINAL = "agui.err.run-error-terminal"
    NO_FINISH_AFTER_ERROR = "agui.err.no-finish-after-error"
    LATE_ERROR = "agui.err.late-error-only-after-finish"
    ALWAYS_TERMINAL = "agui.err.always-terminal"
    ERROR_CODE = "agui.err.code-open-string"
    RUN_STARTED_FIRST = "agui.order.run-started-first"
    IDS_ECHO = "agui.order.ids-echo"
    SINGLE_ACTIVE_RUN = "agui.order.single-active-run"
    NOTHING_AFTER_FINISH = "agui.order.nothing-after-finish"
    TEXT_TRIAD = "agui.order.text-triad"
    TOOL_TRIAD = "agui.order.tool-triad"
    REASONING_TRIAD = "agui.order.reasoning-triad"
    REASONING_SPAN = "agui.order.reasoning-span"
    STEPS_BALANCED = "agui.order.steps-balanced"
    CHUNK_FIRST_FIELDS = "agui.order.chunk-first-fields"
    CHUNK_NO_CONFLICT = "agui.order.chunk-no-conflict"
    CHUNK_NO_MIX = "agui.order.chunk-no-mix"
    RESULT_KNOWN_CALL = "agui.order.tool-result-known-call"
    RESULT_ONCE = "agui.order.tool-result-once"
    RESULT_OWN_ID = "agui.order.tool-result-own-message-id"
    ARGS_JSON = "agui.order.tool-args-json"
    MESSAGE_ID_UNIQUE = "agui.order.message-id-unique-thread"
    REOPEN_CONSISTENT = "agui.order.reopen-consistent"
    TIMESTAMP = "agui.order.timestamp-integer"
    SUBAGENT_LIFECYCLE = "agui.order.subagent-lifecycle"
    SUBAGENT_OWNER = "agui.order.subagent-owner"
    SUBAGENT_CLOSED = "agui.order.subagent-closed"
    SSE_FRAMING = "agui.order.sse-framing"
    CLOSES_AFTER_TERMINAL = "agui.order.closes-after-terminal"
    CUSTOM_PREFIXED = "agui.order.custom-name-prefixed"
    RAW_NOT_SOLE = "agui.order.raw-not-sole-carrier"
    PENDING_CALLS = "agui.order.pending-calls-match"
    FRONTEND_UNANSWERED = "agui.order.frontend-not-self-answered"
    UNOFFERED_TOOL = "agui.cap.no-unoffered-frontend-tool"
    USAGE = "agui.order.usage-sane"
    PATCH_VALID = "agui.state.patch-valid"
    PATCH_APPLIES = "agui.state.patch-applies"
    CONVERGES = "agui.state.converges"
    ACTIVITY_BASELINE = "agui.state.activity-baseline"
    SNAPSHOT_COMPLETE = "agui.state.messages-snapshot-complete"
    CONTENT_ONCE = "agui.dedup.content-once"
    INTERRUPT_FORM = "agui.interrupt.outcome-form"
    CANCELLED_BARE = "agui.cancel.no-interrupts-carried"


Version = tuple[int, ...]

ONE: Version = (1, 0)

SINCE: dict[Rule, Version] = {
    **dict.fromkeys(
        (
            Rule.DECLARES_OWN,
            Rule.VERSION_STABLE,
            Rule.NO_RETIRED_EVENTS,
            Rule.NO_UNKNOWN_EVENTS,
            Rule.NO_UNKNOWN_FIELDS,
            Rule.NO_NULL,
            Rule.RESULT_CONTENT,
            Rule.NO_FINISH_AFTER_ERROR,
            Rule.LATE_ERROR,
            Rule.CHUNK_NO_CONFLICT,
            Rule.CHUNK_NO_MIX,
            Rule.RESULT_OWN_ID,
            Rule.MESSAGE_ID_UNIQUE,
            Rule.REOPEN_CONSISTENT,
            Rule.TIMESTAMP,
            Rule.SSE_FRAMING,
            Rule.CUSTOM_PREFIXED,
            Rule.RAW_NOT_SOLE,
            Rule.PENDING_CALLS,
            Rule.FRONTEND_UNANSWERED,
            Rule.UNOFFERED_TOOL,
            Rule.USAGE,
            Rule.CANCELLED_BARE,
        ),
        ONE,
    ),
    Rule.CHUNK_FIRST_FIELDS: (0, 1, 10),
    Rule.ACTIVITY_BASELINE: (0, 1, 10),
    Rule.REASONING_TRIAD: (0, 1, 15),
    Rule.REASONING_SPAN: (0, 1, 15),
    Rule.INTERRUPT_FORM: (0, 1, 19),
    Rule.SUBAGENT_LIFECYCLE: (0, 1, 21),
    Rule.SUBAGENT_OWNER: (0, 1, 21),
    Rule.SUBAGENT_CLOSED: (0, 1, 21),
}
"""The first version that a rule holds in, where it does not hold in all."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a stream is judged by: 1.0, or a milestone of 0.1.

    `undeclared`: a stream of 1.0 that tells no version is judged as one of 0.1, and for not telling it.
    """

    version: Version
    undeclared: bool = False

    @property
    def modern(self) -> bool:
        return self.version >= ONE

    def holds(self, rule: Rule) -> bool:
        owed = self.undeclared and rule in (Rule.DECLARES_OWN, Rule.NO_RETIRED_EVENTS)
        return owed or self.version >= SINCE.get(rule, (0,))


V1 = Profile(ONE)
V0 = Profile((0, 1, 21))
UNDECLARED = Profile(V0.version, undeclared=True)


def profile(version: str, milestone: str = "0.1.21") -> Profile:
    """Of a column's version. Inside 0.1 the milestone that the target claims decides."""
    text = milestone if version.startswith("0.") else version
    return Profile(tuple(map(int, text.split("."))))


@dataclass(frozen=True, slots=True)
class Finding:
    """A broken rule: what was expected, what was seen, the records that show it; `soft` as in a Violation."""

    rule: Rule
    expected: str
    actual: str
    records: tuple[int, ...] = ()
    soft: bool = False


@dataclass(slots=True)
class Sheet:
    """Where the parts of the judge write down what they looked at and what was wrong, by the rules that hold."""

    profile: Profile
    findings: list[Finding] = field(default_factory=list)
    seen: Counter[Rule] = field(default_factory=Counter)

    def look(self, rule: Rule, times: int = 1) -> None:
        if self.profile.holds(rule):
            self.seen[rule] += times

    def find(self, rule: Rule, expected: str, actual: str, *records: int, soft: bool = False) -> None:
        if self.profile.holds(rule):
            self.findings.append(Finding(rule, expected, actual, records, soft))

    def expect(self, rule: Rule, holds: bool, expected: str, actual: str, *records: int) -> None:
        """Look at one thing, and find fault with it unless it holds."""
        self.look(rule)
        if not holds:
            self.find(rule, expected, actual, *records)


def shown(value: object) -> str:
    """A value of the target in a sentence, short."""
    return f"{value!r:.80}"
