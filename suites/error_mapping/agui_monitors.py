"""AG-UI: where a run ends, in every stream."""

from __future__ import annotations

from seatrial.judge.agui import Rule

from ..grammar import Law, monitors

OF_ENDS = monitors(
    Law(
        Rule.RUN_ERROR_TERMINAL,
        "Nothing of a run follows its RUN_ERROR",
        "Every RUN_ERROR of every stream. Before 1.0 that RUN_FINISHED follows counts here.",
        ("fail.text-after-error", "fail.finished-after-error", "fail.error-twice"),
    ),
    Law(
        Rule.NO_FINISH_AFTER_ERROR,
        "RUN_FINISHED does not follow the RUN_ERROR of the same run",
        "Every RUN_ERROR of every stream.",
        ("fail.finished-after-error.v1",),
    ),
    Law(
        Rule.LATE_ERROR,
        "At most one RUN_ERROR follows RUN_FINISHED",
        "Every run that finished; one error behind it makes it a failed one.",
        ("fail.late-error-twice",),
    ),
    Law(
        Rule.ALWAYS_TERMINAL,
        "A stream that ends in order has ended its run",
        "Every stream that the server closed: RUN_FINISHED or RUN_ERROR came before.",
        ("fail.silent-end",),
    ),
    Law(
        Rule.ERROR_CODE,
        "The code of RUN_ERROR is a string where there is one",
        "Every RUN_ERROR.",
        ("fail.numeric-code",),
    ),
)
