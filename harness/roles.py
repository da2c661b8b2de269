"""What each role asks of a target, and how it is written down."""

from __future__ import annotations

from collections.abc import Mapping

from .model import Role

MEANINGS: Mapping[Role, str] = {
    Role.ECHO: "gives its text back",
    Role.QUICK: "answers at once",
    Role.CALL: "succeeds each time",
    Role.SLOW: "works for some seconds, best in small steps",
    Role.PROGRESS: "sends progress notifications",
    Role.LOGS: "sends log messages",
    Role.FAILING: "reports a failure",
    Role.CRASH: "breaks inside its handler",
    Role.STRUCTURED: "has an output schema",
    Role.MUTATE_TOOLS: "changes the list of tools and announces it",
    Role.MUTATE_RESOURCE: "changes a resource and announces it",
    Role.STREAM_CLOSE: "closes its own response stream early",
    Role.ELICIT: "asks the user by a form",
    Role.ELICIT_URL: "sends the user to a URL",
    Role.SAMPLING: "asks the client's model",
    Role.ROOTS: "asks for the client's roots",
    Role.X_MCP_HEADER: "has a parameter that is mirrored in a header",
    Role.STATEFUL: "gives a handle to state that later calls name",
    Role.TASK: "runs as a task",
    Role.PROMPT: "is a prompt of the list",
    Role.RESOURCE: "is a resource of the list",
    Role.TICKS: "sends some chunks of one artifact, then completes",
    Role.HOLD: "keeps working for some seconds",
    Role.ASK: "waits for the user's input",
    Role.AUTH: "waits for an authorization",
    Role.FAIL: "ends as failed",
    Role.REJECT: "ends as rejected",
    Role.RAISE: "breaks inside the agent",
    Role.MESSAGE: "is answered by a message, without a task",
    Role.INVALID_RESPONSE: "sends events in an order that is not allowed",
    Role.IGNORE_CANCEL: "works on although it was cancelled",
    Role.STORE_DOWN: "cannot keep its tasks",
    Role.PUSH_STORE_DOWN: "cannot keep its push configurations",
    Role.CHAT: "is answered by a text",
    Role.TOOL: "makes the agent call a tool of its own",
    Role.TOOL_FAILING: "makes the agent call a tool that fails",
    Role.FRONT: "makes the agent call a tool that the client offers",
    Role.BOOM: "breaks inside the agent",
    Role.STATE: "changes the shared state",
    Role.INTERRUPT: "stops for an approval",
    Role.REASON: "shows its reasoning",
    Role.SUB: "runs a sub-agent",
    Role.STEPS: "runs in steps",
    Role.ACTIVITY: "shows an activity",
    Role.CHUNKS: "answers in chunk events",
    Role.HISTORY: "replays earlier runs of the thread",
    Role.STOP: "is the route that stops a run",
    Role.MODEL_ERROR: "has a model that fails",
    Role.MODEL_HANG: "has a model that never answers",
    Role.WITNESS: "shows how far the work of a key came: the proof that it went on or stopped",
}

_ARGUMENTS: Mapping[Role, str] = {
    Role.WITNESS: ', arguments = { key = "{key}" }',
    Role.ECHO: ', arguments = { message = "{text}" }',
    Role.SLOW: ', arguments = { seconds = "{seconds}", key = "{key}" }, progress = true',
    Role.PROGRESS: ', arguments = { count = "{count}" }, progress = true',
    Role.LOGS: ', arguments = { count = "{count}", level = "{level}" }',
    Role.MUTATE_RESOURCE: ', arguments = { text = "{text}" }',
    Role.STREAM_CLOSE: ', arguments = { count = "{count}" }, progress = true',
    Role.TASK: ', arguments = { seconds = "{seconds}", key = "{key}" }',
}
_LISTED: Mapping[Role, str] = {
    Role.PROMPT: '{ prompt_name = "PROMPT", arguments = {} }',
    Role.RESOURCE: '{ resource = "URI" }',
}
_SAID: Mapping[str, str] = {"a2a": '{ text = "WORDS" }', "agui": '{ prompt = "WORDS" }'}
"""How a role is written where the target is spoken to."""


def stimulus_example(role: Role, protocol: str) -> str:
    """How a role is written below `stimuli`; the words in capitals are for the user to replace."""
    if role is Role.STOP:
        return '{ post = "/STOP/{thread}" }'
    if protocol not in _SAID:
        return _LISTED.get(role) or f'{{ tool = "TOOL"{_ARGUMENTS.get(role, "")} }}'
    return '{ get = "/WITNESS" }' if role is Role.WITNESS else _SAID[protocol]
