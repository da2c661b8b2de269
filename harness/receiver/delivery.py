"""One delivery, as a value."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from ..faults.stage import Headers
from ..wire import json


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request of the target to a hook, and what became of it so far.

    `number` counts the deliveries of its hook from 1, repetitions included. `payload` is the decoded body, None
    when it is no JSON. Not `whole`: the body was larger than 1 MiB or broke off, and `body` is its beginning.
    `act` is the text form of what the receiver does, `code` the status that it sent, 0 for none. Times are seconds of
    the run's clock: `began` when it had been read, `answered` when the answer was sent, `ended` when the exchange was
    over, either way. `left`: its sender gave up first. `record` is its record in the transcript.
    """

    hook: str
    number: int
    verb: str
    target: str
    headers: Headers
    body: bytes
    payload: Any
    whole: bool
    began: float
    act: str = ""
    record: int = 0
    code: int = 0
    answered: float | None = None
    ended: float | None = None
    left: bool = False

    @property
    def acknowledged(self) -> bool:
        """Whether its sender was told that it arrived: any 2xx."""
        return self.answered is not None and 200 <= self.code < 300

    @property
    def content(self) -> str:
        """Equal for byte-identical bodies."""
        return sha256(self.body).hexdigest()

    def header(self, name: str) -> str | None:
        """The first value of a header, whatever its case."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)


def decoded(body: bytes) -> Any:
    """The JSON value of a body; None when it is no JSON."""
    try:
        return json.loads(body)
    except json.JsonError:
        return None
