"""AG-UI: the state, the activities and the messages that a client holds, as the events of a server make them."""

from __future__ import annotations

from seatrial.judge.agui import Rule

from ..grammar import Law, monitors

OF_CONTENTS = monitors(
    Law(
        Rule.PATCH_VALID,
        "A state delta is a valid JSON Patch",
        "The operations and pointers of every STATE_DELTA, by RFC 6902 and RFC 6901.",
        ("state.dotted-pointer", "state.unknown-operation"),
    ),
    Law(
        Rule.PATCH_APPLIES,
        "A state delta applies to the state that its reader holds",
        "Every STATE_DELTA, from the state of the input on; a snapshot that follows excuses one that does not apply.",
        ("state.replaces-what-is-not-there",),
    ),
    Law(
        Rule.CONVERGES,
        "Snapshots of the state agree with the deltas before them",
        "Every STATE_SNAPSHOT after deltas, which are applied to the state before them.",
        ("state.stale-snapshot",),
    ),
    Law(
        Rule.ACTIVITY_BASELINE,
        "An activity delta follows a snapshot, applies to it and keeps an object",
        "Every ACTIVITY_DELTA.",
        ("activity.no-snapshot", "activity.becomes-a-number"),
    ),
    Law(
        Rule.SNAPSHOT_COMPLETE,
        "A messages snapshot lists every message so far, with its id",
        "Every MESSAGES_SNAPSHOT, against the messages of the input and those streamed before it: each is there, once,"
        " and what was streamed under its id is not under another one.",
        ("messages.only-new-ones", "messages.other-ids", "messages.text-under-another-id", "messages.twice"),
    ),
    Law(
        Rule.CONTENT_ONCE,
        "Content that was streamed is not streamed again in the same run",
        "The contents of all messages of a run, text and reasoning apart, and the deltas of each.",
        ("content.told-again", "content.reasoned-again", "content.deltas-twice", "content.whole-at-the-end"),
    ),
)
