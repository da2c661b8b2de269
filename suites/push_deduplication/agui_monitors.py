"""AG-UI: the grammar of event streams, rule by rule."""

from __future__ import annotations

from seatrial.judge.agui import Rule

from ..grammar import Law, monitors

OF_RUNS = monitors(
    Law(
        Rule.RUN_STARTED_FIRST,
        "A stream begins with RUN_STARTED, or from 1.0 on with RUN_ERROR",
        "The first event of every stream.",
        ("order.snapshot-before-start",),
    ),
    Law(
        Rule.SINGLE_ACTIVE_RUN,
        "A run is closed before the next one starts",
        "Every RUN_STARTED, also where a thread goes on that was paused at an interrupt.",
        ("order.run-inside-run",),
    ),
    Law(
        Rule.NOTHING_AFTER_FINISH,
        "Nothing of a run follows its RUN_FINISHED",
        "Every RUN_FINISHED: another run may follow and, from 1.0 on, one RUN_ERROR.",
        ("order.snapshot-after-finish",),
    ),
    Law(
        Rule.STEPS_BALANCED,
        "Steps are opened once per owner and name, and closed before RUN_FINISHED",
        "Every step; another owner or name may overlap it.",
        ("steps.left-open", "steps.opened-twice", "runs.share-one-step"),
    ),
    Law(
        Rule.CLOSES_AFTER_TERMINAL,
        "The body of a stream ends in order within 2 s of its last terminal event",
        "Every stream that ended its run, in RUN_FINISHED or RUN_ERROR: a body that is torn ends in disorder.",
        ("end.torn-after-error", "end.torn"),
        ("agui.order.closes-after-terminal", "agui.order.closes-after-terminal.early"),
    ),
    Law(
        Rule.SSE_FRAMING,
        "Each data block holds one JSON event, framed with LF in UTF-8",
        "Every block of every stream, and the bytes of its line ends.",
        ("frame.crlf", "frame.ping-as-data"),
    ),
    Law(
        Rule.TIMESTAMP,
        "A timestamp is an integer that every reader of JSON keeps",
        "Every event that has one.",
        ("stamp.fraction", "stamp.text"),
    ),
    Law(
        Rule.USAGE,
        "The token counts of a run add up",
        "The usage of every RUN_FINISHED and RUN_ERROR: the total is the sum, and no part exceeds its whole.",
        ("usage.total-of-output",),
    ),
    Law(
        Rule.CUSTOM_PREFIXED,
        "The name of a custom event has a prefix",
        "Every CUSTOM event.",
        ("custom.bare-name",),
    ),
    Law(
        Rule.RAW_NOT_SOLE,
        "No run has its content in RAW events alone",
        "Every run with RAW events: what they carry also comes in events of the protocol.",
        ("raw.all",),
    ),
)

OF_ITEMS = monitors(
    Law(
        Rule.TEXT_TRIAD,
        "A text message is opened, filled and closed in that order before RUN_FINISHED",
        "Every text message, with chunks expanded.",
        ("text.left-open", "text.content-first", "text.opened-twice"),
    ),
    Law(
        Rule.TOOL_TRIAD,
        "A tool call is opened, filled and closed in that order before RUN_FINISHED",
        "Every tool call, with chunks expanded.",
        ("call.left-open", "call.arguments-after-end"),
    ),
    Law(
        Rule.REASONING_TRIAD,
        "A reasoning message is opened, filled and closed in that order before RUN_FINISHED",
        "Every reasoning message, with chunks expanded.",
        ("reason.message-left-open", "reason.content-first"),
    ),
    Law(
        Rule.REASONING_SPAN,
        "A reasoning span is opened once and closed before RUN_FINISHED",
        "Every REASONING_START and REASONING_END.",
        ("reason.span-left-open", "reason.span-never-opened"),
    ),
    Law(
        Rule.REOPEN_CONSISTENT,
        "What is opened again keeps its role, name and owner",
        "Every message and call that is opened a second time.",
        ("text.reopened-as-user",),
    ),
    Law(
        Rule.MESSAGE_ID_UNIQUE,
        "A message id is not used for two messages of a thread",
        "The ids of the messages of every run, against those of its input and of the earlier runs of its thread.",
        ("ids.counted-per-run", "ids.of-the-prompt"),
    ),
)

OF_CHUNKS = monitors(
    Law(
        Rule.CHUNK_FIRST_FIELDS,
        "The first chunk of an item names it",
        "Every first chunk: an id, and of a tool call its name.",
        ("chunks.nameless",),
    ),
    Law(
        Rule.CHUNK_NO_CONFLICT,
        "Later chunks do not contradict the first one of their item",
        "Every later chunk: its role, name and parent, where it has one.",
        ("chunks.role-changes",),
    ),
    Law(
        Rule.CHUNK_NO_MIX,
        "An item is sent in chunks or in explicit events",
        "Every item that has a chunk.",
        ("chunks.opened-explicitly",),
    ),
)

OF_CALLS = monitors(
    Law(
        Rule.RESULT_KNOWN_CALL,
        "The result of a tool belongs to a call that is known",
        "Every TOOL_CALL_RESULT: its call was started here, is in the history, or was resumed.",
        ("results.of-an-unknown-call",),
    ),
    Law(
        Rule.RESULT_ONCE,
        "A tool call has one result",
        "Every TOOL_CALL_RESULT of a run.",
        ("results.twice",),
    ),
    Law(
        Rule.RESULT_OWN_ID,
        "The result of a tool has a message id of its own",
        "The id of every TOOL_CALL_RESULT, against all messages of its thread.",
        ("results.id-of-the-message",),
    ),
    Law(
        Rule.ARGS_JSON,
        "The argument deltas of a call join to one JSON value",
        "Every tool call: two calls of one message are two texts.",
        ("args.merged", "args.repr"),
    ),
    Law(
        Rule.PENDING_CALLS,
        "pendingToolCallIds names exactly the calls without a result",
        "Every RUN_FINISHED that tells of success, where calls of frontend tools are open.",
        ("pending.answered-too", "pending.invented"),
    ),
    Law(
        Rule.FRONTEND_UNANSWERED,
        "The call of a frontend tool is left to the client, and the run ends as success",
        "Every call of a tool that the input offers.",
        ("front.answers-itself",),
    ),
)

OF_SUBAGENTS = monitors(
    Law(
        Rule.SUBAGENT_LIFECYCLE,
        "A subagent is announced once and ended once",
        "Every subagent; its id is not used again in the run.",
        ("sub.ended-twice", "sub.announced-twice"),
    ),
    Law(
        Rule.SUBAGENT_OWNER,
        "All events of an item name one owner, and a parent was announced",
        "Every event that is tagged with a subagent, or that continues one that is.",
        ("sub.content-of-another", "sub.unknown-parent"),
    ),
    Law(
        Rule.SUBAGENT_CLOSED,
        "Subagents are ended before RUN_FINISHED",
        "Every subagent that was announced.",
        ("sub.left-running",),
    ),
)
