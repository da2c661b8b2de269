"""The words of a run: frozen values, no I/O."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Any

Json = Any
"""A decoded JSON value. Shapes are judged, never assumed, so the type is open."""


class Level(StrEnum):
    """The key word of a clause (RFC 2119). INFO: no clause binds the server; recorded only."""

    MUST = "MUST"
    SHOULD = "SHOULD"
    MAY = "MAY"
    INFO = "INFO"

    @property
    def rank(self) -> int:
        """0 for the strongest."""
        return list(Level).index(self)


class Verdict(StrEnum):
    """The verdicts of TTCN-3, in the order in which they win a merge."""

    FAIL = "FAIL"
    ERROR = "ERROR"
    INCONCLUSIVE = "INCONCLUSIVE"
    WARN = "WARN"
    PASS = "PASS"
    NOT_APPLICABLE = "NOT_APPLICABLE"

    @staticmethod
    def merge(verdicts: Iterable[Verdict]) -> Verdict:
        """The strongest of some verdicts; NOT_APPLICABLE where there are none."""
        order = list(Verdict)
        return min(verdicts, key=order.index, default=Verdict.NOT_APPLICABLE)


class Reason(StrEnum):
    """Why a case has no judgement of its claim, or what kind of judgement it is."""

    VERSION_NOT_CLAIMED = "version-not-claimed"
    BINDING_NOT_CLAIMED = "binding-not-claimed"
    CAPABILITY_ABSENT = "capability-absent"
    FEATURE_ABSENT = "feature-absent"
    NO_STIMULUS = "no-stimulus"
    NO_WITNESS = "no-witness"
    NO_IDENTITIES = "no-identities"
    NO_PROCESS = "no-process"
    NO_REPLICAS = "no-replicas"
    UNSAFE = "unsafe"
    BUDGET = "budget"
    RATE_LIMITED = "rate-limited"
    FAULT_NOT_MOUNTABLE = "fault-not-mountable"
    FAULT_NEVER_FIRED = "fault-never-fired"
    STIMULUS_FAILED = "stimulus-failed"
    WEBHOOK_REFUSED = "webhook-refused"
    NOT_EXERCISED = "not-exercised"
    NOTHING_SEEN = "nothing-seen"
    REPLY_LOST = "reply-lost"
    TARGET_UNHEALTHY = "target-unhealthy"
    TARGET_UNREACHABLE = "target-unreachable"
    DEADLINE = "deadline"
    INTERRUPTED = "interrupted"
    CRASH = "crash"


class Isolation(StrEnum):
    """What a check may share: an initialised session, the target, or nothing."""

    SHARED = "shared"
    SESSION = "session"
    PROCESS = "process"


class Harm(StrEnum):
    """What a check does to its target that nobody does to a stranger's; NONE: it asks what any client may ask."""

    NONE = ""
    LOAD = "asks for very much at once"
    MALFORMED = "sends what no client should send"
    DISRUPTION = "breaks connections, or ends processes"


class Role(StrEnum):
    """What a stimulus makes the target do. The names are the catalogue's."""

    ECHO = "echo"
    QUICK = "quick"
    CALL = "call"
    SLOW = "slow"
    PROGRESS = "progress"
    LOGS = "logs"
    FAILING = "failing"
    CRASH = "crash"
    STRUCTURED = "structured"
    MUTATE_TOOLS = "mutate-tools"
    MUTATE_RESOURCE = "mutate-resource"
    STREAM_CLOSE = "stream-close"
    ELICIT = "elicit"
    ELICIT_URL = "elicit-url"
    SAMPLING = "sampling"
    ROOTS = "roots"
    X_MCP_HEADER = "x-mcp-header"
    STATEFUL = "stateful"
    TASK = "task"
    PROMPT = "prompt"
    RESOURCE = "resource"
    TICKS = "ticks"
    HOLD = "hold"
    ASK = "ask"
    AUTH = "auth"
    FAIL = "fail"
    REJECT = "reject"
    RAISE = "raise"
    MESSAGE = "message"
    INVALID_RESPONSE = "invalid-response"
    IGNORE_CANCEL = "ignore-cancel"
    STORE_DOWN = "store-down"
    PUSH_STORE_DOWN = "push-store-down"
    CHAT = "chat"
    TOOL = "tool"
    TOOL_FAILING = "tool-failing"
    FRONT = "front"
    BOOM = "boom"
    STATE = "state"
    INTERRUPT = "interrupt"
    REASON = "reason"
    SUB = "sub"
    STEPS = "steps"
    ACTIVITY = "activity"
    CHUNKS = "chunks"
    HISTORY = "history"
    STOP = "stop"
    MODEL_ERROR = "model-error"
    MODEL_HANG = "model-hang"
    WITNESS = "witness"


class Feature(StrEnum):
    """What a target must have for a check to apply, beside a stimulus.

    TOOLS to EXTENDED_CARD are declared capabilities (absent: NOT_APPLICABLE). SESSIONS: the server issues
    a session id. IDENTITIES, PROCESS and REPLICAS are what the user has to give (absent: INCONCLUSIVE).
    """

    TOOLS = "tools"
    TOOLS_LIST_CHANGED = "tools.listChanged"
    RESOURCES = "resources"
    RESOURCES_LIST_CHANGED = "resources.listChanged"
    SUBSCRIBE = "resources.subscribe"
    PROMPTS = "prompts"
    COMPLETIONS = "completions"
    LOGGING = "logging"
    TASKS = "tasks"
    STREAMING = "streaming"
    PUSH = "pushNotifications"
    EXTENDED_CARD = "extendedAgentCard"
    SESSIONS = "sessions"
    IDENTITIES = "identities"
    PROCESS = "process"
    REPLICAS = "replicas"


Need = Role | Feature


@dataclass(frozen=True, slots=True)
class Requirement:
    """One row of the catalogue: a clause in our words, its level, and where it holds."""

    id: str
    suite: str
    protocol: str
    level: Level
    versions: tuple[str, ...]
    bindings: tuple[str, ...]
    spec: str
    title: str
    probe: str = ""
    expected: str = ""
    needs: tuple[str, ...] = ()

    @property
    def family(self) -> str:
        """The id without the suffix that tells rows of one rule with different levels apart."""
        return self.id.removesuffix(".early").removesuffix(".modern").removesuffix(".v1")

    def holds(self, version: str, binding: str) -> bool:
        return version in self.versions and binding in self.bindings


@dataclass(frozen=True, slots=True)
class Column:
    """Version x binding x fault profile of one target."""

    version: str
    binding: str
    profile: str = "none"

    def __str__(self) -> str:
        return f"{self.version},{self.binding},{self.profile}"


@dataclass(frozen=True, slots=True)
class Place:
    """A column of one of the targets of a run: what the matrix has a column for."""

    target: str
    column: Column


CheckBody = Callable[..., Any]
"""`async def body(lab: Lab) -> None`, or for a monitor `def body(histories, spoken) -> Judgement`."""


@dataclass(frozen=True, slots=True)
class Check:
    """One claim about a target, declared once. `title` is a sentence that can be true or false.

    `traffic`: ids of the checks whose traffic a monitor wants to see; where it is selected, so are they. `patience`:
    about how many seconds it waits for what may not come, and asks nothing of a target that behaves. `limits`: it is
    about how the target limits its clients, so that what is otherwise waited for (429) is an answer like any other.
    `targets`: the names of those that it is about, all if empty.
    """

    id: str
    title: str
    requirements: tuple[str, ...]
    body: CheckBody
    needs: frozenset[Need] = frozenset()
    faults: tuple[str, ...] = ()
    mutants: tuple[str, ...] = ()
    isolation: Isolation = Isolation.SHARED
    monitor: bool = False
    traffic: tuple[str, ...] = ()
    patience: float = 0.0
    harm: Harm = Harm.NONE
    limits: bool = False
    targets: tuple[str, ...] = ()

    @property
    def doc(self) -> str:
        return (self.body.__doc__ or "").strip()


@dataclass(frozen=True, slots=True)
class Violation:
    """A claim that did not hold: what was expected, what was seen, and the records that show it.

    `soft` marks an ambiguous MUST (the catalogue's ambiguity list): WARN at most.
    """

    expected: str
    actual: str
    records: tuple[int, ...] = ()
    requirement: str = ""
    soft: bool = False


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Why a case will not be run, found by planning."""

    reason: Reason
    detail: str
    records: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """Check x column of one target."""

    target: str
    check: Check
    column: Column
    rows: tuple[Requirement, ...]
    exclusion: Exclusion | None = None

    @property
    def id(self) -> str:
        return f"{self.target}/{self.check.id}[{self.column}]"

    @property
    def place(self) -> Place:
        return Place(self.target, self.column)

    @property
    def level(self) -> Level:
        return min((row.level for row in self.rows), key=lambda level: level.rank, default=Level.INFO)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Why a broken requirement does not fail the run for a while: an entry of the baseline. `expires`: the last day."""

    reason: str
    owner: str
    expires: date


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one case. `accepted`: the entries of a baseline by which it does not fail the run."""

    case: Case
    verdict: Verdict
    reason: Reason | None = None
    detail: str = ""
    violations: tuple[Violation, ...] = ()
    notes: tuple[Violation, ...] = ()
    records: tuple[int, ...] = ()
    seconds: float = 0.0
    traceback: str = ""
    accepted: tuple[Acceptance, ...] = ()


@dataclass(frozen=True, slots=True)
class Mutant:
    """The reference server with one behaviour broken: proof that a check can fail.

    `imitates` names the real-world bug. `build` returns what the reference target needs to make one.
    """

    id: str
    imitates: str
    build: Callable[..., Any]
    protocol: str = "mcp"
    versions: tuple[str, ...] = ()
    bindings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """What a suite entry point yields. `uncovered`: requirement id -> why no check covers it yet."""

    name: str
    checks: tuple[Check, ...]
    requirements: tuple[Requirement, ...]
    mutants: tuple[Mutant, ...] = ()
    uncovered: Mapping[str, str] = field(default_factory=dict)
