"""What the words of a run and of its configuration mean, in a sentence each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .matrix import Exit
from .model import Reason, Verdict
from .roles import MEANINGS as ROLES

VERDICTS: Mapping[Verdict, str] = {
    Verdict.FAIL: "a MUST was broken; the records that show it are named",
    Verdict.ERROR: "a fault of Seatrial itself, never of the target",
    Verdict.INCONCLUSIVE: "it could not be judged; the reason says why",
    Verdict.WARN: "a SHOULD was broken, or a MUST whose words can be read in two ways",
    Verdict.PASS: "the stimulus happened, the fault fired, and the claim held",
    Verdict.NOT_APPLICABLE: "the target does not claim that version, binding or capability",
}

EXITS: Mapping[Exit, str] = {
    Exit.WELL: "everything that was judged held",
    Exit.BROKEN: (
        "a FAIL that no baseline accepts, or an entry of the baseline that is stale or expired; "
        "with `--strict` a WARN too"
    ),
    Exit.USAGE: "the command line or a file is wrong; nothing was run",
    Exit.UNJUDGED: "nothing failed, but something could not be judged, or Seatrial itself failed",
    Exit.UNREACHABLE: "the target cannot be reached, or does not speak the protocol",
    Exit.INTERRUPTED: "interrupted; what was known has been written",
}

REASONS: Mapping[Reason, str] = {
    Reason.VERSION_NOT_CLAIMED: "the target does not claim that version",
    Reason.BINDING_NOT_CLAIMED: "the target does not claim that binding",
    Reason.CAPABILITY_ABSENT: "the target does not declare the capability",
    Reason.FEATURE_ABSENT: "the target does not have what the clause is about",
    Reason.NO_STIMULUS: "nothing below `stimuli` plays the role that the check needs",
    Reason.NO_WITNESS: "nothing shows what went on inside the target",
    Reason.NO_IDENTITIES: "no principals are configured whose requests could be told apart",
    Reason.NO_PROCESS: "the target was not started by Seatrial, so that it cannot be ended or started again",
    Reason.NO_REPLICAS: "no second instance of the target is configured",
    Reason.UNSAFE: "it could do harm to a target that is somebody else's; `--allow-effects` permits it",
    Reason.BUDGET: "the requests that `--budget` grants were used up before its turn",
    Reason.RATE_LIMITED: "the target limits how often it is asked, and did so beyond what is waited for",
    Reason.FAULT_NOT_MOUNTABLE: "the fault that it needs cannot be mounted on that binding",
    Reason.FAULT_NEVER_FIRED: "the fault that it needs never took effect, so that nothing was tried",
    Reason.STIMULUS_FAILED: "the stimulus did not do what its role demands",
    Reason.WEBHOOK_REFUSED: "the agent does not call the webhook of Seatrial",
    Reason.NOT_EXERCISED: "what the clause is about did not come about",
    Reason.NOTHING_SEEN: "the traffic of the run showed nothing of this kind",
    Reason.REPLY_LOST: "an answer that the judgement rests on was lost",
    Reason.TARGET_UNHEALTHY: "the target did not answer a plain request before or after it",
    Reason.TARGET_UNREACHABLE: "the target cannot be reached",
    Reason.DEADLINE: "it took longer than a case may take",
    Reason.INTERRUPTED: "the run was interrupted",
    Reason.CRASH: "an exception inside Seatrial or inside the check",
}

TARGET_KEYS: Mapping[str, str] = {
    "url": "where the target listens",
    "command": (
        "a list of words that starts it. Without `url` it speaks over standard streams; with `{port}` in both, "
        "every start gets a free port"
    ),
    "env": "environment variables for the command, beside those of Seatrial itself",
    "protocol": '`"mcp"`, `"a2a"` or `"agui"`; without it Seatrial looks',
    "versions": "protocol versions to check; without it they are discovered",
    "bindings": (
        'MCP: `"streamable-http"` (or `"http"`), `"stdio"`; A2A: `"JSONRPC"`, `"HTTP+JSON"`; '
        'AG-UI: `"sse"`; without it what `url` and `command` imply, or what the card says'
    ),
    "headers": "sent with every HTTP request",
    "stimuli": "how it plays each role",
    "identities": (
        "headers of principals, by name; checks between principals need `first` and `second`, those of authorization "
        "know `no-scope` (lacks a scope), `other-audience` (a token for another resource) and `expired`"
    ),
    "replicas": "addresses of further instances that share the state of the first",
    "ways": "further addresses of the same server by name, such as `gateway`: each gets columns of its own",
    "ca": "a file of certificates to trust, for `https`",
    "release": 'A2A: the release of the specification, `"1.0.0"` or `"1.0.1"`, where its error table matters',
    "milestone": 'AG-UI 0.1: the release whose events are spoken, such as `"0.1.21"`',
    "webhook_host": (
        'A2A: where Seatrial receives push notifications, and the target reaches it; `"127.0.0.1"` without it'
    ),
    "capabilities_url": (
        "AG-UI: where the endpoint declares its capabilities; a path is one of the `url`'s host and port"
    ),
    "contact": "an address at which you are reached, told to the target in the `User-Agent`",
}

STIMULUS_KEYS: Mapping[str, str] = {
    "tool": "MCP: call this tool",
    "prompt_name": "MCP: get this prompt",
    "resource": "MCP: read this URI",
    "text": "A2A: send a message with this text",
    "message_id": "A2A: send a message whose id begins so; beside `text` or alone",
    "prompt": "AG-UI: a run whose last message says this",
    "get": "the witness: a URL, or a path of the target's own host and port; for `stop` with `{thread}` and `{run}`",
    "post": "for `stop` only: a URL or a path, with `{thread}` and `{run}`",
    "file": "the witness: a file",
    "command": "the witness: the output of a command",
    "arguments": "what the tool or the prompt is given",
    "lasts": "for how many seconds it works, where the check cannot choose",
    "count": "in how many steps it works, where the check cannot choose",
    "gap": "how many seconds lie between its steps, where the check cannot choose",
    "progress": "true: it sends progress notifications to a client that asks for them",
    "only": "the one binding on which it works",
    "safe": "true: its owner says that it does no harm, so that it is played to a target of somebody else's too",
    "running": "a remark: what the witness shows while work goes on",
    "stopped": "a remark: what the witness shows once work has stopped",
    "note": "any other remark",
}

_WORDS = (("verdict", VERDICTS), ("reason", REASONS), ("role", ROLES))


def words() -> Iterator[str]:
    """Every word that has a meaning of its own."""
    return (name.value for _, known in _WORDS for name in known)


def meanings(word: str) -> Iterator[tuple[str, str]]:
    """What a word means, with what kind of word it is: one may be a verdict and a role at once, by its case."""
    for kind, words in _WORDS:
        yield from ((kind, meaning) for name, meaning in words.items() if name.value == word)
